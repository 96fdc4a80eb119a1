package bundle

import (
	"bytes"
	"fmt"
	"html"
	"net/url"
	"strings"
)

// previewPicture is the picture for previews of the page's own address.
const previewPicture = "gallery/google-cell-dark.png"

// preview writes the page's address and its picture into index.html, for programs that show a preview of a
// link. They take whole addresses alone, so a page without a known one has no picture.
func (f Files) preview(address string) error {
	if address == "" {
		return nil
	}
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || u.User != nil ||
		u.RawQuery != "" || u.Fragment != "" {
		return fmt.Errorf("--address is %.200q: write the page's whole address, such as https://example.org/parley/", address)
	}
	if _, there := f[previewPicture]; !there {
		return fmt.Errorf("the preview's picture %s is missing", previewPicture)
	}
	base := strings.TrimSuffix(u.String(), "/") + "/"
	head := fmt.Sprintf("<meta property=\"og:url\" content=\"%s\">\n<meta property=\"og:image\" content=\"%s\">\n</head>",
		html.EscapeString(base), html.EscapeString(base+previewPicture))
	f["index.html"] = bytes.Replace(f["index.html"], []byte("</head>"), []byte(head), 1)
	return nil
}
