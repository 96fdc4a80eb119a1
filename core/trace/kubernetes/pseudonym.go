package kubernetes

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"parley/core/kube"
	"parley/core/trace"
)

// Pseudonymise writes the objects of a dump that decide anything, with the fields that
// decide, and other names: one and the same for one name. Keys, values and kinds that
// Kubernetes or a cloud defines stay. tell receives how far it is, as in Read.
func Pseudonymise(w io.Writer, files []trace.File, secret string, tell func(trace.Progress) error) error {
	p := &pseudonyms{secret: []byte(secret), known: map[string]string{}}
	if _, err := io.WriteString(w, "{\"apiVersion\":\"v1\",\"kind\":\"List\",\"items\":["); err != nil {
		return err
	}
	first := true
	err := Objects(files, tell, func(o Object) error {
		if _, known := kinds[o.Kind]; !known {
			return nil
		}
		// What is no dump is an error here as it is for Read.
		r := &reader{file: o.File, line: o.Line}
		doc := gjson.ParseBytes(o.JSON)
		if !doc.Get("metadata").IsObject() {
			r.object = o.Kind
			r.fail("metadata", doc.Get("metadata"), "is no object", hintAgain)
			return r.err
		}
		text, err := json.Marshal(p.object(o.Kind, doc))
		if err != nil {
			return err
		}
		if !first {
			text = append([]byte(",\n"), text...)
		}
		first = false
		_, err = w.Write(text)
		return err
	})
	if err == nil {
		_, err = io.WriteString(w, "]}\n")
	}
	return err
}

// pseudonyms replaces names.
type pseudonyms struct {
	secret []byte
	known  map[string]string
}

// name returns the pseudonym of a name: letters and digits, so that it may stand wherever a
// name may.
func (p *pseudonyms) name(name string) string {
	if name == "" {
		return ""
	}
	if other, known := p.known[name]; known {
		return other
	}
	// The ordinal of a StatefulSet's pod or claim stays: it belongs to the others of its set.
	stem, ordinal := name, ""
	if at := strings.LastIndexByte(name, '-'); at > 0 && at+1 < len(name) && len(name)-at < 7 && strings.Trim(name[at+1:], "0123456789") == "" {
		stem, ordinal = name[:at], name[at:]
	}
	h := hmac.New(sha256.New, p.secret)
	h.Write([]byte(stem))
	other := "x" + hex.EncodeToString(h.Sum(nil)[:8]) + ordinal
	p.known[strings.Clone(name)] = other
	return other
}

// official reports whether a label, taint, resource or annotation is one that Kubernetes, a
// cloud or a well-known project defines: it says nothing of its user.
func official(key string) bool {
	domain, _, prefixed := strings.Cut(key, "/")
	if !prefixed {
		return key == "pod-template-hash" || key == "controller-revision-hash"
	}
	for _, d := range []string{"kubernetes.io", "k8s.io", "karpenter.sh", "k8s.aws", "amazonaws.com", "google.com", "azure.com", "nvidia.com", "amd.com", "intel.com"} {
		if domain == d || strings.HasSuffix(domain, "."+d) {
			return true
		}
	}
	return false
}

// plain are the official labels whose values say nothing of their user either.
var plain = map[string]bool{
	"kubernetes.io/os": true, "kubernetes.io/arch": true, "beta.kubernetes.io/os": true, "beta.kubernetes.io/arch": true,
	"node.kubernetes.io/instance-type": true, "beta.kubernetes.io/instance-type": true,
	"karpenter.sh/capacity-type": true, "eks.amazonaws.com/capacityType": true, "cloud.google.com/gke-spot": true,
}

func (p *pseudonyms) key(key string) string {
	if official(key) {
		return key
	}
	return p.name(key)
}

// value returns the pseudonym of a label's value. Whole numbers stay: operators compare them.
func (p *pseudonyms) value(key, value string) string {
	if plain[key] || slices.Contains(kube.GPULabels(), key) || value == "" || value == "true" || value == "false" || strings.Trim(value, "-0123456789") == "" && len(value) < 12 {
		return value
	}
	// A volume's label may name several zones.
	if all := strings.Split(value, "__"); len(all) > 1 && (strings.HasSuffix(key, "/zone") || strings.HasSuffix(key, "/region")) {
		for i := range all {
			all[i] = p.name(all[i])
		}
		return strings.Join(all, "__")
	}
	return p.name(value)
}

// How a field's value is treated.
type treatment func(p *pseudonyms, v gjson.Result) any

// as keeps a value as it is.
func as(_ *pseudonyms, v gjson.Result) any { return json.RawMessage(v.Raw) }

// renamed replaces a text, or the texts of a list.
func renamed(p *pseudonyms, v gjson.Result) any {
	if v.IsArray() {
		all := []any{}
		for _, one := range v.Array() {
			all = append(all, renamed(p, one))
		}
		return all
	}
	if v.Type != gjson.String {
		return json.RawMessage(v.Raw)
	}
	return p.name(v.Str)
}

// labelled replaces keys and values of labels.
func labelled(p *pseudonyms, v gjson.Result) any {
	if !v.IsObject() {
		return json.RawMessage(v.Raw)
	}
	out := map[string]any{}
	v.ForEach(func(key, v gjson.Result) bool {
		if v.Type == gjson.String {
			out[p.key(key.Str)] = p.value(key.Str, v.Str)
		}
		return true
	})
	return out
}

// amountsOf keeps amounts and replaces the names of resources that are the user's own.
func amountsOf(p *pseudonyms, v gjson.Result) any {
	if !v.IsObject() {
		return json.RawMessage(v.Raw)
	}
	out := map[string]any{}
	v.ForEach(func(key, v gjson.Result) bool {
		name := key.Str
		if domain, rest, extended := strings.Cut(name, "/"); extended && !official(name) {
			name = p.name(domain) + "/" + p.name(rest)
		}
		out[name] = json.RawMessage(v.Raw)
		return true
	})
	return out
}

// fieldsOf keeps the named fields, each with its treatment.
func fieldsOf(fields map[string]treatment) treatment {
	return func(p *pseudonyms, v gjson.Result) any {
		if !v.IsObject() {
			return json.RawMessage(v.Raw)
		}
		out := map[string]any{}
		v.ForEach(func(name, v gjson.Result) bool {
			if t := fields[name.Str]; t != nil {
				out[name.Str] = t(p, v)
			}
			return true
		})
		return out
	}
}

// each treats the elements of a list.
func each(t treatment) treatment {
	return func(p *pseudonyms, v gjson.Result) any {
		if !v.IsArray() {
			return json.RawMessage(v.Raw)
		}
		all := []any{}
		for _, one := range v.Array() {
			all = append(all, t(p, one))
		}
		return all
	}
}

// keyed replaces a key with its value or values: an expression, a taint, a toleration.
func keyed(p *pseudonyms, v gjson.Result) any {
	out := map[string]any{}
	key := v.Get("key").Str
	field := key == "metadata.name"
	v.ForEach(func(name, v gjson.Result) bool {
		switch name.Str {
		case "key":
			if out["key"] = p.key(key); field {
				out["key"] = key
			}
		case "value":
			out["value"] = p.value(key, v.Str)
		case "values":
			all := []string{}
			for _, one := range v.Array() {
				if field {
					all = append(all, p.name(one.Str))
				} else {
					all = append(all, p.value(key, one.Str))
				}
			}
			out["values"] = all
		case "operator", "effect", "tolerationSeconds":
			out[name.Str] = json.RawMessage(v.Raw)
		}
		return true
	})
	return out
}

// keyOf replaces a label's key.
func keyOf(p *pseudonyms, v gjson.Result) any { return p.key(v.Str) }
