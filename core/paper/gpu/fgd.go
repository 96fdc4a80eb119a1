package gpu

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"parley/core/batch/device"
	"parley/core/rng"
	"parley/core/strict"
)

// The preparation of the study: which part of the pods the typical classes cover, and how much of
// the devices arriving pods ask for.
const (
	typicalShare = 0.95
	arrives      = 1.3
)

// openb is a cluster and its pods.
type openb struct {
	nodes   []device.Node
	pods    []device.Class // by name
	devices int64          // thousandths
}

// fgd is the function fgd/openb: the pods of Alibaba's openb trace arrive on its nodes with GPUs,
// shuffled, and then drawn from them until they ask for 1.3 times the devices. None leaves, and
// one that fits nowhere is dropped.
func (c call) fgd(seed uint64, arguments json.RawMessage) (map[string]float64, error) {
	var of struct {
		needed
		Policy string `json:"policy"`
	}
	if err := strict.Part(arguments, &of); err != nil {
		return nil, err
	}
	policy, err := device.ParsePolicy(of.Policy)
	if err != nil {
		return nil, err
	}
	o, err := c.readOpenb()
	if err != nil {
		return nil, err
	}
	random := rng.New(seed, "fgd")
	pods := slices.Clone(o.pods)
	random.Shuffle(len(pods), func(i, j int) { pods[i], pods[j] = pods[j], pods[i] })
	requested := int64(0)
	for i := range pods {
		requested += requestOf(&pods[i])
	}
	for {
		next := o.pods[random.Intn(len(o.pods))]
		one := int64(0)
		if next.GPUs > 0 {
			one = int64(next.Milli) // of one device, however many it requests, as in the simulator
		}
		if float64(requested+one) > float64(arrives*float64(o.devices)) {
			break
		}
		requested += requestOf(&next)
		pods = append(pods, next)
	}
	cell := device.NewCell(policy, rng.New(seed, "fgd/ties"))
	cell.SetTypical(device.TypicalOf(o.pods, typicalShare))
	for i, n := range o.nodes {
		cell.SetNode(i, n)
	}
	arrived, held, atFull := int64(0), int64(0), -1.0
	percent := func(milli int64) float64 { return 100 * float64(milli) / float64(o.devices) }
	for i := range pods {
		if _, placed := cell.Place(&pods[i], nil); placed {
			held += requestOf(&pods[i])
		}
		if arrived += requestOf(&pods[i]); atFull < 0 && arrived >= o.devices {
			atFull = percent(held)
		}
	}
	if atFull < 0 {
		return nil, errors.New("the pods never ask for all devices: give the lists of one trace")
	}
	return map[string]float64{
		"allocated at 100 %": atFull, "allocated at 130 %": percent(held),
		"fragmented at 130 %": 100 * cell.Fragmentation() / float64(o.devices),
	}, nil
}

// requestOf returns the thousandths of devices that a pod requests.
func requestOf(c *device.Class) int64 { return int64(c.GPUs) * int64(c.Milli) }

// readOpenb reads a list of nodes and a list of pods. Nodes without GPUs do not count.
func (c call) readOpenb() (o openb, err error) {
	for _, f := range c {
		nodes, err := read(f, "sn", "cpu_milli", "memory_mib", "gpu")
		if err == nil && nodes != nil {
			err = o.takeNodes(nodes)
		}
		if err != nil {
			return o, err
		}
		if nodes != nil {
			continue
		}
		pods, err := read(f, "name", "cpu_milli", "memory_mib", "num_gpu", "gpu_milli", "gpu_spec")
		if err == nil && pods == nil {
			err = fmt.Errorf(
				"%s is no list of nodes or pods of openb: give openb_node_list_gpu_node.csv and openb_pod_list_default.csv", f.Name,
			)
		}
		if err == nil {
			err = o.takePods(pods)
		}
		if err != nil {
			return o, err
		}
	}
	if o.devices == 0 || len(o.pods) == 0 {
		return o,
			errors.New(
				"a list of nodes and a list of pods are needed: give openb_node_list_gpu_node.csv and openb_pod_list_default.csv",
			)
	}
	return o, nil
}

// takeNodes adds the nodes of a list that have GPUs, each of whole devices.
func (o *openb) takeNodes(t *table) error {
	for i := range t.rows {
		var v [3]float64
		for k, column := range []string{"cpu_milli", "memory_mib", "gpu"} {
			var err error
			if v[k], err = t.number(i, column, 0, [...]float64{1e9, 1e9, 64}[k]); err != nil {
				return err
			}
		}
		if v[2] == 0 {
			continue
		}
		n := device.Node{
			Name: t.text(i, "sn"), CPU: int64(v[0]), Memory: int64(v[1]),
			Free: slices.Repeat([]int32{device.Whole}, int(v[2])),
		}
		if at, has := t.column["model"]; has {
			n.Model = t.rows[i][at]
		}
		o.nodes = append(o.nodes, n)
		o.devices += int64(len(n.Free)) * device.Whole
	}
	return nil
}

// takePods adds the pods of a list, in the order of their names. A pod takes whole devices or a part of one; one
// without a GPU has no thousandths.
func (o *openb) takePods(t *table) error {
	type named struct {
		name string
		device.Class
	}
	var all []named
	for i := range t.rows {
		var v [4]float64
		for k, column := range []string{"cpu_milli", "memory_mib", "num_gpu", "gpu_milli"} {
			var err error
			if v[k], err = t.number(i, column, 0, [...]float64{1e9, 1e9, 64, device.Whole}[k]); err != nil {
				return err
			}
		}
		c := device.Class{
			CPU: int64(v[0]), Memory: int64(v[1]), GPUs: int(v[2]), Milli: int32(v[3]),
			Models: t.text(i, "gpu_spec"),
		}
		if c.GPUs == 0 {
			c.Milli = 0
		}
		if c.GPUs > 1 && c.Milli < device.Whole || c.GPUs > 0 && c.Milli == 0 {
			return fmt.Errorf(
				"%s, row %d: %d devices of %d thousandths each; a pod takes whole devices or a part of one",
				t.name, i+1, c.GPUs, c.Milli,
			)
		}
		all = append(all, named{t.text(i, "name"), c})
	}
	slices.SortStableFunc(all, func(a, b named) int { return strings.Compare(a.name, b.name) })
	for i := range all {
		o.pods = append(o.pods, all[i].Class)
	}
	return nil
}
