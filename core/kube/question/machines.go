package question

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"parley/core/kube"
)

// machine is a type of a list of prices that says how large it is: nodes of it may be added.
type machine struct {
	Price                        // its names; the price counts by Table.Of
	arch                string   // "" as the node nearest in size
	cpu, memory         int64    // milli-CPUs and bytes of the machine, before its kubelet keeps something back
	storage             int64    // 0 as the node nearest in size
	pods, gpus, volumes int64    // pods and volumes: 0 as the node nearest in size
	extended            []figure // further resources
	labels              map[string]string
	taints              []kube.Taint
}

type figure struct {
	name string
	n    int64
}

// Machines reports how many rows of a list of prices say how large a machine is, and why the first of those that try to
// cannot be read.
func (t *Table) Machines() (n int, wrong error) { return len(t.machines), t.unsized }

// Beside returns a table with the machines of another too, and with its prices for nodes that t does
// not price.
func (t *Table) Beside(other *Table) (*Table, error) {
	if t == nil {
		return other, nil
	}
	if t.Currency != other.Currency && len(t.Prices) > 0 && len(other.Prices) > 0 {
		return nil, fmt.Errorf("the prices are in %s and those of the catalogue in %s: use one currency", t.Currency, other.Currency)
	}
	both := *t
	both.machines = slices.Concat(t.machines, other.machines)
	for _, p := range other.Prices {
		if !slices.ContainsFunc(t.Prices, func(q Price) bool { return strings.EqualFold(p.Type, q.Type) }) {
			both.Prices = append(both.Prices, p)
		}
	}
	return &both, nil
}

// sizes reports whether the list has columns for the size of a machine.
func (r *priceList) sizes() bool { return r.at[ofCPU] >= 0 && r.at[ofMemory] >= 0 }

// machine reads the size of a machine from a row and adds it to the table. at returns a cell by the place
// of its column. A row without a size adds none. A size that is not understood is counted, the first is
// kept as unsized, and neither is an error, because the row may still be a price.
func (r *priceList) machine(line int, at func(place int) string) {
	if !r.sizes() || at(r.at[ofCPU])+at(r.at[ofMemory]) == "" {
		return
	}
	m, column, text, want := r.sized(at)
	if want == "" {
		r.t.machines = append(r.t.machines, *m)
		return
	}
	if r.t.unread++; r.t.unsized == nil {
		r.t.unsized = fmt.Errorf("%s, %s %d, column %s: %q is not understood; write %s", r.name, r.unit, line, column, text, want)
	}
}

// sized returns the machine of a row, or, if a cell is wrong, nil, the name of its column, its text and the
// expected content. want is "" if and only if the machine is returned.
func (r *priceList) sized(at func(place int) string) (m *machine, column, text, want string) {
	field := func(column int) string { return at(r.at[column]) }
	m = &machine{labels: map[string]string{}, arch: field(ofArch), Price: Price{
		Type: field(ofType), Zone: field(ofZone), Region: field(ofRegion), Capacity: field(ofCapacity),
		System: system(field(ofSystem)),
	}}
	if r.spot && m.Capacity == "" {
		m.Capacity = "spot"
	}
	m.arch = cmp.Or(map[string]string{"x86_64": "amd64", "x64": "amd64", "aarch64": "arm64"}[m.arch], m.arch)
	cpu, _, _ := strings.Cut(field(ofCPU), " ") // "4 vCPUs"
	q, ok := kube.ParseQuantity(cpu)
	if m.cpu = q.MilliValue(); !ok || m.cpu == 0 {
		return nil, r.heads[r.at[ofCPU]], field(ofCPU), "a number of cores such as 4 or 3920m"
	}
	for _, size := range []struct {
		column int
		into   *int64
	}{{ofMemory, &m.memory}, {ofStorage, &m.storage}} {
		if size.column == ofStorage && field(ofStorage) == "" {
			continue
		}
		if *size.into, ok = bytesOf(r.heads[r.at[size.column]], field(size.column)); !ok {
			return nil, r.heads[r.at[size.column]], field(size.column),
				"an amount with its unit such as 16Gi or 16 GiB, or name the column " + bare(r.heads[r.at[size.column]]) + "_gib"
		}
	}
	for _, number := range []struct {
		column int
		into   *int64
	}{{ofPods, &m.pods}, {ofGPUs, &m.gpus}, {ofVolumes, &m.volumes}} {
		if text := field(number.column); text != "" && text != "-" && !strings.EqualFold(text, "n/a") {
			if q, ok := kube.ParseQuantity(text); !ok || q.MilliValue()%1000 != 0 {
				return nil, r.heads[r.at[number.column]], text, "a whole number"
			} else if *number.into = q.Value(); number.column == ofGPUs && *number.into > 0 {
				m.extended = append(m.extended, figure{"nvidia.com/gpu", *number.into})
			}
		}
	}
	for _, place := range r.extended {
		if text := at(place); text != "" {
			q, ok := kube.ParseQuantity(text)
			if !ok {
				return nil, r.heads[place], text, "a whole number"
			}
			m.extended = append(m.extended, figure{strings.TrimSpace(r.heads[place]), q.Value()})
		}
	}
	for _, one := range listed(field(ofLabels)) {
		key, value, has := strings.Cut(one, "=")
		if !has || key == "" {
			return nil, r.heads[r.at[ofLabels]], one, "labels such as pool=gpu;team=ml"
		}
		m.labels[key] = value
	}
	for _, one := range listed(field(ofTaints)) {
		rest, word, has := cutLast(one, ":")
		effect, known := effects[word]
		key, value, _ := strings.Cut(rest, "=")
		if !has || !known || key == "" {
			return nil, r.heads[r.at[ofTaints]], one, "taints such as gpu=true:NoSchedule;spot:PreferNoSchedule"
		}
		m.taints = append(m.taints, kube.Taint{Key: key, Value: value, Effect: effect})
	}
	return m, "", "", ""
}

var effects = map[string]kube.Effect{"NoSchedule": kube.NoSchedule, "PreferNoSchedule": kube.PreferNoSchedule, "NoExecute": kube.NoExecute}

// listed splits a text at semicolons, commas and blanks.
func listed(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return r == ';' || r == ',' || r == ' ' })
}

func cutLast(text, sign string) (before, after string, found bool) {
	if i := strings.LastIndex(text, sign); i >= 0 {
		return text[:i], text[i+len(sign):], true
	}
	return text, "", false
}

// bytesOf reads an amount of memory in bytes: 16Gi, 16 GiB, 16384 MiB, or a plain number whose column head
// names the unit. GB and MB mean GiB and MiB, as lists of machine types write them. It reports false if the
// amount is not above 0, or if it has no unit and is below 1 MiB.
func bytesOf(head, text string) (int64, bool) {
	number, unit := strings.TrimSpace(text), ""
	if i := strings.IndexFunc(number, func(r rune) bool { return (r < '0' || r > '9') && r != '.' }); i >= 0 {
		number, unit = number[:i], strings.TrimSpace(number[i:])
	} else {
		head = bare(head)
		unit = head[max(0, len(head)-3):]
		if len(unit) > 2 && unit[1] != 'i' || unit != "" && !strings.ContainsAny(unit[:1], "kmgt") {
			unit = unit[1:]
		}
		if !strings.HasSuffix(unit, "b") {
			unit = ""
		}
	}
	unit = strings.ToLower(unit)
	if unit != "" {
		letter := strings.ToUpper(unit[:1])
		if rest := unit[1:]; !strings.Contains("KMGT", letter) || rest != "i" && rest != "ib" && rest != "b" && rest != "" {
			return 0, false
		}
		unit = letter + "i"
	}
	q, ok := kube.ParseQuantity(number + unit)
	return q.Value(), ok && q.Value() > 0 && (unit != "" || q.Value() >= 1<<20)
}

// machines returns shapes of the types of a list of prices whose sizes it has and that the cluster lacks:
// one for each zone in which such a node could be. If there are more than maxShapes, those that take most
// of the pending pods, and then cost least, are returned, and more is the number of the others. A new node
// keeps back as large a part of its CPU and memory, and takes as many pods and volumes, as the node of the
// cluster that is nearest in size.
func (a *query) machines(t *Table, pending []int) (out []Shape, more int) {
	if t == nil || len(a.c.Nodes) == 0 {
		return nil, 0
	}
	for k := range t.machines {
		m := &t.machines[k]
		near := a.nearest(m)
		for _, zone := range a.zonesOf(m) {
			n := a.nodeOf(m, near, zone, k)
			if len(m.labels)+len(m.taints) == 0 && slices.ContainsFunc(a.c.Nodes, func(x kube.Node) bool {
				return strings.EqualFold(x.InstanceType(), m.Type) && x.Zone() == zone &&
					(m.Capacity == "" || x.CapacityType() == n.CapacityType())
			}) {
				continue
			}
			shape := Shape{
				Type: m.Type, Zone: zone, Like: m.Type, Listed: true, at: kube.Nowhere, node: n,
				drivers: a.driversNear(near, m.volumes), Reasons: []Reason{},
			}
			for _, taint := range m.taints {
				shape.Taints = append(shape.Taints, taint.Key+"="+taint.Value)
			}
			out = append(out, shape)
		}
	}
	if len(out) <= maxShapes {
		return out, 0
	}
	type rank struct {
		takes int
		cost  float64
	}
	ranks := map[*kube.Node]rank{}
	for k := range out {
		takes, cost := a.promises(out[k].node, t, pending)
		ranks[out[k].node] = rank{takes, cost}
	}
	slices.SortStableFunc(out, func(x, y Shape) int {
		p, q := ranks[x.node], ranks[y.node]
		return cmp.Or(q.takes-p.takes, cmp.Compare(p.cost, q.cost))
	})
	return out[:maxShapes], len(out) - maxShapes
}

// promises returns how many of the given pods are each small enough for a node, and the cost per hour of as
// many nodes as the sums of their requests need. A node without a price costs 1e9.
func (a *query) promises(n *kube.Node, t *Table, pods []int) (takes int, cost float64) {
	need := make([]int64, len(a.c.Resources))
	for _, pod := range pods {
		if requests := a.c.Pods[pod].Spec.Requests; n.Allocatable.Covers(requests) {
			takes++
			for r := range need {
				need[r] += requests.At(r)
			}
		}
	}
	nodes := int64(0)
	for r := range need {
		if has := n.Allocatable.At(r); has > 0 {
			nodes = max(nodes, (need[r]+has-1)/has)
		}
	}
	price, known := t.Of(n)
	if !known {
		price = 1e9 // those without a price come last
	}
	return takes, float64(nodes) * price
}

// zonesOf returns the zones in which a machine could be: the one that its row names, or those of the cluster in its
// region.
func (a *query) zonesOf(m *machine) (all []string) {
	if m.Zone != "" {
		return []string{m.Zone}
	}
	for i := range a.c.Nodes {
		n := &a.c.Nodes[i]
		if (m.Region == "" || strings.EqualFold(m.Region, n.Region())) && !slices.Contains(all, n.Zone()) &&
			(!n.ControlPlane() || a.allControl()) {
			all = append(all, n.Zone())
		}
	}
	slices.Sort(all)
	return all
}

// nearest returns the place of the node whose CPU has the smallest ratio to that of a machine. Nodes of the
// control plane count only if there are no others; virtual nodes never do.
func (a *query) nearest(m *machine) int {
	best, lowest := 0, 0.0
	control := a.allControl()
	for i := range a.c.Nodes {
		n := &a.c.Nodes[i]
		x, y := float64(m.cpu), float64(max(1, n.Allocatable.At(kube.CPU), n.Capacity.At(kube.CPU)))
		if far := max(x/y, y/x); !n.Virtual() && (control || !n.ControlPlane()) && (lowest == 0 || far < lowest) {
			best, lowest = i, far
		}
	}
	return best
}

// nodeOf returns a new node of a machine in a zone. near is the place of the node from which it takes all
// that the list leaves out, and the part of its resources that it keeps back; k, the index of the machine,
// makes the name unique. Volume drivers' topology labels are those of the zone.
func (a *query) nodeOf(m *machine, near int, zone string, k int) *kube.Node {
	like := &a.c.Nodes[near]
	labels := map[string]string{
		kube.HostnameLabel: "", kube.InstanceTypeLabel: m.Type,
		kube.OSLabel: cmp.Or(m.System, like.OS(), "linux"), kube.ArchLabel: cmp.Or(m.arch, like.Arch(), "amd64"),
	}
	if m.Capacity != "" {
		labels[kube.KarpenterCapacity] = kube.CapacityOf(m.Capacity)
	}
	region := cmp.Or(m.Region, like.Region())
	for i := range a.c.Nodes {
		if x := &a.c.Nodes[i]; x.Zone() == zone && x.Region() != "" {
			region = x.Region()
		}
	}
	for key, value := range map[string]string{kube.ZoneLabel: zone, kube.RegionLabel: region} {
		if value != "" {
			labels[key] = value
		}
	}
	for _, d := range a.driversNear(near, 0) { // where its volumes are, as the drivers of the zone say it
		for _, key := range d.Keys {
			for i := range a.c.Nodes {
				x := &a.c.Nodes[i]
				if value, has := x.Labels.Get(key); has && x.Zone() == zone && value != x.Name {
					labels[key] = value
				}
			}
		}
	}
	for key, value := range m.labels {
		labels[key] = value
	}
	n := &kube.Node{Name: fmt.Sprintf("%s-%d%s", m.Type, k+1, zone), Taints: m.taints, Ready: kube.ReadyTrue}
	if labels[kube.HostnameLabel] == "" {
		labels[kube.HostnameLabel] = n.Name
	}
	n.Labels, n.Allocatable, n.Capacity = kube.NewLabels(labels), make(kube.Vector, len(a.c.Resources)),
		make(kube.Vector, len(a.c.Resources))
	n.Capacity[kube.CPU], n.Capacity[kube.Memory] = m.cpu, m.memory
	n.Capacity[kube.EphemeralStorage] = cmp.Or(m.storage, like.Capacity.At(kube.EphemeralStorage),
		like.Allocatable.At(kube.EphemeralStorage))
	n.Capacity[kube.Pods] = cmp.Or(m.pods, like.Allocatable.At(kube.Pods), 110)
	for _, x := range m.extended {
		if r := a.c.Resource(x.name); r >= 0 { // else no pod asks for it
			n.Capacity[r] = x.n
		}
	}
	copy(n.Allocatable, n.Capacity)
	for _, r := range []int{kube.CPU, kube.Memory, kube.EphemeralStorage} {
		if has, free := like.Capacity.At(r), like.Allocatable.At(r); has > free && free > 0 {
			n.Allocatable[r] = int64(float64(n.Capacity[r]) * (float64(free) / float64(has)))
		}
	}
	return n
}

// driversNear returns copies of the volume drivers of the node at near, each with the limit limit if that
// is not 0.
func (a *query) driversNear(near int, limit int64) []kube.NodeDriver {
	var out []kube.NodeDriver
	for _, n := range a.fresh.DriversOf(&a.c.Nodes[near], a.c.Nodes[near:near+1]) {
		out = slices.Clone(n.Drivers)
	}
	for i := range out {
		out[i].Limit = cmp.Or(limit, out[i].Limit)
	}
	return out
}

// attaches returns the CSINodes of new nodes of a shape: the volume drivers and limits of its own, or those
// of the node that it is like.
func (a *query) attaches(shape *Shape, nodes []kube.Node) (all []kube.CSINode) {
	if !shape.Listed {
		return a.fresh.DriversOf(shape.node, nodes)
	}
	for i := range nodes {
		if len(shape.drivers) > 0 {
			all = append(all, kube.CSINode{Name: nodes[i].Name, Drivers: shape.drivers})
		}
	}
	return all
}

// listedNotes describes the assumptions about the machines of a list, and the rows without a
// machine.
func (a *query) listedNotes(t *Table, tried, untried int) (notes []string) {
	if t == nil || len(t.machines)+t.unread == 0 {
		return nil
	}
	if tried > 0 {
		notes = append(notes, fmt.Sprintf("%s of the list of prices that the cluster does not have, with the sizes that it says. Such a node keeps back as large a part of its CPU and memory, and takes as many pods and volumes unless the list says it, as the node nearest in CPU; its labels are those of the list, its type, zone, region, system and processor.",
			count(tried, "machine type and zone is", "machine types and zones are")))
	}
	if untried > 0 {
		notes = append(notes, fmt.Sprintf("%s of the list not tried: those whose sizes take fewer pods or cost more are left out.", count(untried, "machine type and zone is", "machine types and zones are")))
	}
	if t.unread > 0 {
		notes = append(notes, count(t.unread, "row of the prices has a size that is", "rows of the prices have sizes that are")+" not understood, the first: "+t.unsized.Error()+".")
	}
	return notes
}
