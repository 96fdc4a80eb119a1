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

	"parley/core/strict"
)

// packing is how the packed texts begin that this program writes and reads.
const packing = "1."

// pack packs a document for a link: "1." and base64url(deflate-raw(document)). A document that
// deflate would shorten beyond the limit of unpack is packed with Huffman coding only.
func pack(doc []byte) string {
	packed := deflated(doc, flate.BestCompression)
	if int64(len(doc)) > strict.MaxUnpacked(int64(len(packed))) {
		packed = deflated(doc, flate.HuffmanOnly)
	}
	return packing + base64.RawURLEncoding.EncodeToString(packed)
}

func deflated(doc []byte, level int) []byte {
	var out bytes.Buffer
	w, err := flate.NewWriter(&out, level)
	if err == nil {
		_, err = w.Write(doc)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		panic("scenario: " + err.Error()) // a buffer takes everything
	}
	return out.Bytes()
}

// unpack is the inverse of pack, here and on the page: a document that looks like
// a scenario; Parse checks it. It never unfolds more than Parse would read.
func unpack(text string) (json.RawMessage, error) {
	doc, err := Unpack(text)
	if err != nil {
		return nil, err
	}
	members := fields(doc)
	var system string
	if members["v"] == nil || members["system"] == nil || json.Unmarshal(members["system"], &system) != nil {
		return nil, errors.New("it holds no scenario")
	}
	return compact(doc), nil
}

// Unpack reads any document that a link packs, such as a challenge. It never unfolds more than Parse would read.
func Unpack(text string) (json.RawMessage, error) {
	body, ok := strings.CutPrefix(text, packing)
	packed, err := base64.RawURLEncoding.DecodeString(body)
	if !ok || err != nil || len(packed) == 0 || strings.ContainsAny(body, "\r\n") {
		return nil, errors.New("it does not start with 1. or has a letter that base64url does not know")
	}
	rest := bytes.NewReader(packed)
	limit := min(maxBytes, strict.MaxUnpacked(int64(len(packed))))
	doc, err := io.ReadAll(io.LimitReader(flate.NewReader(rest), limit+1))
	switch {
	case int64(len(doc)) > limit:
		return nil, fmt.Errorf("it unfolds to more than %d bytes, which %d packed ones may hold", limit, len(packed))
	case err != nil:
		return nil, errors.New("its compressed data is broken: perhaps the link was cut off")
	case rest.Len() > 0:
		return nil, fmt.Errorf("%d bytes follow its compressed data", rest.Len())
	case strict.Shallow(doc, nil) != nil:
		return nil, fmt.Errorf("it unfolds to a document whose %w", strict.Shallow(doc, nil))
	case !utf8.Valid(doc) || !json.Valid(doc):
		return nil, errors.New("it unfolds to something that is not JSON")
	}
	return doc, nil
}
