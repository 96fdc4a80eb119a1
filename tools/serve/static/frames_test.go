package static_test

import (
	"strings"
	"testing"

	"parley/tools/serve/static"
)

// Only origins go into the header: anything else could add a rule, or mean every site.
func TestFramesAreOrigins(t *testing.T) {
	for _, good := range []string{"", "  ", "https://example.org", "http://localhost:8080 https://a.b-c.example", "https://192.0.2.1:8443", "http://[2001:db8::1]:80"} {
		if err := static.CheckFrames(good); err != nil {
			t.Errorf("%q: %v", good, err)
		}
	}
	for _, bad := range []string{
		"*", "https://*", "https://*.example.org", "'none'", "'self'", "https:", "https://", "data:", "example.org", "https://example.org/", "https://example.org/path",
		"https://example.org?a", "https://example.org#a", "https://me@example.org", "https://example.org:", "https://example.org:0", "https://example.org:99999", "https://example.org:http",
		"https://example.org;script-src", "https://example.org; script-src *", "https://a,https://b", "ftp://example.org", "HTTPS://example.org", "https://-a.example", "https://[::1%25eth0]", "https://a\x00b", "https://ex\"ample.org",
	} {
		err := static.CheckFrames(bad)
		if err == nil || !strings.Contains(err.Error(), "is no origin: write a scheme, a host") {
			t.Errorf("%q: %v", bad, err)
		}
	}
}
