// Package usage records the resource usage of a cluster's pods over time, by owning workload, and
// compares it with their requests.
//
//	u := usage.New()
//	u.Add(usage.Series{Namespace: "shop", Pod: "web-1", Resource: kube.CPU}, 0.12) // cores
//	rows, left := usage.RightSize(cluster, u)
//
// Pods come and go within a week, so figures are of owners: all samples of all pods that a
// workload had count alike. Quantiles are of a histogram whose buckets rise by at most 1/64 of
// their bound; the maximum is exact.
package usage

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"parley/core/kube"
)

// Series identifies the series that a sample belongs to.
type Series struct {
	Namespace, Pod string
	Container      string // "" if the sample is of the whole pod
	Resource       int    // kube.CPU in cores or kube.Memory in bytes
}

// Usage holds the samples of a cluster.
type Usage struct {
	series     map[Series]*histogram
	From, To   int64 // seconds since 1970 of the first and the last sample; 0 if no sample has a time
	Samples    int64
	Unreadable int64 // samples that are not finite numbers
}

// New returns a Usage without samples.
func New() *Usage { return &Usage{series: map[Series]*histogram{}} }

// Add adds a sample: cores or bytes, at least 0.
func (u *Usage) Add(s Series, x float64) {
	if !(x >= 0) || x > 1e18 {
		u.Unreadable++
		return
	}
	h := u.series[s]
	if h == nil {
		h = &histogram{}
		u.series[s] = h
	}
	h.add(x)
	u.Samples++
}

// At extends the time span of the samples to a moment, in seconds since 1970. Add does not know times.
func (u *Usage) At(seconds int64) {
	if u.From == 0 || seconds < u.From {
		u.From = seconds
	}
	u.To = max(u.To, seconds)
}

// Instant reports whether the samples are of one moment: no series has two.
func (u *Usage) Instant() bool {
	for _, h := range u.series {
		if h.n > 1 {
			return false
		}
	}
	return true
}

// histogram counts samples in buckets, 64 between a number and its double.
type histogram struct {
	counts  map[int32]int64
	n       int64
	largest float64
}

const perDouble = 64

// add counts a sample, which must be 0 or more and finite.
func (h *histogram) add(x float64) {
	if h.counts == nil {
		h.counts = map[int32]int64{}
	}
	h.counts[bucket(x)]++
	h.n++
	h.largest = max(h.largest, x)
}

// merge adds the samples of another histogram.
func (h *histogram) merge(other *histogram) {
	if h.counts == nil {
		h.counts = map[int32]int64{}
	}
	for b, n := range other.counts {
		h.counts[b] += n
	}
	h.n += other.n
	h.largest = max(h.largest, other.largest)
}

// bucket returns the bucket of a number; all below a thousand-millionth share the lowest.
func bucket(x float64) int32 {
	if x < 1e-9 {
		return math.MinInt32
	}
	fraction, exponent := math.Frexp(x) // 0.5 to 1
	return int32(exponent)*perDouble + int32(math.Ceil(float64((fraction-0.5)*2*perDouble)))
}

// bound returns the upper bound of a bucket.
func bound(b int32) float64 {
	if b == math.MinInt32 {
		return 0
	}
	exponent := b >> 6
	part := b - exponent<<6
	return math.Ldexp(0.5+float64(float64(part)/(2*perDouble)), int(exponent))
}

// quantile returns an upper bound of the quantile part (0.5 is the median), at most 1/64 above it and never
// above the largest sample. The histogram must have a sample.
func (h *histogram) quantile(part float64) float64 {
	buckets := make([]int32, 0, len(h.counts))
	for b := range h.counts {
		buckets = append(buckets, b)
	}
	slices.Sort(buckets)
	left := int64(math.Ceil(part * float64(h.n)))
	for _, b := range buckets {
		if left -= h.counts[b]; left <= 0 {
			return min(bound(b), h.largest)
		}
	}
	return h.largest
}

// Row compares the requests of a workload's pods with their usage of one resource. Figures are of
// one pod: milli-CPUs or bytes.
type Row struct {
	Namespace string `json:"namespace"`
	Kind      string `json:"kind"`
	Name      string `json:"name"`
	Resource  string `json:"resource"`
	Pods      int    `json:"pods"` // bound
	Request   int64  `json:"request"`
	P50       int64  `json:"p50"`
	P95       int64  `json:"p95"`
	Max       int64  `json:"max"`
	Samples   int64  `json:"samples"`
	// Over is the sum of all pods' requests beyond P95; negative if they use more than they request.
	Over int64 `json:"over"`
}

// of is a workload in a namespace.
type of struct {
	namespace string
	owner     kube.Owner
}

// RightSize returns a row for each workload and resource that has samples and bound pods, those of CPU
// first, within a resource the largest excess over all pods first. unknown is the number of series whose
// pod no workload of the cluster explains.
func RightSize(c *kube.Cluster, u *Usage) (rows []Row, unknown int) {
	owners, byName := map[of]*group{}, map[[2]string]of{}
	keep := kube.NewOwners(c)
	for i := range c.Pods {
		p := &c.Pods[i]
		in := of{p.Namespace, keep.Of(p)}
		if owners[in] == nil {
			owners[in] = &group{}
		}
		byName[[2]string{p.Namespace, p.Name}] = in
		if p.Node != kube.Nowhere {
			g := owners[in]
			g.pods++
			for r := range g.requests {
				g.requests[r] += p.Spec.Requests.At(r)
			}
		}
	}
	for s, h := range u.series {
		in, known := byName[[2]string{s.Namespace, s.Pod}]
		if !known {
			in, known = gone(owners, s)
		}
		if !known {
			unknown++
			continue
		}
		owners[in].add(s, h)
	}
	for in, g := range owners {
		for r := range g.requests {
			if row, has := g.row(in, r); has {
				rows = append(rows, row)
			}
		}
	}
	slices.SortFunc(rows, func(a, b Row) int {
		return cmp.Or(cmp.Compare(a.Resource, b.Resource), cmp.Compare(b.Over, a.Over),
			cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Name, b.Name))
	})
	return rows, unknown
}

// gone returns the workload of a pod that no longer exists, by the pod's name without its last one or two
// parts, and whether the cluster has such a workload with pods.
func gone(owners map[of]*group, s Series) (of, bool) {
	stem := s.Pod
	for range 2 {
		at := strings.LastIndexByte(stem, '-')
		if at <= 0 {
			return of{}, false
		}
		stem = stem[:at]
		for _, kind := range []string{"Deployment", "StatefulSet", "DaemonSet", "ReplicaSet", "Job"} {
			in := of{s.Namespace, kube.Owner{Kind: kind, Name: stem}}
			if owners[in] != nil {
				return in, true
			}
		}
	}
	return of{}, false
}

// group gathers the samples of one workload: by resource, the histogram of each container, or of
// whole pods.
type group struct {
	pods     int
	requests [2]int64 // kube.CPU, kube.Memory
	used     [2]map[string]*histogram
}

// add merges the samples of a series into those of its container and resource.
func (g *group) add(s Series, h *histogram) {
	if g.used[s.Resource] == nil {
		g.used[s.Resource] = map[string]*histogram{}
	}
	all := g.used[s.Resource][s.Container]
	if all == nil {
		all = &histogram{}
		g.used[s.Resource][s.Container] = all
	}
	all.merge(h)
}

// row returns the row of a workload for resource r (kube.CPU or kube.Memory), and false if it has no
// samples or no bound pod. Quantiles of containers are summed, which is at least the quantile of the pod;
// if whole pods were measured too, only these samples count.
func (g *group) row(in of, r int) (Row, bool) {
	if len(g.used[r]) == 0 || g.pods == 0 {
		return Row{}, false
	}
	row := Row{
		Namespace: in.namespace, Kind: in.owner.Kind, Name: in.owner.Name, Resource: kube.BaseResources()[r],
		Pods: g.pods, Request: g.requests[r] / int64(g.pods),
	}
	scale := 1.0
	if r == kube.CPU {
		scale = 1000
	}
	p50, p95, largest := 0.0, 0.0, 0.0
	names := make([]string, 0, len(g.used[r]))
	for name := range g.used[r] {
		names = append(names, name)
	}
	slices.Sort(names)
	if len(names) > 1 && names[0] == "" {
		names = names[:1] // whole pods were measured as well
	}
	for _, name := range names {
		h := g.used[r][name]
		p50, p95, largest = p50+h.quantile(0.5), p95+h.quantile(0.95), largest+h.largest
		row.Samples += h.n
	}
	row.P50, row.P95 = int64(math.Ceil(p50*scale)), int64(math.Ceil(p95*scale))
	row.Max = int64(math.Ceil(largest * scale))
	row.Over = g.requests[r] - row.P95*int64(g.pods)
	return row, true
}
