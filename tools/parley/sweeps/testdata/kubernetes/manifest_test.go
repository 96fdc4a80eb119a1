// Package kubernetes_test holds the manifests of parley sweep --kubernetes to the types
// of Kubernetes' own API. It is a module of its own, because nothing else of Parley needs
// that API's 20 modules.
package kubernetes_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	strict "sigs.k8s.io/json"
)

const document = `{"v":1,"base":{"v":1,"system":"central","cluster":{"nodes":30},"until":"5m"},
	"axes":{"settings.policy":["best-fit","worst-fit"]},"seeds":{"from":1,"to":11},"metrics":["tasks_submitted","overloaded_pct"]}`

const shards = 5

// pinned is the digest of an image.
const pinned = "@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

// build returns the program as the Containerfile builds it.
func build(t *testing.T) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "parley")
	cmd := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-ldflags", "-s -w", "-o", program, "./tools/parley")
	cmd.Dir = filepath.Join("..", "..", "..", "..", "..")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return program
}

func call(t *testing.T, dir, program string, args ...string) []byte {
	t.Helper()
	cmd := exec.Command(program, args...)
	cmd.Dir = dir
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s %s: %v: %s", program, args, err, &said)
	}
	return out
}

// decode reads a value as the API server does with strict validation: no unknown field, no
// field twice, names as they are spelled.
func decode(t *testing.T, text []byte, into any) {
	t.Helper()
	doubts, err := strict.UnmarshalStrict(text, into)
	if err != nil || len(doubts) > 0 {
		t.Fatalf("%v %v in\n%s", err, doubts, text)
	}
}

// manifest writes one and returns what is in it.
func manifest(t *testing.T, dir, program string, flags ...string) (config corev1.ConfigMap, job batchv1.Job) {
	t.Helper()
	call(t, dir, program, append([]string{"sweep", "sweep.json", "--kubernetes", "--out", "k", "--image", "registry.example.org/parley" + pinned, "--shards", fmt.Sprint(shards)}, flags...)...)
	text, err := os.ReadFile(filepath.Join(dir, "k", "job.json"))
	if err != nil {
		t.Fatal(err)
	}
	var list metav1.List
	decode(t, text, &list)
	if len(list.Items) != 2 || list.Kind != "List" {
		t.Fatalf("%s", text)
	}
	decode(t, list.Items[0].Raw, &config)
	decode(t, list.Items[1].Raw, &job)
	if config.Kind != "ConfigMap" || config.APIVersion != corev1.SchemeGroupVersion.String() || job.Kind != "Job" || job.APIVersion != batchv1.SchemeGroupVersion.String() {
		t.Errorf("%v and %v", config.TypeMeta, job.TypeMeta)
	}
	rules(t, config, job)
	return config, job
}

// rules are those of the API server that types do not tell and that this manifest meets.
func rules(t *testing.T, config corev1.ConfigMap, job batchv1.Job) {
	t.Helper()
	for _, name := range []string{config.Name, job.Name} {
		if wrong := validation.IsDNS1123Label(name); len(wrong) > 0 {
			t.Errorf("%s: %v", name, wrong)
		}
	}
	for _, value := range job.Spec.Template.Labels {
		if wrong := validation.IsValidLabelValue(value); len(wrong) > 0 {
			t.Errorf("%s: %v", value, wrong)
		}
	}
	spec, pod := job.Spec, job.Spec.Template.Spec
	if *spec.CompletionMode != batchv1.IndexedCompletion || *spec.Completions != shards || *spec.Parallelism != shards {
		t.Errorf("%+v", spec)
	}
	if pod.RestartPolicy != corev1.RestartPolicyNever { // backoffLimitPerIndex and podFailurePolicy ask for it
		t.Errorf("the pod restarts %s", pod.RestartPolicy)
	}
	if r := spec.PodFailurePolicy.Rules; len(r) != 2 || r[0].Action != batchv1.PodFailurePolicyActionFailJob || !slices.Equal(r[0].OnExitCodes.Values, []int32{2}) || *r[0].OnExitCodes.ContainerName != "parley" ||
		r[1].Action != batchv1.PodFailurePolicyActionIgnore || r[1].OnPodConditions[0].Type != corev1.DisruptionTarget {
		t.Errorf("%+v", r)
	}
	if *spec.MaxFailedIndexes < 0 || *spec.MaxFailedIndexes >= shards || *spec.ActiveDeadlineSeconds != 24*3600 || *spec.TTLSecondsAfterFinished != 7*24*3600 {
		t.Errorf("%+v", spec)
	}
	volumes := map[string]bool{}
	for _, v := range pod.Volumes {
		volumes[v.Name] = true
		if v.EmptyDir != nil && v.EmptyDir.SizeLimit.IsZero() {
			t.Errorf("the folder %s may fill its node's disk", v.Name)
		}
	}
	for _, c := range slices.Concat(pod.InitContainers, pod.Containers) {
		if c.Resources.Requests.Cpu().IsZero() || c.Resources.Requests.Memory().IsZero() || c.Resources.Limits.Memory().Cmp(*c.Resources.Requests.Memory()) < 0 || !strings.HasSuffix(c.Image, pinned) {
			t.Errorf("%s: %+v of %s", c.Name, c.Resources, c.Image)
		}
		if disk := c.Resources.Limits.StorageEphemeral(); disk.IsZero() || disk.Cmp(*c.Resources.Requests.StorageEphemeral()) != 0 {
			t.Errorf("%s asks for %v of its node's disk and may take %v", c.Name, c.Resources.Requests.StorageEphemeral(), disk)
		}
		if limit := goLimit(t, c); c.Name == "parley" && (limit <= 0 || limit >= c.Resources.Limits.Memory().Value()) {
			t.Errorf("%s has GOMEMLIMIT %d of %v", c.Name, limit, c.Resources.Limits.Memory())
		}
		for _, m := range c.VolumeMounts {
			if !volumes[m.Name] {
				t.Errorf("%s mounts %s, which the pod has not", c.Name, m.Name)
			}
		}
		for _, e := range c.Env {
			if e.ValueFrom != nil && e.ValueFrom.FieldRef.FieldPath != "metadata.annotations['"+batchv1.JobCompletionIndexAnnotation+"']" {
				t.Errorf("%s comes from %s", e.Name, e.ValueFrom.FieldRef.FieldPath)
			}
		}
	}
}

// goLimit returns GOMEMLIMIT in bytes; 0: there is none.
func goLimit(t *testing.T, c corev1.Container) (n int64) {
	for _, e := range c.Env {
		if e.Name == "GOMEMLIMIT" {
			if _, err := fmt.Sscan(e.Value, &n); err != nil {
				t.Error(err)
			}
		}
	}
	return n
}

// play runs a container's program as a kubelet starts it, with the index of its pod and
// mounts in dir.
func play(t *testing.T, program, dir string, c corev1.Container, index int) {
	t.Helper()
	args := slices.Clone(c.Args)
	for i := range args {
		args[i] = strings.ReplaceAll(args[i], "$(JOB_COMPLETION_INDEX)", fmt.Sprint(index))
		for _, m := range c.VolumeMounts {
			if strings.HasPrefix(args[i], m.MountPath) {
				args[i] = filepath.Join(dir, args[i])
			}
		}
	}
	cmd := exec.Command(program, args...)
	cmd.Env = []string{"HOSTNAME=pod", fmt.Sprint("JOB_COMPLETION_INDEX=", index)} // an empty image has nothing else
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("index %d: %v: %s", index, err, out)
	}
}

// Each index of the job plays its share of the table, and all of them the table.
func TestEachIndexPlaysItsShare(t *testing.T) {
	program, dir := build(t), t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "sweep.json"), []byte(document), 0o644); err != nil {
		t.Fatal(err)
	}
	want := call(t, dir, program, "sweep", "sweep.json", "--json")
	config, job := manifest(t, dir, program, "--volume", "results")
	pod := t.TempDir()
	for _, folder := range []string{"sweep", "results"} {
		if err := os.Mkdir(filepath.Join(pod, folder), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range config.Data {
		if err := os.WriteFile(filepath.Join(pod, "sweep", name), []byte(text), 0o444); err != nil {
			t.Fatal(err)
		}
	}
	seen := map[string]bool{}
	for index := range shards {
		play(t, program, pod, job.Spec.Template.Spec.Containers[0], index)
		parts, err := filepath.Glob(filepath.Join(pod, "results", "parts", fmt.Sprintf("shard-%d-of-%d.*.jsonl", index, shards)))
		if err != nil || len(parts) != 1 {
			t.Fatalf("%v: index %d left %v", err, index, parts)
		}
		text, err := os.ReadFile(parts[0])
		if err != nil {
			t.Fatal(err)
		}
		share := 0
		for line := range bytes.Lines(text) {
			var r struct{ ID string }
			if err := json.Unmarshal(line, &r); err != nil || seen[r.ID] {
				t.Fatalf("%v: index %d played %s, which another one has played", err, index, r.ID)
			}
			seen[r.ID] = true
			share++
		}
		if least := 22 / shards; share != least && share != least+1 {
			t.Errorf("index %d played %d of 22 runs", index, share)
		}
	}
	if len(seen) != 22 {
		t.Errorf("%d runs were played, not 22", len(seen))
	}
	if got := call(t, dir, program, "sweep", filepath.Join(pod, "sweep", "sweep.json"), "--out", filepath.Join(pod, "results"), "--json"); !bytes.Equal(got, want) {
		t.Errorf("the table is\n%s\nnot\n%s", got, want)
	}
}

// With an object store, rclone fetches what earlier attempts kept, and keeps what is new.
func TestObjectStore(t *testing.T) {
	program, dir := build(t), t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "sweep.json"), []byte(document), 0o644); err != nil {
		t.Fatal(err)
	}
	_, job := manifest(t, dir, program, "--s3", "results/loads", "--s3-image", "docker.io/rclone/rclone"+pinned, "--s3-secret", "keys", "--s3-endpoint", "https://store.example.org", "--namespace", "lab")
	pod := job.Spec.Template.Spec
	if job.Namespace != "lab" || len(pod.InitContainers) != 2 || len(pod.Containers) != 1 {
		t.Fatalf("%+v", job)
	}
	for _, c := range []corev1.Container{pod.InitContainers[0], pod.Containers[0]} {
		if c.EnvFrom[0].SecretRef.Name != "keys" || !strings.Contains(c.Command[2], "store:results/loads/parts") {
			t.Errorf("%+v", c)
		}
	}
}
