package lean

import (
	"errors"
	"fmt"
	"strings"
	"text/template"
)

// writeOut replaces the template by the sources that it makes for each filter and address. A program
// with text/template, which calls methods by name, keeps every exported method of every type: those
// account for most of the bytes saved here.
func writeOut(file string) (string, error) {
	before, rest, found := strings.Cut(file, "var tmpl = template.Must(template.New(\"tmpl\").Parse(`")
	text, after, ends := strings.Cut(rest, "`))\n")
	if !found || !ends {
		return "", errors.New("there is no template of shaders")
	}
	sources, err := sourcesOf(text)
	if err != nil {
		return "", err
	}
	file, err = replace(before+sources+after, "\tif err := tmpl.Execute(&buf, struct {", "\n\t}\n\n\tb := buf.Bytes()",
		"\tbuf.WriteString(sources[filter][address])\n\tb := buf.Bytes()")
	if err != nil {
		return "", err
	}
	for _, name := range []string{"fmt", "text/template"} {
		if file, err = replace(file, "\t\""+name, "\"\n", ""); err != nil {
			return "", err
		}
	}
	return file, nil
}

// The names of filters and addresses in the template and in the file's constants.
var (
	filters   = []string{"FilterNearest", "FilterLinear", "FilterPixelated"}
	addresses = []string{"AddressUnsafe", "AddressClampToZero", "AddressRepeat"}
)

// sourcesOf declares the sources of a template.
func sourcesOf(text string) (string, error) {
	t, err := template.New("").Option("missingkey=error").Parse(text)
	if err != nil {
		return "", err
	}
	var out strings.Builder
	out.WriteString("var sources = [FilterCount][AddressCount]string{\n")
	for filter := range filters {
		fmt.Fprintf(&out, "\t%s: {\n", filters[filter])
		for address := range addresses {
			values := map[string]int{"Filter": filter, "Address": address}
			for i, name := range filters {
				values[name] = i
			}
			for i, name := range addresses {
				values[name] = i
			}
			var source strings.Builder
			if err := t.Execute(&source, values); err != nil {
				return "", err
			}
			fmt.Fprintf(&out, "\t\t%s: %q,\n", addresses[address], source.String())
		}
		out.WriteString("\t},\n")
	}
	out.WriteString("}\n")
	return out.String(), nil
}

// dropCaller drops the search for Ebitengine's own folder with go/build. It never finds
// one in a browser, and without it FirstCaller reports no caller, as there.
func dropCaller(file string) (string, error) {
	file, err := replace(file, "\t\tpkg, err := build.Default.Import(", "filepath.ToSlash(pkg.Dir)\n", "")
	if err != nil {
		return "", err
	}
	return replace(file, "\t\"go/build", "\"\n", "")
}

// refuseTexels drops the conversion of shaders written in texels, which is most of go/printer
// and go/doc. Those of Parley and of Ebitengine itself are written in pixels.
func refuseTexels(file string) (string, error) {
	const head = "func convertToPixels(src []byte) ([]byte, error) {\n"
	if !strings.Contains(file, head) {
		return "", errors.New("there is no conversion of texels")
	}
	return "package legacyshader\n\nimport \"errors\"\n\n" + head +
		"\treturn nil, errors.New(\"a shader must begin with //kage:unit pixels\")\n}\n", nil
}

// replace exchanges the first text that begins with one string and ends with another.
func replace(text, from, to, by string) (string, error) {
	before, rest, found := strings.Cut(text, from)
	_, after, ends := strings.Cut(rest, to)
	if !found || !ends {
		return "", fmt.Errorf("there is no %q with %q after it", from, to)
	}
	return before + by + after, nil
}
