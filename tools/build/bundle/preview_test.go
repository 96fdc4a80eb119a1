package bundle

import (
	"strings"
	"testing"
)

// A page with a known address names its picture as a whole address; one without names none.
func TestPreview(t *testing.T) {
	page := func() Files { return Files{"index.html": []byte("<head></head>"), previewPicture: nil} }
	f := page()
	if err := f.preview(""); err != nil || strings.Contains(string(f["index.html"]), "og:image") {
		t.Errorf("without an address: %s, %v", f["index.html"], err)
	}
	for _, address := range []string{"https://a.example/parley", "https://a.example/parley/"} {
		f := page()
		err := f.preview(address)
		want := `<meta property="og:image" content="https://a.example/parley/gallery/google-cell-dark.png">`
		if err != nil || !strings.Contains(string(f["index.html"]), want) {
			t.Errorf("%s: %s, %v", address, f["index.html"], err)
		}
	}
	for _, bad := range []string{"a.example", "/parley/", "ftp://a.example/", "https://", "https://a.example/?x", "https://a.example/#x", "https://me@a.example/", "%"} {
		if err := page().preview(bad); err == nil || !strings.Contains(err.Error(), "such as https://example.org/parley/") {
			t.Errorf("%s: %v", bad, err)
		}
	}
	if err := (Files{}).preview("https://a.example/"); err == nil {
		t.Error("a page without the picture is no error")
	}
}
