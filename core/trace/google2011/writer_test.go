package google2011_test

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"strings"

	"parley/core/unit"
	"parley/core/workload"
)

// writer writes rows of the trace, for tests.
type writer struct{ tables [6]rows }

// rows are the rows of one table. The names are in the order in which rows of
// one moment are read.
type rows []string

var tableNames = [6]string{"machine_events", "machine_attributes", "task_constraints", "task_events", "task_usage", "job_events"}

const (
	machineTable = iota
	attributeTable
	constraintTable
	taskTable
	usageTable
	jobTable
)

func (w *writer) row(table int, columns ...any) {
	texts := make([]string, len(columns))
	for i, c := range columns {
		switch c := c.(type) {
		case unit.Time:
			texts[i] = fmt.Sprint(int64(c))
		case unit.Share:
			texts[i] = fmt.Sprintf("%.4g", c.Float()) // as the trace does; small ones get an exponent
		default:
			texts[i] = fmt.Sprint(c)
		}
	}
	w.tables[table] = append(w.tables[table], strings.Join(texts, ","))
}

func (w *writer) machine(at unit.Time, id uint64, event int, capacity unit.Vec) {
	w.row(machineTable, at, id, event, hash("platform"), capacity[0], capacity[1])
}

// hash makes a text look as the trace's hidden names do.
func hash(name string) string {
	h := sha256.Sum256([]byte(name))
	return base64.StdEncoding.EncodeToString(h[:])
}

// demandOf is what a row says about a task beside its event.
type demandOf struct {
	key      workload.Key
	user     string
	class    int
	priority uint8
	request  unit.Vec
	spread   int
}

// task writes an event; machine "" means none.
func (w *writer) task(at unit.Time, d demandOf, machine any, event int) {
	w.row(taskTable, at, "", d.key.Job, d.key.Index, machine, event, d.user, d.class, d.priority, d.request[0], d.request[1],
		"3.815e-06", d.spread)
}

func (w *writer) usage(from, to unit.Time, key workload.Key, machine uint64, use unit.Vec) {
	w.row(usageTable, from, to, key.Job, key.Index, machine, use[0], use[1], use[1], 0, "0.001", use[1], "1.9e-05", "0.0004",
		use[0], "0.003", "2.911", "0.01035", 1, 0, use[0])
}

// content returns a table's rows as the text of a file.
func (r rows) content() string {
	if len(r) == 0 {
		return ""
	}
	return strings.Join(r, "\n") + "\n"
}
