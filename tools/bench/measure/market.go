package measure

import (
	"encoding/json"
	"fmt"
	"time"

	"parley/core/cluster"
	"parley/core/des"
	"parley/core/rng"
	"parley/core/system"
	"parley/core/system/market"
	"parley/core/unit"
	"parley/core/workload"
)

// Auctions measures auctions per second: one unit each, three rounds of bidding, twenty resources
// without work of their own, a purchase with reservation, contract and settlement. Agents take no
// simulated time for a message, so the figure measures the program alone.
func Auctions(name, signatures string, auctions int) Measurement {
	return Measurement{
		Name: name, Unit: "auctions/s",
		Once: func(now func() time.Time) (float64, error) {
			m, err := openMarket(signatures, auctions, "10ms")
			if err != nil {
				return 0, err
			}
			return m.rate(now, auctions)
		},
	}
}

// UsersAtOnce measures the same where all users ask at one moment.
func UsersAtOnce(users int) Measurement {
	return Measurement{
		Name: fmt.Sprintf("%d users at once", users), Unit: "auctions/s",
		Once: func(now func() time.Time) (float64, error) {
			m, err := openMarket("modelled", users, "0s")
			if err != nil {
				return 0, err
			}
			return m.rate(now, users)
		},
	}
}

// marketStage is a market whose requests are all submitted at their times.
type marketStage struct {
	kernel  *des.Kernel
	cluster *cluster.Cluster
	system  system.System
	source  workload.Source
	record  workload.Record
	over    bool
}

// openMarket returns a market of 20 sites and 1000 users, with a number of requests at this interval and
// signatures of this kind, at time 0. The work of its agents takes no simulated time.
func openMarket(signatures string, requests int, every string) (*marketStage, error) {
	sites := make([]map[string]any, 20)
	for i := range sites {
		sites[i] = map[string]any{
			"name": fmt.Sprintf("s%d", i), "cores": []int{9216, 4008, 163_840, 8192, 93_312}[i%5],
			"start_price": 50 + i, "min_price": 25 + i/2,
		}
	}
	document, err := json.Marshal(map[string]any{
		"cells": 16, "sites": sites,
		"demand": map[string]any{
			"requests": requests, "every": every, "cores": []int{16}, "price": []int{70, 80},
			"lead": []string{"5m", "12h"}, "wall": []string{"1m", "10m"}, "units": []int{1, 1},
		},
	})
	if err != nil {
		return nil, err
	}
	m := &marketStage{kernel: des.New()}
	m.cluster = cluster.New(cluster.Default(), m.kernel)
	entry := market.Entry()
	if m.source, err = entry.Workload(document, 1); err != nil {
		return nil, err
	}
	m.system, err = entry.New(system.Env{
		Clock: m.kernel, View: m.cluster.View(), Acts: m.cluster, Source: m.source,
		Rand: func(name string) *rng.Stream { return rng.New(1, "market/"+name) },
	}, fmt.Appendf(nil, `{"users":1000,"signatures":%q,"user_work_us":0,"resource_work_us":0,"bank_work_us":0}`,
		signatures))
	m.over = m.source.Next(&m.record) != nil
	m.kernel.At(0, m, 0)
	return m, err
}

// Fire implements des.Handler: it applies the records that are due and schedules itself for the next one.
func (m *marketStage) Fire(now unit.Time, _ uint64) {
	for !m.over && m.record.At <= now {
		switch m.record.Kind {
		case workload.NodeJoins:
			m.cluster.Join(m.record.Machine, m.record.Node)
		case workload.JobArrives:
			m.cluster.SubmitJob(m.record.Key, m.record.Job)
		}
		m.over = m.source.Next(&m.record) != nil
	}
	if !m.over {
		m.kernel.At(m.record.At, m, 0)
	}
}

// rate plays until all auctions are over, before the first unit begins.
func (m *marketStage) rate(now func() time.Time, auctions int) (float64, error) {
	seconds, err := timed(now, func() error {
		for m.kernel.Step(5 * unit.Minute) {
			if err := m.cluster.Deliver(m.system.On); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return 0, err
	}
	if r, ok := m.system.(system.Reporter); ok {
		if n, _ := r.Report()["auctions_bought"].(int64); int(n) != auctions {
			return 0, fmt.Errorf("of %d auctions %d bought", auctions, n)
		}
	}
	return float64(auctions) / seconds, nil
}
