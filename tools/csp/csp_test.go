package csp_test

import (
	"strings"
	"testing"

	"parley/tools/csp"
)

const head = `<!doctype html><html lang="en"><head><meta charset="utf-8">`

// The hash is that of "a{}": printf 'a{}' | openssl dgst -sha256 -binary | base64
const hash = "'sha256-X1RutGBrXCt9KkSaXMK7tHftWiRscFHOhxsS8tv8hBk='"

func TestInsertNamesTheHashOfEachInlineStyle(t *testing.T) {
	got, err := csp.Insert([]byte(head + `<style>a{}</style><a href="https://example.org/">paper</a>`))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		head + `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; `,
		"style-src 'self' " + hash + ";",
		`base-uri 'none'; require-trusted-types-for 'script'; trusted-types parley lit-html"><style>a{}</style>`,
	} {
		if !strings.Contains(string(got), want) {
			t.Errorf("%s\nlacks %s", got, want)
		}
	}
	if header := csp.Header(got); !strings.Contains(header, hash) || !strings.HasSuffix(header, "; frame-ancestors 'self'") {
		t.Errorf("header of the finished document: %s", header)
	}
	if header := csp.Header(nil); strings.Contains(header, "sha256") {
		t.Errorf("header of a file without styles names a hash: %s", header)
	}
}

func TestInsertRefusesWhatThePolicyWouldBreak(t *testing.T) {
	for body, want := range map[string]string{
		`<script>start()</script>`:                         "inline script",
		`<p style="color:red">`:                            "style attribute",
		`<button onclick="x()">`:                           "event attribute",
		`<script src="https://cdn.example/x.js"></script>`: "another site",
		`<img src=//cdn.example/x.png>`:                    "another site",
		"<p>two\r\nlines":                                  "carriage return",
		`<meta http-equiv="Content-Security-Policy">`:      "the build writes it",
	} {
		if _, err := csp.Insert([]byte(head + body)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Insert(%s) = %v; want an error about %q", body, err, want)
		}
	}
	if _, err := csp.Insert([]byte(`<!doctype html><title>x</title>`)); err == nil {
		t.Error("Insert accepted a document without a charset")
	}
	if _, err := csp.Insert([]byte(head + `<script type="module" src="page.js"></script>`)); err != nil {
		t.Errorf("Insert refused the page's own script: %v", err)
	}
}

// The renderer's library asks for gamepads with each picture: a page without that power stops.
func TestNothingThatThePageUsesIsForbidden(t *testing.T) {
	for _, line := range csp.Beside() {
		for _, used := range []string{"gamepad", "fullscreen", "clipboard-write"} {
			if strings.Contains(line[1], used) {
				t.Errorf("%s: %s has %s, which the page uses", line[0], line[1], used)
			}
		}
		if strings.ContainsAny(line[0]+line[1], "\r\n") || line[0] == "" || line[1] == "" {
			t.Errorf("%q is no header", line)
		}
	}
}
