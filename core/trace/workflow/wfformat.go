package workflow

import (
	"bytes"
	"math"
	"slices"
	"sort"
	"strings"

	"github.com/tidwall/gjson"

	"parley/core/strict"
	"parley/core/trace"
)

func detectWfFormat(head []byte) bool {
	trimmed := bytes.TrimSpace(head)
	return len(trimmed) > 0 && trimmed[0] == '{' &&
		(bytes.Contains(head, []byte(`"workflow"`)) || bytes.Contains(head, []byte(`"schemaVersion"`)))
}

// wfReader is the state of reading a WfFormat document.
type wfReader struct {
	*builder
	lines    []int            // where each line begins
	programs []string         // of the tasks' commands; empty if the file has none, or a script
	byName   map[string]int32 // older layouts name parents so; -2: several tasks have that name
	sizes    map[string]float64
}

// lineAt returns the line, from 1, of the byte at an index of the document.
func (rd *wfReader) lineAt(index int) int {
	return sort.Search(len(rd.lines), func(i int) bool { return rd.lines[i] > index })
}

// beginnings returns where the lines of a document begin.
func beginnings(doc []byte) []int {
	lines := []int{0}
	for i, c := range doc {
		if c == '\n' {
			lines = append(lines, i+1)
		}
	}
	return lines
}

// fail returns an error about a value, with its line. column is the path of its field.
func (rd *wfReader) fail(v gjson.Result, column, reason string) error {
	return fault(rd.name, rd.lineAt(v.Index), column, v.String(), reason, "correct the line")
}

// readWfFormat reads a workflow of WfCommons. Since version 1.5 the specification (workflow.specification)
// is separate from the measurements (workflow.execution). Before 1.5 both are in workflow.tasks, and
// before 1.3 in workflow.jobs.
func readWfFormat(name string, doc []byte) (*builder, error) {
	rd := &wfReader{
		builder: newBuilder(name), lines: beginnings(doc), byName: map[string]int32{},
		sizes: map[string]float64{},
	}
	if _, at := strict.Nesting(doc, strict.Depth); at >= 0 {
		return nil, fault(name, rd.lineAt(int(at)), "", "", strict.TooDeep+", which no workflow needs",
			"choose another file")
	}
	if !gjson.ValidBytes(doc) {
		return nil, &trace.Error{
			Kind: trace.Damaged, File: name,
			Reason: "it is not whole JSON: it ends in the middle or a sign is missing", Hint: "download it again",
		}
	}
	root := gjson.ParseBytes(doc)
	w := root.Get("workflow")
	for _, layout := range []struct {
		tasks gjson.Result
		read  func(tasks, workflow gjson.Result) error
	}{
		{w.Get("specification.tasks"), rd.readSplit},
		{w.Get("tasks"), rd.readJoined},
		{w.Get("jobs"), rd.readJoined},
	} {
		if layout.tasks.IsArray() {
			err := layout.read(layout.tasks, w)
			rd.typeByProgram()
			return rd.builder, err
		}
	}
	return nil, &trace.Error{
		Kind: trace.WrongTable, File: name,
		Reason: "is JSON without workflow.specification.tasks, workflow.tasks or workflow.jobs",
		Hint:   "choose a file in WfFormat",
	}
}

// program keeps the name of the program in a task's command.
func (rd *wfReader) program(v int32, t gjson.Result) {
	for int(v) >= len(rd.programs) {
		rd.programs = append(rd.programs, "")
	}
	if name := t.Get("command.program").String(); name != "" && !strings.ContainsAny(name, " \t\r\n") {
		rd.programs[v] = name[strings.LastIndexByte(name, '/')+1:]
	}
}

// typeByProgram makes the program of each task its type, if all tasks have one. Names have suffixes
// that differ between tasks of one type. Otherwise the name without its number is the type.
func (rd *wfReader) typeByProgram() {
	if len(rd.programs) != len(rd.tasks) || slices.Contains(rd.programs, "") {
		return
	}
	for v := range rd.tasks {
		rd.tasks[v].Type = rd.programs[v]
	}
}

// each calls do for every element of an array until it fails.
func each(array gjson.Result, do func(gjson.Result) error) (err error) {
	array.ForEach(func(_, v gjson.Result) bool {
		err = do(v)
		return err == nil
	})
	return err
}

// readSplit reads the layout of version 1.5: the sizes of files, the tasks and their measured run times. A
// measurement of an unknown task is an error; a task without one takes no time.
func (rd *wfReader) readSplit(tasks, workflow gjson.Result) error {
	err := each(workflow.Get("specification.files"), func(f gjson.Result) error {
		size, err := rd.number(f.Get("sizeInBytes"), "sizeInBytes")
		if err != nil {
			return err
		}
		id, err := rd.text(f.Get("id"), "id")
		if err == nil {
			rd.sizes[id] = size
		}
		return err
	})
	if err != nil {
		return err
	}
	if err := each(tasks, rd.specified); err != nil {
		return err
	}
	measured := map[int32]bool{}
	err = each(workflow.Get("execution.tasks"), func(t gjson.Result) error {
		id := t.Get("id")
		v, known := rd.index[id.String()]
		if !known {
			return rd.fail(id, "execution.tasks.id", "is no task of the specification")
		}
		runtime, err := rd.number(t.Get("runtimeInSeconds"), "runtimeInSeconds")
		if err != nil {
			return err
		}
		rd.tasks[v].Work = max(runtime, 0)
		if err := rd.cores(t); err != nil {
			return err
		}
		rd.program(v, t)
		measured[v] = runtime >= 0
		return nil
	})
	if err != nil {
		return err
	}
	for v := range rd.tasks {
		if !measured[int32(v)] {
			rd.note(noteNoRuntime)
		}
	}
	return rd.parents(tasks)
}

// specified adds a task of version 1.5, whose files are named by id. A file without a size has size -1.
func (rd *wfReader) specified(t gjson.Result) error {
	var out task
	files := func(field string, into *[]file) error {
		return each(t.Get(field), func(f gjson.Result) error {
			id, err := rd.text(f, field)
			if err != nil {
				return err
			}
			size, known := rd.sizes[id]
			if !known || size < 0 {
				rd.note(noteNoSize)
				size = -1
			}
			*into = append(*into, file{id, size})
			return nil
		})
	}
	if err := files("inputFiles", &out.in); err != nil {
		return err
	}
	if err := files("outputFiles", &out.out); err != nil {
		return err
	}
	return rd.named(t, out)
}

// readJoined reads the older layouts, in which each task has its run time and its files.
func (rd *wfReader) readJoined(tasks, _ gjson.Result) error {
	err := each(tasks, func(t gjson.Result) error {
		var out task
		runtime, err := rd.number(first(t, "runtimeInSeconds", "runtime"), "runtime")
		if err != nil {
			return err
		}
		if out.Work = max(runtime, 0); runtime < 0 {
			rd.note(noteNoRuntime)
		}
		if err := rd.cores(t); err != nil {
			return err
		}
		err = each(t.Get("files"), func(f gjson.Result) error {
			name, err := rd.text(f.Get("name"), "files.name")
			if err != nil {
				return err
			}
			size, err := rd.number(first(f, "sizeInBytes", "size"), "files.size")
			if err != nil {
				return err
			}
			if size < 0 {
				rd.note(noteNoSize)
			}
			one := file{f.Get("path").String() + name, size}
			switch link := f.Get("link"); link.String() {
			case "input":
				out.in = append(out.in, one)
			case "output":
				out.out = append(out.out, one)
			default:
				return rd.fail(link, "files.link", "is not input or output")
			}
			return nil
		})
		if err != nil {
			return err
		}
		if len(out.in)+len(out.out) == 0 {
			rd.note(noteEmptyFiles)
		}
		return rd.named(t, out)
	})
	if err != nil {
		return err
	}
	return rd.parents(tasks)
}

// named adds a task under its id, or its name if it has none. In byName, -2 marks a name of several tasks.
func (rd *wfReader) named(t gjson.Result, out task) error {
	name := t.Get("name")
	id := first(t, "id", "name")
	out.Type = kindOf(name.String())
	v, err := rd.add(id.String(), rd.lineAt(t.Index), out)
	if err != nil {
		return err
	}
	rd.program(v, t)
	if _, twice := rd.byName[name.String()]; twice {
		v = -2
	}
	rd.byName[name.String()] = v
	return nil
}

// kindOf returns the kind of work in a task's name: the part before the number at its end, as WfCommons names tasks,
// without one - or _ before that number.
func kindOf(name string) string {
	end := len(name)
	for end > 0 && name[end-1] >= '0' && name[end-1] <= '9' {
		end--
	}
	for end > 0 && end < len(name) && (name[end-1] == '_' || name[end-1] == '-') {
		end--
		return name[:end]
	}
	return name
}

// parents adds the dependencies that tasks state, as parents or as children. It notes if a task that lists its
// parents lacks one that lists it as a child.
func (rd *wfReader) parents(tasks gjson.Result) error {
	v := int32(-1)
	byChild, byParent := map[[2]int32]bool{}, map[[2]int32]bool{}
	tells := make([]bool, len(rd.tasks)) // has a list of its parents
	err := each(tasks, func(t gjson.Result) error {
		v++
		tells[v] = t.Get("parents").IsArray()
		for _, field := range []string{"parents", "children"} {
			err := each(t.Get(field), func(ref gjson.Result) error {
				other, known := rd.index[ref.String()]
				if !known {
					if other, known = rd.byName[ref.String()]; known && other == -2 {
						return rd.fail(ref, field, "names several tasks: name them by id")
					}
				}
				if !known {
					return rd.fail(ref, field, "is no task of the file")
				}
				if field == "parents" {
					byChild[[2]int32{other, v}] = true
					return rd.arc(other, v, rd.lineAt(ref.Index))
				}
				byParent[[2]int32{v, other}] = true
				return rd.arc(v, other, rd.lineAt(ref.Index))
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
	for pair := range byParent {
		if tells[pair[1]] && !byChild[pair] {
			rd.note(noteOneSided)
		}
	}
	return err
}

// first returns the first of the fields that v has; a value that does not exist if it has none.
func first(v gjson.Result, fields ...string) (found gjson.Result) {
	for _, f := range fields {
		if found = v.Get(f); found.Exists() {
			return found
		}
	}
	return found
}

// cores counts a task that ran on several cores: a resource computes one task at a time.
func (rd *wfReader) cores(t gjson.Result) error {
	n, err := rd.number(first(t, "coreCount", "cores"), "coreCount")
	if n > 1 {
		rd.note(noteCores)
	}
	return err
}

// number reads an amount; -1 if the field is not there.
func (rd *wfReader) number(v gjson.Result, column string) (float64, error) {
	if !v.Exists() || v.Type == gjson.Null {
		return -1, nil
	}
	if x := v.Float(); v.Type == gjson.Number && x >= 0 && x <= math.MaxFloat64 {
		return x, nil
	}
	return 0, rd.fail(v, column, "is not a number of at least 0")
}

// text reads a name that has to be there.
func (rd *wfReader) text(v gjson.Result, column string) (string, error) {
	if v.Type != gjson.String || v.String() == "" {
		return "", rd.fail(v, column, "is not a name")
	}
	return v.String(), nil
}
