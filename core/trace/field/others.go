package field

// invocations begins the reason and the remedy for a table of invocations.
const invocations = "is a table of the Azure Functions trace, which counts invocations: what a function asks of a machine is not in it, and Parley plays tasks that ask for CPU and memory; "

// others are tables of public traces that are recognised but not read: a sentence names the table
// and a remedy.
var others = &dataset{
	name: "others",
	tables: []*schema{
		refused("functions2021", "app! func! end_timestamp! duration!", invocations+
			`as jobs of one processor it can be played once it has been rewritten: awk -F, 'NR==1{print "submit,runtime,processors"} NR>1{print $3-$4","$4",1"}' FILE > jobs.csv`),
		refused("functions2019", "HashOwner! HashApp! HashFunction Trigger", invocations+
			"choose a trace of machines or virtual machines, such as vmtable.csv of Azure's virtual machines"),
		refused("functions2019_counts", "HashOwner! HashApp! Average Count SampleCount AverageAllocatedMb", invocations+
			"choose a trace of machines or virtual machines, such as vmtable.csv of Azure's virtual machines"),
		refused("cluster_gpu_number", "date! total!",
			"is the table of GPUs by day and virtual cluster of the Helios trace, and holds no jobs; open cluster_log.csv, whose jobs are played, and say the machine as in --map 'processors=gpu_num, machine=143x8'"),
		refused("host_resource", "cpus! ram! machine_count!",
			"is a list of machine sizes of the Google trace of 2019, and holds no work; open its instance_events"),
		refused("microservices", "timestamp! traceid! rpcid! um! dm!",
			"is a table of calls between microservices (Alibaba, 2021 and 2022), which are played by no system here; open a trace of machines and tasks, such as Alibaba's of 2018"),
		refused("msresource", "timestamp! msname! msinstanceid! nodeid!",
			"is a table of the use of microservices (Alibaba, 2021 and 2022), which are played by no system here; open a trace of machines and tasks, such as Alibaba's of 2018"),
		refused("msnode", "timestamp! nodeid! node_cpu_usage|cpu_utilization! node_memory_usage|memory_utilization!",
			"is a table of the use of nodes under microservices (Alibaba, 2021 and 2022), which are played by no system here; open a trace of machines and tasks, such as Alibaba's of 2018"),
		refused("msrate", "timestamp! msname! msinstanceid!",
			"is a table of how often microservices were called (Alibaba, 2021 and 2022), which are played by no system here; open a trace of machines and tasks, such as Alibaba's of 2018"),
		refused("llm", "TIMESTAMP! ContextTokens! GeneratedTokens!",
			"is a table of requests to language models (Azure, 2023 and 2024): tokens are in it, and neither run times nor what a request asks of a machine; choose a trace of jobs or virtual machines, such as vmtable.csv of Azure's virtual machines"),
		refused("huaweifunctions", "day! time! 0! 1!",
			"is a table of the Huawei functions trace, which counts by minute or second what functions did: what a function asks of a machine is not in it; choose a trace of machines or virtual machines, such as Huawei-East-1.csv"),
		refused("pollux", "time! application! num_replicas! batch_size!",
			"is a workload of Pollux's artefact, whose jobs say which model they train and not how long they run: that follows from measured step times of each placement; choose a log with durations, such as those of Philly, Helios or ITP"),
		refused("failures", "failure_interval! failure_duration! failure_intensity!",
			"is a table of failures of OpenDC, and holds no work; open tasks and fragments, and write the failures into the scenario (docs/reference/faults.md)"),
		refused("schema", "file~name! field~number! content! format!",
			"describes the columns of a trace and holds no rows of it; open the tables themselves"),
	},
}
