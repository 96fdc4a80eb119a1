package field

import (
	"strings"

	"parley/core/unit"
	"parley/core/workload"
)

// partsOfGPUs says how GPUs are played, in every trace of tasks that has some.
const partsOfGPUs = "GPUs are counted for each node in thousandths of a device: which device a part is on is distinguished by fgd and the policies gpu-… of the central scheduler only, so elsewhere two parts may share what one device does not have"

// isOf reports whether a model is among those of a list such as V100M16|V100M32.
func isOf(model, list string) bool {
	for one := range strings.SplitSeq(list, "|") {
		if one == model {
			return true
		}
	}
	return false
}

// openb2023 is Alibaba's trace of GPU sharing of 2023, which the study of fragmentation (FGD) is
// about: pods and nodes of a Kubernetes cluster.
var openb2023 = &dataset{
	name: "openb2023", title: "Alibaba's openb trace of 2023", shape: workload.ShapeTasks,
	lacks: "open a list of pods (openb_pod_list_….csv) as well",
	assume: machineKind{
		cpu: 96_000, memory: 393_216, gpu: 8,
		about: "each has 96 cores, 384 GiB and 8 GPUs, as most of its nodes with 8 GPUs; open openb_node_list_all_node.csv as well to play the 1,523 recorded nodes",
	},
	end: (*collection).endGPUs,
	tables: []*schema{
		table("nodes", "sn=openb-node! cpu_milli=N! memory_mib=N! gpu=n! model", takeNode).headless(),
		table("pods",
			"name=openb-pod! cpu_milli=N! memory_mib=n! num_gpu=n! gpu_milli=n! gpu_spec qos pod_phase creation_time=n deletion_time=n scheduled_time=n", takePod).headless().once(),
	},
}

// takeNode reads a row of the list of nodes as a machine. An empty number of GPUs is 0.
func takeNode(c *collection, r *row) error {
	const ( // columns of the table
		colName      = 0
		colCPUMilli  = 1
		colMemoryMiB = 2
		colGPU       = 3
		colModel     = 4
	)
	cpu, err := r.amount(colCPUMilli, 0)
	if err != nil {
		return err
	}
	memory, err := r.amount(colMemoryMiB, 0)
	if err != nil {
		return err
	}
	gpus, err := r.count(colGPU, 1000)
	if err != nil {
		return err
	}
	if !r.has(colGPU) {
		gpus = 0
	}
	if gpus == 0 {
		c.count("nodes_without_gpu", 1)
	}
	c.hold(r.text(colName), machine{cpu: cpu, memory: memory, gpu: gpus, model: r.text(colModel), rack: -1})
	return nil
}

// takePod reads a row of the list of pods as a task. Its GPUs are num_gpu times gpu_milli, in thousandths of a
// GPU. Pods that were never scheduled, or that end before they start, are left out.
func takePod(c *collection, r *row) error {
	const ( // columns of the table
		colName          = 0
		colCPUMilli      = 1
		colMemoryMiB     = 2
		colNumGPU        = 3
		colGPUMilli      = 4
		colGPUSpec       = 5
		colQoS           = 6
		colPodPhase      = 7
		colCreation      = 8
		colScheduledTime = 10
	)
	cpu, err := r.amount(colCPUMilli, 0)
	if err != nil {
		return err
	}
	memory, err := r.amount(colMemoryMiB, 0)
	if err != nil {
		return err
	}
	gpus, err := r.amount(colNumGPU, 0)
	if err != nil {
		return err
	}
	milli, err := r.amount(colGPUMilli, 0)
	if err != nil {
		return err
	}
	switch {
	case gpus > 1000:
		return r.bad(colNumGPU, "is more GPUs than a node has")
	case milli > 1000:
		return r.bad(colGPUMilli, "is more than the 1000 thousandths of a GPU")
	}
	gpu := max(gpus, 0) * max(milli, 0)
	var times [3]unit.Time
	for i := range times {
		if times[i], err = r.seconds(colCreation + i); err != nil {
			return err
		}
	}
	created, deleted, scheduled := times[0], times[1], times[2]
	c.span(created)
	c.state(r.text(colPodPhase))
	switch {
	case gpus <= 0:
		c.count("pods_without_gpu", 1)
	case gpu < 1000:
		c.count("pods_with_part_of_a_gpu", 1)
	case gpus > 1:
		c.count("pods_with_several_gpus", 1)
	}
	if r.has(colGPUSpec) {
		c.count("pods_that_name_models", 1)
	}
	it := item{
		job: c.jobOf(r.text(colName)), count: 1, cpu: cpu, memory: memory, gpu: int32(gpu), machine: -1,
		submit: created, start: scheduled, end: deleted, priority: rankBatch,
	}
	if r.has(colQoS) {
		c.count("qos_"+strings.ToLower(r.text(colQoS)), 1)
		if r.text(colQoS) == "LS" || r.text(colQoS) == "Guaranteed" {
			it.priority, it.class = rankServe, workload.Production
		}
	}
	if r.has(colGPUSpec) && gpu > 0 {
		it.spec = c.specOf(r.text(colGPUSpec))
	}
	if !r.there(colScheduledTime) && created != unknown && deleted != unknown {
		scheduled = created
		c.repair("no_scheduled_time",
			"pods of a table without a column scheduled_time, which start when they were created", 1)
	}
	switch {
	case created == unknown && scheduled == unknown:
		it.submit = unit.Time(len(c.items)) * unit.Second
		c.repair("no_times", "pods without times, which arrive one a second in the order of the list and stay", 1)
	case scheduled == unknown:
		c.leave("never_scheduled", "pods that were never scheduled (Pending): how long they run is not known")
		return nil
	case deleted != unknown && deleted < scheduled:
		c.leave("end_before_start", "ended before they started")
		return nil
	}
	if deleted != unknown && r.text(colPodPhase) == "Running" {
		c.count("running_with_a_deletion_time", 1)
	}
	return c.add(r, it)
}

// endGPUs says how GPUs are played, and drops wishes for models if no machine has one.
func (c *collection) endGPUs() error {
	models := map[string]bool{}
	for i := range c.machines {
		models[c.machines[i].model] = true
	}
	wishes, parts := int64(0), false
	for i := range c.items {
		it := &c.items[i]
		parts = parts || it.gpu > 0
		if it.spec == 0 {
			continue
		}
		known := false
		for one := range strings.SplitSeq(c.specs[it.spec], "|") {
			known = known || models[one]
		}
		if !known {
			it.spec = 0
			wishes++
		}
	}
	c.repair("models_not_there", "tasks that want a model of GPU that no machine here has, which take any", wishes)
	if parts {
		c.stated = append(c.stated, partsOfGPUs)
	}
	return nil
}
