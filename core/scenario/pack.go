package scenario

import (
	"bytes"
	"compress/flate"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// packing is how the packed texts begin that this program writes and reads.
const packing = "1."

// pack packs a document for a link: "1." and base64url(deflate-raw(document)).
func pack(doc []byte) string {
	var out bytes.Buffer
	w, err := flate.NewWriter(&out, flate.BestCompression)
	if err == nil {
		_, err = w.Write(doc)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		panic("scenario: " + err.Error()) // a buffer takes everything
	}
	return packing + base64.RawURLEncoding.EncodeToString(out.Bytes())
}

// unpack reads what pack wrote, here or on the page: a document that looks like
// a scenario; Parse checks it. It never unfolds more than Parse would read.
func unpack(text string) (json.RawMessage, error) {
	body, ok := strings.CutPrefix(text, packing)
	packed, err := base64.RawURLEncoding.DecodeString(body)
	if !ok || err != nil || len(packed) == 0 || strings.ContainsAny(body, "\r\n") {
		return nil, errors.New("it does not start with 1. or has a letter that base64url does not know")
	}
	rest := bytes.NewReader(packed)
	doc, err := io.ReadAll(io.LimitReader(flate.NewReader(rest), maxBytes+1))
	switch {
	case len(doc) > maxBytes:
		return nil, fmt.Errorf("it unfolds to more than %d bytes", maxBytes)
	case err != nil:
		return nil, errors.New("its compressed data is broken: perhaps the link was cut off")
	case rest.Len() > 0:
		return nil, fmt.Errorf("%d bytes follow its compressed data", rest.Len())
	case !utf8.Valid(doc) || !json.Valid(doc):
		return nil, errors.New("it unfolds to something that is not JSON")
	}
	members := fields(doc)
	var system string
	if members["v"] == nil || members["system"] == nil || json.Unmarshal(members["system"], &system) != nil {
		return nil, errors.New("it holds no scenario")
	}
	return compact(doc), nil
}
