package workflow

import (
	"cmp"
	"fmt"
	"slices"

	"parley/core/graph"
)

// rule is a decision about data that files lack.
type rule struct{ id, about string }

// note returns the rule with its count, as in the report of a file.
func (r rule) note(count int64) string { return fmt.Sprintf("%s: %d", r.about, count) }

// The rules.
var (
	noteFromFiles = rule{"dependencies_from_files", "dependencies that follow from files alone, as no parent says so"}
	noteNoFile    = rule{
		"dependencies_without_files",
		"dependencies whose tasks share no file, so that their results have 0 bytes",
	}
	noteProducers = rule{
		"files_with_several_writers",
		"files that several tasks write, which travel only where a parent says so",
	}
	noteSizes = rule{
		"files_of_several_sizes",
		"files of different sizes in different tasks, where the size that its writer says counts, else the largest",
	}
	noteNoSize    = rule{"files_without_size", "files without a size, which have 0 bytes"}
	noteBelowZero = rule{"files_below_zero", "files with a size below 0, which have 0 bytes"}
	noteNoRuntime = rule{"tasks_without_run_time", "tasks without a run time, which take none"}
	noteCores     = rule{
		"tasks_on_several_cores",
		"tasks that ran on several cores, which take one resource here, for as long",
	}
	noteCount      = rule{"stated_counts", "stated counts of tasks that are not those of the file"}
	noteEmptyFiles = rule{"tasks_without_files", "tasks that list no files"}
	noteOneSided   = rule{"dependencies_of_parents", "dependencies that a parent states and its child does not"}
	noteSpace      = rule{
		"unknown_namespace",
		"files whose XML namespace is not that of DAX, which were read as if it were",
	}
	noteForeign = rule{
		"foreign_elements",
		"elements of another XML namespace, which were passed over with all that is in them",
	}

	noteForeignAttribute = rule{"foreign_attributes", "attributes of another XML namespace, which were passed over"}
)

// resolve merges the dependencies from parents and from files: an arc for each stated dependency and
// for each file that only one task writes and another reads, with the
// bytes of all files that pass between the two.
func (b *builder) resolve() ([]graph.Arc, error) {
	producers, sizes := b.produced()
	bytes := make(map[[2]int32]float64, len(b.arcs))
	for key := range b.arcs { // sorted below
		bytes[key] = 0
	}
	shares := map[[2]int32]bool{}
	var needs map[int32][]int32
	for to := range b.tasks {
		for _, f := range b.tasks[to].in {
			own := producers[f.name] // in ascending order
			several := len(own) > 1
			if several { // it travels only if a parent says so
				if needs == nil {
					needs = b.needs()
				}
				if len(needs[int32(to)]) < len(own) {
					own = slices.DeleteFunc(slices.Clone(needs[int32(to)]), func(from int32) bool {
						_, writes := slices.BinarySearch(own, from)
						return !writes
					})
				}
			}
			for _, from := range own {
				if from == int32(to) {
					continue
				}
				key := [2]int32{from, int32(to)}
				if _, stated := b.arcs[key]; !stated {
					if several {
						continue
					}
					b.note(noteFromFiles)
					if err := b.arc(from, int32(to), b.tasks[to].line); err != nil {
						return nil, err
					}
				}
				bytes[key] += sizes[f.name]
				shares[key] = true
			}
		}
	}
	arcs := make([]graph.Arc, 0, len(b.arcs))
	for key := range b.arcs {
		if !shares[key] && !b.noFiles {
			b.note(noteNoFile)
		}
		arcs = append(arcs, graph.Arc{From: key[0], To: key[1], Bytes: bytes[key]})
	}
	slices.SortFunc(arcs, func(x, y graph.Arc) int {
		return cmp.Or(cmp.Compare(x.From, y.From),
			cmp.Compare(x.To, y.To))
	})
	return arcs, nil
}

// needs returns which tasks each task states to need.
func (b *builder) needs() map[int32][]int32 {
	all := map[int32][]int32{}
	for key := range b.arcs { // each adds to the bytes of its own arc alone, whatever their order
		all[key[1]] = append(all[key[1]], key[0])
	}
	return all
}

// produced returns who writes each file and how large it is; of those whose size
// no row has it is 0.
func (b *builder) produced() (producers map[string][]int32, sizes map[string]float64) {
	producers, sizes = map[string][]int32{}, map[string]float64{}
	differ, written := map[string]bool{}, map[string]bool{}
	see := func(f file, writes bool) {
		had, seen := sizes[f.name]
		if f.bytes < 0 {
			return
		}
		if seen && had != f.bytes && !differ[f.name] {
			differ[f.name] = true
			b.note(noteSizes)
		}
		switch {
		case writes && !written[f.name]:
			sizes[f.name] = f.bytes
		case writes, !written[f.name]:
			sizes[f.name] = max(had, f.bytes)
		}
		written[f.name] = written[f.name] || writes
	}
	for v := range b.tasks {
		for _, f := range b.tasks[v].out {
			if own := producers[f.name]; len(own) == 1 && own[0] != int32(v) {
				b.note(noteProducers)
			}
			if own := producers[f.name]; len(own) == 0 || own[len(own)-1] != int32(v) {
				producers[f.name] = append(own, int32(v))
			}
			see(f, true)
		}
	}
	for v := range b.tasks {
		for _, f := range b.tasks[v].in {
			see(f, false)
		}
	}
	return producers, sizes
}
