package cluster_test

import (
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/core/kube/question"
	"parley/core/kube/remote"
	"parley/core/message"
	"parley/core/trace"
)

// host opens files of a folder by their names, and counts what is said meanwhile.
func host(folder string, stated *int) remote.Host {
	return remote.Host{
		Open: func(f message.File) trace.File {
			name := filepath.Join(folder, f.Name)
			return trace.File{Name: f.Name, Size: f.Size, Open: func() (io.ReadCloser, error) { return os.Open(name) }}
		},
		Send: func(message.Message) { *stated++ },
	}
}

// TestPageAnswersAsTheCommandLine asks the page's desk each question of a dump: its files are
// what parley cluster prints.
func TestPageAnswersAsTheCommandLine(t *testing.T) {
	name := dump(t)
	folder := filepath.Dir(name)
	prices := "type,price,currency\nm-16,0.77,EUR\n"
	for file, text := range map[string]string{
		"prices.csv": prices,
		"usage.csv":  "time,namespace,pod,cpu,memory\n1700000000,kube-system,agent-0-00000,10m,30Mi\n1700086400,kube-system,agent-0-00000,40m,50Mi\n",
	} {
		if err := os.WriteFile(filepath.Join(folder, file), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	size := func(name string) int64 {
		info, err := os.Stat(filepath.Join(folder, name))
		if err != nil {
			t.Fatal(err)
		}
		return info.Size()
	}
	stated := 0
	h := host(folder, &stated)
	d := remote.New(func() time.Duration { return 0 })
	read, is := d.Answer(message.ReadDump{Files: []message.File{{Name: "dump.json", Size: size("dump.json")}}}, h).(message.DumpRead[question.Summary])
	if !is || len(read.Nodes) != 8 || read.Summary.Pods.Bound+read.Summary.Pods.Pending != 100 || stated == 0 || read.Bytes != size("dump.json") {
		t.Fatalf("%+v, %d said", read, stated)
	}
	if !strings.HasPrefix(read.Sentence, "8 nodes in 3 zones, 100 pods in ") {
		t.Errorf("the dump's sentence is %q", read.Sentence)
	}
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	sum := message.FileSum{File: "dump.json", SHA256: fmt.Sprintf("%x", sha256.Sum256(text))}
	if got := d.Answer(message.SumDump{}, h).(message.DumpSums); len(got.Files) != 1 || got.Files[0] != sum {
		t.Errorf("%+v, want %+v", got, sum)
	}
	kept := filepath.Join(folder, "last.json")
	ask(t, "report", "--delete-emptydir-data", name, "--out", kept)
	last, err := os.ReadFile(kept)
	if err != nil {
		t.Fatal(err)
	}
	table := &message.NamedText{Name: "prices.csv", Text: prices}
	limit := []message.NamedText{{Name: "most-allocated"}}
	patch := "node/" + read.Nodes[1].Name + `={"spec":{"unschedulable":true}}`
	for _, c := range []struct {
		args []string
		m    message.AskCluster
	}{
		{[]string{"lose", "--by", "zone", "--autoscaler"}, message.AskCluster{Question: "lose", By: "zone", Autoscaler: true}},
		{[]string{"consolidate", "--by", "cluster-autoscaler"}, message.AskCluster{Question: "consolidate", By: "cluster-autoscaler"}},
		{[]string{"drain", "--delete-emptydir-data", "--prices", filepath.Join(folder, "prices.csv")}, message.AskCluster{Question: "drain", EmptyDir: true, Prices: table}},
		{[]string{"drain", "--force", "--config", "most-allocated"}, message.AskCluster{Question: "drain", Force: true, Configs: limit}},
		{[]string{"lose", "--by", "zone"}, message.AskCluster{Question: "lose", By: "zone"}},
		{[]string{"lose", "--by", "type", "--name", "m-16", "--not-ready"}, message.AskCluster{Question: "lose", By: "type", Names: []string{"m-16"}, NotReady: true}},
		{[]string{"fit"}, message.AskCluster{Question: "fit"}},
		{[]string{"fit", "--pod", read.Owners[0]}, message.AskCluster{Question: "fit", Pod: read.Owners[0]}},
		{[]string{"grow", "--prices", filepath.Join(folder, "prices.csv")}, message.AskCluster{Question: "grow", Prices: table}},
		{[]string{"score"}, message.AskCluster{Question: "score", Configs: []message.NamedText{{Name: "default"}, {Name: "most-allocated"}}}},
		{[]string{"right-size", "--usage", filepath.Join(folder, "usage.csv")}, message.AskCluster{Question: "size", Usage: []message.PodsUsage{{File: message.File{Name: "usage.csv", Size: size("usage.csv")}}}}},
		{[]string{"requests", "--by", "owner"}, message.AskCluster{Question: "requests", By: "owner"}},
		{[]string{"requests", "--by", "owner", "--node", read.Nodes[3].Name}, message.AskCluster{Question: "node", Names: []string{read.Nodes[3].Name}}},
		{[]string{"report", "--delete-emptydir-data"}, message.AskCluster{Question: "report", EmptyDir: true}},
		{[]string{"report", "--delete-emptydir-data", "--against", kept}, message.AskCluster{Question: "report", EmptyDir: true, Against: &message.NamedText{Name: "last.json", Text: string(last)}}},
		{[]string{"fit", "--more", "node/" + read.Nodes[0].Name + "=2"}, message.AskCluster{Question: "fit", Changes: []message.ClusterChange{{How: "more", Text: "node/" + read.Nodes[0].Name + "=2"}}}},
		{[]string{"drain", "--delete-emptydir-data", "--without", "node/" + read.Nodes[0].Name, "--patch", patch}, message.AskCluster{Question: "drain", EmptyDir: true, Changes: []message.ClusterChange{{How: "patch", Text: patch}, {How: "without", Text: "node/" + read.Nodes[0].Name}}}},
	} {
		answer, is := d.Answer(c.m, h).(message.ClusterAnswer)
		if !is || len(answer.Documents) == 0 || answer.Documents[0].Sentence == "" || len(answer.Documents[0].Method) == 0 {
			t.Errorf("%v: %+v", c.args, answer)
			continue
		}
		if both := answer.Before != nil; both != (len(c.m.Changes) > 0) || both && (answer.Before[0].Sentence == answer.Documents[0].Sentence || answer.Documents[0].Grids[0].Heading != "Beside the world as it is") {
			t.Errorf("%v: beside the answer about a changed world stands %+v", c.args, answer.Before)
		}
		if len(c.m.Changes) > 0 && slices.Contains(answer.Nodes, 0) {
			t.Errorf("%v: node 0 is not in the changed world, and it is emptied there: %v", c.args, answer.Nodes)
		}
		for _, as := range []string{"json", "markdown", "html"} {
			if as != "json" && c.args[0] == "right-size" {
				continue // it prints text and JSON
			}
			want := ask(t, append(append([]string{}, c.args...), name, map[bool]string{true: "--json", false: "--as=" + as}[as == "json"])...)
			if got := d.Answer(message.SaveAnswer{Question: c.m.Question, As: as}, h).(message.SavedFile); got.Text != want {
				t.Errorf("%v as %s: the page saves\n%.600s\nand the command line prints\n%.600s", c.args, as, got.Text, want)
			}
			if as == "json" && answer.Digest != fmt.Sprintf("%x", sha256.Sum256([]byte(want)))[:16] {
				t.Errorf("%v: the answer's digest %q is not that of what the command line prints", c.args, answer.Digest)
			}
		}
		if c.m.Question != "drain" {
			continue
		}
		for range 2 { // it plays the same again
			if p, is := d.Answer(message.WatchPlay{Question: "drain"}, h).(message.ClusterPlay); answer.Documents[0].Play != "" != is || is && (len(p.Nodes) != 8-len(c.m.Changes)/2 || len(p.At.Bytes) < 8*10 || len(p.Pod.Bytes) != len(p.At.Bytes)/2 || p.Stop >= 0 != (answer.Documents[0].Play == "stops")) {
				t.Errorf("%v: the answer's play is %q, and what is sent of it %+v", c.args, answer.Documents[0].Play, p)
			} else if !is {
				continue
			} else if text, parts, err := message.Encode(p); err != nil || len(parts) != 13 || strings.Count(string(text), `"part":`) != 13 || strings.Count(string(text), `"part":0,`) != 1 {
				t.Errorf("%v: %d parts cross with %.300s, %v", c.args, len(parts), text, err)
			} else if reason, is := d.Answer(message.WhyHere{Question: "drain", Shot: slices.Index(p.ShotKind.Uint16s(), uint16(slices.Index(p.Kinds, "bound")))}, h).(message.ClusterAnswer); !is || !strings.Contains(reason.Documents[0].Sentence, " take") || len(reason.Documents[0].Grids) != 1 {
				t.Errorf("%v: why the first pod is where it is: %+v", c.args, reason)
			} else if no, is := d.Answer(message.WhyHere{Question: "drain"}, h).(message.NewTrouble); !is || !strings.Contains(no.Trouble.Sentence, "gives no pod a node") {
				t.Errorf("%v: why a moment without a pod is: %+v", c.args, no)
			}
		}
		script := filepath.Join(folder, "drain.sh")
		ask(t, append(append([]string{}, c.args...), name, "--script", script)...)
		want, err := os.ReadFile(script)
		if err != nil {
			t.Fatal(err)
		}
		if len(answer.Nodes) == 0 { // the page shows no script without commands
			if answer.Documents[0].Script != "" || strings.Contains(string(want), "kubectl") {
				t.Errorf("%v: nothing is emptied, and yet there is a script:\n%s%s", c.args, answer.Documents[0].Script, want)
			}
			continue
		}
		if answer.Documents[0].Script != string(want) || strings.Count(string(want), "kubectl drain") != len(answer.Nodes) {
			t.Errorf("%v: the page's script is\n%s\nand the command line's\n%s", c.args, answer.Documents[0].Script, want)
		}
	}
}

// TestPageRefuses: what cannot be read or asked is one sentence, and a dump that cannot be read
// leaves no cluster.
func TestPageRefuses(t *testing.T) {
	name := dump(t)
	folder := filepath.Dir(name)
	if err := os.WriteFile(filepath.Join(folder, "broken.json"), []byte(`{"kind":"List","items":[{"kind":"Node","metadata":{"name":"a"},"status":{"allocatable":{"cpu":"four"}}}]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "pods.json"), []byte(onePod), 0o600); err != nil {
		t.Fatal(err)
	}
	stated := 0
	h := host(folder, &stated)
	d := remote.New(func() time.Duration { return 0 })
	file := func(name string) message.ReadDump {
		return message.ReadDump{Files: []message.File{{Name: name, Size: 100}}}
	}
	for _, c := range []struct {
		m    message.Message
		want string // of the trouble; "" if it is answered
	}{
		{message.AskCluster{Question: "drain"}, "there is no cluster yet"},
		{file("dump.json"), ""},
		{message.AskCluster{Question: "why"}, `no question "why"`},
		{message.AskCluster{Question: "lose", By: "rack"}, "no node has that"},
		{message.AskCluster{Question: "requests", By: "rack"}, `nothing can be grouped by "rack"`},
		{message.AskCluster{Question: "node", Names: []string{"x"}}, "no node"},
		{message.AskCluster{Question: "lose", By: "zone", Names: []string{"x"}}, "no such zone"},
		{message.AskCluster{Question: "fit", Pod: "x/y"}, "NAMESPACE/NAME"},
		{message.AskCluster{Question: "grow", Prices: &message.NamedText{Name: "p.csv", Text: "a,b"}}, "p.csv, line 1"},
		{message.AskCluster{Question: "drain", Configs: []message.NamedText{{Name: "s.yaml", Text: "profiles: 7"}}}, "s.yaml"},
		{message.AskCluster{Question: "report", Against: &message.NamedText{Name: "last.json", Text: "[]"}}, "last.json is no report"},
		{message.AskCluster{Question: "size"}, "choose what pods use"},
		{message.SaveAnswer{Question: "drain", As: "json"}, "no answer yet"},
		{file("pods.json"), "pods.json has no nodes"},
		{file("broken.json"), "broken.json, line 1, Node a"},
		{message.AskCluster{Question: "drain"}, "there is no cluster yet"},
		{message.ReadDump{}, ""},
	} {
		answer := d.Answer(c.m, h)
		trouble, is := answer.(message.NewTrouble)
		sentence := trouble.Trouble.Sentence
		if is != (c.want != "") || !strings.Contains(sentence, c.want) || strings.Contains(sentence, "\n") {
			t.Errorf("%+v: %T %q, want %q", c.m, answer, sentence, c.want)
		}
	}
}
