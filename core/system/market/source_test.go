package market_test

import (
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"

	"parley/core/system/market"
	"parley/core/unit"
	"parley/core/workload"
)

// played is a log that was opened: these records, then an error.
type played struct {
	workload.Source
	records []workload.Record
	end     error
}

func (p *played) Next(r *workload.Record) error {
	if len(p.records) == 0 {
		return p.end
	}
	*r, p.records = p.records[0], p.records[1:]
	return nil
}

// TestOpenedLog: a log that was opened is a site beside those of the paper, as large as its
// machine, and its jobs are the site's; what is wrong with it is said.
func TestOpenedLog(t *testing.T) {
	log := func(end error, jobs ...unit.Time) *played {
		p := &played{end: end, records: []workload.Record{{Kind: workload.NodeJoins, Node: workload.Node{Processors: 40}}, {Kind: workload.NodeJoins, Node: workload.Node{Processors: 24}}}}
		for i, at := range jobs {
			p.records = append(p.records, workload.Record{At: at, Kind: workload.JobArrives, Key: workload.Key{Job: uint64(i + 1)}, Job: &workload.Job{Processors: 70, Run: unit.Hour, User: 5}})
		}
		return p
	}
	broken := errors.New("line 7 is wrong")
	if _, err := market.Files(nil, 1, log(broken, 1)); !errors.Is(err, broken) {
		t.Error(err)
	}
	if _, err := market.Files(nil, 1, log(io.EOF)); err == nil || !strings.Contains(err.Error(), "the log has no jobs") {
		t.Error(err)
	}
	for _, c := range []struct {
		document string
		cores    int32
	}{
		{"", 64}, {`{"sites":[{"name":"mine","log":"file"}]}`, 64}, {`{"sites":[{"name":"mine","log":"file","cores":50}]}`, 50},
	} {
		s, err := market.Files(json.RawMessage(c.document), 1, log(io.EOF, 0, 0, unit.Hour, 2*unit.Hour, 3*unit.Hour))
		if err != nil {
			t.Fatal(err)
		}
		var r workload.Record
		cores, sites, jobs := int32(0), map[int32]bool{}, 0
		for range 4000 {
			if s.Next(&r) != nil {
				break
			}
			switch r.Kind {
			case workload.NodeJoins:
				sites[r.Node.Site] = true
				if r.Node.Site == 0 {
					cores += r.Node.Processors
				}
			case workload.JobArrives:
				if r.Job.Queue == 0 {
					jobs++
					if r.Job.Processors != min(70, c.cores) || r.Job.Run > unit.Hour || r.Job.Estimate < 1 || r.Job.User != 5 {
						t.Errorf("%s: %+v", c.document, r.Job)
					}
				}
			}
		}
		if want := map[bool]int{true: 21, false: 1}[c.document == ""]; cores != c.cores || len(sites) != want || jobs == 0 {
			t.Errorf("%q: %d sites, the first of %d cores with %d jobs", c.document, len(sites), cores, jobs)
		}
	}
}

// TestForeignJobs: a job that no request asked for is nobody's.
func TestForeignJobs(t *testing.T) {
	w := open(t, `{"cells":1,"sites":[{"name":"one","cores":64,"start_price":60,"min_price":40}],
 "requests":[{"at":"10s","user":0,"units":[{"CPUHourCost":70,"TotalCores":16,"EndDate":"2016-01-01","EndTime":"06:00:00","WallTime":"PT1H"}]}]}`, `{"signatures":"modelled","users":1}`, 1)
	for _, key := range []workload.Key{{Job: 0}, {Job: 2}, {Job: 1, Index: 1}, {Job: 1, Index: 9}} {
		w.cluster.SubmitJob(key, &workload.Job{Processors: 1, Run: 1, Estimate: 1, Queue: -1})
	}
	if err := w.pass(unit.Hour); err != nil {
		t.Fatal(err)
	}
	if bought, failed, _, _ := market.BooksOf(w.system).Counts(); bought != 1 || failed != 0 {
		t.Errorf("%d bought, %d failed", bought, failed)
	}
}
