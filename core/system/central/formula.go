package central

import (
	"fmt"
	"math"
	"slices"

	"parley/core/batch"
	"parley/core/choices"
	"parley/core/cluster"
	"parley/core/formula"
	"parley/core/rng"
	"parley/core/score"
	"parley/core/system"
	"parley/core/unit"
)

// Formulas are the settings of the policy formula and of the queue order of that name.
type Formulas struct {
	// Where is a condition that a node must meet to take a task; empty: every node does.
	Where string `json:"where"`
	// Score is a number: of the nodes with room the one with the highest takes the task.
	Score string `json:"score"`
	// Order is a number for each waiting job: the one with the highest comes first.
	Order string `json:"order"`
}

// byFormula is the name of the policy and of the order that read Formulas.
const byFormula = "formula"

// scored is the policy formula. It keeps every node's score and computes those of changed
// nodes anew, in their order; all of them, unordered, if a formula reads the task and the task is
// another.
type scored struct {
	*book
	where, points *formula.Formula // where is nil if every node will do
	perTask       bool
	words         string // the result of rule
	sheet         score.Sheet
	values        []float64
	allowed       []float64
	pass          []unit.NodeID
	scores        []float64 // by node; -Inf if it has no score
	order         ranked    // of all nodes, unless a formula reads the task
	reader        score.Reader
	suitable      cluster.Suitable
}

// compiled returns the formulas of a policy that Validate has accepted.
func (f Formulas) compiled() (where, points *formula.Formula, err error) {
	columns := score.Columns()
	if f.Where != "" {
		if where, err = formula.Compile(f.Where, columns, formula.Condition); err != nil {
			return nil, nil, fmt.Errorf("settings: formula.where, %w", err)
		}
	}
	if points, err = formula.Compile(f.Score, columns, formula.Number); err != nil {
		return nil, nil, fmt.Errorf("settings: formula.score, %w", err)
	}
	return where, points, nil
}

// order returns the formula of the queue order.
func (f Formulas) order() (*formula.Formula, error) {
	order, err := formula.Compile(f.Order, batch.Columns(), formula.Number)
	if err != nil {
		return nil, fmt.Errorf("settings: formula.order, %w", err)
	}
	return order, nil
}

// newScored returns the policy of two compiled formulas; where may be nil.
func newScored(b *book, where, points *formula.Formula) *scored {
	p := &scored{
		book: b, where: where, points: points,
		reader: score.Reader{View: b.view, ByRequest: b.limits.byRequest},
	}
	p.sheet.Use(where, points)
	p.words = "formula: of the nodes with room"
	if where != nil {
		p.words += " where " + where.String()
	}
	p.words += ", the one with the highest " + points.String()
	for i := range score.Columns() {
		p.perTask = p.perTask || score.OfTask(i) && score.Uses(i, where, points)
	}
	return p
}

// readsUse reports whether a formula reads the tasks' use.
func (p *scored) readsUse() bool {
	for i := range score.Columns() {
		if score.OfUse(i) && score.Uses(i, p.where, p.points) {
			return true
		}
	}
	return false
}

// sync updates the book and the scores: of the nodes that changed, or of all if the book was read anew
// or the formulas read a task that differs from the last. A node without a finite score, or that where
// excludes, gets -Inf.
func (p *scored) sync(d *demand) {
	changed, whole := p.clean()
	if p.perTask {
		t, _ := p.view.Task(d.task)
		if now := (score.Task{Need: d.need, Priority: t.Priority, Class: t.Class}); now != p.reader.Task {
			p.reader.Task, whole = now, false
		}
	}
	p.pass = p.pass[:0]
	if whole {
		p.pass = append(p.pass, changed...)
	} else {
		for n := range unit.NodeID(len(p.nodes)) {
			p.pass = append(p.pass, n)
		}
		p.scores = slices.Grow(p.scores[:0], len(p.nodes))[:len(p.nodes)]
	}
	if len(p.pass) == 0 {
		return
	}
	p.evaluate()
	for i, n := range p.pass {
		p.scores[n] = math.Inf(-1)
		if formula.Finite(p.values[i]) && (p.where == nil || p.allowed[i] == 1) {
			p.scores[n] = p.values[i]
		}
		if whole && !p.perTask {
			p.order.move(p.nodes, n, p.scores[n])
		}
	}
	if !whole && !p.perTask {
		p.order.rebuild(p.nodes, p.scores)
	}
}

// evaluate computes the formulas for the nodes of the present pass.
func (p *scored) evaluate() {
	p.sheet.Read(&p.reader, p.pass)
	p.values = p.sheet.Eval(p.points, p.values)
	if p.where != nil {
		p.allowed = p.sheet.Eval(p.where, p.allowed)
	}
}

// choose implements policy. Of equal scores the lowest number wins.
func (p *scored) choose(d *demand) unit.NodeID {
	if p.perTask {
		return p.scan(d, nil)
	}
	p.sync(d)
	return p.order.first(d, sets(p.view, d, &p.suitable).Has)
}

// scan implements policy.
func (p *scored) scan(d *demand, accepted func(unit.NodeID) bool) unit.NodeID {
	p.sync(d)
	sets(p.view, d, &p.suitable)
	best, chosen := math.Inf(-1), unit.NoNode
	for n, points := range p.scores {
		if id := unit.NodeID(n); points > best && p.fits(d, id) && p.suitable.Has(id) &&
			(accepted == nil || accepted(id)) {
			best, chosen = points, id
		}
	}
	return chosen
}

// best implements policy.
func (p *scored) best(d *demand, k int) (list []system.Candidate) {
	for n, points := range p.scores {
		if id := unit.NodeID(n); formula.Finite(points) && enters(list, k, points) && p.fits(d, id) &&
			p.suitable.Has(id) {
			list = enter(list, k, id, points)
		}
	}
	return list
}

// allows implements policy: a node without a score takes no task.
func (p *scored) allows(d *demand, n unit.NodeID) bool {
	p.sync(d)
	return formula.Finite(p.scores[n])
}

// rank implements policy.
func (p *scored) rank(d *demand, n unit.NodeID) float64 {
	p.sync(d)
	return p.scores[n]
}

func (p *scored) attributesChanged() { p.order.valid = false }

// repeat implements policy.
func (p *scored) repeat(d *demand, _ choices.Choice) { p.sync(d) }

// spent implements policy: it draws nothing.
func (p *scored) spent() (*rng.Stream, uint32) { return nil, 0 }

// rule implements policy.
func (p *scored) rule() string { return p.words }
