package sweeps

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"parley/core/escape"
)

// Kubernetes describes an Indexed Job that plays a sweep: index i plays shard i. The cluster queues,
// places and retries. Results go to a volume that the pods share, or to an object store by its S3
// interface: rclone then runs before and after the program in each pod.
type Kubernetes struct {
	Image     string // of the Containerfile, by its digest
	Shards    int
	Cores     int    // of a pod
	Memory    string // of a pod, such as 2Gi
	Disk      string // with S3: of the node, for a pod's results until they are copied, such as 1Gi
	Claim     string // of a volume that many pods can write, or
	S3        string // bucket/prefix, with
	Endpoint  string // of the object store; empty: Amazon's
	Secret    string // with AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY
	Copier    string // with S3: the image of rclone, by its digest
	Within    string // the longest that the job may take, such as 24h
	Keep      string // time for which a finished job is kept
	Namespace string // empty: the current one
}

// maxConfig is the size of the largest ConfigMap, with room for its names.
const maxConfig = 1<<20 - 1<<12

// retries is the number of times that an index is started again after it failed by itself. If a
// tenth of all indices fail for good, and more than two, the job ends, because the cause is not in
// the indices.
const retries = 3

func (k Kubernetes) maxFailed() int { return min(max(2, k.Shards/10), k.Shards-1) }

// goMemory is the part of a pod's memory, in hundredths, at which the program collects
// with more effort, before the kernel ends it. Its runs are processes of their own, each
// with its share.
const goMemory = 85

// logs limits the bytes that a container writes on its node beside results. Its files are read-only,
// so these are its messages.
const logs = 64 << 20

// copierMemory is rclone's limit: it copies a few files of some megabytes.
const copierCPU, copierMemory = "100m", "256Mi"

// form returns an expression that is compiled on first use: counted repetitions take milliseconds,
// which would delay every command.
func form(text string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}

var (
	nameForm   = form(`^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$`)
	memoryForm = form(`^[1-9][0-9]{0,9}(Ki|Mi|Gi|Ti|k|M|G|T)?$`)
	imageForm  = form(`^[a-z0-9][-a-z0-9._:/]{0,400}@sha256:[0-9a-f]{64}$`)
	bucketForm = form(`^[a-z0-9][-a-z0-9.]{1,61}[a-z0-9](/[-A-Za-z0-9._/=]{1,200})?$`)
)

// check returns the first error in the user's values.
func (k Kubernetes) check() error {
	switch {
	case !imageForm().MatchString(k.Image):
		return fmt.Errorf(
			"--image is %q: name the image that the Containerfile makes by its digest, as in registry.example.org/parley@sha256:… (podman push --digestfile prints it), so that all pods and all attempts play the same program", k.Image,
		)
	case (k.Claim == "") == (k.S3 == ""):
		return errors.New("say where results go: --volume CLAIM or --s3 BUCKET/PREFIX")
	case k.Claim != "" && !nameForm().MatchString(k.Claim):
		return fmt.Errorf("--volume is %q, no name of a claim", k.Claim)
	case k.S3 != "" && !bucketForm().MatchString(k.S3):
		return fmt.Errorf("--s3 is %q: write the bucket and a prefix, as in results/loads", k.S3)
	case k.S3 != "" && !nameForm().MatchString(k.Secret):
		return fmt.Errorf("--s3-secret is %q: name a secret with AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY", k.Secret)
	case k.S3 == "" && k.Secret+k.Endpoint+k.Copier != "":
		return errors.New("--s3-secret, --s3-endpoint and --s3-image are about --s3: give it too, or leave them out")
	case k.S3 != "" && !imageForm().MatchString(k.Copier):
		return fmt.Errorf(
			"--s3-image is %q: name an image of rclone by its digest, as in docker.io/rclone/rclone@sha256:…; it copies the results", k.Copier,
		)
	case !isAmount(k.Memory):
		return fmt.Errorf("--memory is %q: write an amount such as 2Gi", k.Memory)
	case k.S3 != "" && !isAmount(k.Disk):
		return fmt.Errorf("--disk is %q: write an amount such as 1Gi", k.Disk)
	case k.seconds(k.Within) < 60:
		return fmt.Errorf("--within is %q: write the longest time that the job may take, from 1m on, such as 24h",
			k.Within)
	case k.seconds(k.Keep) < 60:
		return fmt.Errorf("--keep is %q: write how long a job that has ended stays, from 1m on, such as 168h", k.Keep)
	case k.Namespace != "" && !nameForm().MatchString(k.Namespace):
		return fmt.Errorf("--namespace is %q, no name of a namespace", k.Namespace)
	}
	return nil
}

// seconds reads a duration; 0 if the text is not one.
func (k Kubernetes) seconds(text string) int64 {
	d, err := time.ParseDuration(text)
	if err != nil || d > 10*365*24*time.Hour {
		return 0
	}
	return int64(d / time.Second)
}

// isAmount reports whether a text is an amount of memory that some machine may have.
func isAmount(text string) bool {
	return memoryForm().MatchString(text) && memoryOf(text, 1) < 1<<50 // of a hundredth
}

// memoryOf returns a part of an amount of memory, in hundredths, in bytes.
func memoryOf(amount string, hundredths int64) int64 {
	number := strings.TrimRight(amount, "KMGTik")
	n, err := strconv.ParseInt(number, 10, 64)
	if err != nil {
		return 0 // check refused it
	}
	unit := map[string]int64{
		"": 1, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "Ki": 1 << 10, "Mi": 1 << 20,
		"Gi": 1 << 30, "Ti": 1 << 40,
	}[amount[len(number):]]
	return int64(min(float64(n)*float64(unit)*float64(hundredths)/100, 1<<60))
}

type object = map[string]any

// Manifest returns a list of the sweep as a ConfigMap and the Job, as kubectl apply takes
// it. Its name follows from its content: the same sweep is the same job.
func (k Kubernetes) Manifest(document []byte) (name string, manifest []byte, err error) {
	if err := k.check(); err != nil {
		return "", nil, err
	}
	if len(document) > maxConfig {
		return "", nil, fmt.Errorf("the sweep has %d bytes: a ConfigMap holds at most %d", len(document), maxConfig)
	}
	described, err := json.Marshal(k)
	if err != nil {
		return "", nil, err
	}
	sum := sha256.Sum256(append(described, document...))
	name = "parley-sweep-" + hex.EncodeToString(sum[:5])
	meta := object{"name": name, "labels": object{
		"app.kubernetes.io/name":      "parley",
		"app.kubernetes.io/component": "sweep",
	}}
	if k.Namespace != "" {
		meta["namespace"] = k.Namespace
	}
	manifest, err = json.MarshalIndent(object{
		"apiVersion": "v1", "kind": "List", "items": []object{
			{
				"apiVersion": "v1", "kind": "ConfigMap", "metadata": meta, "immutable": true,
				"data": object{"sweep.json": string(document)},
			},
			{"apiVersion": "batch/v1", "kind": "Job", "metadata": meta, "spec": k.job(name, meta["labels"])},
		},
	}, "", "  ")
	return name, append(manifest, '\n'), err
}

func (k Kubernetes) job(name string, labels any) object {
	return object{
		"completionMode": "Indexed", "completions": k.Shards, "parallelism": k.Shards, "backoffLimitPerIndex": retries,
		"maxFailedIndexes": k.maxFailed(), "activeDeadlineSeconds": k.seconds(k.Within),
		"ttlSecondsAfterFinished": k.seconds(k.Keep),
		// A program that was used wrongly fails in every index and each time. A node that is
		// drained or dies is not the index's fault. The first rule that fits counts.
		"podFailurePolicy": object{"rules": []object{
			{"action": "FailJob", "onExitCodes": object{
				"containerName": "parley", "operator": "In",
				"values": []int{2},
			}},
			{"action": "Ignore", "onPodConditions": []object{{"type": "DisruptionTarget", "status": "True"}}},
		}},
		"template": object{"metadata": object{"labels": labels}, "spec": k.pod(name)},
	}
}

// pod returns the spec of the pods that play a shard each. With an object store, a pod first fetches the results of
// earlier attempts at its shard, then plays, and in the end copies the results there.
func (k Kubernetes) pod(name string) object {
	play := object{
		"name": "parley", "image": k.Image,
		"args": []string{
			"sweep", "/sweep/sweep.json", "--out", "/results", "--shard",
			"$(JOB_COMPLETION_INDEX)/" + strconv.Itoa(k.Shards), "--jobs", strconv.Itoa(k.Cores),
		},
		"env": []object{
			index(),
			{"name": "GOMEMLIMIT", "value": strconv.FormatInt(memoryOf(k.Memory, goMemory)/int64(k.Cores), 10)},
		},
		"resources":       k.resources(strconv.Itoa(k.Cores), k.Memory),
		"securityContext": confined(),
		"volumeMounts": []object{
			{"name": "sweep", "mountPath": "/sweep", "readOnly": true},
			{"name": "results", "mountPath": "/results"},
		},
	}
	results := object{"name": "results", "persistentVolumeClaim": object{"claimName": k.Claim}}
	spec := object{
		"restartPolicy": "Never", "automountServiceAccountToken": false,
		"securityContext": object{
			"runAsNonRoot": true, "runAsUser": 65532, "runAsGroup": 65532, "fsGroup": 65532,
			"seccompProfile": object{"type": "RuntimeDefault"},
		},
		"containers": []object{play},
	}
	if k.S3 != "" {
		results = object{"name": "results", "emptyDir": object{"sizeLimit": k.Disk}}
		store := "store:" + path.Join(k.S3, partsFolder)
		copied := func(from, to string) string {
			return "rclone copy " + escape.Shell(from) + " " + escape.Shell(to) +
				" --include \"shard-$JOB_COMPLETION_INDEX-of-" + strconv.Itoa(k.Shards) + ".*\""
		}
		// rclone ends with 3 if nothing was kept yet.
		spec["initContainers"] = []object{
			k.rclone("fetch", copied(store, "/results/"+partsFolder)+" || [ $? -eq 3 ]"),
			play,
		}
		spec["containers"] = []object{k.rclone("keep", copied("/results/"+partsFolder, store))}
	}
	spec["volumes"] = []object{{"name": "sweep", "configMap": object{"name": name}}, results}
	return spec
}

// resources has the requests and limits of a container. A folder of the pod counts to the
// ephemeral storage of its containers, so each may fill it and write its messages too.
func (k Kubernetes) resources(cpu, memory string) object {
	disk := int64(logs)
	if k.S3 != "" {
		disk += memoryOf(k.Disk, 100)
	}
	storage := strconv.FormatInt(disk, 10)
	return object{
		"requests": object{"cpu": cpu, "memory": memory, "ephemeral-storage": storage},
		"limits":   object{"memory": memory, "ephemeral-storage": storage},
	}
}

// index sets a container's index in the job.
func index() object {
	return object{
		"name":      "JOB_COMPLETION_INDEX",
		"valueFrom": object{"fieldRef": object{"fieldPath": "metadata.annotations['batch.kubernetes.io/job-completion-index']"}},
	}
}

func confined() object {
	return object{
		"allowPrivilegeEscalation": false, "readOnlyRootFilesystem": true,
		"capabilities": object{"drop": []string{"ALL"}},
	}
}

func (k Kubernetes) rclone(name, script string) object {
	env := []object{
		index(),
		{"name": "RCLONE_CONFIG_STORE_TYPE", "value": "s3"},
		{"name": "RCLONE_CONFIG_STORE_ENV_AUTH", "value": "true"},
		{"name": "XDG_CONFIG_HOME", "value": "/tmp"},
	}
	if k.Endpoint != "" {
		env = append(env, object{"name": "RCLONE_CONFIG_STORE_PROVIDER", "value": "Other"},
			object{"name": "RCLONE_CONFIG_STORE_ENDPOINT", "value": k.Endpoint})
	} else {
		env = append(env, object{"name": "RCLONE_CONFIG_STORE_PROVIDER", "value": "AWS"})
	}
	return object{
		"name": name, "image": k.Copier, "command": []string{"sh", "-c", script}, "env": env,
		"envFrom":         []object{{"secretRef": object{"name": k.Secret}}},
		"resources":       k.resources(copierCPU, copierMemory),
		"securityContext": confined(),
		"volumeMounts":    []object{{"name": "results", "mountPath": "/results"}},
	}
}

// Advice returns the commands to run with a manifest in a file.
func (k Kubernetes) Advice(name, file, dir string) string {
	namespace := ""
	if k.Namespace != "" {
		namespace = " --namespace " + k.Namespace
	}
	// Neither condition alone: a wait for the one outlasts a job that ends with the other.
	wait := "kubectl wait" + namespace + " job/" + name + " --timeout=" +
		strconv.FormatInt(k.seconds(k.Within)+60, 10) + "s --for=condition="
	lines := []string{
		"kubectl apply -f " + escape.Shell(file),
		wait + "failed > /dev/null 2>&1 & failed=$!",
		wait + "complete > /dev/null 2>&1 & complete=$!",
		"while kill -0 $failed 2> /dev/null && kill -0 $complete 2> /dev/null; do sleep 1; done",
		"kill $failed $complete 2> /dev/null; wait $complete || kubectl describe" + namespace + " job/" + name,
	}
	join := "parley sweep " + escape.Shell(path.Join(dir, "sweep.json")) + " --out " + escape.Shell(dir)
	if k.S3 != "" {
		lines = append(lines, "rclone copy store:"+path.Join(k.S3, partsFolder)+" "+
			escape.Shell(path.Join(dir, partsFolder)), join)
	} else {
		lines = append(lines, "# copy the volume's folder "+partsFolder+" into "+escape.Line(dir)+", then", join)
	}
	return strings.Join(lines, "\n") + "\n"
}
