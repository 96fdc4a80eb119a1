package remote

import (
	"errors"
	"strconv"

	"parley/core/formula"
	"parley/core/frame"
	"parley/core/message"
	"parley/core/score"
	"parley/core/unit"
)

// lens filters and scores nodes by the page's formulas.
type lens struct {
	score.Lens
	formulas message.Formulas

	where, score *formula.Formula // the last ones that were right
	wrong        []message.WrongFormula
	readsTask    bool
	task         unit.TaskID // that formulas read now; NoTask if there is none
	low, high    float64     // the scores that the layer begins and ends with
	layer        []byte      // empty if there is no score
}

const listedBest = 5

// ask compiles the formulas. One that is wrong leaves the last one that was right.
func (l *lens) ask(m message.Formulas) {
	columns := score.Columns()
	l.formulas, l.wrong = m, []message.WrongFormula{}
	compile := func(f **formula.Formula, of, text string, want formula.Result) {
		if text == "" {
			*f = nil
			return
		}
		compiled, err := formula.Compile(text, columns, want)
		if at := (*formula.Error)(nil); errors.As(err, &at) {
			l.wrong = append(l.wrong, message.WrongFormula{Of: of, Column: at.Column, Sentence: at.Message})
			return
		}
		*f = compiled
	}
	compile(&l.where, "where", m.Where, formula.Condition)
	compile(&l.score, "score", m.Score, formula.Number)
	l.Use(l.where, l.score)
	l.readsTask = false
	for i := range columns {
		l.readsTask = l.readsTask || score.OfTask(i) && score.Uses(i, l.where, l.score)
	}
}

// asks reports whether the page looks through formulas.
func (l *lens) asks() bool { return l.formulas.Where != "" || l.formulas.Score != "" }

// look evaluates the formulas and returns the layer that they fill, if they fill one. fit
// sets the ends of the layer to those of the scores; this also happens if more than a
// tenth of the scores are beyond them.
func (r *Remote) look(fit bool) [][]byte {
	l := &r.lens
	l.layer = l.layer[:0]
	if !l.asks() {
		return nil
	}
	l.View = r.player.Run().View()
	l.take()
	l.Look()
	if l.score == nil {
		return nil
	}
	beyond := 0
	if !fit && l.high > l.low {
		l.layer, beyond = l.Paint(l.layer, l.low, l.high, frame.FullScale)
	}
	if fit || l.high <= l.low || 10*beyond > len(l.Scores) {
		l.low, l.high, _ = l.Range()
		if l.high <= l.low {
			l.high = l.low + l.score.Kind().Scale()
		}
		l.layer, _ = l.Paint(l.layer, l.low, l.high, frame.FullScale)
	}
	return [][]byte{l.layer}
}

// take chooses the task that formulas read.
func (l *lens) take() {
	l.task, l.Task = unit.NoTask, score.Task{}
	if !l.readsTask {
		return
	}
	if id, err := strconv.ParseUint(l.formulas.Task, 10, 64); err == nil {
		l.task = unit.TaskID(id)
	}
	t, known := l.View.Task(l.task)
	for n := unit.NodeID(0); !known && int(n) < l.View.Nodes(); n++ {
		l.View.Tasks(n)(func(id unit.TaskID) bool {
			l.task = id
			t, known = l.View.Task(id)
			return false
		})
	}
	if known {
		l.Task = score.Task{Need: t.Request, Priority: t.Priority, Class: t.Class}
	}
}

// tellScores posts the results of the formulas. always posts them even if there is no formula,
// because the page forgets the results that it received before.
func (r *Remote) tellScores(always bool) {
	l := &r.lens
	if !l.asks() && !always {
		return
	}
	m := message.Scored{
		Wrong: append([]message.WrongFormula{}, l.wrong...), Keep: message.Buffer(nil),
		Ends: []float64{}, Best: []message.ScoredNode{},
	}
	if l.asks() {
		m.Keep = message.Buffer(l.Kept)
		for _, kept := range l.Kept {
			m.Kept += int(kept)
		}
	}
	if l.readsTask {
		if t, known := l.View.Task(l.task); known {
			m.Task = t.Key.TaskName()
		}
	}
	if l.score != nil {
		scale := l.score.Kind().Scale()
		m.Unit = l.score.Kind().String()
		if low, high, ok := l.Range(); ok {
			m.Low, m.High, m.Ends = low/scale, high/scale, []float64{l.low / scale, l.high / scale}
		}
		for _, n := range l.Best(listedBest, l.fits, nil) {
			best := message.ScoredNode{Node: n, Score: l.Scores[n] / scale, After: []float64{}}
			used, capacity := l.View.Used(n).Add(l.Task.Need), l.View.Capacity(n)
			for i := range used {
				best.After = append(best.After, float64(used[i])/float64(max(1, capacity[i])))
			}
			m.Best = append(m.Best, best)
		}
	}
	r.host.Post(m)
}

// fits reports whether a node is up and has room for another task like the one that
// formulas read.
func (l *lens) fits(n unit.NodeID) bool {
	return l.View.Up(n) && (l.task == unit.NoTask || l.View.Satisfies(l.task, n) &&
		l.View.Used(n).Add(l.Task.Need).Within(l.View.Capacity(n)))
}

// formulaNames lists the names that formulas over nodes may use.
func formulaNames() []message.Name {
	var names []message.Name
	for _, c := range score.Columns() {
		names = append(names, message.Name{Name: c.Name, Unit: c.Kind.String(), About: c.About})
	}
	for _, usage := range formula.Functions() {
		names = append(names, message.Name{Name: usage, Unit: "function"})
	}
	return names
}
