package compare

import (
	"fmt"
	"maps"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"parley/core/words"
	"parley/tools/parley/console"
	"parley/tools/parley/load"
)

// distinct returns the labels of columns, with a number after repeated ones.
func distinct(list []column) []string {
	names := make([]string, len(list))
	for i, one := range list {
		names[i] = one.Label
	}
	for i, name := range names {
		if n := slices.Index(names, name); n < i {
			for k := 2; slices.Contains(names[:i], names[i]); k++ {
				names[i] = fmt.Sprintf("%s (%d)", name, k)
			}
		}
	}
	return names
}

// headings names scenarios by their differences: links by their keys, "policy=fcfs" and
// "policy=easy", files by the end of their paths, "fcfs/scenario" and "easy/scenario". It returns
// the names with the links, "" if there is none.
func headings(args []string) (names, links []string) {
	names, links = make([]string, len(args)), make([]string, len(args))
	paths := map[string]string{}
	keys := map[int]url.Values{}
	every := url.Values{}
	for i, arg := range args {
		if !load.IsLink(arg) {
			paths[arg] = filepath.ToSlash(strings.TrimSuffix(filepath.Clean(arg), ".json"))
			continue
		}
		_, link, found := strings.Cut(arg, "#")
		if !found {
			link = arg
		}
		links[i] = link
		if own, err := url.ParseQuery(link); err == nil {
			for _, key := range comparisonKeys {
				own.Del(key)
			}
			keys[i] = own
			maps.Copy(every, own)
		}
	}
	for i, arg := range args {
		if links[i] != "" {
			names[i] = headingOf(keys, i, slices.Sorted(maps.Keys(every)))
			if names[i] == "" && keys[i] != nil {
				names[i], _ = url.QueryUnescape(keys[i].Encode())
			}
			if names[i] == "" {
				names[i] = links[i]
			}
			names[i] = words.Cut(names[i], 60)
			continue
		}
		if names[i] = console.ShownName(arg); arg == "-" {
			continue
		}
		parts := strings.Split(paths[arg], "/")
		for n := 1; n <= len(parts); n++ {
			names[i] = strings.Join(parts[len(parts)-n:], "/")
			alike := 0
			for _, other := range paths {
				if other == names[i] || strings.HasSuffix(other, "/"+names[i]) {
					alike++
				}
			}
			if alike == 1 {
				break
			}
		}
	}
	return names, links
}

// headingOf names one of several links by the keys that differ.
func headingOf(keys map[int]url.Values, i int, every []string) string {
	var parts, unset []string
	for _, key := range every {
		short, same := strings.TrimPrefix(key, "x."), true
		for _, other := range keys {
			same = same && slices.Equal(other[key], keys[i][key])
		}
		switch {
		case same:
		case keys[i].Has(key):
			parts = append(parts, short+"="+strings.Join(keys[i][key], ","))
		default:
			unset = append(unset, short+" not set")
		}
	}
	if len(parts) == 0 {
		parts = unset
	}
	return strings.Join(parts, " ")
}
