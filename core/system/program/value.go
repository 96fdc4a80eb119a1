package program

import (
	"fmt"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"parley/core/cluster"
	"parley/core/unit"
	"parley/core/workload"
)

// Field describes a field of a program's value, or a function that a program can call or define.
type Field struct {
	Name  string `json:"name"`
	Usage string `json:"usage"` // as it is written
	About string `json:"about"` // one sentence part
}

// NodeFields are the fields of a node.
func NodeFields() []Field {
	fields := []Field{
		{"id", "node.id", "its number, which state may keep"},
		{"up", "node.up", "True unless it is down"},
		{"rack", "node.rack", "number of its rack"},
		{"site", "node.site", "number of its rack's site"},
		{"tasks", "node.tasks", "number of tasks on it; cluster.tasks(node) lists them"},
		{"overloaded", "node.overloaded", "True if its tasks use more of a resource than it has"},
	}
	for r := range unit.Resource(unit.Resources) {
		name := r.String()
		fields = append(fields, Field{name, "node." + name + ".free", r.Title() +
			" of it: capacity, used, requested and free (capacity - used), in parts of the reference machine"})
	}
	return fields
}

// TaskFields are the fields of a task.
func TaskFields() []Field {
	fields := []Field{
		{"id", "task.id", "its number in the run, which state may keep"},
		{"job", "task.job", "number of its job in the workload"},
		{"number", "task.number", "its number in the job"},
		{"user", "task.user", "number of its user"},
		{"priority", "task.priority", "its priority; higher is more urgent"},
		{"production", "task.production", "True for a production task"},
		{"submitted", "task.submitted", "simulated second at which it arrived"},
		{"wait", "task.wait", "seconds since it arrived"},
		{"state", "task.state", "\"waiting\", \"running\", \"migrating\" or, after its end, \"ended\""},
		{"node", "task.node", "its node; None while it waits"},
	}
	for r := range unit.Resource(unit.Resources) {
		name := r.String()
		fields = append(fields, Field{
			name, "task." + name,
			r.Title() + " that it requests, in parts of the reference machine",
		})
	}
	return append(fields, Field{"used", "task.used.cpu", "what it uses of each resource"})
}

func namesOf(fields []Field) []string {
	names := make([]string, len(fields))
	for i, f := range fields {
		names[i] = f.Name
	}
	return names
}

// node is a node of the cluster as a program sees it: its figures are those of the
// present moment. There is one value a node.
type node struct {
	s  *scheduler
	id unit.NodeID
	of [unit.Resources]amounts
}

func (n *node) String() string        { return fmt.Sprintf("node %d", n.id) }
func (n *node) Type() string          { return "node" }
func (n *node) Freeze()               {}
func (n *node) Truth() starlark.Bool  { return true }
func (n *node) Hash() (uint32, error) { return uint32(n.id), nil }
func (n *node) AttrNames() []string   { return namesOf(NodeFields()) }

// Attr implements starlark.HasAttrs. Values are read from the cluster at each access; nil without an
// error means that there is no such field.
func (n *node) Attr(name string) (starlark.Value, error) {
	v := n.s.env.View
	for r := range unit.Resource(unit.Resources) {
		if r.String() == name {
			return &n.of[r], nil
		}
	}
	switch name {
	case "id":
		return starlark.MakeInt(int(n.id)), nil
	case "up":
		return starlark.Bool(v.Up(n.id)), nil
	case "rack":
		return starlark.MakeInt(int(v.Rack(n.id))), nil
	case "site":
		return starlark.MakeInt(int(v.Site(n.id))), nil
	case "tasks":
		return starlark.MakeInt(v.Count(n.id)), nil
	case "overloaded":
		return starlark.Bool(v.Overloaded(n.id)), nil
	}
	return nil, nil
}

// amounts are the figures of one resource of a node.
type amounts struct {
	of       *node
	resource unit.Resource
}

func (a *amounts) String() string        { return a.of.String() + "." + a.resource.String() }
func (a *amounts) Type() string          { return a.resource.String() + " of a node" }
func (a *amounts) Freeze()               {}
func (a *amounts) Truth() starlark.Bool  { return true }
func (a *amounts) Hash() (uint32, error) { return uint32(a.of.id), nil }
func (a *amounts) AttrNames() []string   { return []string{"capacity", "used", "requested", "free"} }

// Attr implements starlark.HasAttrs. Amounts are parts of the reference machine; free is capacity less use.
func (a *amounts) Attr(name string) (starlark.Value, error) {
	v := a.of.s.env.View
	var x unit.Share
	switch name {
	case "capacity":
		x = v.Capacity(a.of.id)[a.resource]
	case "used":
		x = v.Used(a.of.id)[a.resource]
	case "requested":
		x = v.Requested(a.of.id)[a.resource]
	case "free":
		x = v.Capacity(a.of.id)[a.resource] - v.Used(a.of.id)[a.resource]
	default:
		return nil, nil
	}
	return starlark.Float(x.Float()), nil
}

// task is a task as a program sees it.
type task struct {
	s  *scheduler
	id unit.TaskID
}

func (t *task) String() string        { return fmt.Sprintf("task %d", uint64(t.id)) }
func (t *task) Type() string          { return "task" }
func (t *task) Freeze()               {}
func (t *task) Truth() starlark.Bool  { return true }
func (t *task) Hash() (uint32, error) { return t.id.Slot(), nil }
func (t *task) AttrNames() []string   { return namesOf(TaskFields()) }

// CompareSameType implements starlark.Comparable: there may be several values of a task.
func (t *task) CompareSameType(op syntax.Token, other starlark.Value, _ int) (bool, error) {
	same := t.id == other.(*task).id
	switch op {
	case syntax.EQL:
		return same, nil
	case syntax.NEQ:
		return !same, nil
	}
	return false, fmt.Errorf("tasks have no order: compare a figure of them, such as task.priority")
}

// Attr implements starlark.HasAttrs. Values are read from the cluster at each access; of a task that has
// ended only id and state are left. Times are in simulated seconds, requests in parts of the reference
// machine.
func (t *task) Attr(name string) (starlark.Value, error) {
	if name == "id" {
		return starlark.MakeUint64(uint64(t.id)), nil
	}
	now, alive := t.s.env.View.Task(t.id)
	if !alive {
		if name == "state" {
			return starlark.String("ended"), nil
		}
		return nil, fmt.Errorf("the task has ended: of it only id and state are left")
	}
	switch name {
	case "job":
		return starlark.MakeUint64(now.Key.Job), nil
	case "number":
		return starlark.MakeUint64(uint64(now.Key.Index)), nil
	case "user":
		return starlark.MakeUint64(uint64(now.User)), nil
	case "priority":
		return starlark.MakeInt(int(now.Priority)), nil
	case "production":
		return starlark.Bool(now.Class == workload.Production), nil
	case "submitted":
		return starlark.Float(now.Submitted.Seconds()), nil
	case "wait":
		return starlark.Float((t.s.env.Clock.Now() - now.Submitted).Seconds()), nil
	case "state":
		return starlark.String(now.State.String()), nil
	case "node":
		if now.State == cluster.Waiting || now.Node == unit.NoNode {
			return starlark.None, nil
		}
		return t.s.node(now.Node), nil
	case "used":
		return &usage{now.Usage}, nil
	}
	for r := range unit.Resource(unit.Resources) {
		if r.String() == name {
			return starlark.Float(now.Request[r].Float()), nil
		}
	}
	return nil, nil
}

// usage is a task's usage of each resource.
type usage struct{ of unit.Vec }

func (u *usage) String() string        { return "usage of a task" }
func (u *usage) Type() string          { return "usage of a task" }
func (u *usage) Freeze()               {}
func (u *usage) Truth() starlark.Bool  { return true }
func (u *usage) Hash() (uint32, error) { return 0, fmt.Errorf("usage has no hash") }

// AttrNames implements starlark.HasAttrs.
func (u *usage) AttrNames() (names []string) {
	for r := range unit.Resource(unit.Resources) {
		names = append(names, r.String())
	}
	return names
}

// Attr implements starlark.HasAttrs.
func (u *usage) Attr(name string) (starlark.Value, error) {
	for r := range unit.Resource(unit.Resources) {
		if r.String() == name {
			return starlark.Float(u.of[r].Float()), nil
		}
	}
	return nil, nil
}

// nodes are all nodes of the cluster, by number.
type nodes struct{ s *scheduler }

func (n *nodes) String() string             { return fmt.Sprintf("%d nodes", n.Len()) }
func (n *nodes) Type() string               { return "nodes" }
func (n *nodes) Freeze()                    {}
func (n *nodes) Truth() starlark.Bool       { return n.Len() > 0 }
func (n *nodes) Hash() (uint32, error)      { return 0, fmt.Errorf("nodes have no hash") }
func (n *nodes) Len() int                   { return n.s.env.View.Nodes() }
func (n *nodes) Index(i int) starlark.Value { return n.s.node(unit.NodeID(i)) }

// Iterate implements starlark.Iterable.
func (n *nodes) Iterate() starlark.Iterator { return &nodeIterator{of: n} }

type nodeIterator struct {
	of   *nodes
	next int
}

// Next implements starlark.Iterator.
func (i *nodeIterator) Next(p *starlark.Value) bool {
	if i.next >= i.of.Len() {
		return false
	}
	*p = i.of.Index(i.next)
	i.next++
	return true
}

func (*nodeIterator) Done() {}
