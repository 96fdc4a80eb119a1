package dump

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"

	"parley/core/kube"
	"parley/core/trace"
)

// Pseudonymise writes the objects and fields of a dump that affect decisions, under pseudonyms. Each
// name has one pseudonym, and pseudonyms sort as the names do, so decisions that depend on the order
// of names stay the same. Words in the lists of pseudonymwords.go, which Kubernetes and clouds
// define, are kept; no other text is. progress is called as in Read.
func Pseudonymise(w io.Writer, files []trace.File, secret string, progress func(trace.Progress) error) error {
	p := &pseudonyms{
		secret: []byte(secret), parts: map[string]string{}, ordered: map[string]bool{},
		words: newKeptWords(),
	}
	metadata, objects := pseudonymFields(p.words)
	if err := Objects(files, nil, func(o Object) error {
		if bytes.Contains(o.JSON, []byte(`"Gt"`)) || bytes.Contains(o.JSON, []byte(`"Lt"`)) {
			p.compared(gjson.ParseBytes(o.JSON))
		}
		return nil
	}); err != nil {
		return err
	}
	if err := Objects(files, nil, func(o Object) error {
		if doc := gjson.ParseBytes(o.JSON); doc.Get("metadata").IsObject() && objects[o.Kind] != nil {
			p.object(o.Kind, doc, metadata, objects[o.Kind])
		}
		return nil
	}); err != nil {
		return err
	}
	p.number()
	if _, err := io.WriteString(w, "{\"apiVersion\":\"v1\",\"kind\":\"List\",\"items\":["); err != nil {
		return err
	}
	first := true
	err := Objects(files, progress, func(o Object) error {
		if _, known := kinds[o.Kind]; !known {
			return nil
		}
		// A file that is not a dump is an error, as for Read.
		r := &reader{file: o.File, line: o.Line}
		doc := gjson.ParseBytes(o.JSON)
		if !doc.Get("metadata").IsObject() {
			r.object = o.Kind
			r.fail("metadata", doc.Get("metadata"), "is no object", hintAgain)
			return r.err
		}
		text, err := json.Marshal(p.object(o.Kind, doc, metadata, objects[o.Kind]))
		if err != nil {
			return err
		}
		if !first {
			text = append([]byte(",\n"), text...)
		}
		first = false
		_, err = w.Write(text)
		return err
	})
	if err == nil {
		_, err = io.WriteString(w, "]}\n")
	}
	return err
}

// pseudonyms replaces names. It meets all of them once before it replaces any.
type pseudonyms struct {
	secret  []byte
	words   *keptWords
	ordered map[string]bool   // labels whose values some expression compares by size
	parts   map[string]string // parts of names, each with its pseudonym; "" until number is called
}

// compared notes the labels that expressions within a value compare by size.
func (p *pseudonyms) compared(v gjson.Result) {
	if op := v.Get("operator").Str; v.IsObject() && (op == "Gt" || op == "Lt") {
		p.ordered[strings.Clone(v.Get("key").Str)] = true
	}
	if v.IsObject() || v.IsArray() {
		v.ForEach(func(_, v gjson.Result) bool {
			p.compared(v)
			return true
		})
	}
}

// name returns the pseudonym of a name: letters and digits with the hyphens of the name, so that it
// is valid as a name. Each part between hyphens has its own pseudonym. So a name that contains other
// names still does: that of a pod, of a ReplicaSet, of a claim.
func (p *pseudonyms) name(name string) string {
	if name == "" || p.words.namespaces[name] {
		return name
	}
	if strings.ContainsAny(name, "/:") { // an image or a key
		return p.part(name)
	}
	var out strings.Builder
	for name != "" {
		end := strings.IndexByte(name, '-')
		if uid := p.words.uid.FindString(name); uid != "" {
			end = len(uid)
		}
		if end < 0 {
			end = len(name)
		}
		out.WriteString(p.part(name[:end]))
		if name = name[end:]; name != "" && name[0] == '-' {
			out.WriteByte('-')
			name = name[1:]
		}
	}
	return out.String()
}

// part returns the pseudonym of a part of a name.
func (p *pseudonyms) part(part string) string {
	if part == "" {
		return ""
	}
	other, known := p.parts[part]
	if !known {
		p.parts[strings.Clone(part)] = ""
	}
	return other
}

// number gives each part its pseudonym: its rank among all parts and a keyed hash, which is the same
// in another dump. A hyphen sorts before all other characters of names, so names made of such parts
// sort as the originals do.
func (p *pseudonyms) number() {
	all := slices.Sorted(maps.Keys(p.parts))
	digits := len(strconv.Itoa(len(all)))
	for i, part := range all {
		h := hmac.New(sha256.New, p.secret)
		h.Write([]byte(part))
		p.parts[part] = fmt.Sprintf("x%0*d%s", digits, i, hex.EncodeToString(h.Sum(nil)[:4]))
	}
}

// key returns the pseudonym of the key of a label, a taint or an annotation.
func (p *pseudonyms) key(key string) string {
	if p.words.keys[key] {
		return key
	}
	return p.name(key)
}

// value returns the pseudonym of a label's value. true and false, values that Kubernetes or clouds define
// for the key, and whole numbers that some expression compares by size are kept.
func (p *pseudonyms) value(key, value string) string {
	if value == "true" || value == "false" || p.ordered[key] && whole(value) || p.words.keepsValue(key, value) {
		return value
	}
	// A volume's label may name several zones.
	if all := strings.Split(value, "__"); len(all) > 1 && (strings.HasSuffix(key, "/zone") || strings.HasSuffix(key, "/region")) {
		for i := range all {
			all[i] = p.name(all[i])
		}
		return strings.Join(all, "__")
	}
	return p.name(value)
}

// whole reports whether a text is a whole number that fits 64 bits.
func whole(text string) bool {
	_, err := strconv.ParseInt(text, 10, 64)
	return err == nil
}

// resource returns the pseudonym of a resource's name. Well-known names and the parts by which answers
// classify a resource (hugepages-, attachable-volumes-, /gpu) are kept.
func (p *pseudonyms) resource(name string) string {
	if p.words.resources[name] || p.words.migSlice.MatchString(name) {
		return name
	}
	if driver, is := strings.CutPrefix(name, "attachable-volumes-"); is {
		if csi, is := strings.CutPrefix(driver, "csi-"); is {
			return "attachable-volumes-csi-" + p.driver(csi)
		}
		return "attachable-volumes-" + p.driver(driver)
	}
	if size, is := strings.CutPrefix(name, "hugepages-"); is {
		if _, known := kube.ParseQuantity(size); known {
			return name
		}
		return "hugepages-" + p.name(size)
	}
	if domain, rest, extended := strings.Cut(name, "/"); extended {
		if rest != "gpu" { // which makes it a GPU
			rest = p.name(rest)
		}
		return p.name(domain) + "/" + rest
	}
	return p.name(name)
}

// driver returns a well-known driver of volumes or provisioner unchanged, and the pseudonym of
// another.
func (p *pseudonyms) driver(name string) string {
	if p.words.drivers[name] {
		return name
	}
	return p.name(name)
}
