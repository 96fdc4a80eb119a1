package dump

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"
)

// pages holds, by kind, the page of a list after which the API server has more, until the last
// page is read: kubectl get --raw and clients that ask with a limit write them.
type pages map[string]page

type page struct {
	file string
	left int64 // objects after this page, 0 if the server does not report it
	last bool  // the last page was read
}

// listed returns a function that notes the lists of a file.
func (p pages) listed(file string) func(kind string, metadata []byte) {
	return func(kind string, metadata []byte) {
		kind = strings.TrimSuffix(kind, "List")
		before, known := p[kind]
		if gjson.GetBytes(metadata, "continue").String() == "" {
			before.last = before.last || known || len(metadata) > 0
			p[kind] = before
			return
		}
		left := gjson.GetBytes(metadata, "remainingItemCount").Int()
		if before.file == "" || left < before.left {
			before.file, before.left = file, left
		}
		p[kind] = before
	}
}

// missing returns an error if a list's last page is in none of the files.
func (p pages) missing() error {
	for _, kind := range slices.Sorted(maps.Keys(p)) {
		one := p[kind]
		if one.file == "" || one.last {
			continue
		}
		text := "objects of the kind " + kind
		if kind == "" {
			text = "objects"
		}
		if one.left > 0 {
			text = strconv.FormatInt(one.left, 10) + " " + text
		}
		return &Error{File: one.file, Reason: "is one page of a list: " + text + " are missing", Hint: "fetch the next pages with &continue= and give all of them"}
	}
	return nil
}
