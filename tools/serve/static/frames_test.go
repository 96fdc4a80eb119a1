package static_test

import (
	"io"
	"strings"
	"testing"

	"parley/tools/serve/static"
)

// A page of a site that is not listed reads in its frame why Parley is not there; every
// other request receives the page.
func TestRefusedFramesSayWhy(t *testing.T) {
	const listed, other = "https://a.example", "https://b.example"
	for _, c := range []struct{ frames, dest, site, referer, want string }{
		{listed, "iframe", "cross-site", other + "/", "may not be shown in a page of https://b.example"},
		{listed, "iframe", "same-site", other + "/x?y", "may not be shown in a page of https://b.example"},
		{"", "object", "cross-site", `https://b"><i>.example/`, "of https://b&#34;&gt;&lt;i&gt;.example"},
		{"", "iframe", "cross-site", "", "may not be shown in a page of another site"},
		{listed, "iframe", "cross-site", listed + "/week6.html", ""},
		{listed, "iframe", "cross-site", "", ""},
		{"", "iframe", "same-origin", other + "/", ""},
		{"", "document", "cross-site", other + "/", ""},
		{"", "", "", other + "/", ""},
	} {
		r := ask(static.New(site, c.frames), "GET", "/", "Sec-Fetch-Dest", c.dest, "Sec-Fetch-Site", c.site, "Referer", c.referer)
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Fatal(err)
		}
		refused := c.want != ""
		if (r.StatusCode == 403) != refused || refused && !strings.Contains(string(body), c.want) || refused == strings.Contains(r.Header.Get("Content-Security-Policy"), "frame-ancestors") {
			t.Errorf("%+v: %d, %q, %q", c, r.StatusCode, r.Header.Get("Content-Security-Policy"), body)
		}
	}
}

// Only origins go into the header: anything else could add a rule, or mean every site.
func TestFramesAreOrigins(t *testing.T) {
	for _, good := range []string{"", "  ", "https://example.org", "http://localhost:8080 https://a.b-c.example", "https://192.0.2.1:8443", "http://[2001:db8::1]:80", "file:", "file: https://example.org"} {
		if err := static.CheckFrames(good); err != nil {
			t.Errorf("%q: %v", good, err)
		}
	}
	for _, bad := range []string{
		"*", "https://*", "https://*.example.org", "'none'", "'self'", "https:", "https://", "data:", "file://", "file:///tmp", "example.org", "https://example.org/", "https://example.org/path",
		"https://example.org?a", "https://example.org#a", "https://me@example.org", "https://example.org:", "https://example.org:0", "https://example.org:99999", "https://example.org:http",
		"https://example.org;script-src", "https://example.org; script-src *", "https://a,https://b", "ftp://example.org", "HTTPS://example.org", "https://-a.example", "https://[::1%25eth0]", "https://a\x00b", "https://ex\"ample.org",
	} {
		err := static.CheckFrames(bad)
		if err == nil || !strings.Contains(err.Error(), "is no origin: write a scheme, a host") {
			t.Errorf("%q: %v", bad, err)
		}
	}
}
