package dump

import (
	"bytes"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"parley/core/kube"
)

// Reasons and remedies for files that people give in place of a dump.
const (
	hintJSON     = "run kubectl get nodes,pods,… -A -o json > dump.json and give that file"
	hintUse      = "give it with --usage to right-size, beside the dump"
	reasonTable  = "is a table that kubectl prints for people: it says too little about what pods request and where they may run"
	reasonTop    = "is what kubectl top prints, the use of one moment and no objects"
	reasonPretty = "is what kubectl describe prints, a text for people"
)

// fence begins and ends a block of Markdown, in which people pass dumps on.
var fence = strings.Repeat("`", 3)

// objectName is a name as kubectl get -o name prints them: node/a, deployment.apps/web
var objectName = regexp.MustCompile(`^[a-z]+(\.[a-z0-9.-]+)?/[a-z0-9][a-z0-9.:-]*$`)

// header is the first line of a table of kubectl.
var header = regexp.MustCompile(`^(NAMESPACE|NAME|LAST SEEN|NODE|CURRENT|READY|KIND|TYPE|REFERENCE)( +[A-Z][A-Za-z()%. /-]*)+ *$`)

// otherText recognises a text that has no objects and returns the reason and the remedy, or "" if it
// recognises none.
func otherText(head []byte) (reason, hint string) {
	text := strings.TrimSpace(string(head))
	first, rest, _ := strings.Cut(text, "\n")
	first = strings.TrimRight(first, " \r")
	switch {
	case bytes.HasPrefix(head, []byte("PK\x03\x04")):
		return "is a zip archive", "unpack it and give the folder"
	case bytes.HasPrefix(head, []byte("\xfd7zXZ\x00")):
		return "is compressed with xz", "unpack it first: tar xf FILE, or xz -d FILE"
	case bytes.HasPrefix(head, []byte("\x28\xb5\x2f\xfd")):
		return "is compressed with zstd", "unpack it first: tar xf FILE, or zstd -d FILE"
	case bytes.HasPrefix(head, []byte("BZh")) && bytes.Contains(head[:min(len(head), 10)], []byte("1AY&SY")):
		return "is compressed with bzip2", "unpack it first: tar xf FILE, or bzip2 -d FILE"
	case strings.HasPrefix(first, "NAME: ") && strings.Contains(rest, "LAST DEPLOYED: "):
		return "is what helm prints of a release, with other text around the manifests", "run helm get manifest RELEASE > new.yaml, or helm template RELEASE CHART > new.yaml"
	case bytes.Contains(head, []byte("\x1b[")):
		return "has the colours of a terminal between its words", "fetch it again without colours: kubectl itself writes none into a file"
	case bytes.IndexByte(head, 0) >= 0:
		return "has zero bytes (NUL), as a file that was not written to its end", hintAgain
	case strings.HasPrefix(text, "<"):
		return "is a web page, perhaps one to log in", hintJSON
	case strings.HasPrefix(first, "No resources found"):
		return "is what kubectl says when there are none (" + printable(first[:min(len(first), 60)]) + ")", "ask for all namespaces: kubectl get nodes,pods,… -A -o json"
	case header.MatchString(first) && strings.Contains(first, "CPU(cores)"):
		return reasonTop, hintJSON
	case header.MatchString(first):
		return reasonTable, hintJSON
	case strings.HasPrefix(first, "Name:  ") &&
		(strings.Contains(rest, "\nLabels:  ") || strings.Contains(rest, "\nNamespace:  ") ||
			strings.HasPrefix(rest, "Namespace:  ") || strings.HasPrefix(rest, "Roles:  ")):
		return reasonPretty, hintJSON
	case objectName.MatchString(first):
		for line := range strings.Lines(rest) {
			if line = strings.TrimSpace(line); line != "" && strings.Contains(rest, line+"\n") &&
				!objectName.MatchString(line) {
				return "", ""
			}
		}
		return "is a list of names of objects", hintJSON
	}
	return "", ""
}

// notYAML explains an error of the YAML parser by a common mistake: reason names the kind of text that it is, and
// hint the remedy. Both are "" if it finds none.
func notYAML(text []byte, complaint string) (reason, hint string) {
	switch {
	case bytes.Contains(text, []byte("{{")):
		return "is a template that is not filled in", "fill it in first: helm template RELEASE CHART > new.yaml"
	case strings.Contains(complaint, "cannot start any token"):
		n := 0
		for line := range bytes.Lines(text) {
			if n++; bytes.HasPrefix(bytes.TrimLeft(line, " "), []byte{'\t'}) {
				return "is no YAML (its line " + strconv.Itoa(n) + " begins with a tab)", "indent with blanks: YAML takes no tabs"
			}
		}
	}
	return "", ""
}

// unread explains, for kinds of objects that describe no cluster by themselves, the reason and the
// remedy.
var unread = map[string][2]string{
	"Config":                {"is a kubeconfig, which holds the way to a cluster and its keys, and no objects", hintJSON},
	"Table":                 {"is a table of the API server (kind Table), which has columns and no objects", hintJSON},
	"PartialObjectMetadata": {"holds the metadata of objects alone", hintJSON},
	"Kustomization":         {"is a kustomization and not what it makes", "run kubectl kustomize FOLDER > new.yaml and give that file"},
	"PodMetrics":            {"is what pods use", hintUse},
	"NodeMetrics":           {"is what nodes use, of one moment", hintJSON},
	"Event":                 {"holds events alone", hintJSON},
	"Template":              {"is an OpenShift template that is not filled in", "run oc process -f FILE -o yaml > new.yaml and give that file"},
	"HelmRelease":           {"names a chart and holds none of its objects", "run helm get manifest RELEASE > new.yaml and give that file"},
	"Application":           {"is an application of Argo CD and holds none of its objects", "run argocd app manifests NAME > new.yaml and give that file"},
}

// nothing returns an error if a dump has objects and none of them is of a kind that is read.
func (r *reader) nothing() error {
	all := r.cluster.Kinds
	if slices.ContainsFunc(all, func(k kube.Count) bool { return kinds[k.Kind] != nil }) {
		return nil
	}
	if reason, known := unread[all[0].Kind]; known && len(all) == 1 {
		return &Error{File: r.file, Reason: reason[0], Hint: reason[1]}
	}
	var names []string
	for i, k := range all {
		if i == 5 {
			names = append(names, "…")
			break
		}
		names = append(names, strconv.Itoa(k.Count)+" "+shown(k.Kind))
	}
	return &Error{File: r.file, Reason: "holds no object of a kind that answers need, but " + strings.Join(names, ", "), Hint: hintDump}
}
