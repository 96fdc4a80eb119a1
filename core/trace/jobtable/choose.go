package jobtable

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// choose finds the columns of the fields: those that the mapping names, then by name.
func (p *plan) choose(words, units []string) *problem {
	taken := make([]bool, len(p.header))
	for f := range fields {
		p.at[f] = -1
	}
	p.each = -1
	if p.mapping.each != "" {
		if p.each = slices.Index(p.header, p.mapping.each); p.each < 0 {
			return &problem{
				Reason: fmt.Sprintf("is a table without a column %q, which the mapping names for processors",
					shorten(p.mapping.each)),
				Hint: "its columns are " + p.columns(),
			}
		}
	}
	p.nextflow(words, units, taken)
	for f := range fields {
		column := p.mapping.columns[f]
		if column == "" || column == noColumn {
			continue
		}
		i := slices.Index(p.header, column)
		if i < 0 {
			i = slices.IndexFunc(p.header, func(name string) bool { return strings.EqualFold(name, column) })
		}
		if n, err := strconv.ParseInt(column, 10, 64); i < 0 && f == processors && err == nil &&
			0 < n && n <= maxProcessors {
			p.mapping.always = n
			continue
		}
		if i < 0 {
			return &problem{
				Reason: fmt.Sprintf("is a table without a column %q, which the mapping names for %s", shorten(column),
					fieldNames[f]),
				Hint: "its columns are " + p.columns(),
			}
		}
		if p.at[f], p.units[f], taken[i] = i, p.mapping.units[f], true; p.units[f] == "" {
			p.units[f] = units[i]
		}
	}
	for _, f := range []field{
		submit, start, end, processors, requested, runtime, id, user, group, queue, state, memory, preceding,
		think, qos, dependency,
		throttle, exclusive, switches, command, name,
	} {
		if p.at[f] >= 0 || p.mapping.columns[f] == noColumn || f == processors && p.mapping.always > 0 {
			continue
		}
		if f == name && p.at[dependency] < 0 && p.at[command] < 0 { // only singletons need it
			continue
		}
		if i := byName(f, words, taken); i >= 0 {
			p.at[f], p.units[f], taken[i] = i, units[i], true
		}
		if f == start && p.at[f] < 0 {
			if i := p.alsoStart(words); i >= 0 {
				p.at[f], p.units[f] = i, units[i]
			}
		}
		if f == processors && p.at[f] < 0 {
			p.product(words)
		}
		if p.json && p.at[f] < 0 && f != id {
			if i := byLeaf(f, p.header, taken); i >= 0 {
				p.at[f], p.units[f], taken[i] = i, units[i], true
			}
		}
	}
	p.apart(words)
	return nil
}

// elements are names of ids that several jobs have, and of the columns that tell these apart.
var elements = map[string][]string{"clusterid": {"procid"}, "jobnumber": {"tasknumber", "taskid"}}

// apart finds the column that tells apart jobs with one id.
func (p *plan) apart(words []string) {
	p.element = -1
	if at := p.at[id]; at >= 0 && p.mapping.columns[id] == "" {
		p.element = slices.IndexFunc(words,
			func(word string) bool { return slices.Contains(elements[words[at]], word) })
	}
}

// passEmpty gives a time, run time, processors or requested time whose column has only unknown values in the
// first rows (see isUnknown) another column with a known name that has others: the job tables of Slurm have a
// start of BlueGene beside starttime. Columns that the mapping names stay.
func (p *plan) passEmpty(words, units []string) {
	empty := func(at int) bool {
		return !slices.ContainsFunc(p.rows, func(row [][]byte) bool { return !isUnknown(row[at]) })
	}
	if len(p.rows) == 0 {
		return
	}
	taken := make([]bool, len(words))
	for i := range words {
		taken[i] = slices.Contains(p.at[:], i) || empty(i)
	}
	for _, f := range []field{submit, start, end, runtime, processors, requested} {
		if at := p.at[f]; at < 0 || p.mapping.columns[f] != "" || !empty(at) {
			continue
		}
		i := byName(f, words, taken)
		if i < 0 && f == start {
			i = p.alsoStart(words)
		}
		if i >= 0 {
			p.at[f], p.units[f], taken[i] = i, units[i], true
		}
	}
}

// alsoStart returns the column that the mapping takes for the submission if it is one of starts, whose time then stands
// for both; else -1.
func (p *plan) alsoStart(words []string) int {
	if at := p.at[submit]; at >= 0 && p.mapping.columns[submit] != "" &&
		byName(start, words[at:at+1], make([]bool, 1)) == 0 {
		return at
	}
	return -1
}

// products are pairs of columns whose product is the processors of a job.
var products = [...][2][]string{
	{{
		"nodes", "nnodes", "numnodes", "nodecount", "nodect", "nodesalloc", "allocnodes", "nodesused", "noeuds",
		"knoten",
	}, {
		"ppn", "corespernode", "cpuspernode", "processorspernode", "procspernode", "ncpuspernode",
		"coresnode", "cpusnode",
	}},
	{{"ntasks", "tasks", "numtasks"}, {"cpuspertask", "cpustask", "corespertask"}},
}

// product finds two columns whose product is the processors of a job.
func (p *plan) product(words []string) {
	find := func(names []string) int {
		return slices.IndexFunc(words, func(word string) bool { return slices.Contains(names, word) })
	}
	for _, pair := range products {
		if count, each := find(pair[0]), find(pair[1]); count >= 0 && each >= 0 {
			p.at[processors], p.each = count, each
			return
		}
	}
}

// nextflow finds the columns of a trace of Nextflow, in which duration is the time from a task's
// submission to its end, not its run time, and time is its limit. Plain numbers
// are milliseconds there.
func (p *plan) nextflow(words, units []string, taken []bool) {
	at := func(name string) int { return slices.Index(words, name) }
	if at("hash") < 0 || at("submit") < 0 || at("duration") < 0 && at("realtime") < 0 {
		return
	}
	p.table = nextflowTable
	for _, name := range []string{"duration", "realtime", "time"} {
		if i := at(name); i >= 0 && units[i] == "" {
			units[i] = "ms"
		}
	}
	if i := at("duration"); i >= 0 {
		taken[i] = true
	}
	if i := at("time"); i >= 0 && p.mapping.columns[requested] == "" {
		p.at[requested], p.units[requested], taken[i] = i, units[i], true
	}
}

// found counts the fields without which there are no jobs and which have a column.
func (p *plan) found() (n int) {
	for _, f := range []field{submit, start, end, runtime, processors} {
		if p.at[f] >= 0 {
			n++
		}
	}
	return n
}

// missing says which needed field has no column.
func (p *plan) missing() *problem {
	var lack []string
	if p.at[submit] < 0 {
		lack = append(lack, "submit")
	}
	if p.at[runtime] < 0 && (p.at[start] < 0 || p.at[end] < 0) {
		lack = append(lack, "runtime (or start and end)")
	}
	if p.at[processors] < 0 && p.mapping.always == 0 {
		lack = append(lack, "processors")
	}
	if len(lack) == 0 {
		return nil
	}
	hint := "say which column holds what: --map '" + p.proposal() + "'"
	if p.at[submit] < 0 && p.at[start] >= 0 {
		hint += "; the column of starts may be named for submit too: then no job waited"
	}
	if p.at[processors] < 0 {
		hint += ", or processors=always:1 where no column says how many a job takes"
	}
	return &problem{
		Reason: "is a table of jobs without a column that is known for " + strings.Join(lack, " and ") + " (columns: " +
			p.columns() + ")",
		Hint: hint,
	}
}
