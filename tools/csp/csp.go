// Package csp writes the page's content-security policy: the rule by which the
// browser itself keeps a user's files in the tab. The page may load and contact
// its own origin and nothing else, may run no inline script, and may use the
// inline styles whose hashes the policy names (they paint the first picture).
//
// The build puts the policy into every document as a meta element, so that it
// holds on any static host; the server sends it as a header as well. A worker
// takes its policy from the headers of its own script, and without any it may
// contact every site (measured in Chromium 156). Only a worker that is started
// from a blob: address has the policy of the page, on every host:
//
//	new Worker(URL.createObjectURL(new Blob([`importScripts(${JSON.stringify(address)})`])))
//
// If the browser has Trusted Types, a text becomes an element or the address of
// a script only through one of two named policies: parley, which takes the blob: address
// of a worker and the page's own service worker (site/src/base/trusted.ts), and lit-html,
// which the library of templates makes for texts of the source code.
//
//	page, err := csp.Insert(page)
//	header.Set("Content-Security-Policy", csp.Header(page))
package csp

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"regexp"
	"strings"
)

var (
	styleElement = regexp.MustCompile(`(?is)<style[^>]*>(.*?)</style>`)
	charset      = regexp.MustCompile(`(?i)<meta\s+charset=["']?utf-8["']?\s*/?>`)

	// Constructs that the policy would silently disable.
	forbidden = []struct {
		pattern *regexp.Regexp
		found   string
	}{
		{regexp.MustCompile(`(?is)<script[^>]*>\s*[^<\s]`), "an inline script; move it into a file"},
		{regexp.MustCompile(`(?i)<[a-z][^>]*\sstyle\s*=`), "a style attribute; use a class"},
		{regexp.MustCompile(`(?i)<[a-z][^>]*\son[a-z]+\s*=`), "an event attribute; use addEventListener"},
		{
			regexp.MustCompile(`(?i)http-equiv=["']?content-security-policy`),
			"a content-security policy of its own; the build writes it",
		},
		{
			regexp.MustCompile(`(?i)<[a-z][^>]*\s(?:src|href)=["']?(?:https?:)?//`),
			"an address on another site in src or href of an element that loads",
		},
		{regexp.MustCompile(`\r`), "a carriage return, which browsers change before they hash; use plain line feeds"},
	}
	anchor = regexp.MustCompile(`(?is)<a\s[^>]*>`)
)

// Insert returns document with its policy as a meta element right after
// <meta charset="utf-8">, before anything that loads. It refuses a document that
// the policy would break.
func Insert(document []byte) ([]byte, error) {
	loading := anchor.ReplaceAll(document, nil) // links lead away, they load nothing
	for _, f := range forbidden {
		if at := f.pattern.FindIndex(loading); at != nil {
			return nil, fmt.Errorf("near %q: the document has %s", excerpt(loading[at[0]:]), f.found)
		}
	}
	at := charset.FindIndex(document)
	if at == nil {
		return nil, errors.New(`the document has no <meta charset="utf-8">, after which its policy goes`)
	}
	meta := `<meta http-equiv="Content-Security-Policy" content="` + policy(document) + `">`
	return bytes.Join([][]byte{document[:at[1]], []byte(meta), document[at[1]:]}, nil), nil
}

// Header returns the policy for the headers of document, or of any other file if document is nil.
// Only a header can also restrict the sites that may frame the page.
func Header(document []byte) string { return Framed(document, "") }

// Framed is Header for a site that other sites may frame: origins as
// frame-ancestors spells them, with spaces between them.
func Framed(document []byte, origins string) string {
	return strings.TrimSpace(policy(document) + "; frame-ancestors 'self' " + origins)
}

func policy(document []byte) string {
	styles := "'self'"
	for _, style := range styleElement.FindAllSubmatch(document, -1) {
		sum := sha256.Sum256(style[1])
		styles += " 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}
	return strings.Join([]string{
		"default-src 'none'",
		"script-src 'self' 'wasm-unsafe-eval'",
		"style-src " + styles,
		"img-src 'self' data: blob:",
		"connect-src 'self'",
		"worker-src 'self' blob:",
		"frame-src 'self'",
		"manifest-src 'self'",
		"form-action 'none'",
		"base-uri 'none'",
		"require-trusted-types-for 'script'",
		"trusted-types parley lit-html",
	}, "; ")
}

// unused are the browser features that no part of the page uses. Gamepads are absent, because the
// renderer's library looks for them with each picture.
const unused = "accelerometer=(), bluetooth=(), camera=(), display-capture=(), geolocation=(), " +
	"gyroscope=(), hid=(), idle-detection=(), local-fonts=(), magnetometer=(), microphone=(), midi=(), payment=(), " +
	"publickey-credentials-get=(), screen-wake-lock=(), serial=(), usb=(), window-management=(), xr-spatial-tracking=()"

// Beside returns the other headers that every file of the page is sent with, as pairs of
// name and value. The page loads nothing of another origin, so isolating it from all others
// costs nothing; a page that shows Parley in a frame need not be isolated itself.
func Beside() [][2]string {
	return [][2]string{
		{"X-Content-Type-Options", "nosniff"},
		{"Referrer-Policy", "no-referrer"},
		{"Permissions-Policy", unused},
		{"Cross-Origin-Opener-Policy", "same-origin"},
		{"Cross-Origin-Embedder-Policy", "require-corp"},
		{"Cross-Origin-Resource-Policy", "same-origin"},
	}
}

func excerpt(b []byte) string {
	return string(bytes.Join(bytes.Fields(b[:min(len(b), 60)]), []byte(" ")))
}
