package dump

import (
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"

	"parley/core/trace"
)

// planted returns values that a treatment reads, in which a user's word stands wherever a text or
// the name of a field can stand.
func planted(t treatment) (all []any) {
	switch t := t.(type) {
	case fieldsOf:
		whole := map[string]any{"LEAKfield": "LEAK", "LEAK": map[string]any{"LEAK": "LEAK"}}
		for _, name := range slices.Sorted(maps.Keys(t)) {
			for _, v := range planted(t[name]) {
				all = append(all, map[string]any{name: v})
				whole[name] = v
			}
		}
		all = append(all, whole)
	case each:
		var whole []any
		for _, v := range planted(t.of) {
			whole = append(whole, v)
			all = append(all, []any{v})
		}
		all = append(all, whole, []any{"LEAK"}, []any{[]any{"LEAK"}})
	}
	words := []string{
		"LEAK", "LEAK-12", "LEAK.kubernetes.io", "LEAK.kubernetes.io/LEAK", "node-role.kubernetes.io/LEAK", "system-LEAK", "nvidia.com/LEAK", "LEAK/gpu",
		"attachable-volumes-csi-LEAK", "attachable-volumes-LEAK", "hugepages-LEAK", "LEAK__LEAK", "LEAK,LEAK", "LEAK:LEAK", "2026-01-01T00:00:00LEAK", "1LEAK", "5%LEAK", "10.LEAK",
		"metadata.name", "kubernetes.io/os", "node.kubernetes.io/instance-type", "nvidia.com/gpu.product", "topology.kubernetes.io/zone", "karpenter.sh/capacity-type",
	}
	labels := map[string]any{"node.kubernetes.io/instance-type": "Standard_LEAK", "beta.kubernetes.io/instance-type": "m5.LEAK", "nvidia.com/gpu.product": "NVIDIA-LEAK"}
	for _, key := range words {
		if labels[key] == nil {
			labels[key] = "LEAK"
		}
		all = append(all, key)
		for _, value := range []any{"LEAK", "LEAK__LEAK"} {
			all = append(all, map[string]any{"key": key, "value": value, "values": []any{value}, "operator": "LEAK", "effect": "LEAK", "kind": "LEAK", "name": value, "controller": "LEAK", "tolerationSeconds": "LEAK"})
		}
	}
	return append(all, labels, []any{"LEAK", []any{"LEAK"}, map[string]any{"LEAK": "LEAK"}}, map[string]any{"LEAK": []any{"LEAK"}, "kind": "ReplicaSet", "name": "LEAK-LEAK"}, 5, true, nil)
}

// TestNothingIsKept: a user's word is nowhere in what is written, whatever field or key of whatever
// object it stands in, and of whatever kind the value is.
func TestNothingIsKept(t *testing.T) {
	metadata, objects := pseudonymFields(newKeptWords())
	for _, kind := range slices.Sorted(maps.Keys(kinds)) {
		if objects[kind] == nil {
			t.Errorf("nothing is kept of the kind %s", kind)
		}
		names := fieldsOf{"name": leaf(other)}
		maps.Copy(names, metadata)
		var dump []any
		for _, meta := range planted(names) {
			dump = append(dump, map[string]any{"kind": kind, "apiVersion": "LEAK", "LEAK": "LEAK", "metadata": meta})
		}
		for _, of := range planted(objects[kind]) {
			if fields, is := of.(map[string]any); is {
				fields["kind"], fields["metadata"] = kind, map[string]any{"name": "LEAK"}
				dump = append(dump, fields)
			}
		}
		dump = slices.DeleteFunc(dump, func(o any) bool { _, is := o.(map[string]any)["metadata"].(map[string]any); return !is })
		text, err := json.Marshal(map[string]any{"kind": "List", "items": dump})
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		f := trace.File{Name: "dump.json", Size: int64(len(text)), Open: func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(text)), nil }}
		if err := Pseudonymise(&out, []trace.File{f}, "secret", nil); err != nil {
			t.Fatal(kind, err)
		}
		if at := strings.Index(strings.ToLower(out.String()), "leak"); at >= 0 {
			t.Errorf("%s keeps a word of its user: …%s…", kind, out.String()[max(0, at-200):min(out.Len(), at+80)])
		}
		if n := strings.Count(out.String(), "\n"); n != len(dump) {
			t.Errorf("%s: %d objects of %d", kind, n, len(dump))
		}
	}
}

// TestAnnotationsThatDecide: the annotations that are read are kept, and no others.
func TestAnnotationsThatDecide(t *testing.T) {
	metadata, _ := pseudonymFields(newKeptWords())
	kept := slices.Sorted(maps.Keys(metadata["annotations"].(fieldsOf)))
	if read := slices.Sorted(maps.Keys(decidingAnnotations)); !slices.Equal(kept, read) {
		t.Errorf("%v are kept, and %v are read", kept, read)
	}
}

// TestWordsOfClouds: machine types and models of GPUs stay that clouds name so, and others do not.
func TestWordsOfClouds(t *testing.T) {
	k := newKeptWords()
	for _, name := range []string{
		"m5.xlarge", "m7i-flex.2xlarge", "u-6tb1.metal", "x2iedn.metal", "t3.nano", "m7i.metal-24xl", "inf2.48xlarge", "trn1n.32xlarge",
		"n2-standard-8", "e2-micro", "a3-highgpu-8g", "t2d-standard-4", "n2-custom-4-8192", "Standard_D8s_v5", "Standard_NC24ads_A100_v4", "Basic_A1", "m-16",
	} {
		if !k.keepsValue("node.kubernetes.io/instance-type", name) {
			t.Errorf("%s becomes another word", name)
		}
	}
	for _, name := range []string{"leak", "acme-large", "acme.large", "Standard_acme", "rack-12", "our-standard-8", "m5.acme", ""} {
		if name != "" && k.keepsValue("node.kubernetes.io/instance-type", name) {
			t.Errorf("%s is kept", name)
		}
	}
	for _, name := range []string{"NVIDIA-A100-SXM4-80GB", "nvidia-tesla-t4", "Tesla-V100-SXM2-16GB", "NVIDIA-H100-80GB-HBM3", "a10g", "l40s", "NVIDIA-RTX-6000-Ada-Generation", "NVIDIA-A100-SXM4-40GB-MIG-1g.5gb", "AMD_Instinct_MI300X"} {
		if !k.keepsValue("nvidia.com/gpu.product", name) {
			t.Errorf("%s becomes another word", name)
		}
	}
	if k.keepsValue("nvidia.com/gpu.product", "NVIDIA-ACME") {
		t.Error("a word of a user is kept as one of a GPU's model")
	}
}
