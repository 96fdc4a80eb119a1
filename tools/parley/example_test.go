package main_test

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// A trace of two machines and two tasks, as the examples name its files.
const (
	machineEvents = "0,1,0,p,0.5,0.5\n0,2,0,p,1,1\n"
	taskEvents    = "0,,7,0,1,0,u,0,9,0.25,0.125,0.001,0\n0,,7,0,1,1,u,0,9,0.25,0.125,0.001,0\n" +
		"60000000,,8,0,,0,u,0,0,0.5,0.5,0.001,0\n61000000,,8,0,2,1,u,0,0,0.5,0.5,0.001,0\n180000000,,8,0,2,4,u,0,0,0.5,0.5,0.001,0\n"
)

// Every example that --help shows works as it stands, in a folder that holds a
// trace.
func TestExamplesWork(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "machine_events", "part-00000-of-00001.csv"), machineEvents)
	write(t, filepath.Join(dir, "task_events", "part-00000-of-00500.csv"), taskEvents)
	write(t, filepath.Join(dir, "KTH-SP2.swf"), "; MaxProcs: 100\n1 0 0 10 2 -1 -1 2 20 -1 1 1 1 -1 1 -1 -1 -1\n")
	write(t, filepath.Join(dir, "policy.star"), read(t, "docs/samples/policy.star"))
	run := shell(t, dir)
	dump, _, _ := run("parley cluster generate --nodes 6 --pods 60")
	dump = strings.NewReplacer("team-37", "shop", "app-0000", "web").Replace(dump)
	for _, name := range []string{"dump.json", "nodes.json", "pods-1.json"} {
		write(t, filepath.Join(dir, name), dump)
	}
	write(t, filepath.Join(dir, "new.yaml"), "apiVersion: v1\nkind: Pod\nmetadata: {name: new, namespace: default}\nspec: {containers: [{name: c, resources: {requests: {cpu: 100m}}}]}\n")
	write(t, filepath.Join(dir, "prices.csv"), "type,price\nn1,0.10\n")
	write(t, filepath.Join(dir, "types.csv"), "type,cpu,memory,price\nlarge,16,64Gi,0.50\n")
	if _, complaints, code := run("parley cluster report dump.json --out last-week.json"); code != 0 {
		t.Fatal(complaints)
	}
	write(t, filepath.Join(dir, "usage.csv"), "namespace,pod,cpu,memory\nkube-system,agent-0-00000,10m,30Mi\nkube-system,agent-0-00000,40m,50Mi\n")
	seen := 0
	for _, command := range commands(t, inside, "parley") {
		help, complaints, code := inside(command + " --help")
		if code != 0 || complaints != "" {
			t.Errorf("%s --help exits with %d and says %q", command, code, complaints)
		}
		_, after, found := strings.Cut(help, "\nExamples:\n")
		if !found {
			t.Errorf("%s --help shows no example", command)
		}
		examples, _, _ := strings.Cut(after, "\n\n")
		for example := range strings.Lines(examples) {
			seen++
			out, complaints, code := run(example)
			if code != 0 || out == "" || complaints != "" {
				t.Errorf("%s\nexits with %d, says %q and prints %d bytes", strings.TrimSpace(example), code, complaints, len(out))
			}
		}
	}
	if seen < 8 {
		t.Errorf("only %d examples were found", seen)
	}
}

var listedCommand = regexp.MustCompile(`(?m)^  ([a-z-]+) `)

// commands returns a command and all below it, as its help lists them.
func commands(t *testing.T, run func(string) (string, string, int), command string) []string {
	t.Helper()
	all := []string{command}
	help, _, _ := run(command + " --help")
	_, list, found := strings.Cut(help, "\nAvailable Commands:\n")
	if !found {
		return all
	}
	list, _, _ = strings.Cut(list, "\n\n")
	for _, match := range listedCommand.FindAllStringSubmatch(list, -1) {
		if match[1] != "help" {
			all = append(all, commands(t, run, command+" "+match[1])...)
		}
	}
	return all
}
