package sweep

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/pflag"

	"parley/core/study"
	"parley/tools/parley/console"
	"parley/tools/parley/sweeps"
)

// kubernetesFlags are the flags of a sweep on Kubernetes.
type kubernetesFlags struct {
	wanted bool
	sweeps.Kubernetes
}

func (f *kubernetesFlags) add(flags *pflag.FlagSet) {
	flags.BoolVar(&f.wanted, "kubernetes", false,
		"write the manifest of an Indexed Job into --out and say what to do with it")
	flags.StringVar(&f.Image, "image", "",
		"with --kubernetes: the image that the Containerfile makes, by its digest (…@sha256:…)")
	flags.StringVar(&f.Claim, "volume", "",
		"with --kubernetes: the claim of a volume for the results, writable by many pods")
	flags.StringVar(&f.S3, "s3", "", "with --kubernetes: bucket and prefix of an object store for the results")
	flags.StringVar(&f.Endpoint, "s3-endpoint", "", "with --s3: the address of the object store (default Amazon's)")
	flags.StringVar(&f.Secret, "s3-secret", "",
		"with --s3: the secret with AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY")
	flags.StringVar(&f.Copier, "s3-image", "", "with --s3: an image of rclone, by its digest")
	flags.StringVar(&f.Within, "within", "24h", "with --kubernetes: the longest that the job may take")
	flags.StringVar(&f.Keep, "keep", "168h", "with --kubernetes: how long a job that has ended stays")
	flags.StringVar(&f.Memory, "memory", "2Gi", "with --kubernetes: the memory of a pod")
	flags.StringVar(&f.Disk, "disk", "1Gi",
		"with --s3: what a pod may fill of its node's disk until its results are copied")
	flags.StringVar(&f.Namespace, "namespace", "", "with --kubernetes: the namespace (default the current one)")
}

// names are the flags that mean something with --kubernetes alone.
var kubernetesNames = []string{
	"image", "volume", "s3", "s3-endpoint", "s3-secret", "s3-image", "within", "keep",
	"memory", "disk", "namespace",
}

// kubernetes writes the manifest.
func (f *SweepFlags) kubernetes(c *console.Console, s *study.Study) error {
	if len(f.Names) > 0 {
		return errors.New(
			"--kubernetes plays no files of a trace: pods would have to have them; play it with --shard where they are, or on Slurm",
		)
	}
	k := f.onKubernetes.Kubernetes
	if k.Shards = int(f.shards); k.Shards == 0 {
		k.Shards = min(usualShards, s.Runs())
	}
	k.Cores = f.podCores
	name, manifest, err := k.Manifest(s.Encode())
	if err != nil {
		return console.NewUsageError(err)
	}
	if err := os.MkdirAll(f.Out, 0o755); err != nil {
		return fmt.Errorf("--out: %w", console.Unwritable(f.Out, err))
	}
	file := filepath.Join(f.Out, "job.json")
	if err := errors.Join(sweeps.Replace(filepath.Join(f.Out, "sweep.json"), s.Encode()),
		sweeps.Replace(file, manifest)); err != nil {
		return fmt.Errorf("--out: %w", err)
	}
	_, err = fmt.Fprint(c.Out, k.Advice(name, file, f.Out))
	return err
}
