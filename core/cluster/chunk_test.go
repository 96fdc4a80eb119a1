package cluster_test

import (
	"testing"

	"pgregory.net/rapid"

	"parley/core/cluster"
	"parley/core/des"
	_ "parley/core/testkit/scripttest/seed"
	"parley/core/unit"
	"parley/core/workload"
)

// Whatever a master sends and whoever fails, the events alone tell how much is
// done and how much is lost, one chunk is on the port at a time, a worker
// computes one at a time, and the sums hold after every step.
func TestChunksAreComputedOnceOrLost(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		kernel := des.New()
		c := cluster.New(cluster.Default(), kernel)
		const workers = 4
		amount := rapid.Int64Range(-1, 5_000_000)
		for m := range uint64(workers) {
			c.Join(m, workload.Node{Capacity: unit.Vec{unit.CPU: unit.Whole}, Worker: &workload.Worker{
				Speed: unit.Work(rapid.Int64Range(0, 3_000_000).Draw(t, "speed")), Bandwidth: unit.Work(rapid.Int64Range(1, 9_000_000).Draw(t, "bandwidth")),
				CompLatency: unit.Time(rapid.Int64Range(0, 2_000_000).Draw(t, "comp")), CommLatency: unit.Time(rapid.Int64Range(0, 500_000).Draw(t, "comm")),
				Errors: workload.RateErrors{Seed: m, Speed: workload.RateError{Worker: 0.5, Chunk: 0.9}, Bandwidth: workload.RateError{Chunk: 0.2}},
			}})
		}
		var arrived, sent, done, lost int64
		onPort, queued, computing := 0, [workers]int{}, [workers]int{}
		watch := func(e cluster.Event) error {
			switch e.Kind {
			case cluster.LoadArrived:
				arrived += e.Amount
			case cluster.ChunkSent:
				sent += e.Amount
				onPort++
			case cluster.ChunkReceived:
				onPort--
				queued[e.Node]++
			case cluster.ChunkStarted:
				queued[e.Node]--
				computing[e.Node]++
			case cluster.ChunkDone:
				computing[e.Node]--
				done += e.Amount
			case cluster.ChunkLost:
				lost += e.Amount
				switch e.Detail {
				case cluster.OnPort:
					onPort--
				case cluster.InQueue:
					queued[e.Node]--
				default:
					computing[e.Node]--
				}
			}
			if onPort < 0 || onPort > 1 {
				t.Fatalf("%d chunks on the port", onPort)
			}
			for n := range workers {
				if queued[n] < 0 || computing[n] < 0 || computing[n] > 1 {
					t.Fatalf("node %d has %d chunks queued and computes %d", n, queued[n], computing[n])
				}
			}
			return nil
		}
		check := func() {
			if err := c.Deliver(watch); err != nil {
				t.Fatal(err)
			}
			if err := c.Audit(); err != nil {
				t.Fatal(err)
			}
			w := c.View().Totals().Work
			there := int64(w.Sending + w.Queued + w.Computing)
			if int64(w.Arrived) != arrived || int64(w.Done) != done || int64(w.Lost) != lost || sent != done+lost+there {
				t.Fatalf("events tell arrived %d, sent %d, done %d, lost %d; totals are %+v", arrived, sent, done, lost, w)
			}
		}
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			n := unit.NodeID(rapid.IntRange(-1, workers).Draw(t, "node"))
			switch rapid.SampledFrom([]string{"arrive", "send", "send", "send", "run", "run", "leave", "restore", "resize"}).Draw(t, "act") {
			case "arrive":
				c.Arrive(unit.Work(amount.Draw(t, "load")))
			case "send":
				_ = c.Send(n, unit.Work(amount.Draw(t, "chunk"))) // refusals are part of the game
			case "run":
				for until := kernel.Now() + unit.Time(rapid.Int64Range(0, 4_000_000).Draw(t, "time")); kernel.Step(until); {
					check()
				}
			case "leave":
				c.Leave(n)
			case "restore":
				c.Restore(n)
			case "resize":
				c.Resize(n, unit.Vec{unit.CPU: unit.ShareOf(0.5)})
			}
			check()
		}
	})
}
