package workflow_test

import (
	"fmt"
	"testing"
	"time"
)

// TestForeignElements: elements of another namespace than the file's are passed over, with
// what is in them, and counted.
func TestForeignElements(t *testing.T) {
	w := accepted(t, `<adag xmlns="http://pegasus.isi.edu/schema/DAX" xmlns:o="urn:other"><job id="a" runtime="1"><o:uses file="f"><job id="no"/></o:uses></job>`+
		`<o:job id="b" runtime="9"/></adag>`)
	if w.Graph.Len() != 1 || noted(w, "elements of another XML namespace, which were passed over with all that is in them: ") != "2" {
		t.Errorf("%d tasks, %q", w.Graph.Len(), w.Notes)
	}
}

// TestForeignAttributes: attributes of another namespace say nothing of a job, and a file of
// another namespace is told to be one.
func TestForeignAttributes(t *testing.T) {
	w := accepted(t, `<adag xmlns="urn:other" xmlns:o="urn:o" o:jobCount="9"><job id="a" o:runtime="5" o:id="b" xml:lang="en"/></adag>`)
	if w.Graph.Work() != 0 || noted(w, "attributes of another XML namespace, which were passed over: ") != "2" || noted(w, "files whose XML namespace is not that of DAX, which were read as if it were: ") != "1" {
		t.Errorf("work of %v s, %q", w.Graph.Work(), w.Notes)
	}
}

// TestManyWriters: a file that all tasks write and all read is not looked at for each pair.
func TestManyWriters(t *testing.T) {
	const n = 30_000
	doc := []byte("<adag>")
	for i := range n {
		doc = fmt.Appendf(doc, `<job id="%d" runtime="1"><uses file="f" size="7" link="inout"/></job>`, i)
	}
	began := time.Now()
	w := accepted(t, string(doc)+`<child ref="1"><parent ref="0"/></child></adag>`)
	if took := time.Since(began); w.Graph.Len() != n || w.Graph.Arcs() != 1 || w.Graph.In(1)[0].Bytes != 7 || took > 20*time.Second {
		t.Errorf("%d tasks, %d arcs, %v", w.Graph.Len(), w.Graph.Arcs(), took)
	}
}

// TestOneSided: a dependency that only the parent states counts, and is told where the
// child lists its parents.
func TestOneSided(t *testing.T) {
	const note = "dependencies that a parent states and its child does not: "
	task := func(id, rest string) string { return `{"name":"` + id + `","runtime":1` + rest + `}` }
	doc := func(child string) string {
		return `{"workflow":{"tasks":[` + task("a", `,"children":["b"]`) + "," + task("b", child) + `]}}`
	}
	for child, want := range map[string]string{`,"parents":[]`: "1", `,"parents":["a"]`: "", ``: ""} {
		if w := accepted(t, doc(child)); w.Graph.Arcs() != 1 || noted(w, note) != want {
			t.Errorf("with %q: %d dependencies, %q", child, w.Graph.Arcs(), w.Notes)
		}
	}
}

// TestTypesByProgram: tasks whose names carry what tells one from another are of the
// type of their programs; a script is none, and then names count.
func TestTypesByProgram(t *testing.T) {
	doc := func(second string) string {
		return `{"workflow":{"tasks":[{"name":"map_chr21_HEP2","id":"1","runtime":1,"command":{"program":"/bin/map"}},` +
			`{"name":"map_chr22_HEP3","id":"2","runtime":1,"command":{"program":"` + second + `"}}]}}`
	}
	for second, want := range map[string][2]string{"map": {"map", "map"}, "sort": {"map", "sort"}, "map \\n -x": {"map_chr21_HEP2", "map_chr22_HEP3"}} {
		w := accepted(t, doc(second))
		if got := [2]string{w.Graph.Vertex(0).Type, w.Graph.Vertex(1).Type}; got != want {
			t.Errorf("with the program %q the types are %q, want %q", second, got, want)
		}
	}
}
