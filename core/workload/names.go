package workload

import (
	"strconv"

	"parley/core/unit"
)

// Names numbers the attribute names and the values of one workload, in the
// order of their first appearance, so that equal input gives equal numbers.
//
//	var names workload.Names
//	c := workload.Constraint{Name: names.Attribute([]byte("kernel")), Value: names.Value([]byte("3.2"))}
//
// Its zero value is ready to use. The numbers of two Names do not compare.
type Names struct {
	attributes interned
	texts      interned
	supplies   []Supply
	groups     []Group
	racks      map[int32]string
	machines   map[uint64]string
	labels     [numberings]labels
	scale      [2]int64
	requests   func() []RequestCount
}

// Supply is an attribute of nodes of which tasks hold a part (Takes): a resource that is counted
// beside those of unit.Vec.
type Supply struct {
	ID    string // as links and reports spell it: letters, digits and underscores
	Title string // as people read it
	Name  AttributeName
	Bytes bool // the unit is bytes; otherwise pieces
	// Only are the nodes that are meant; the zero value means all of them. A supply with Only is
	// a part of another one.
	Only Attribute
	// Device is the amount of one device. A task takes a part of one, or several whole ones. 0: there are no devices.
	Device int64
	// Model is the attribute with the model of a node's devices, and Models are the attributes that
	// are 1 on the nodes with one of some models, separated by bars; nil if tasks do not ask for
	// models.
	Model  AttributeName
	Models map[AttributeName]string
}

// RequestCount is how many tasks of a workload ask for the same.
type RequestCount struct {
	Request     unit.Vec
	Constraints []Constraint
	Tasks       int64
}

// Scale sets the size of the reference machine: thousandths of a core and MiB; 0 if it is not
// known.
func (n *Names) Scale(cpu, memory int64) { n.scale = [2]int64{cpu, memory} }

// Scaled returns the values that Scale set.
func (n *Names) Scaled() (cpu, memory int64) { return n.scale[0], n.scale[1] }

// SetRequests sets the function that lists the requests of all tasks of the workload, for schedulers that
// plan with typical requests.
func (n *Names) SetRequests(list func() []RequestCount) { n.requests = list }

// Requests returns the requests of all tasks of the workload; nil if they are not known before they arrive.
func (n *Names) Requests() []RequestCount {
	if n.requests == nil {
		return nil
	}
	return n.requests()
}

// Supply adds a supply to those that the map, the inspector and reports show.
func (n *Names) Supply(s Supply) { n.supplies = append(n.supplies, s) }

// Supplies returns the supplies in the order in which they were added. The slice belongs to n.
func (n *Names) Supplies() []Supply { return n.supplies }

// Group is a property that tasks share, such as a namespace: the map has a layer for it.
type Group struct {
	ID     string // as links and filters spell it: lower-case letters, digits and underscores
	Kind   string // the type of the value: "Namespace"
	Title  string // as people read it
	OfUser bool   // its tasks have this number as User; otherwise as Job of their Key
	Number uint64
}

// Group adds a group to those that the map and the inspector show.
func (n *Names) Group(g Group) { n.groups = append(n.groups, g) }

// Groups returns the groups in the order in which they were added. The slice belongs to n.
func (n *Names) Groups() []Group { return n.groups }

// Shown reports whether there is anything to show: supplies, groups, or names of racks or machines.
func (n *Names) Shown() bool { return len(n.supplies)+len(n.groups)+len(n.racks)+len(n.machines) > 0 }

// NameRack gives a rack a name.
func (n *Names) NameRack(rack int32, name string) {
	if n.racks == nil {
		n.racks = map[int32]string{}
	}
	n.racks[rack] = name
}

// Rack returns the name of a rack, "" if it has none.
func (n *Names) Rack(rack int32) string { return n.racks[rack] }

// NameMachine gives a machine a name.
func (n *Names) NameMachine(machine uint64, name string) {
	if n.machines == nil {
		n.machines = map[uint64]string{}
	}
	n.machines[machine] = name
}

// Machine returns the name of a machine, "" if it has none.
func (n *Names) Machine(machine uint64) string { return n.machines[machine] }

// Attribute returns the number of an attribute's name. It does not keep name.
func (n *Names) Attribute(name []byte) AttributeName {
	return AttributeName(n.attributes.number(name))
}

// AttributeText returns the name that a number stands for.
func (n *Names) AttributeText(a AttributeName) string { return n.attributes.list[a] }

// Value returns the number of an attribute's value: a whole number for itself, a number of its own
// for every other text, which IsText distinguishes from whole numbers, and Unset for the empty
// text. It does not keep text.
func (n *Names) Value(text []byte) int64 {
	if len(text) == 0 {
		return Unset
	}
	if v, ok := wholeNumber(text); ok {
		return v
	}
	return firstText + int64(n.texts.number(text))
}

// ValueText returns the text that Value was given, "" for Unset.
func (n *Names) ValueText(v int64) string {
	switch {
	case v == Unset:
		return ""
	case IsText(v):
		return n.texts.list[v-firstText]
	}
	return strconv.FormatInt(v, 10)
}

// Len returns how many names and texts are numbered, for a reader that bounds
// its memory.
func (n *Names) Len() int { return len(n.attributes.list) + len(n.texts.list) }

// Texts take the lowest quarter of the int64s, above Unset: no attribute of a
// machine is a number down there.
const (
	firstText = Unset + 1
	pastTexts = -1 << 62
)

// IsText reports whether an attribute's value stands for a text, which can be
// equal to another but is neither smaller nor larger than anything.
func IsText(v int64) bool { return v != Unset && v < pastTexts }

// wholeNumber parses decimal digits with an optional minus sign. Other
// spellings of a number ("+1", "1.0", 30 digits) are texts.
func wholeNumber(text []byte) (int64, bool) {
	if len(text) > len("-9223372036854775808") || text[0] == '+' {
		return 0, false
	}
	v, err := strconv.ParseInt(string(text), 10, 64)
	return v, err == nil && v >= pastTexts
}

// interned numbers texts from 0 in the order of their first appearance.
type interned struct {
	numbers map[string]int32
	list    []string // texts by number
}

func (in *interned) number(text []byte) int32 {
	if i, ok := in.numbers[string(text)]; ok { // this conversion does not allocate
		return i
	}
	if in.numbers == nil {
		in.numbers = map[string]int32{}
	}
	i := int32(len(in.list))
	s := string(text)
	in.numbers[s] = i
	in.list = append(in.list, s)
	return i
}
