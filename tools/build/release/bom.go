package main

import (
	"bytes"
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/hex"
	"fmt"
	"runtime"
	"slices"
	"strings"

	cdx "github.com/CycloneDX/cyclonedx-go"

	"parley/tools/build/bundle"
)

// bom lists the parts of a release, in CycloneDX's format: of each program the modules
// that Go wrote into it, of the page the packages that its scripts contain.
type bom struct {
	*cdx.BOM
	parts map[string]cdx.Component // by their addresses
	made  []cdx.Component
	from  []cdx.Dependency
}

func newBOM(r *release) *bom {
	b := &bom{cdx.NewBOM(), map[string]cdx.Component{}, nil, nil}
	b.Metadata = &cdx.Metadata{Component: &cdx.Component{
		BOMRef: "parley", Type: cdx.ComponentTypeApplication, Name: "parley", Version: r.version,
		Licenses:   &cdx.Licenses{{License: &cdx.License{ID: "MIT"}}},
		Properties: &[]cdx.Property{{Name: "commit", Value: r.commit}},
	}}
	return b
}

// need notes a part and returns its address.
func (b *bom) need(kind, name, version string) string {
	// A scope's @ is written as %40 in an address of a package.
	address := fmt.Sprintf("pkg:%s/%s@%s", kind, strings.Replace(name, "@", "%40", 1), version)
	b.parts[address] = cdx.Component{
		BOMRef: address, Type: cdx.ComponentTypeLibrary, Name: name, Version: version,
		PackageURL: address,
	}
	return address
}

// makes adds a part of the release with its contents.
func (b *bom) makes(name string, content []byte, from []string) {
	c := cdx.Component{BOMRef: name, Type: cdx.ComponentTypeApplication, Name: name}
	if content != nil {
		sum := sha256.Sum256(content)
		c.Hashes = &[]cdx.Hash{{Algorithm: cdx.HashAlgoSHA256, Value: hex.EncodeToString(sum[:])}}
	}
	slices.Sort(from)
	b.made = append(b.made, c)
	b.from = append(b.from, cdx.Dependency{Ref: name, Dependencies: &from})
}

// addProgram adds the modules that Go recorded in a program.
func (b *bom) addProgram(name string, program []byte) error {
	info, err := buildinfo.Read(bytes.NewReader(program))
	if err != nil {
		return err
	}
	from := []string{b.need("golang", "std", strings.TrimPrefix(info.GoVersion, "go"))}
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		from = append(from, b.need("golang", m.Path, m.Version))
	}
	b.makes(name, program, from)
	return nil
}

// addPage adds the modules in the page's WebAssembly and scripts.
func (b *bom) addPage(root string) error {
	modules, packages, err := bundle.Parts(root)
	if err != nil {
		return err
	}
	from := []string{b.need("golang", "std", strings.TrimPrefix(runtime.Version(), "go"))}
	for kind, parts := range map[string][]string{"golang": modules, "npm": packages} {
		for _, part := range parts {
			name, version, _ := strings.Cut(part, " ")
			from = append(from, b.need(kind, name, version))
		}
	}
	b.makes("page", nil, from)
	return nil
}

// encode returns the document.
func (b *bom) encode() ([]byte, error) {
	all := b.made
	for _, c := range b.parts {
		all = append(all, c)
	}
	slices.SortFunc(all, func(x, y cdx.Component) int { return strings.Compare(x.BOMRef, y.BOMRef) })
	b.Components, b.Dependencies = &all, &b.from
	var out bytes.Buffer
	err := cdx.NewBOMEncoder(&out, cdx.BOMFileFormatJSON).SetPretty(true).Encode(b.BOM)
	return out.Bytes(), err
}
