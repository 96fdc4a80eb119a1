package question_test

import (
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"parley/core/kube/constraint"
	"parley/core/kube/question"
)

// sizedNode is a node of 4 cores that keeps one of them back, with a driver that attaches three volumes.
func sizedNode(name, zone string) string {
	return strings.Replace(node(name, zone, "3"), `"allocatable":{`, `"capacity":{"cpu":"4","memory":"16Gi","pods":"110"},"allocatable":{`, 1)
}

func priceList(t *testing.T, text string) *question.Table {
	t.Helper()
	prices, err := question.ReadPrices("types.csv", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return prices
}

// TestGrowListed: nodes of types that the cluster does not have, by hand. A machine of 8 cores keeps back a quarter, as
// the node of 4 does, so that 6 are left.
func TestGrowListed(t *testing.T) {
	base := []string{sizedNode("a", "z1"), pod("full", "a", "ReplicaSet", "3", "")}
	wait := func(n int, cpu, more string) (all []string) {
		for i := range n {
			all = append(all, pod(fmt.Sprintf("w%s-%d", cpu, i), "", "ReplicaSet", cpu, more))
		}
		return all
	}
	gpus := strings.Replace(pod("train", "", "ReplicaSet", "1", `,"tolerations":[{"key":"gpu","operator":"Exists"}],"nodeSelector":{"team":"ml"}`), `"requests":{`, `"requests":{"nvidia.com/gpu":"2",`, 1)
	claim := `{"kind":"PersistentVolumeClaim","metadata":{"namespace":"n","name":"data-%d"},"spec":{"storageClassName":"fast","accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"1Gi"}}},"status":{"phase":"Pending"}}`
	disks := append(base[:2:2], `{"kind":"StorageClass","metadata":{"name":"fast"},"provisioner":"d","volumeBindingMode":"WaitForFirstConsumer"}`,
		`{"kind":"CSINode","metadata":{"name":"a"},"spec":{"drivers":[{"name":"d","nodeID":"i","allocatable":{"count":3}}]}}`)
	for i := range 6 {
		disks = append(disks, fmt.Sprintf(claim, i), pod(fmt.Sprint("db-", i), "", "StatefulSet", "1", fmt.Sprintf(`,"volumes":[{"name":"d","persistentVolumeClaim":{"claimName":"data-%d"}}]`, i)))
	}
	for _, x := range []struct {
		subject, list, want string
		items               []string
	}{
		{"a pod that no node of today is large enough for", "type,cpu,memory,price\nbig,8,32Gi,0.4\n", "1 more node of the type big in z1 takes 1 of them for 292.00 credits a month.", wait(1, "6", "")},
		{"what the kubelet keeps back", "type,cpu,memory,price\nbig,8,32Gi,0.4\n", "No shape of node in this cluster takes one of them", wait(1, "7", "")},
		{"units, names of columns, JSON", `[{"name":"big","vCPUs":"8 vCPUs","Memory":"32 GiB","price":0.4}]`, "1 more node of the type big in z1", wait(1, "6", "")},
		{"a plain number in a column with its unit", "type;vCPU;Memory (GiB)\nbig;8;32\n", "1 more node of the type big in z1 takes 1", wait(1, "6", "")},
		{"GPUs, labels and taints", "type,cpu,memory,gpus,labels,taints\ng,8,32Gi,4,team=ml,gpu=yes:NoSchedule\n", "1 more node of the type g in z1 takes 1", []string{gpus}},
		{"taints keep pods off", "type,cpu,memory,taints\ng,8,32Gi,gpu=yes:NoSchedule\n", "No shape of node in this cluster takes one of them", wait(1, "6", "")},
		{"taints and labels as JSON", `[{"type":"g","cpu":8,"memory":"32Gi","nvidia.com/gpu":4,"labels":{"team":"ml"},"taints":[{"key":"gpu","value":"yes","effect":"NoSchedule"}]}]`, "1 more node of the type g in z1 takes 1", []string{gpus}},
		{"a pod of another processor", "type,cpu,memory,arch\narm,8,32Gi,aarch64\n", "1 more node of the type arm in z1 takes 1", wait(1, "6", `,"nodeSelector":{"kubernetes.io/arch":"arm64"}`)},
		{"as many volumes as the node nearest in size", "type,cpu,memory,price\nbig,80,320Gi,0.1\n", "2 more nodes of the type big in z1 take 6", disks},
		{"a limit of volumes in the list", "type,cpu,memory,price,volumes\nbig,80,320Gi,0.1,6\n", "1 more node of the type big in z1 takes 6", disks},
		{"the zone of the list", "type,zone,cpu,memory,price\nbig,z9,8,32Gi,0.1\n", "1 more node of the type big in z9 takes 1", wait(1, "6", "")},
		{"another region", "type,region,cpu,memory,price\nbig,r9,8,32Gi,0.1\n", "No shape of node in this cluster takes one of them", wait(1, "6", "")},
		{"a type of the cluster stands for itself", "type,cpu,memory,price\nm,64,320Gi,0.1\n", "No shape of node in this cluster takes one of them", wait(1, "6", "")},
		// 9 pods of one core: two of the larger cost 0.8, nine of the smaller 0.54, one and three 0.58, so the nine do.
		{"the cheapest of two types", "type,cpu,memory,price\nlarge,8,64Gi,0.4\nsmall,1334m,8Gi,0.06\n", "9 more nodes of the type small in z1 take 9 of them for 394.20 credits a month", wait(9, "1", "")},
		// 7 pods of one core: 0.7 for two larger ones, 0.7 for seven smaller ones, 0.45 for one of each.
		{"the last pods on a smaller node", "type,cpu,memory,price\nlarge,8,64Gi,0.35\nsmall,1334m,8Gi,0.1\n", "A mix takes 7 of them: 1 of the type large in z1, 1 of the type small in z1, for 328.50 credits a month. No choice of these shapes costs less than 298.08.", wait(7, "1", "")},
	} {
		c := read(t, list(append(base[:2:2], x.items...)...))
		if strings.Contains(strings.Join(x.items, ""), "CSINode") {
			c = read(t, list(x.items...))
		}
		g := question.Grow(c, constraint.Default(), question.GrowOptions{Prices: priceList(t, x.list)})
		if !strings.Contains(g.Sentence(), x.want) {
			t.Errorf("%s: %s; want %q", x.subject, g.Sentence(), x.want)
		}
	}
}

// TestListedSizes: what is wrong with a size is told with its place, and does not end the reading of prices.
func TestListedSizes(t *testing.T) {
	for text, want := range map[string]string{
		"type,cpu,memory,price\na,x,1Gi,1\n":                         `types.csv, line 2, column cpu: "x" is not understood; write a number of cores`,
		"type,cpu,memory,price\na,4,16,1\n":                          `line 2, column memory: "16" is not understood; write an amount with its unit such as 16Gi or 16 GiB, or name the column memory_gib`,
		"type,cpu,memory,price\na,4,16 lumps,1\n":                    `column memory: "16 lumps" is not understood`,
		"type,cpu,memory,gpus,price\na,4,16Gi,half,1\n":              `column gpus: "half" is not understood; write a whole number`,
		"type,cpu,memory,labels,price\na,4,16Gi,gpu,1\n":             `column labels: "gpu" is not understood`,
		"type,cpu,memory,taints,price\na,4,16Gi,gpu=1:Sometimes,1\n": `column taints: "gpu=1:Sometimes" is not understood; write taints such as`,
	} {
		table := priceList(t, text)
		if n, wrong := table.Machines(); n != 0 || wrong == nil || !strings.Contains(wrong.Error(), want) || len(table.Prices) != 1 {
			t.Errorf("%q: %d machines, %v; want %q", text, n, wrong, want)
		}
	}
	for text, want := range map[string]string{"type,cpu\na,4\n": "no column of", "cpu,memory\n4,16Gi\n": "no column names the machine type"} {
		if _, err := question.ReadPrices("types.csv", []byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// packs reports whether bins hold items.
func packs(bins, items []int) bool {
	if len(items) == 0 {
		return true
	}
	for i := range bins {
		if bins[i] >= items[0] {
			bins[i] -= items[0]
			done := packs(bins, items[1:])
			if bins[i] += items[0]; done {
				return true
			}
		}
	}
	return false
}

// TestMixAgainstAll: the cost of the answer is at least that of the cheapest of all choices, and the bound at most that.
// How often the answer is the cheapest choice is printed.
func TestMixAgainstAll(t *testing.T) {
	draws, cheapest, cases, extra := rand.New(rand.NewSource(7)), 0, 60, 0.0
	for n := range cases {
		sizes, prices := []int{2 + draws.Intn(2), 4 + draws.Intn(3), 8 + draws.Intn(4)}, make([]int, 3)
		text, items, pods := "type,cpu,memory,price\n", []string{node("a", "z1", "1"), pod("full", "a", "ReplicaSet", "1", "")}, []int{}
		for k, size := range sizes {
			prices[k] = size*10 + draws.Intn(12) - 6
			text += fmt.Sprintf("t%d,%d,64Gi,%d\n", k, size, prices[k])
		}
		for i := range 4 + draws.Intn(5) {
			pods = append(pods, 1+draws.Intn(sizes[draws.Intn(2)]))
			items = append(items, pod(fmt.Sprintf("w%d-%d", n, i), "", "ReplicaSet", fmt.Sprint(pods[i]), ""))
		}
		best := -1
		for i := range 9 {
			for j := range 9 {
				for k := range 6 {
					cost := i*prices[0] + j*prices[1] + k*prices[2]
					if best >= 0 && cost >= best {
						continue
					}
					var bins []int
					for x, count := range []int{i, j, k} {
						for range count {
							bins = append(bins, sizes[x])
						}
					}
					if packs(bins, pods) {
						best = cost
					}
				}
			}
		}
		g := question.Grow(read(t, list(items...)), constraint.Default(), question.GrowOptions{Prices: priceList(t, text)})
		cost := g.Shapes[0].Cost.Hour
		if g.Mix != nil {
			cost = g.Mix.Cost.Hour
		}
		if g.Shapes[0].Placed != len(pods) || cost < float64(best)-1e-6 || g.AtLeast > float64(best) || g.AtLeast == 0 {
			t.Fatalf("case %d: pods %v, %s the cheapest choice costs %d, the answer %.1f, the bound is %.1f\n%s", n, pods, text, best, cost, g.AtLeast, g.Sentence())
		}
		if cost <= float64(best)+1e-6 {
			cheapest++
		}
		extra += cost / float64(best)
	}
	t.Logf("%d of %d answers are the cheapest choice; on average they cost %.1f %% more", cheapest, cases, 100*(extra/float64(cases)-1))
}
