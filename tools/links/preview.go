package links

import (
	"cmp"
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"regexp"
	"strings"

	"parley/core/scenario"
	"parley/core/words"
)

// usualPicture is the page's own, for links without one.
const usualPicture = "gallery/google-cell-dark.png"

// Limits of a preview's text, in characters.
const (
	maxTitle = 100
	maxAbout = 240
)

// lead writes the text for programs that preview links, and redirects to the page without a script.
// Programs that follow a Location would see only the page, because the scenario in its address is
// behind a #, which is not sent.
func (h *handler) lead(w http.ResponseWriter, r *http.Request) {
	kept, status, reason := h.find(w, r)
	if kept == nil {
		if reason != "" {
			secure(w.Header())
			http.Error(w, reason, status)
		}
		return
	}
	link, err := linkOf(kept)
	header := w.Header()
	secure(header)
	if err != nil {
		http.Error(w, broken, http.StatusInternalServerError)
		return
	}
	header.Set("X-Robots-Tag", "noindex")
	header.Set("Content-Type", "text/html; charset=utf-8")
	title, about, picture := previewOf(kept)
	head := []string{ // the link is relative to s/, also below a folder
		`<meta http-equiv="refresh" content="0; url=` + html.EscapeString("../"+link) + `">`,
		"<title>" + html.EscapeString(title) + "</title>",
	}
	tag := func(name, content string) {
		head = append(head, fmt.Sprintf(`<meta property="og:%s" content="%s">`, name, html.EscapeString(content)))
	}
	tag("type", "website")
	tag("site_name", "Parley")
	tag("title", title)
	tag("description", about)
	if base := baseOf(r); base != "" {
		own := base + "s/" + r.PathValue("id")
		head = append(head, `<link rel="canonical" href="`+html.EscapeString(own)+`">`)
		tag("url", own)
		tag("image", base+picture)
		tag("image:alt", "The cluster at that moment, a square a machine")
		if picture != usualPicture {
			tag("image:width", fmt.Sprint(PictureWidth))
			tag("image:height", fmt.Sprint(PictureHeight))
		}
		head = append(head, `<meta name="twitter:card" content="summary_large_image">`)
	}
	fmt.Fprintf(w, "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n%s\n<p><a href=\"%s\">Open the scenario</a></p>\n",
		strings.Join(head, "\n"), html.EscapeString("../"+link))
}

// previewOf returns the title, the text and the picture's path for a preview of an entry.
func previewOf(kept []byte) (title, about, picture string) {
	var e entry
	_ = json.Unmarshal(kept, &e) // linkOf has read it
	title, about, picture = "A run in Parley", "It opens in a browser tab and repeats exactly: watch it, break it, compare it.", usualPicture
	if e.Picture != "" {
		picture = "api/pictures/" + e.Picture
	}
	s, err := scenario.Parse(e.Scenario)
	if err != nil {
		return title, about, picture
	}
	if s.Name != "" {
		title = words.Cut(s.Name, maxTitle-1)
	}
	place, _, _ := scenario.DecodeAddress("#" + e.Place)
	if place.At > 0 {
		about = "At " + place.At.String() + " of simulated time. " + about
	}
	if s.About != "" {
		about = words.Cut(s.About, maxAbout-1)
	}
	return title, about, picture
}

// A host's name or address, perhaps with a port: nothing that ends an attribute or an address.
var isHost = regexp.MustCompile(`^([A-Za-z0-9]([A-Za-z0-9.-]{0,252}[A-Za-z0-9])?|\[[0-9A-Fa-f:.]{2,45}\])(:[0-9]{1,5})?$`)

// baseOf returns the page's address as the request names it, with / at its end; "" if it names none. It appears only
// in the answer to that request, which is not kept.
func baseOf(r *http.Request) string {
	host := cmp.Or(r.Host, r.URL.Host) // a request of wasm/edge has its host in its address alone
	if !isHost.MatchString(host) {
		return ""
	}
	scheme := "http"
	if r.TLS != nil || r.URL.Scheme == "https" || r.Header.Get("X-Forwarded-Proto") == "https" {
		scheme = "https"
	}
	path, _, _ := strings.Cut(r.RequestURI, "?") // with the folder that a handler before this one has cut off
	at := strings.LastIndex(path, "s/"+r.PathValue("id"))
	if at <= 0 || !isPath.MatchString(path[:at]) {
		path, at = "/", 1
	}
	return scheme + "://" + host + path[:at]
}

// The path of a folder.
var isPath = regexp.MustCompile(`^/([\w.~-]+/)*$`)
