// Command kubernetes-oracle asks kube-scheduler itself: it loads a dump into the scheduler
// of k8s.io/kubernetes, whose API server is its own fake one, and prints what each plugin
// says about each pending pod and node. Parley's constraints are held to it by oracle_test.go.
package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/sets"
	clientset "k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/tools/events"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/defaultpreemption"
	"k8s.io/kubernetes/pkg/scheduler/profile"
)

// Answer is what the scheduler says about one pod.
type Answer struct {
	Pod string `json:"pod"`
	// Gates are those that keep the pod out of the queue; nothing else is asked then.
	Gates []string `json:"gates,omitempty"`
	// PreFilter is what stops the pod before any node is looked at, with the plugin that says it.
	PreFilter string   `json:"preFilter,omitempty"`
	StoppedBy string   `json:"stoppedBy,omitempty"`
	Nodes     []OnNode `json:"nodes,omitempty"`
	Feasible  int      `json:"feasible"`
	// Message is that of the event FailedScheduling, "" if a node takes the pod.
	Message string `json:"message,omitempty"`
	// Candidates are the nodes on which preemption helps, and Nominated those between which
	// only a draw decides.
	Candidates []Candidate `json:"candidates,omitempty"`
	Nominated  string      `json:"nominated,omitempty"`
	Err        string      `json:"error,omitempty"`
}

// OnNode is what the scheduler says about one pod on one node.
type OnNode struct {
	Node string `json:"node"`
	// Skipped reports that a plugin's PreFilter leaves the node out.
	Skipped bool `json:"skipped,omitempty"`
	// Filters are the verdicts of the enabled plugins in order, each asked by itself. The
	// first that does not pass gives the node's reasons.
	Filters []Verdict `json:"filters,omitempty"`
	// Scores are those of nodes that all filters pass.
	Scores []Score `json:"scores,omitempty"`
	Total  int64   `json:"total"`
}

// Verdict is one plugin's.
type Verdict struct {
	Plugin  string   `json:"plugin"`
	Code    string   `json:"code"`
	Reasons []string `json:"reasons,omitempty"`
}

// Score is one plugin's, before and after it is normalised, and its weight.
type Score struct {
	Plugin     string `json:"plugin"`
	Raw        int64  `json:"raw"`
	Normalised int64  `json:"normalised"`
	Weight     int32  `json:"weight"`
}

// Candidate is a node with the pods that would be preempted there.
type Candidate struct {
	Node       string   `json:"node"`
	Victims    []string `json:"victims"`
	Violations int64    `json:"violations"`
}

// Oracle is a scheduler with a cluster.
type Oracle struct {
	sched    *scheduler.Scheduler
	client   clientset.Interface
	profiles map[string]config.KubeSchedulerProfile
	plugins  map[string]map[string]framework.Plugin // by profile and name
	pods     []*v1.Pod
	stop     context.CancelFunc
	ctx      context.Context
}

// NewOracle starts a scheduler with the objects of a dump. profiles is nil for the
// default configuration. Close ends it.
func NewOracle(objects []runtime.Object, profiles []config.KubeSchedulerProfile) (*Oracle, error) {
	ctx, stop := context.WithCancel(klog.NewContext(context.Background(), klog.TODO()))
	o := &Oracle{ctx: ctx, stop: stop, profiles: map[string]config.KubeSchedulerProfile{}, plugins: map[string]map[string]framework.Plugin{}}
	var live []runtime.Object
	for _, object := range objects {
		pod, is := object.(*v1.Pod)
		if is && (pod.Status.Phase == v1.PodSucceeded || pod.Status.Phase == v1.PodFailed) {
			continue // the scheduler's informer does not ask for them
		}
		if is {
			o.pods = append(o.pods, pod)
		}
		live = append(live, object)
	}
	o.client = fake.NewSimpleClientset(live...)
	informers := scheduler.NewInformerFactory(o.client, 0)
	recorder := profile.NewRecorderFactory(events.NewBroadcaster(&events.EventSinkImpl{Interface: o.client.EventsV1()}))
	options := []scheduler.Option{
		scheduler.WithParallelism(1),
		scheduler.WithBuildFrameworkCapturer(func(p config.KubeSchedulerProfile) { o.profiles[p.SchedulerName] = p }),
	}
	if profiles != nil {
		options = append(options, scheduler.WithProfiles(profiles...))
	}
	var err error
	if o.sched, err = scheduler.New(ctx, o.client, informers, nil, recorder, options...); err != nil {
		stop()
		return nil, fmt.Errorf("make a scheduler: %w", err)
	}
	// The scheduler's own plugins are kept private: these are made as it makes its own.
	for name, p := range o.profiles {
		if o.plugins[name], err = instances(ctx, p, o.sched.Profiles[name]); err != nil {
			stop()
			return nil, err
		}
	}
	informers.Start(ctx.Done())
	informers.WaitForCacheSync(ctx.Done())
	if err := o.sched.WaitForHandlersSync(ctx); err != nil {
		stop()
		return nil, fmt.Errorf("read the cluster: %w", err)
	}
	return o, nil
}

func instances(ctx context.Context, p config.KubeSchedulerProfile, handle framework.Framework) (map[string]framework.Plugin, error) {
	enabled, used := handle.ListPlugins(), sets.New[string]()
	for _, point := range []config.PluginSet{enabled.PreFilter, enabled.Filter, enabled.PostFilter, enabled.PreScore, enabled.Score} {
		for _, plugin := range point.Enabled {
			used.Insert(plugin.Name)
		}
	}
	args := map[string]runtime.Object{}
	for _, c := range p.PluginConfig {
		args[c.Name] = c.Args
	}
	out := map[string]framework.Plugin{}
	for name, factory := range plugins.NewInTreeRegistry() {
		if !used.Has(name) {
			continue
		}
		plugin, err := factory(ctx, args[name], handle)
		if err != nil {
			return nil, fmt.Errorf("make the plugin %s: %w", name, err)
		}
		out[name] = plugin
	}
	return out, nil
}

// Close ends the scheduler.
func (o *Oracle) Close() { o.stop() }

// Pending returns the pods that have no node, in the order of the dump.
func (o *Oracle) Pending() []*v1.Pod {
	var out []*v1.Pod
	for _, p := range o.pods {
		if p.Spec.NodeName == "" {
			out = append(out, p)
		}
	}
	return out
}

// Ask returns what the scheduler says about a pending pod.
func (o *Oracle) Ask(pod *v1.Pod) Answer {
	a := Answer{Pod: pod.Namespace + "/" + pod.Name}
	for _, gate := range pod.Spec.SchedulingGates {
		a.Gates = append(a.Gates, gate.Name)
	}
	fwk := o.sched.Profiles[pod.Spec.SchedulerName]
	if fwk == nil {
		a.Err = "no profile has this scheduler's name"
	}
	if a.Gates != nil || fwk == nil {
		return a
	}
	state := framework.NewCycleState()
	_, err := o.sched.SchedulePod(o.ctx, fwk, state, pod) // takes the snapshot that the plugins read
	var unfit *framework.FitError
	switch {
	case errors.As(err, &unfit):
		o.each(fwk, pod, &a)
		o.preempt(fwk, state, pod, unfit, &a)
		if a.Candidates == nil { // with candidates it would delete the victims, and say nothing
			_, status := fwk.RunPostFilterPlugins(o.ctx, state, pod, unfit.Diagnosis.NodeToStatus)
			unfit.Diagnosis.PostFilterMsg = status.Message()
		}
		a.Message = unfit.Error()
	case errors.Is(err, scheduler.ErrNoNodesAvailable):
		a.Message = err.Error()
	case err != nil:
		a.Err = err.Error()
	default:
		o.each(fwk, pod, &a)
	}
	return a
}

// each asks every plugin about every node.
func (o *Oracle) each(fwk framework.Framework, pod *v1.Pod, a *Answer) {
	mine, p := o.plugins[pod.Spec.SchedulerName], o.profiles[pod.Spec.SchedulerName]
	enabled := fwk.ListPlugins()
	state := framework.NewCycleState()
	skip := sets.New[string]()
	var only sets.Set[string]
	nodes, err := fwk.SnapshotSharedLister().NodeInfos().List()
	if err != nil {
		a.Err = err.Error()
		return
	}
	nodes = slices.Clone(nodes)
	slices.SortFunc(nodes, func(x, y *framework.NodeInfo) int { return cmp.Compare(x.Node().Name, y.Node().Name) })
	for _, e := range enabled.PreFilter.Enabled {
		plugin, is := mine[e.Name].(framework.PreFilterPlugin)
		if !is {
			continue
		}
		result, status := plugin.PreFilter(o.ctx, state, pod)
		switch {
		case status.IsSkip():
			skip.Insert(e.Name)
			continue
		case !status.IsSuccess():
			if a.PreFilter == "" {
				a.PreFilter, a.StoppedBy = status.Message(), e.Name
			}
			skip.Insert(e.Name)
			continue
		}
		if !result.AllNodes() {
			if only == nil {
				only = result.NodeNames
			} else {
				only = only.Intersection(result.NodeNames)
			}
		}
	}
	if a.PreFilter != "" {
		return
	}
	var fit []*framework.NodeInfo
	for _, info := range nodes {
		on := OnNode{Node: info.Node().Name, Skipped: only != nil && !only.Has(info.Node().Name)}
		passes := !on.Skipped
		for _, e := range enabled.Filter.Enabled {
			v := Verdict{Plugin: e.Name, Code: framework.Success.String()}
			if !skip.Has(e.Name) {
				status := mine[e.Name].(framework.FilterPlugin).Filter(o.ctx, state, pod, info)
				if !status.IsSuccess() {
					v.Code, v.Reasons = status.Code().String(), status.Reasons()
				}
				passes = passes && status.IsSuccess()
			}
			on.Filters = append(on.Filters, v)
		}
		if passes {
			fit = append(fit, info)
		}
		a.Nodes = append(a.Nodes, on)
	}
	a.Feasible = len(fit)
	if len(fit) > 0 {
		o.score(fwk, mine, p, state, pod, fit, a)
	}
}

// score asks every plugin for the scores of the nodes that take the pod.
func (o *Oracle) score(fwk framework.Framework, mine map[string]framework.Plugin, p config.KubeSchedulerProfile, state *framework.CycleState, pod *v1.Pod, fit []*framework.NodeInfo, a *Answer) {
	enabled := fwk.ListPlugins()
	skip := sets.New[string]()
	for _, e := range enabled.PreScore.Enabled {
		if plugin, is := mine[e.Name].(framework.PreScorePlugin); is {
			if status := plugin.PreScore(o.ctx, state, pod, fit); status.IsSkip() {
				skip.Insert(e.Name)
			} else if !status.IsSuccess() {
				a.Err = e.Name + ": " + status.Message()
				return
			}
		}
	}
	at := map[string]*OnNode{}
	for i := range a.Nodes {
		at[a.Nodes[i].Node] = &a.Nodes[i]
	}
	for _, e := range enabled.Score.Enabled {
		if skip.Has(e.Name) {
			continue
		}
		plugin := mine[e.Name].(framework.ScorePlugin)
		list := make(framework.NodeScoreList, len(fit))
		for i, info := range fit {
			raw, status := plugin.Score(o.ctx, state, pod, info)
			if !status.IsSuccess() {
				a.Err = e.Name + ": " + status.Message()
				return
			}
			list[i] = framework.NodeScore{Name: info.Node().Name, Score: raw}
			at[info.Node().Name].Scores = append(at[info.Node().Name].Scores, Score{Plugin: e.Name, Raw: raw, Weight: e.Weight})
		}
		if x := plugin.ScoreExtensions(); x != nil {
			x.NormalizeScore(o.ctx, state, pod, list)
		}
		for i, info := range fit {
			on := at[info.Node().Name]
			last := &on.Scores[len(on.Scores)-1]
			last.Normalised = list[i].Score
			on.Total += list[i].Score * int64(e.Weight)
		}
	}
}

// preempt runs preemption dry on every node where it may help.
func (o *Oracle) preempt(fwk framework.Framework, state *framework.CycleState, pod *v1.Pod, unfit *framework.FitError, a *Answer) {
	plugin := o.plugins[pod.Spec.SchedulerName]["DefaultPreemption"].(*defaultpreemption.DefaultPreemption)
	if may, _ := plugin.PodEligibleToPreemptOthers(o.ctx, pod, nil); !may {
		return
	}
	nodes, err := unfit.Diagnosis.NodeToStatus.NodesForStatusCode(fwk.SnapshotSharedLister().NodeInfos(), framework.Unschedulable)
	if err != nil || len(nodes) == 0 {
		return
	}
	ev := plugin.Evaluator
	budgets, err := ev.PdbLister.List(labels.Everything())
	if err != nil {
		a.Err = err.Error()
		return
	}
	found, _, err := ev.DryRunPreemption(o.ctx, state, pod, nodes, budgets, 0, int32(len(nodes)))
	if err != nil {
		a.Err = err.Error()
		return
	}
	for _, c := range found {
		victims := make([]string, 0, len(c.Victims().Pods))
		for _, v := range c.Victims().Pods {
			victims = append(victims, v.Namespace+"/"+v.Name)
		}
		a.Candidates = append(a.Candidates, Candidate{Node: c.Name(), Victims: victims, Violations: c.Victims().NumPDBViolations})
	}
	slices.SortFunc(a.Candidates, func(x, y Candidate) int { return strings.Compare(x.Node, y.Node) })
	if best := ev.SelectCandidate(o.ctx, found); best != nil {
		a.Nominated = best.Name()
	}
}
