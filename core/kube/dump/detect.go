package dump

import (
	"strings"

	"parley/core/trace"
)

// Table is the name of the only table that Detect finds.
const Table = "dump"

// Detect recognises the output of kubectl: JSON or YAML whose objects have apiVersion, kind and
// metadata.
func Detect(h *trace.Head) trace.Match {
	text := string(h.Bytes[:min(len(h.Bytes), 16<<10)])
	if len(h.Listing) > 0 {
		for _, name := range []string{"cluster-resources", "cluster-info", "cluster-scoped-resources", "must-gather", "namespaces/", "kube-system/"} {
			if strings.Contains(string(h.Listing), name) {
				return trace.Match{Table: Table}
			}
		}
	}
	for {
		line, rest, more := strings.Cut(text, "\n")
		if is, _ := isMessage([]byte(line)); !is || !more {
			break
		}
		text = rest
	}
	if object(text) || listed(text) {
		return trace.Match{Table: Table}
	}
	return trace.Match{}
}

// object reports whether a text begins like objects of Kubernetes in JSON.
func object(text string) bool {
	text = strings.TrimLeft(strings.TrimPrefix(text, "\ufeff"), " \t\r\n[")
	if !strings.HasPrefix(text, "{") {
		return false
	}
	has := func(name string) bool { return strings.Contains(text, `"`+name+`"`) }
	return has("apiVersion") && (has("items") || has("kind") && has("metadata")) || has("items") && has("metadata") && has("kind")
}

// listed reports whether a text begins like objects of Kubernetes in YAML.
func listed(text string) bool {
	version, rest := false, false
	for line := range strings.Lines(text) {
		switch {
		case strings.HasPrefix(line, "apiVersion:"):
			version = true
		case strings.HasPrefix(line, "items:"), strings.HasPrefix(line, "metadata:"), strings.HasPrefix(line, "kind:"):
			rest = true
		}
	}
	return version && rest
}
