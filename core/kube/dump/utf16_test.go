package dump_test

import (
	"encoding/binary"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf16"

	"parley/core/kube/dump"
	"parley/core/trace"
)

// fileOf returns a file that is read a byte at a time.
func fileOf(name, text string) trace.File {
	return trace.File{Name: name, Size: int64(len(text)), Open: func() (io.ReadCloser, error) {
		return io.NopCloser(iotest.OneByteReader(strings.NewReader(text))), nil
	}}
}

// kinds returns the kinds and names of a dump's objects.
func kinds(files ...trace.File) (string, error) {
	var out []string
	err := dump.Objects(files, nil, func(o dump.Object) error {
		out = append(out, o.Kind+" "+string(o.JSON))
		return nil
	})
	return strings.Join(out, "; "), err
}

// A dump that Windows PowerShell wrote is read as if it were UTF-8, in either order of bytes.
func TestUTF16(t *testing.T) {
	const text = "{\"kind\":\"List\",\r\n\"items\":[{\"kind\":\"Node\",\"name\":\"Zürich 😀\"}]}\r\n"
	for name, order := range map[string]binary.AppendByteOrder{"little": binary.LittleEndian, "big": binary.BigEndian} {
		packed := order.AppendUint16(nil, 0xfeff)
		for _, unit := range utf16.Encode([]rune(text)) {
			packed = order.AppendUint16(packed, unit)
		}
		want := `Node {"kind":"Node","name":"Zürich 😀"}`
		if got, err := kinds(fileOf(name, string(packed))); err != nil || got != want {
			t.Errorf("%s endian: %q, %v; want %q", name, got, err, want)
		}
		if _, err := kinds(fileOf(name, string(packed[:len(packed)-5]))); err == nil {
			t.Errorf("%s endian: a text that ends within a character is read as if it were whole", name)
		}
	}
}

// A page of a list is not taken for all of it, whichever file has the last page.
func TestPages(t *testing.T) {
	first := fileOf("pods-1.json", `{"kind":"PodList","metadata":{"continue":"abc","remainingItemCount":753},"items":[{"name":"a"}]}`)
	last := fileOf("pods-2.json", `{"kind":"PodList","items":[{"name":"b"}],"metadata":{"resourceVersion":"7"}}`)
	nodes := fileOf("nodes.json", `{"kind":"NodeList","metadata":{"resourceVersion":"7"},"items":[{"name":"n"}]}`)
	if _, err := kinds(nodes, first); err == nil || !strings.Contains(err.Error(), "pods-1.json is one page of a list: 753 objects of the kind Pod are missing") {
		t.Errorf("the first page alone: %v", err)
	}
	for _, files := range [][]trace.File{{first, last, nodes}, {last, nodes, first}} {
		if _, err := kinds(files...); err != nil {
			t.Errorf("all pages: %v", err)
		}
	}
}
