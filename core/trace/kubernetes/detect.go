package kubernetes

import "strings"

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
