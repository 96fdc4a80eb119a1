package remote

import (
	"fmt"
	"slices"

	"parley/core/kube/plane"
	"parley/core/kube/question"
	"parley/core/message"
)

// watch plays the play of an answer again.
func (d *Desk) watch(m message.WatchPlay, h Host) (message.Message, error) {
	w, err := d.watched(m.Question, m.Document)
	if err != nil {
		return nil, err
	}
	h.Send(message.Asking{Doing: "playing it again"})
	out := playOf(w.Film())
	out.Question, out.Document = m.Question, m.Document
	return out, nil
}

// watched returns the play of a document of the latest answer to a question. document is the index in the
// answer's documents.
func (d *Desk) watched(name string, document int) (*question.Watch, error) {
	a := d.answers[name]
	if document < 0 || document >= len(a.documents) || a.documents[document].Watch == nil {
		return nil, fmt.Errorf("the question %s has no play to watch: ask drain, lose, rollout, upgrade or consolidate", name)
	}
	return a.documents[document].Watch, nil
}

// whyHere explains why a pod gets its node in a play.
func (d *Desk) whyHere(m message.WhyHere) (message.Message, error) {
	w, err := d.watched(m.Question, m.Document)
	if err != nil {
		return nil, err
	}
	p := w.Reason(m.Shot)
	if p == nil {
		return nil, fmt.Errorf("moment %d of the play gives no pod a node: choose one in which a pod moves", m.Shot)
	}
	reason := question.WhyHere(p)
	return message.ClusterAnswer{
		Question: "whyhere", Nodes: []int{},
		Documents: []message.ClusterDocument{documentOf(&reason)},
	}, nil
}

// playOf returns a film as the page gets it: shots and pods by columns, as typed arrays. Kinds lists each
// kind of shot once, and ShotKind has the index in it. Stop is in seconds, -1 if the play does not stop.
func playOf(f *plane.Recording) message.ClusterPlay {
	out := message.ClusterPlay{
		Workloads: append([]string{}, f.Workloads...), Names: append([]string{}, f.Names...),
		Texts: append([]string{}, f.Texts...),
		Kinds: []string{}, Nodes: []message.PlayNode{}, Left: f.Dropped, Stop: -1, Reason: f.StopReason,
	}
	if f.Stop >= 0 {
		out.Stop = f.Stop.Seconds()
	}
	for _, n := range f.Nodes {
		out.Nodes = append(out.Nodes, message.PlayNode(n))
	}
	bit := map[bool]uint16{true: 1}
	pods := make([][]int32, 2)
	var life, lasting []uint16
	for _, p := range f.Pods {
		pods[0], pods[1] = append(pods[0], p.Node), append(pods[1], p.Of)
		life, lasting = append(life, uint16(p.Life)), append(lasting, bit[p.IgnoredByDrain])
	}
	out.PodNode, out.PodOf, out.PodLife, out.PodExempt = message.Int32s(pods[0]), message.Int32s(pods[1]),
		message.Uint16s(life), message.Uint16s(lasting)
	at, kinds, fresh := make([]float64, len(f.Events)), make([]uint16, len(f.Events)), make([]uint16, len(f.Events))
	columns := make([][]int32, 6)
	for i, s := range f.Events {
		kind := slices.Index(out.Kinds, string(s.Kind))
		if kind < 0 {
			kind = len(out.Kinds)
			out.Kinds = append(out.Kinds, string(s.Kind))
		}
		at[i], kinds[i], fresh[i] = s.At.Seconds(), uint16(kind), bit[s.IgnoredByDrain]
		for c, x := range []int32{s.Pod, s.Node, s.From, s.Of, s.Name, s.Text} {
			columns[c] = append(columns[c], x)
		}
	}
	out.At, out.ShotKind, out.Exempt = message.Float64s(at), message.Uint16s(kinds), message.Uint16s(fresh)
	for c, to := range []**message.Binary{&out.Pod, &out.Node, &out.From, &out.Of, &out.Name, &out.Text} {
		*to = message.Int32s(columns[c])
	}
	return out
}
