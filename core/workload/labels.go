package workload

import (
	"fmt"
	"strconv"
	"strings"
)

// Numbering is a kind of numbered thing: users, groups or queues.
type Numbering uint8

// The numbers of a job: Job.User, Job.Group, Job.Queue and Job.QOS.
const (
	OfUsers Numbering = iota
	OfGroups
	OfQueues
	OfQOS
	numberings
)

// labels are the names that numbers have.
type labels struct {
	names   map[uint32]string
	numbers map[string]uint32
	order   []uint32 // as they were given
}

// Label gives a user, group, queue or QOS of jobs the name that it has in the file.
func (n *Names) Label(of Numbering, number uint32, name string) {
	l := &n.labels[of]
	if l.names == nil {
		l.names, l.numbers = map[uint32]string{}, map[string]uint32{}
	}
	if _, known := l.names[number]; !known {
		l.order = append(l.order, number)
	}
	l.names[number], l.numbers[name] = name, number
}

// LabelOf returns the name of a user, group, queue or QOS, "" if it has none.
func (n *Names) LabelOf(of Numbering, number uint32) string { return n.labels[of].names[number] }

// Numbered returns the number that a name stands for. Numbers stand for themselves if no
// name is spelled so.
func (n *Names) Numbered(of Numbering, name string) (number uint32, known bool) {
	if number, known = n.labels[of].numbers[name]; known {
		return number, true
	}
	v, err := strconv.ParseUint(name, 10, 31)
	return uint32(v), err == nil
}

// Labelled lists the names of users, groups, queues or QOS in the order in which they were given.
func (n *Names) Labelled(of Numbering) []string {
	l := &n.labels[of]
	names := make([]string, len(l.order))
	for i, number := range l.order {
		names[i] = l.names[number]
	}
	return names
}

// Unlabelled returns the error of a setting whose name is not in the workload: a sentence that
// follows "settings: FIELD has ".
func (n *Names) Unlabelled(of Numbering, name string) error {
	const shown = 12
	kind, all := [...]string{"user", "group", "queue", "QOS"}[of], n.Labelled(of)
	if len(all) == 0 {
		return fmt.Errorf("the %s %q, and the workload's %ss have no names: write a number", kind, name, kind)
	}
	more := ""
	if len(all) > shown {
		all, more = all[:shown], fmt.Sprintf(" and %d more", len(all)-shown)
	}
	return fmt.Errorf("the %s %q, which the workload does not have: its %ss are %s%s", kind, name,
		kind, strings.Join(all, ", "), more)
}
