package dump

import (
	"cmp"
	"strconv"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"parley/core/kube"
)

// pod reads a Pod and adds it to the cluster. One that has succeeded or failed is only counted, in
// Finished. A pod without uid, creation, node and phase is a manifest that the API server has not seen:
// admission is applied to it later.
func (r *reader) pod(m *meta, _ gjson.Result) {
	spec, status := m.spec, podStatusOf(m.status)
	var of [2]gjson.Result
	pick(spec, of[:], "containers", "nodeName")
	p := kube.Pod{
		Namespace: m.namespace, Name: m.name, Node: kube.Nowhere, Owner: m.owner, Created: m.created,
		Deleted: m.deleted,
	}
	switch phase := r.text(status.phase, "status.phase"); phase {
	case "Succeeded", "Failed":
		r.cluster.Finished++
		return
	case "Running":
		p.Phase = kube.PhaseRunning
	case "Pending":
		p.Phase = kube.PhasePending
	case "Unknown", "":
	default:
		r.odd("status.phase", status.phase)
	}
	if !spec.IsObject() {
		r.fail("spec", spec, "is no object", hintAgain)
		return
	}
	if empty(of[0]) {
		r.fail("spec.containers", gjson.Result{}, "is missing: a pod has at least one container", "fetch pods with -o json; a table of columns does not do")
		return
	}
	p.Labels = r.labels(m.labels, "metadata.labels")
	p.NodeName = r.text(of[1], "spec.nodeName")
	var ephemeral []string
	fresh := m.uid == "" && m.created == 0 && p.NodeName == "" && status.phase.Str == ""
	p.Manifest = fresh
	p.Spec, p.Claims, ephemeral = r.podSpec(spec, status,
		origin{name: m.name, fresh: fresh, template: fresh, namespace: m.namespace, labels: m.labels}, "spec")
	p.Claims, p.Ephemeral = append(p.Claims, ephemeral...), len(ephemeral)
	p.Nominated = r.text(status.nominated, "status.nominatedNodeName")
	p.Started = r.moment(status.started, "status.startTime")
	r.list(status.conditions, "status.conditions", func(v gjson.Result, at string) {
		var of [2]gjson.Result
		pick(v, of[:], "status", "type")
		on := r.text(of[0], at+".status")
		switch r.text(of[1], at+".type") {
		case "Ready":
			p.Ready, p.ReadySince = on == "True", since(v)
		case "PodScheduled":
			if on == "False" {
				p.Reason, p.Message = r.text(v.Get("reason"), at+".reason"), r.text(v.Get("message"), at+".message")
			}
		}
	})
	for _, of := range []gjson.Result{status.inits, status.containers} {
		of.ForEach(func(_, v gjson.Result) bool {
			var of [2]gjson.Result
			pick(v, of[:], "state", "restartCount")
			if reason := of[0].Get("waiting.reason"); brokenBy[reason.Str] {
				p.Broken = r.keep(reason.Str)
			}
			p.Restarts = max(p.Restarts, int(of[1].Int()))
			return true
		})
	}
	r.annotated(&p, m)
	if r.err == nil {
		r.add(&p)
	}
}

// podStatus has the parts of a pod's status that decide; in a template all are null.
type podStatus struct{ phase, nominated, started, conditions, containers, inits gjson.Result }

func podStatusOf(status gjson.Result) podStatus {
	var of [6]gjson.Result
	pick(status, of[:], "phase", "nominatedNodeName", "startTime", "conditions", "containerStatuses", "initContainerStatuses")
	return podStatus{of[0], of[1], of[2], of[3], of[4], of[5]}
}

// brokenBy are the reasons of containers that wait and do not start until somebody changes something.
// (pkg/kubelet/images/types.go, pkg/kubelet/kuberuntime/kuberuntime_container.go)
var brokenBy = map[string]bool{
	"CrashLoopBackOff": true, "ImagePullBackOff": true, "ErrImagePull": true, "ErrImageNeverPull": true, "InvalidImageName": true,
	"CreateContainerConfigError": true, "CreateContainerError": true, "RunContainerError": true,
}

// annotated sets the fields of a pod that its annotations define. A deletion cost that is not a number is
// listed as odd and counts as 0.
func (r *reader) annotated(p *kube.Pod, m *meta) {
	_, p.Mirror = m.annotations[mirrorAnnotation]
	switch m.annotations[safeToEvictAnnotation] {
	case "true":
		p.SafeToEvict = kube.Yes
	case "false":
		p.SafeToEvict = kube.No
	}
	// Karpenter takes "true" or a time after the pod's start, and passes anything else over.
	pinned := m.annotations[doNotDisruptAnnotation]
	if d, err := time.ParseDuration(pinned); err == nil && d > 0 {
		p.DoNotDisrupt, p.Undisrupted = true, max(1, int64(d.Seconds()))
	}
	if pinned == "true" || m.yes(doNotEvictAnnotation) {
		p.DoNotDisrupt, p.Undisrupted = true, 0
	}
	p.SafeVolumes = names(m.annotations[safeVolumesAnnotation])
	if cost := m.annotations[deletionCostAnnotation]; cost != "" {
		n, err := strconv.ParseInt(cost, 10, 32)
		if err != nil {
			r.odd("metadata.annotations."+deletionCostAnnotation, gjson.Result{Type: gjson.String, Str: cost})
		}
		p.DeletionCost = int32(n)
	}
}

// workload reads a controller of pods of any kind, with its template, and adds it to the cluster. Replicas
// are 1 if the object names none, and for a DaemonSet those in its status; a CronJob's settings are those
// of its job template.
func (r *reader) workload(m *meta, doc gjson.Result) {
	kind, _, _ := strings.Cut(r.object, " ")
	w := kube.Workload{
		Kind: r.keep(kind), Namespace: m.namespace, Name: m.name, Owner: m.owner, Replicas: 1,
		Created: m.created,
	}
	w.Revision, _ = strconv.ParseInt(cmp.Or(m.annotations[revisionAnnotation], m.annotations[rolloutAnnotation]),
		10, 64)
	spec, at := doc.Get("spec"), "spec"
	w.Manifest = m.uid == "" && m.created == 0
	w.Suspended = r.truth(spec.Get("suspend"), "spec.suspend")
	r.conditions(&w, doc.Get("status"))
	if w.Kind == "CronJob" {
		spec, at = spec.Get("jobTemplate.spec"), "spec.jobTemplate.spec"
	}
	for _, field := range []string{"replicas", "parallelism"} {
		if v := spec.Get(field); v.Exists() {
			w.Replicas = int(r.whole(v, at+"."+field, 0, maxInt32))
		}
	}
	if w.Left = w.Replicas; spec.Get("completions").Exists() {
		w.Left = max(0, int(r.whole(spec.Get("completions"), at+".completions", 0, maxInt32))-int(r.whole(doc.Get("status.succeeded"), "status.succeeded", 0, maxInt32)))
	}
	r.rollout(&w.Rollout, spec, at)
	switch w.Kind {
	case "Job":
		w.LastTry = r.lastTry(spec, doc.Get("status"))
	case "StatefulSet":
		w.Update = r.text(doc.Get("status.updateRevision"), "status.updateRevision")
	case "DaemonSet":
		w.Replicas = int(r.whole(doc.Get("status.desiredNumberScheduled"), "status.desiredNumberScheduled", 0, maxInt32))
	case "ReplicationController":
		if v := spec.Get("selector"); v.Exists() {
			w.Selector = &kube.Selector{}
			for _, l := range r.labels(v, at+".selector") {
				w.Selector.Requirements = append(w.Selector.Requirements,
					kube.Requirement{Key: l.Key, Op: kube.In, Values: []string{l.Value}})
			}
		}
	}
	if w.Kind != "ReplicationController" {
		w.Selector = r.selector(spec.Get("selector"), at+".selector")
	}
	r.list(spec.Get("volumeClaimTemplates"), at+".volumeClaimTemplates", func(v gjson.Result, at string) {
		c := r.claimSpec(v.Get("spec"), at+".spec")
		c.Namespace, c.Name = m.namespace, r.text(v.Get("metadata.name"), at+".metadata.name")
		w.Claims = append(w.Claims, c)
	})
	if template := spec.Get("template"); template.IsObject() {
		w.Labels = r.labels(template.Get("metadata.labels"), at+".template.metadata.labels")
		if pod := template.Get("spec"); pod.IsObject() {
			w.Template, w.PodClaims, w.Ephemeral = r.podSpec(pod, podStatus{}, origin{
				name: m.name, template: true,
				fresh: true, namespace: m.namespace, labels: template.Get("metadata.labels"),
				hashed: w.Kind == "Deployment" || w.Kind == "ReplicaSet" || w.Kind == "Rollout",
			}, at+".template.spec")
		}
	}
	if r.err == nil {
		r.cluster.Workloads = append(r.cluster.Workloads, w)
	}
}

// lastTry reports whether a Job fails with one more failed pod, so that it does not make an evicted one
// anew. An evicted pod counts as failed, unless the Job's policy ignores disruptions.
// (pkg/controller/job/job_controller.go, pod_failure_policy.go)
func (r *reader) lastTry(spec, status gjson.Result) (last bool) {
	limit := int64(6) // the default
	if v := spec.Get("backoffLimit"); v.Exists() {
		limit = r.whole(v, "spec.backoffLimit", 0, maxInt32)
	}
	last = r.whole(status.Get("failed"), "status.failed", 0, maxInt32) >= limit && !spec.Get("backoffLimitPerIndex").Exists()
	decided := false
	r.list(spec.Get("podFailurePolicy.rules"), "spec.podFailurePolicy.rules", func(v gjson.Result, at string) {
		r.list(v.Get("onPodConditions"), at+".onPodConditions", func(c gjson.Result, at string) {
			if decided || r.text(c.Get("type"), at+".type") != "DisruptionTarget" || c.Get("status").Str == "False" {
				return
			}
			decided = true // the first rule that matches counts
			switch v.Get("action").Str {
			case "Ignore":
				last = false
			case "FailJob":
				last = true
			}
		})
	})
	return last
}

// conditions reads from a workload's status whether it is done, and why it creates no pods.
func (r *reader) conditions(w *kube.Workload, status gjson.Result) {
	r.list(status.Get("conditions"), "status.conditions", func(v gjson.Result, at string) {
		on := r.text(v.Get("status"), at+".status") == "True"
		switch r.text(v.Get("type"), at+".type") {
		case "ReplicaFailure":
			if on {
				w.Failure = r.text(v.Get("message"), at+".message")
			}
		case "Complete", "Failed", "SuccessCriteriaMet", "FailureTarget":
			w.Done = w.Done || on && w.Kind == "Job"
		}
	})
}

// rollout reads the settings by which a workload replaces its pods into o; at is the path of spec in error
// messages. Kinds name the strategy differently: strategy or updateStrategy. Missing fields stay nil, 0 or
// "".
func (r *reader) rollout(o *kube.Rollout, spec gjson.Result, at string) {
	for _, field := range []string{"strategy", "updateStrategy"} {
		of, at := spec.Get(field), at+"."+field
		if !of.IsObject() {
			continue
		}
		o.Strategy = r.text(of.Get("type"), at+".type")
		rolling := of.Get("rollingUpdate")
		o.Surge = r.intOrPercent(rolling.Get("maxSurge"), at+".rollingUpdate.maxSurge")
		o.Unavailable = r.intOrPercent(rolling.Get("maxUnavailable"), at+".rollingUpdate.maxUnavailable")
		o.Partition = int(r.whole(rolling.Get("partition"), at+".rollingUpdate.partition", 0, maxInt32))
	}
	o.MinReady = r.whole(spec.Get("minReadySeconds"), at+".minReadySeconds", 0, maxInt32)
	o.Deadline = r.whole(spec.Get("progressDeadlineSeconds"), at+".progressDeadlineSeconds", 0, maxInt32)
	o.Paused = r.truth(spec.Get("paused"), at+".paused")
	o.Parallel = r.text(spec.Get("podManagementPolicy"), at+".podManagementPolicy") == "Parallel"
}

func (r *reader) service(m *meta, doc gjson.Result) {
	s := kube.Service{Namespace: m.namespace, Name: m.name, Selector: r.labels(doc.Get("spec.selector"), "spec.selector")}
	if len(s.Selector) > 0 && r.err == nil {
		r.cluster.Services = append(r.cluster.Services, s)
	}
}

func (r *reader) namespace(m *meta, _ gjson.Result) {
	if m.name == "kube-system" {
		r.cluster.ID = m.uid
	}
	for _, of := range []string{projectAnnotation, podSelectorAnnotation} {
		all := map[string]string{}
		for _, one := range names(m.annotations[of]) {
			key, value, _ := strings.Cut(one, "=")
			all[strings.TrimSpace(key)] = strings.TrimSpace(value)
		}
		if len(all) > 0 {
			r.selectors[m.name] = kube.NewLabels(all)
		}
	}
	r.cluster.Namespaces = append(r.cluster.Namespaces, kube.Namespace{Name: m.name, Labels: r.labels(m.labels, "metadata.labels")})
}

func (r *reader) priorityClass(m *meta, doc gjson.Result) {
	r.cluster.PriorityClasses = append(r.cluster.PriorityClasses, kube.PriorityClass{
		Name: m.name, Value: int32(r.whole(doc.Get("value"), "value", -maxInt32-1, maxInt32)),
		Default: r.truth(doc.Get("globalDefault"), "globalDefault"), Never: r.text(doc.Get("preemptionPolicy"), "preemptionPolicy") == "Never",
	})
}

// budget reads a PodDisruptionBudget and adds it to the cluster. HasStatus is set if the status has one of
// its counts.
func (r *reader) budget(m *meta, doc gjson.Result) {
	b := kube.Budget{Namespace: m.namespace, Name: m.name, Generation: m.generation}
	b.Beta = strings.HasSuffix(doc.Get("apiVersion").Str, "/v1beta1")
	b.Selector = r.selector(doc.Get("spec.selector"), "spec.selector")
	b.MinAvailable = r.intOrPercent(doc.Get("spec.minAvailable"), "spec.minAvailable")
	b.MaxUnavailable = r.intOrPercent(doc.Get("spec.maxUnavailable"), "spec.maxUnavailable")
	b.AlwaysAllow = r.text(doc.Get("spec.unhealthyPodEvictionPolicy"), "spec.unhealthyPodEvictionPolicy") == "AlwaysAllow"
	r.fields(doc.Get("status"), "status", func(name string, v gjson.Result) {
		into := map[string]*int32{"currentHealthy": &b.Healthy, "desiredHealthy": &b.Desired, "expectedPods": &b.Expected, "disruptionsAllowed": &b.Allowed}[name]
		switch at := "status." + name; {
		case into != nil:
			*into, b.HasStatus = int32(r.whole(v, at, 0, maxInt32)), true
		case name == "observedGeneration":
			b.Observed = r.whole(v, at, 0, maxInt64)
		case name == "disruptedPods":
			r.fields(v, at, func(name string,
				_ gjson.Result,
			) {
				b.Disrupted = append(b.Disrupted, strings.Clone(name))
			})
		}
	})
	r.cluster.Budgets = append(r.cluster.Budgets, b)
}

// intOrPercent reads a whole number, or a percentage in a text such as "30%"; nil of a null or missing
// field. A text without "%" is read as a number too. Anything else is an error of the reader.
func (r *reader) intOrPercent(v gjson.Result, at string) *kube.IntOrPercent {
	if v.Type == gjson.Null {
		return nil
	}
	if v.Type == gjson.Number {
		return &kube.IntOrPercent{Value: int32(r.whole(v, at, 0, maxInt32))}
	}
	text, percent := strings.CutSuffix(v.Str, "%")
	n, err := strconv.ParseUint(text, 10, 31)
	if v.Type != gjson.String || err != nil {
		r.fail(at, v, "is neither a whole number nor a percentage", hintAgain)
		return nil
	}
	return &kube.IntOrPercent{Value: int32(n), Percent: percent}
}
