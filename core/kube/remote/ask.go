package remote

import (
	"fmt"
	"slices"

	"parley/core/kube"
	"parley/core/kube/constraint"
	"parley/core/kube/dump"
	"parley/core/kube/plane"
	"parley/core/kube/question"
	"parley/core/kube/usage"
	"parley/core/message"
	"parley/core/trace"
)

// seed is that of parley cluster.
const seed = 1

// mixOrders is the number of arrival orders tried for today's mix.
const mixOrders = 10

// ask answers a question about the desk's cluster. m.Question chooses it, and each uses only some fields of
// m; a question with long parts reports them to h. It changes no state of the desk. The first configuration
// is the profile of all questions but score, which compares all.
func (d *Desk) ask(m message.AskCluster, h Host) (answered, error) {
	c := d.cluster
	configured, err := profiles(m.Configs)
	if err != nil {
		return answered{}, err
	}
	var prices *question.Table
	if m.Prices != nil {
		if prices, err = question.ReadTypes(m.Prices.Name, []byte(m.Prices.Text), dump.ToJSON); err != nil {
			return answered{}, err
		}
	}
	p := configured[0].Profile
	switch m.Question {
	case "drain":
		a := question.Drain(c, p, question.DrainOptions{DeleteEmptyDir: m.EmptyDir, Force: m.Force, ControlPlane: m.Control, Seed: seed})
		h.Send(message.Asking{Doing: "playing the plan"})
		a.Time(c, p, question.PlayOptions{Seed: seed})
		a.Price(c, prices)
		return answered{value: a, documents: []question.Document{a.Document(d.name)}, nodes: d.emptied(a)}, nil
	case "lose":
		return d.lose(m, p, h)
	case "fit":
		a, err := d.fit(m.Pod, p)
		if err != nil {
			return answered{}, err
		}
		return answered{value: a, documents: []question.Document{a.Document()}}, nil
	case "grow":
		a := question.Grow(c, p, question.GrowOptions{Prices: prices, Seed: seed})
		return answered{value: a, documents: []question.Document{a.Document()}}, nil
	case "pending":
		if m.Pod != "" {
			a, err := question.PendingPod(c, p, m.Pod, seed)
			if err != nil {
				return answered{}, err
			}
			return answered{value: a, documents: []question.Document{a.Document()}, one: a.One}, nil
		}
		a := question.Pending(c, p, seed)
		return answered{value: a, documents: []question.Document{a.Document()}}, nil
	case "blockers":
		a := question.Blockers(c)
		return answered{value: a, documents: []question.Document{a.Document()}}, nil
	case "score":
		a := question.Score(c, configured, question.ScoreOptions{Prices: prices, Seed: seed, Step: func(done, all int) {
			h.Send(message.Asking{Doing: fmt.Sprintf("%d of %d placements", done, all)})
		}})
		return answered{value: a, documents: []question.Document{a.Document()}}, nil
	case "size":
		return d.size(m.Usage, h)
	case "requests":
		return d.requests(m.By, kube.Nowhere)
	case "node":
		at := slices.IndexFunc(c.Nodes, func(n kube.Node) bool { return slices.Contains(m.Names, n.Name) })
		if at < 0 {
			return answered{}, fmt.Errorf("the dump has no node %q", m.Names)
		}
		return d.requests("owner", at)
	case "rollout":
		return d.rollout(m, p)
	case "upgrade":
		return d.upgrade(m, p)
	case "consolidate":
		a := question.Consolidate(c, p, question.ConsolidateOptions{Prices: prices, By: m.By, PlayOptions: question.PlayOptions{Seed: seed}})
		return answered{value: a, documents: []question.Document{a.Document()}}, nil
	case "report":
		var last *question.Report
		if m.Against != nil {
			if last, err = question.ReadReport(m.Against.Name, []byte(m.Against.Text)); err != nil {
				return answered{}, err
			}
		}
		steps := 0
		a := question.NewReport(c, p, question.ReportOptions{
			Config: configured[0].Name,
			Drain:  question.DrainOptions{DeleteEmptyDir: m.EmptyDir, Force: m.Force}, Prices: prices, Seed: seed,
			Step: func(name string) {
				h.Send(message.Asking{Doing: name, Done: steps})
				steps++
			},
		})
		if err := a.Differs(last); err != nil {
			return answered{}, err
		}
		return answered{value: a, documents: a.Documents(d.name, last), nodes: d.emptied(a.Drain)}, nil
	}
	return answered{}, fmt.Errorf("there is no question %q", m.Question)
}

// emptied returns the places of the nodes that a drain empties, in the order of the plan.
func (d *Desk) emptied(a *question.Drained) []int {
	at := map[string]int{}
	for i := range d.cluster.Nodes {
		at[d.cluster.Nodes[i].Name] = i
	}
	var nodes []int
	for _, s := range a.Steps {
		nodes = append(nodes, at[s.Node])
	}
	return nodes
}

// lose answers for each of the chosen groups of nodes; the nodes of the answer are those of the worst
// group, which LoseEach puts first. If no group is found, it returns an error.
func (d *Desk) lose(m message.AskCluster, p *constraint.Profile, h Host) (answered, error) {
	groups, err := question.Choose(d.cluster, m.By, m.Names)
	if err != nil {
		return answered{}, err
	}
	options := question.LoseOptions{
		NotReady:    m.NotReady,
		PlayOptions: question.PlayOptions{Seed: seed, Autoscaler: m.Autoscaler},
	}
	all, documents := question.LoseEach(d.cluster, p, groups, options, func(i int, name string) {
		h.Send(message.Asking{Doing: name, Done: i, Of: len(groups)})
	})
	worst := slices.IndexFunc(groups, func(g question.Group) bool { return g.Name == all[0].Subject })
	return answered{value: all, documents: documents, nodes: groups[worst].Nodes}, nil
}

// fit answers for copies of a pod or workload NAMESPACE/NAME, or for today's mix of pods if pod is "".
func (d *Desk) fit(pod string, p *constraint.Profile) (*question.Fits, error) {
	if pod == "" {
		return question.FitMix(d.cluster, p, mixOrders, question.FitOptions{Seed: seed}), nil
	}
	like := plane.Model(d.cluster, pod)
	if like == nil {
		return nil, fmt.Errorf("the dump has no pod and no workload with the name %q: write NAMESPACE/NAME", pod)
	}
	return question.Fit(d.cluster, p, pod, *like, question.FitOptions{Seed: seed}), nil
}

// rollout answers for the workload m.Pod with a new template like today's.
func (d *Desk) rollout(m message.AskCluster, p *constraint.Profile) (answered, error) {
	o := question.RolloutOptions{PlayOptions: question.PlayOptions{Seed: seed}}
	var err error
	if o.Rollout.Surge, o.Rollout.Unavailable, err = shares(m); err != nil {
		return answered{}, err
	}
	a := question.Rollout(d.cluster, p, m.Pod, o)
	if a == nil {
		return answered{}, fmt.Errorf("%q is no Deployment, StatefulSet or DaemonSet of the dump: write NAMESPACE/NAME of one", m.Pod)
	}
	return answered{value: a, documents: []question.Document{a.Document()}}, nil
}

// upgrade answers for the pools m.Names, or for all if there are none. A name that no node's labels have is
// an error.
func (d *Desk) upgrade(m message.AskCluster, p *constraint.Profile) (answered, error) {
	o := question.UpgradeOptions{PlayOptions: question.PlayOptions{Seed: seed, Autoscaler: m.Autoscaler}, Pools: m.Names}
	var err error
	if o.Surge, o.Unavailable, err = shares(m); err != nil {
		return answered{}, err
	}
	for _, pool := range m.Names {
		if !slices.ContainsFunc(d.cluster.Nodes, func(n kube.Node) bool { _, own := n.Group(); return own == pool }) {
			return answered{}, fmt.Errorf("no node of the dump has a label that names the pool %q: choose another, or none for all", pool)
		}
	}
	a := question.Upgrade(d.cluster, p, o)
	return answered{value: a, documents: []question.Document{a.Document()}}, nil
}

// shares reads the surge and the number that may be unavailable, as 2 or 25%; nil if the text is empty,
// which means the default. Both 0 is an error, since nothing could be replaced.
func shares(m message.AskCluster) (surge, unavailable *kube.IntOrPercent, err error) {
	read := func(name, text string) (v *kube.IntOrPercent) {
		if text == "" || err != nil {
			return nil
		}
		if v, err = kube.ParseIntOrPercent(text); err != nil {
			err = fmt.Errorf("%s is %q: write a number as 2, or a percentage as 25%%", name, text)
		}
		return v
	}
	surge, unavailable = read("the surge", m.Surge), read("the number that may be unavailable", m.Unavailable)
	if err == nil && surge != nil && unavailable != nil && surge.Value == 0 && unavailable.Value == 0 {
		err = fmt.Errorf("surge and unavailable are both 0, so that nothing could be replaced: let one of them be 1")
	}
	return surge, unavailable, err
}

// requests sums the requests on a node, or on all nodes if node is kube.Nowhere.
func (d *Desk) requests(by string, node int) (answered, error) {
	a, err := question.Requests(d.cluster, by, node)
	if err != nil {
		return answered{}, err
	}
	return answered{value: a, documents: []question.Document{a.Document()}}, nil
}

// size reads the usage of pods from files and compares it with their requests. At least one file is needed.
func (d *Desk) size(files []message.PodsUsage, h Host) (answered, error) {
	if len(files) == 0 {
		return answered{}, fmt.Errorf("choose what pods use: a week of Prometheus' answers, or CSV")
	}
	u := usage.New()
	resources := map[string]int{"cpu": kube.CPU, "memory": kube.Memory, "": -1}
	for _, f := range files {
		err := dump.ReadUsage(u, []trace.File{h.Open(f.File)}, resources[f.Resource], func(p trace.Progress) error {
			h.Send(message.Reading{File: f.File.Name, Bytes: p.Total, Total: p.Sum, Text: p.Text})
			return nil
		})
		if err != nil {
			return answered{}, err
		}
	}
	a, err := question.RightSize(d.cluster, u)
	if err != nil {
		return answered{}, err
	}
	return answered{value: a, documents: []question.Document{a.Document()}}, nil
}

// profiles returns one profile for each configuration: the built-in one if it has only a name, otherwise
// the first of the file. Without configurations it is the default one alone.
func profiles(configs []message.NamedText) ([]question.Configured, error) {
	if len(configs) == 0 {
		configs = []message.NamedText{{Name: "default"}}
	}
	all := make([]question.Configured, len(configs))
	for i, c := range configs {
		all[i] = question.Configured{Name: c.Name, Profile: question.Builtin(c.Name)}
		if c.Text == "" && all[i].Profile != nil {
			continue
		}
		list, err := dump.Profiles(c.Name, []byte(c.Text))
		if err != nil {
			return nil, err
		}
		all[i].Profile = list[0]
	}
	return all, nil
}
