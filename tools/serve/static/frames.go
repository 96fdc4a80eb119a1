package static

import (
	"fmt"
	"html"
	"net/http"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// hostName is a name as DNS has it.
var hostName = regexp.MustCompile(`^([a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?\.)*[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$`)

// CheckFrames returns an error unless frames is valid for New: origins separated by spaces. They
// become part of a header, in which a semicolon would begin another rule and a star would mean every
// site.
func CheckFrames(frames string) error {
	for origin := range strings.FieldsSeq(frames) {
		if !isOrigin(origin) {
			return fmt.Errorf("%.100q is no origin: write a scheme, a host and perhaps a port, such as https://example.org or http://localhost:8080, "+
				"or file: for pages on a disk, with spaces between several", origin)
		}
	}
	return nil
}

// Disk is the entry of frames for pages that a browser opened from a disk: they have no origin.
const Disk = "file:"

func isOrigin(text string) bool {
	if text == Disk {
		return true
	}
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Scheme+"://"+u.Host != text {
		return false
	}
	if port := u.Port(); port != "" {
		if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
			return false
		}
	} else if strings.HasSuffix(u.Host, ":") {
		return false
	}
	if ip, err := netip.ParseAddr(u.Hostname()); err == nil {
		return ip.Is4() || strings.HasPrefix(u.Host, "[") && ip.Zone() == ""
	}
	return hostName.MatchString(u.Hostname())
}

// unknown is shown for an origin that the browser hides.
const unknown = "another site"

// stranger returns the origin of the page that requests a document to show it in a frame, if that
// page is not allowed to; unknown if the browser hides the origin. It is empty if the page is
// allowed to, and if the browser does not report frames: then only the policy refuses, without an
// explanation.
func (h *handler) stranger(r *http.Request) string {
	switch r.Header.Get("Sec-Fetch-Dest") {
	case "iframe", "frame", "embed", "object":
	default:
		return ""
	}
	if site := r.Header.Get("Sec-Fetch-Site"); site != "cross-site" && site != "same-site" {
		return ""
	}
	u, err := url.Parse(r.Referer())
	if err != nil || u.Host == "" {
		if h.frames == "" {
			return unknown
		}
		return "" // it may be one of them
	}
	origin := u.Scheme + "://" + u.Host
	if slices.Contains(strings.Fields(h.frames), origin) {
		return ""
	}
	return origin
}

// refuse answers with a document that explains, in the frame, why the page is not shown.
func refuse(w http.ResponseWriter, origin string) {
	header := w.Header()
	header.Set("Content-Security-Policy", "default-src 'none'; base-uri 'none'; form-action 'none'")
	header.Set("Cross-Origin-Resource-Policy", "cross-origin")
	header.Set("Cache-Control", "no-store")
	w.WriteHeader(http.StatusForbidden)
	allow := origin
	if origin == unknown {
		allow = "https://its.address"
	}
	fmt.Fprintf(w, `<!doctype html><html lang="en"><meta charset="utf-8"><title>Parley is not shown here</title>`+
		`<p>This Parley may not be shown in a page of %s. The person who runs its server can allow it: <code>make run FRAMES=%[2]s</code> or <code>serve --frames %[2]s</code>.</p></html>`+"\n",
		html.EscapeString(origin), html.EscapeString(allow))
}
