package remote

import (
	"encoding/json"
	"fmt"

	"parley/core/kube/dump"
	"parley/core/kube/question"
	"parley/core/message"
)

// maxChanges limits the changes of a question: each is compared with each object of the dump.
const maxChanges = 50

// askBoth answers a question about the dump, and, if the question has changes, about the changed
// cluster.
func (d *Desk) askBoth(m message.AskCluster, h Host) (answered, error) {
	was, err := d.ask(m, h)
	if err != nil || len(m.Changes) == 0 {
		return was, err
	}
	world, texts, err := d.changed(m.Changes, h)
	if err != nil {
		return answered{}, err
	}
	h.Send(message.Asking{Doing: "in the changed world"})
	is, err := world.ask(m, h)
	if err != nil {
		return answered{}, err
	}
	both := answered{before: was.documents}
	both.value, both.documents = question.Beside(was.value, is.value, was.documents, is.documents, texts)
	at := map[string]int{}
	for i := range d.cluster.Nodes {
		at[d.cluster.Nodes[i].Name] = i
	}
	for _, node := range is.nodes { // nodes that only the changed world has are not drawn
		if i, drawn := at[world.cluster.Nodes[node].Name]; drawn {
			both.nodes = append(both.nodes, i)
		}
	}
	return both, nil
}

// changed returns a desk with the dump as changes leave it, and the changes as texts. The latest such desk
// is kept, and used again for equal changes. The dump's files are read again.
func (d *Desk) changed(changes []message.ClusterChange, h Host) (*Desk, []string, error) {
	if len(changes) > maxChanges {
		return nil, nil, fmt.Errorf("the question has %d changes, and at most %d are asked about together", len(changes), maxChanges)
	}
	all := make([]*dump.Change, len(changes))
	for i, c := range changes {
		var err error
		if all[i], err = dump.NewChange(c.How, c.Text); err != nil {
			return nil, nil, err
		}
	}
	key, err := json.Marshal(changes)
	if err != nil {
		return nil, nil, err
	}
	if d.world == nil || d.changes != string(key) {
		files, err := d.open()
		if err != nil {
			return nil, nil, err
		}
		c, err := dump.ReadWith(files, all, d.reading(h))
		if err != nil {
			return nil, nil, err
		}
		if len(c.Nodes) == 0 {
			return nil, nil, dump.NoNodes(d.name)
		}
		d.world, d.changes = &Desk{clock: d.clock, name: d.name, cluster: c}, string(key)
	}
	return d.world, dump.Texts(all), nil
}
