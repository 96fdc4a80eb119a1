package dump_test

import (
	"archive/tar"
	"bytes"
	"fmt"
	"strings"
	"testing"

	"parley/core/kube/dump"
	"parley/core/trace"
)

// entry is a file of an archive or a folder.
type entry struct{ name, text string }

// bundle is what a support bundle, a must-gather or a cluster-info dump holds, and what else lies there.
func bundle() []entry {
	node := `{"apiVersion":"v1","kind":"Node","metadata":{"name":"%s"},"status":{"allocatable":{"cpu":"4","pods":"10"}}}`
	pod := `{"metadata":{"name":"%s","namespace":"a"},"spec":{"containers":[{"name":"c"}]}}`
	return []entry{
		{"b/cluster-info/cluster_version.json", `{"info":{"major":"1"},"string":"v1.33"}`},
		{"b/cluster-resources/nodes.json", `{"kind":"NodeList","apiVersion":"v1","items":[` + fmt.Sprintf(node, "n1") + `]}`},
		{"b/cluster-resources/pods/a.json", `[` + fmt.Sprintf(pod, "p1") + `,` + fmt.Sprintf(pod, "p2") + `]`},
		{"b/cluster-resources/deployments/a.json", `[{"metadata":{"name":"web","namespace":"a"},"spec":{"replicas":1}}]`},
		{"b/cluster-resources/auth-cani-list/a.json", `[{"verbs":["*"]}]`},
		{"b/cluster-resources/pods-errors.json", `["forbidden"]`},
		{"b/cluster-resources/empty.json", ``},
		{"b/logs/" + strings.Repeat("long/", 30) + "x.log", "some text\n"},
		{"b/cluster-scoped-resources/core/nodes/" + strings.Repeat("n", 120) + ".yaml", "---\napiVersion: v1\nkind: Node\nmetadata:\n  name: n2\nstatus:\n  allocatable:\n    cpu: \"4\"\n    pods: \"10\"\n"},
		{"b/namespaces/b/core/pods.yaml", "apiVersion: v1\nkind: PodList\nitems:\n- metadata:\n    name: p3\n    namespace: b\n  spec:\n    containers:\n    - name: c\n"},
		{"b/namespaces/b/config.yaml", "image: x\nkind: of blue\n"},
		{"b/namespaces/b/core/pods/p4.yaml", "---\n" + strings.Replace(fmt.Sprintf(pod, "p4"), "{", `{"apiVersion":"v1","kind":"Pod",`, 1) + "\n"},
	}
}

func tarred(t *testing.T, format tar.Format, entries []entry) []byte {
	t.Helper()
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	for _, e := range append([]entry{{"b/", ""}}, entries...) {
		h := &tar.Header{Name: e.name, Mode: 0o644, Size: int64(len(e.text)), Format: format}
		if strings.HasSuffix(e.name, "/") {
			h.Typeflag = tar.TypeDir
		}
		if err := w.WriteHeader(h); err != nil {
			t.Fatal(err)
		}
		w.Write([]byte(e.text))
	}
	w.Close()
	return out.Bytes()
}

// TestArchives: of an archive, of each kind of tar and with gzip, and of a folder, all objects are
// read, and files that hold none are counted.
func TestArchives(t *testing.T) {
	inputs := map[string][]trace.File{}
	for name, format := range map[string]tar.Format{"pax": tar.FormatPAX, "gnu": tar.FormatGNU} {
		text := tarred(t, format, bundle())
		inputs[name] = []trace.File{file("b.tar", text)}
		inputs[name+" with gzip"] = []trace.File{file("b.tar.gz", zipped(text))}
		inputs[name+", seven bytes at a time"] = []trace.File{slow("b.tar.gz", zipped(text))}
	}
	for _, e := range bundle() {
		f := file(e.name, []byte(e.text))
		f.Part = true
		inputs["a folder"] = append(inputs["a folder"], f)
	}
	for name, files := range inputs {
		c, err := dump.Read(files, nil)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		last := c.Unmodelled[len(c.Unmodelled)-1]
		if len(c.Nodes) != 2 || len(c.Pods) != 4 || len(c.Workloads) != 1 || c.Workloads[0].Kind != "Deployment" || last.Count != 6 || !strings.Contains(last.Subject, "hold no object") {
			t.Errorf("%s: %d nodes, %d pods, %+v, %+v", name, len(c.Nodes), len(c.Pods), c.Workloads, last)
		}
	}
}

// TestBrokenArchives: an archive that was cut off, that is damaged or in which a file is broken ends
// the reading with one sentence; none is read in part without a word.
func TestBrokenArchives(t *testing.T) {
	whole := tarred(t, tar.FormatPAX, bundle())
	bad := func(text string) []byte {
		return tarred(t, tar.FormatPAX, append(bundle(), entry{"b/cluster-resources/pods/z.json", text}))
	}
	huge := bytes.Clone(whole) // a header that says that the next file has 2^63 − 1 bytes
	record := []byte("28 size=9223372036854775807\n")
	header := bytes.Clone(whole[:512])
	copy(header[124:], fmt.Sprintf("%011o\x00", len(record)))
	header[156] = 'x'
	huge = append(append(append(header, record...), make([]byte, 512-len(record))...), huge[512:]...)
	damaged := bytes.Clone(whole)
	copy(damaged[512+124:], "no number!!")
	for want, text := range map[string][]byte{
		"b.tar is a tar archive that ends too early":                                         whole[:len(whole)/2],
		"b.tar unpacks to more than 16 GiB":                                                  huge,
		"b.tar: the gzip data":                                                               nil,
		"b.tar is a tar archive with a broken entry":                                         damaged,
		"b.tar/b/cluster-resources/pods/z.json, line 1: the document ends in the middle":     bad(`{"apiVersion":"v1","kind":"PodList","metadata":{},"items":[`),
		"b.tar/b/cluster-resources/pods/z.json, line 1, Pod a/x: spec.containers is missing": bad(`[{"kind":"Pod","metadata":{"name":"x","namespace":"a"},"spec":{}}]`),
	} {
		if text == nil {
			text, want = zipped(whole)[:len(zipped(whole))/2], "b.tar the gzip data ends too early"
		}
		if _, err := dump.Read([]trace.File{file("b.tar", text)}, nil); err == nil || !strings.HasPrefix(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%v, want %q", err, want)
		}
	}
	if _, err := dump.Read([]trace.File{file("b.tar", tarred(t, tar.FormatPAX, bundle()[:1]))}, nil); err == nil || !strings.Contains(err.Error(), "holds no object of a cluster") {
		t.Errorf("an archive without objects: %v", err)
	}
}

// TestNamedFiles: of several files that are named, as by a pattern, small ones that hold no object are
// counted; one that is named alone, or that is broken, is told.
func TestNamedFiles(t *testing.T) {
	version, nodes := file("version.json", []byte(`{"info":{"major":"1"}}`)), file("nodes.json", []byte(bundle()[1].text))
	c, err := dump.Read([]trace.File{version, nodes}, nil)
	if err != nil || len(c.Nodes) != 1 || c.Unmodelled[0].Count != 1 {
		t.Errorf("%v, %+v", err, c)
	}
	for _, files := range [][]trace.File{{version}, {nodes, file("cut.json", []byte(`{"info":`))}, {nodes, file("empty.json", nil)}, {nodes, file("pods.json", []byte(`{"kind":"Status","message":"forbidden"}`))}} {
		if _, err := dump.Read(files, nil); err == nil {
			t.Errorf("%s is read", files[len(files)-1].Name)
		}
	}
}

// TestFilesOfOtherTools: a compression that is not unpacked is named, and files of sos, whose names have no ending, are
// read.
func TestFilesOfOtherTools(t *testing.T) {
	for want, text := range map[string]string{
		"a is compressed with xz; unpack it first: tar xf FILE, or xz -d FILE":       "\xfd7zXZ\x00\x00\x04",
		"a is compressed with zstd; unpack it first: tar xf FILE, or zstd -d FILE":   "\x28\xb5\x2f\xfd\x00\x00",
		"a is compressed with bzip2; unpack it first: tar xf FILE, or bzip2 -d FILE": "BZh91AY&SY\x00",
	} {
		if _, err := dump.Read([]trace.File{file("a", []byte(text))}, nil); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
	of := func(name, text string) trace.File {
		f := file(name, []byte(text))
		f.Part = true
		return f
	}
	nodes := `{"apiVersion":"v1","kind":"List","items":[{"kind":"Node","metadata":{"name":"n"},"status":{"allocatable":{"cpu":"4"}}}]}`
	c, err := dump.Read([]trace.File{of("s/kubectl_get_-o_json_nodes", nodes), of("s/version", "1"), of("s/uptime", "2")}, nil)
	if err != nil || len(c.Nodes) != 1 {
		t.Errorf("%v, %v", c, err)
	}
	want := "s/version and the other 1 of its folder or archive hold no object of a cluster"
	if _, err = dump.Read([]trace.File{of("s/version", "1"), of("s/uptime", "2")}, nil); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %s", err, want)
	}
}
