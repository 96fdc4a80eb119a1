package dump_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"parley/core/kube/dump"
	"parley/core/kube/usage"
	"parley/core/trace"
)

// podWith returns a pod with more in its spec and status.
func podWith(spec, status string) string {
	return `{"kind":"Pod","metadata":{"name":"a","namespace":"d"},"spec":{"containers":[{"name":"c"}]` + spec + `},"status":{"phase":"Pending"` + status + `}}`
}

// TestLimits: a small file takes neither memory nor time without bound, however it nests and
// repeats itself. What is refused is refused in a sentence.
func TestLimits(t *testing.T) {
	many := func(n int, f string) string {
		var all []string
		for i := range n {
			all = append(all, strings.ReplaceAll(f, "#", fmt.Sprint(i)))
		}
		return strings.Join(all, ",")
	}
	yamls := func(n int) string { // each anchor stands for ten of the one before
		text := "kind: Pod\nmetadata: {name: a, namespace: d}\nx0: &x0 [l,l,l,l,l,l,l,l,l,l]\n"
		for i := range n {
			text += fmt.Sprintf("x%d: &x%d [%s]\n", i+1, i+1, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*x%d,", i), 10), ","))
		}
		return text
	}
	const deep = "lists and objects lie more than 64 deep in each other"
	for subject, c := range map[string]struct{ text, refused string }{
		"a field that nests":               {podWith(`,"x":`+strings.Repeat("[", 10_000)+strings.Repeat("]", 10_000), ""), deep},
		"objects that nest":                {podWith(`,"x":`+strings.Repeat(`{"a":`, 10_000)+"1"+strings.Repeat("}", 10_000), ""), deep},
		"a list that nests":                {`{"items":` + strings.Repeat("[", 100_000), "holds"},
		"a field of the list":              {`{"kind":"List","x":` + strings.Repeat("[", 10_000) + strings.Repeat("]", 10_000) + `,"items":[]}`, deep},
		"YAML with brackets":               {"kind: Pod\nspec: " + strings.Repeat("[", 9000) + strings.Repeat("]", 9000), deep},
		"YAML with columns":                {"kind: Pod\nspec:\n" + strings.Repeat("- ", 9000) + "x", deep},
		"YAML that grows":                  {yamls(12), "excessive aliasing"},
		"64 deep":                          {podWith(`,"x":`+strings.Repeat("[", 62)+strings.Repeat("]", 62), ""), ""},
		"20,000 containers":                {podWith(`,"initContainers":[`+many(20_000, `{"name":"c#"}`)+`]`, `,"containerStatuses":[`+many(20_000, `{"name":"c#"}`)+`]`), ""},
		"20,000 containers of a name":      {podWith(`,"initContainers":[`+many(20_000, `{"name":"c"}`)+`]`, `,"initContainerStatuses":[`+many(20_000, `{"name":"c"}`)+`]`), ""},
		"20,000 documents without a kind":  {strings.ReplaceAll(many(20_000, `{"items":[{"metadata":{"name":"a#","namespace":"d"},"spec":{"containers":[{"name":"c"}]}}]}`), "]},", "]}\n"), ""},
		"20,000 resources":                 {podWith("", "") + `{"kind":"Node","metadata":{"name":"n"},"status":{"allocatable":{` + many(20_000, `"x.com/#":"1"`) + `}}}`, "500 are known"},
		"20,000 conditions":                {podWith("", `,"conditions":[`+many(20_000, `{"type":"t#"}`)+`]`), ""},
		"20,000 owners":                    {strings.Replace(podWith("", ""), `"name":"a",`, `"name":"a","ownerReferences":[`+many(20_000, `{"kind":"k#","name":"n#"}`)+`],`, 1), ""},
		"20,000 labels":                    {strings.Replace(podWith("", ""), `"name":"a",`, `"name":"a","labels":{`+many(20_000, `"k#":"v#"`)+`},`, 1), ""},
		"20,000 ports":                     {podWith(`,"containers":[{"name":"c","ports":[`+many(20_000, `{"hostPort":1#}`)+`]}]`, ""), ""},
		"20,000 tolerations":               {podWith(`,"tolerations":[`+many(20_000, `{"key":"k#","operator":"Exists"}`)+`]`, ""), ""},
		"20,000 volumes":                   {podWith(`,"volumes":[`+many(20_000, `{"name":"v#","emptyDir":{}}`)+`]`, ""), ""},
		"20,000 claims":                    {podWith(`,"volumes":[`+many(20_000, `{"name":"v#","persistentVolumeClaim":{"claimName":"v#"}}`)+`]`, ""), ""},
		"20,000 terms":                     {podWith(`,"affinity":{"podAntiAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":[`+many(20_000, `{"topologyKey":"k#","labelSelector":{"matchLabels":{"a":"b#"}}}`)+`]}}`, ""), ""},
		"20,000 values that are not known": {podWith(`,"tolerations":[`+many(20_000, `{"key":"k","effect":"e#"}`)+`]`, ""), ""},
		"20,000 pods":                      {many(20_000, strings.Replace(podWith(`,"nodeSelector":{"k#":"v#"}`, ""), `"name":"a"`, `"name":"a#","labels":{"a#":"b"}`, 1)), ""},
	} {
		if strings.HasPrefix(subject, "20,000 pods") {
			c.text = `{"items":[` + c.text + `]}`
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		began := time.Now()
		_, err := dump.Read([]trace.File{file("dump", []byte(c.text))}, nil)
		took := time.Since(began)
		runtime.ReadMemStats(&after)
		if c.refused == "" && err != nil && strings.Contains(err.Error(), "deep") || c.refused != "" && (err == nil || !strings.Contains(err.Error(), c.refused)) {
			t.Errorf("%s: %v, want %q", subject, err, c.refused)
		}
		if mb := (after.TotalAlloc - before.TotalAlloc) >> 20; mb > 256 || took > 20*time.Second {
			t.Errorf("%s: %d bytes take %v and %d MB", subject, len(c.text), took, mb)
		}
	}
	for subject, text := range map[string]string{
		"prometheus":         `{"status":"success","data":{"resultType":"matrix","result":[{"metric":{"namespace":"d","pod":"p"},"x":` + strings.Repeat("[", 100_000),
		"prometheus, nested": `{"resultType":1,` + strings.Repeat(`"data":{`, 3_000_000),
		"metrics.k8s.io":     `{"items":[{"containers":` + strings.Repeat("[", 100_000),
	} {
		if err := dump.ReadUsage(usage.New(), []trace.File{file("use", []byte(text))}, 0, nil); err == nil || !strings.Contains(err.Error(), deep) {
			t.Errorf("%s: %v", subject, err)
		}
	}
	odd := podWith(`,"tolerations":[{"key":"k","effect":"e#"}]`, "")
	odd = `{"items":[` + many(5_000, strings.Replace(odd, `"name":"a"`, `"name":"a#"`, 1)) + `]}`
	began := time.Now()
	c, err := dump.Read([]trace.File{file("dump", []byte(odd))}, nil)
	if took := time.Since(began); err != nil || len(c.Unmodelled) > 60 || took > 20*time.Second {
		t.Errorf("5,000 pods with a value of their own that is not known take %v: %v, %d sentences", took, err, len(c.Unmodelled))
	}
	if _, err := dump.Profiles("config", []byte("apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\nprofiles: ["+many(20_000, "{schedulerName: s#}")+"]")); err == nil || !strings.Contains(err.Error(), "has 20000 profiles: at most 100 are read") {
		t.Error(err)
	}
	header := make([]byte, 1024)
	copy(header, "nodes.json")
	copy(header[124:], fmt.Sprintf("%011o", 200<<20))
	header[156] = '0'
	copy(header[257:], "ustar\x0000")
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err = dump.Read([]trace.File{file("dump.tar", header)}, nil)
	runtime.ReadMemStats(&after)
	if mb := (after.TotalAlloc - before.TotalAlloc) >> 20; mb > 50 || err == nil || !strings.Contains(err.Error(), "ends too early") {
		t.Errorf("a tar archive of 1 kB that says 200 MB takes %d MB: %v", mb, err)
	}
	if _, err := dump.Profiles("config", []byte("a: "+strings.Repeat("[", 9000))); err == nil || !strings.Contains(err.Error(), deep) {
		t.Error(err)
	}
}
