package cases

import "fmt"

// pod draws a pod and, if bound, puts it on a node even if it does not fit: a scheduler meets such
// clusters after their labels have changed.
func (m *maker) pod(i int, bound bool) {
	namespace := pick(m, "one", "one", "one", "two", "three")
	name := fmt.Sprintf("p%d", i)
	priority := pick(m, 0, 0, 10, 1000)
	if !bound {
		priority = pick(m, 0, 10, 1000, 1000)
	}
	spec := object{"schedulerName": "default-scheduler", "priority": priority, "terminationGracePeriodSeconds": 30}
	if priority != 0 {
		spec["priorityClassName"] = map[int]string{10: "low", 1000: "high"}[priority]
	}
	if m.one(12) {
		spec["preemptionPolicy"] = "Never"
	}
	m.resources(spec)
	if m.one(3 + m.odd/4) {
		m.nodeAffinity(spec)
	}
	m.tolerations(spec)
	m.podAffinity(spec)
	m.spread(spec)
	if m.one(m.volumes) {
		m.podVolumes(spec, namespace, name)
	}
	status := object{"phase": "Pending"}
	more := object{"labels": m.labels()}
	switch {
	case bound:
		node := pick(m, m.nodes...)
		spec["nodeName"] = node
		m.freePorts(spec, node)
		status = object{
			"phase": pick(m, "Running", "Running", "Running", "Running", "Pending", "Succeeded", "Failed"), "startTime": fmt.Sprintf("2026-01-0%dT00:00:00Z", 1+m.Intn(9)),
			"conditions": []any{object{"type": "Ready", "status": pick(m, "True", "True", "True", "False")}},
		}
		if m.one(10) {
			more["deletionTimestamp"], more["deletionGracePeriodSeconds"] = "2026-01-10T00:00:00Z", 30
		}
	case m.one(20):
		spec["schedulingGates"] = []any{object{"name": "example.com/wait"}}
	case m.one(30):
		spec["schedulerName"] = "other-scheduler"
	}
	m.meta(more)
	m.add(object{"apiVersion": "v1", "kind": "Pod", "metadata": meta(name, namespace, more), "spec": spec, "status": status})
}

// meta adds an owner and the annotations that decide about evictions.
func (m *maker) meta(more object) {
	if kind := pick(m, "ReplicaSet", "ReplicaSet", "ReplicaSet", "ReplicaSet", "StatefulSet", "Job", "DaemonSet", ""); kind != "" {
		owner := map[string]string{"ReplicaSet": "web", "StatefulSet": "db", "Job": "work", "DaemonSet": "agent"}[kind]
		more["ownerReferences"] = []any{object{"apiVersion": "apps/v1", "kind": kind, "name": owner, "uid": "uid-" + owner, "controller": true}}
	}
	if m.one(15) {
		more["annotations"] = object{"cluster-autoscaler.kubernetes.io/safe-to-evict": pick(m, "true", "false")}
	}
}

func (m *maker) resources(spec object) {
	container := func(name string) object {
		requests := object{}
		if !m.one(6) {
			requests["cpu"] = pick(m, "100m", "250m", "500m", "1", "1500m", "3", "0")
		}
		if !m.one(6) {
			requests["memory"] = pick(m, "64Mi", "256Mi", "1Gi", "1.5Gi", "3Gi", "129e6")
		}
		if m.one(10) {
			requests["ephemeral-storage"] = pick(m, "1Gi", "8Gi", "20Gi")
		}
		if m.one(12) {
			requests["nvidia.com/gpu"] = pick(m, "1", "2")
		}
		if m.one(30) {
			requests["hugepages-2Mi"] = "32Mi"
		}
		c := object{"name": name, "image": fmt.Sprintf("registry.io/app%d:v1", m.Intn(3)), "resources": object{"requests": requests}}
		if m.one(5) {
			port := object{"containerPort": 80, "hostPort": pick(m, 80, 80, 443)}
			if m.one(2) {
				port["protocol"] = pick(m, "TCP", "UDP")
			}
			if m.one(2) {
				port["hostIP"] = pick(m, "0.0.0.0", "127.0.0.1", "10.0.0.1")
			}
			c["ports"] = []any{port}
		}
		return c
	}
	containers := []any{container("c0")}
	if m.one(4) {
		containers = append(containers, container("c1"))
	}
	spec["containers"] = containers
	if m.one(6) {
		var inits []any
		for i := range 1 + m.Intn(2) {
			c := container(fmt.Sprint("i", i))
			if m.one(2) {
				c["restartPolicy"] = "Always"
			}
			inits = append(inits, c)
		}
		spec["initContainers"] = inits
	}
	if m.one(15) {
		spec["overhead"] = object{"cpu": "200m", "memory": "100Mi"}
	}
}

// freePorts takes away the ports of a bound pod that another pod has on its node: no kubelet
// runs both, and the scheduler forgets the port of one with that of the other.
func (m *maker) freePorts(spec object, node string) {
	for _, kind := range []string{"containers", "initContainers"} {
		containers, _ := spec[kind].([]any)
		for _, c := range containers {
			ports, _ := c.(object)["ports"].([]any)
			if ports == nil {
				continue
			}
			key := fmt.Sprint(node, ports[0].(object)["hostPort"])
			if m.ports[key] {
				delete(c.(object), "ports")
			}
			m.ports[key] = true
		}
	}
}

func (m *maker) nodeAffinity(spec object) {
	if m.one(2) {
		spec["nodeSelector"] = pick(m, object{"disk": "ssd"}, object{"topology.kubernetes.io/zone": "z1"}, object{"disk": "hdd", "rack": "r1"})
	}
	affinity := object{}
	if m.one(2) {
		var terms []any
		for range 1 + m.Intn(2) {
			terms = append(terms, m.nodeTerm())
		}
		affinity["requiredDuringSchedulingIgnoredDuringExecution"] = object{"nodeSelectorTerms": terms}
	}
	if m.one(2) {
		affinity["preferredDuringSchedulingIgnoredDuringExecution"] = []any{
			object{"weight": pick(m, 1, 50, 100), "preference": m.nodeTerm()},
			object{"weight": pick(m, 1, 20), "preference": m.nodeTerm()},
		}
	}
	if len(affinity) > 0 {
		spec["affinity"] = object{"nodeAffinity": affinity}
	}
}

// nodeTerm draws a term; some are empty.
func (m *maker) nodeTerm() object {
	t := object{}
	if m.one(12) {
		return t
	}
	if m.one(6) {
		f := object{"key": "metadata.name", "operator": pick(m, "In", "In", "NotIn"), "values": []any{pick(m, m.nodes...)}}
		t["matchFields"] = []any{f}
		if m.one(2) {
			return t
		}
	}
	e := object{"key": pick(m, "disk", "rack", "size")}
	switch op := pick(m, "In", "In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"); op {
	case "Gt", "Lt":
		e["key"], e["operator"], e["values"] = "size", op, []any{pick(m, "3", "0", "15")}
	case "In", "NotIn":
		e["operator"], e["values"] = op, []any{pick(m, "ssd", "hdd", "r1", "r2"), "4"}
	default:
		e["operator"] = op
	}
	t["matchExpressions"] = []any{e}
	return t
}

func (m *maker) tolerations(spec object) {
	var out []any
	for m.one(3) {
		t := object{}
		switch m.Intn(5) {
		case 0:
			t["operator"] = "Exists"
		case 1:
			t["key"], t["operator"] = pick(m, "team", "gpu"), "Exists"
		default:
			t["key"], t["value"] = pick(m, "team", "gpu"), pick(m, "x", "y", "")
			if m.one(2) {
				t["operator"] = "Equal"
			}
		}
		if m.one(2) {
			t["effect"] = pick(m, "NoSchedule", "PreferNoSchedule", "NoExecute")
		}
		if t["effect"] == "NoExecute" && m.one(2) {
			t["tolerationSeconds"] = 300
		}
		out = append(out, t)
	}
	if m.one(8) {
		out = append(out, object{"key": "node.kubernetes.io/unschedulable", "operator": "Exists", "effect": "NoSchedule"})
	}
	if out != nil {
		spec["tolerations"] = out
	}
}

func (m *maker) podAffinity(spec object) {
	affinity, _ := spec["affinity"].(object)
	if affinity == nil {
		affinity = object{}
	}
	for _, kind := range []string{"podAffinity", "podAntiAffinity"} {
		if !m.one(4 + m.odd/6) {
			continue
		}
		terms := object{}
		if !m.one(3) {
			list := []any{m.podTerm()}
			if m.one(4) {
				list = append(list, m.podTerm())
			}
			terms["requiredDuringSchedulingIgnoredDuringExecution"] = list
		}
		if m.one(2) {
			terms["preferredDuringSchedulingIgnoredDuringExecution"] = []any{object{"weight": pick(m, 1, 30, 100), "podAffinityTerm": m.podTerm()}}
		}
		if len(terms) > 0 {
			affinity[kind] = terms
		}
	}
	if len(affinity) > 0 {
		spec["affinity"] = affinity
	}
}

func (m *maker) podTerm() object {
	t := object{"topologyKey": m.key(), "labelSelector": m.selector()}
	if t["labelSelector"] == nil {
		delete(t, "labelSelector")
	}
	if m.one(6) {
		t["namespaces"] = pick(m, []any{"two"}, []any{"one", "two"})
	}
	if m.one(6) {
		t["namespaceSelector"] = pick(m, object{}, object{"matchLabels": object{"team": "x"}})
	}
	return t
}

func (m *maker) spread(spec object) {
	if !m.one(3) {
		return
	}
	var out []any
	taken := map[string]bool{}
	for range 1 + m.Intn(2) {
		key := m.key()
		if taken[key] {
			continue
		}
		taken[key] = true
		when := pick(m, "DoNotSchedule", "DoNotSchedule", "ScheduleAnyway")
		c := object{"maxSkew": pick(m, 1, 1, 2), "topologyKey": key, "whenUnsatisfiable": when}
		if s := m.selector(); s != nil {
			c["labelSelector"] = s
			if m.one(5) {
				c["matchLabelKeys"] = []any{"pod-template-hash"}
			}
		}
		if when == "DoNotSchedule" && m.one(3) {
			c["minDomains"] = pick(m, 1, 2, 3, 4)
		}
		if m.one(4) {
			c["nodeAffinityPolicy"] = pick(m, "Honor", "Ignore")
		}
		if m.one(3) {
			c["nodeTaintsPolicy"] = pick(m, "Honor", "Ignore")
		}
		out = append(out, c)
	}
	spec["topologySpreadConstraints"] = out
}
