package dump

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"parley/core/kube"
	"parley/core/trace"
)

// Change is a change of the objects of a dump before they are read, for questions about another
// cluster.
type Change struct {
	Kind, Namespace, Name string
	Patch                 []byte // a JSON merge patch (RFC 7386), nil for none
	Remove                bool
	More                  int // number of nodes like this one to add
	text                  string
	met                   bool
}

// NewChange reads "KIND/[NAMESPACE/]NAME" and the change after "=": a patch, or the number of nodes
// to add. There is no value if the object is removed. KIND is spelled as for kubectl. how is
// "patch", "more" or "without", or one of these as a flag; errors name it as it was given.
func NewChange(how, text string) (*Change, error) {
	named, how := how, strings.TrimPrefix(how, "--")
	object, value, has := strings.Cut(text, "=")
	parts := strings.Split(object, "/")
	c := &Change{text: text, Remove: how == "without"}
	wrong := func(reason string) (*Change, error) {
		example := map[string]string{"patch": `'pdb/shop/web={"spec":{"maxUnavailable":2}}'`, "more": "node/n1=2"}[how]
		return nil, fmt.Errorf("%s is %q: %s; write it as %s %s", named, text, reason, named, cmp.Or(example, "pdb/shop/web"))
	}
	if len(parts) < 2 || len(parts) > 3 || slices.Contains(parts, "") {
		return wrong("it does not name one object")
	}
	if c.Kind = kindOf(parts[0]); c.Kind == "" {
		return wrong(fmt.Sprintf("%q is no kind of objects that decides anything", parts[0]))
	}
	if c.Name = parts[len(parts)-1]; len(parts) == 3 {
		c.Namespace = parts[1]
	} else if !clusterWide[c.Kind] {
		c.Namespace = "default"
	}
	switch how {
	case "patch":
		var patch map[string]any
		if err := json.Unmarshal([]byte(value), &patch); !has || err != nil {
			return wrong("what follows the first = is no JSON object")
		}
		c.Patch = []byte(value)
	case "more":
		if n, err := fmt.Sscanf(value, "%d", &c.More); n != 1 || err != nil || c.More < 1 || c.More > maxMore || fmt.Sprint(c.More) != value {
			return wrong(fmt.Sprintf("what follows = is no number from 1 to %d", maxMore))
		}
		if c.Kind != "Node" {
			return wrong("there can be more nodes, and nothing else")
		}
	case "without":
		if has {
			return wrong("an object that is taken away has no value")
		}
	default:
		return wrong("a world is changed by patch, more or without")
	}
	return c, nil
}

// maxMore limits the nodes of one change.
const maxMore = 1000

// String returns the change as it was written.
func (c *Change) String() string { return c.text }

// Texts returns changes as they were written.
func Texts(all []*Change) []string {
	texts := make([]string, len(all))
	for i, c := range all {
		texts[i] = c.text
	}
	return texts
}

// kindOf returns a kind by one of the names that kubectl takes, "" if there is none.
func kindOf(name string) string {
	low := strings.ToLower(name)
	short := map[string]string{
		"po": "Pod", "no": "Node", "pdb": "PodDisruptionBudget", "deploy": "Deployment", "sts": "StatefulSet", "ds": "DaemonSet", "rs": "ReplicaSet", "pvc": "PersistentVolumeClaim",
		"pv": "PersistentVolume", "quota": "ResourceQuota", "ns": "Namespace", "svc": "Service", "sc": "StorageClass", "pc": "PriorityClass",
	}
	if kind := short[low]; kind != "" {
		return kind
	}
	for kind := range kinds {
		if k := strings.ToLower(kind); low == k || low == k+"s" || low == k+"es" {
			return kind
		}
	}
	return ""
}

// ReadWith is Read of a dump whose objects are changed as they are read. A change whose object the dump
// lacks is an error. The changes record whether they were met: do not use one in two calls at once.
func ReadWith(files []trace.File, changes []*Change, progress func(trace.Progress) error) (*kube.Cluster, error) {
	for _, c := range changes {
		c.met = false
	}
	if len(changes) == 0 {
		return Read(files, progress)
	}
	out, err := read(files, func(o *Object, take func(o *Object) error) error { return changed(o, changes, take) }, progress)
	if err != nil {
		return nil, err
	}
	for _, c := range changes {
		if !c.met {
			full := c.Name
			if c.Namespace != "" {
				full = c.Namespace + "/" + c.Name
			}
			return nil, &Error{File: files[0].Name, Reason: "has no " + c.Kind + " " + full + ", which is to be changed (" + c.text + ")", Hint: "name an object as KIND/NAMESPACE/NAME, or KIND/NAME if it is in no namespace or in default"}
		}
	}
	return out, nil
}

// changed calls take with an object as all changes leave it, not at all if one removes it, and then with as
// many copies of a node, and of its CSINode, as changes add. It records which changes were met.
func changed(o *Object, changes []*Change, take func(o *Object) error) error {
	doc := gjson.ParseBytes(o.JSON)
	name, namespace := doc.Get("metadata.name").Str, doc.Get("metadata.namespace").Str
	if namespace == "" && !clusterWide[o.Kind] {
		namespace = "default"
	}
	one, more := *o, 0
	for _, c := range changes {
		own := c.Kind == o.Kind && c.Name == name && c.Namespace == namespace
		if c.met = c.met || own; own && c.Remove {
			return nil
		}
		if own && c.Patch != nil {
			patched, err := patched(one.JSON, c)
			if err != nil {
				return &Error{File: o.File, Line: o.Line, Object: o.Kind + " " + name, Reason: "cannot be patched: " + err.Error(), Hint: "write the patch as for kubectl patch --type merge"}
			}
			one.JSON = patched
		}
		if c.More > 0 && c.Name == name && (own || o.Kind == "CSINode") {
			more += c.More
		}
	}
	if err := take(&one); err != nil {
		return err
	}
	for k := range more {
		like := one
		like.JSON = another(one.JSON, name, fmt.Sprintf("%s-more-%d", name, k+1))
		if err := take(&like); err != nil {
			return err
		}
	}
	return nil
}

// decoded returns a JSON object; numbers keep their text.
func decoded(text []byte) (m map[string]any, err error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	err = d.Decode(&m)
	return m, err
}

// patched returns an object after a patch. The status of a budget that has another spec does not hold any more.
func patched(text []byte, c *Change) ([]byte, error) {
	whole, err := decoded(text)
	if err != nil {
		return nil, err
	}
	patch, err := decoded(c.Patch)
	if err != nil {
		return nil, err
	}
	if _, spec := patch["spec"]; spec && c.Kind == "PodDisruptionBudget" {
		delete(whole, "status")
	}
	return json.Marshal(mergedJSON(whole, patch))
}

// mergedJSON returns a value after a JSON merge patch (RFC 7386), which changes value in place: null
// removes a field, objects merge, and all else replaces.
func mergedJSON(value, patch any) any {
	change, is := patch.(map[string]any)
	if !is {
		return patch
	}
	into, is := value.(map[string]any)
	if !is {
		into = map[string]any{}
	}
	for key, v := range change {
		if v == nil {
			delete(into, key)
		} else {
			into[key] = mergedJSON(into[key], v)
		}
	}
	return into
}

// another returns a node, or its CSINode, with the name name in place of old, also in labels that repeat
// it, and without a uid. metadata must be there.
func another(text []byte, old, name string) []byte {
	whole, err := decoded(text)
	if err != nil {
		return text
	}
	meta, _ := whole["metadata"].(map[string]any)
	meta["name"] = name
	delete(meta, "uid")
	labels, _ := meta["labels"].(map[string]any)
	for key, v := range labels {
		if v == old {
			labels[key] = name
		}
	}
	out, err := json.Marshal(whole)
	if err != nil {
		return text
	}
	return out
}
