// Package cluster holds the commands about one's own Kubernetes cluster, parley cluster …:
// each reads a dump, and none talks to a cluster.
package cluster

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"parley/core/kube"
	"parley/core/kube/dump"
	"parley/core/trace"
	"parley/core/unit"
)

// Env is the environment of the commands on the command line.
type Env struct {
	In       io.Reader
	Out, Err io.Writer
	Now      func() time.Time
	// Show rewrites the progress line; Clear removes it.
	Show  func(format string, args ...any)
	Clear func()
	// Misuse returns an error about how a command was called.
	Misuse func(error) error
}

// Command returns parley cluster with all its commands. A command about a question is a file
// beside this one and a line here.
func Command(e *Env) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "cluster COMMAND",
		Short: "Ask about your own Kubernetes cluster, from a dump",
		Long: `Reads what kubectl get … -o json or -o yaml prints, in one file or several, plain or gzip, and what kubectl cluster-info dump, must-gather and support bundles write, as a folder or .tar.gz, and answers offline. Nothing is sent anywhere, and no command changes a cluster.

Fetch a dump with

  kubectl get nodes,pods,pv,pvc,pdb,priorityclasses,namespaces,services,daemonsets,deployments,replicasets,statefulsets,storageclasses,csinodes,volumeattachments -A -o json > dump.json

Add resourcequotas,limitranges,runtimeclasses, by which the API server refuses or changes new pods, and nodepools.karpenter.sh where Karpenter runs.`,
		Example: "  parley cluster read dump.json",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return e.Misuse(errors.New("cluster needs a command; see parley cluster --help"))
			}
			hint := ""
			if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
				hint = ", do you mean " + strings.Join(near, " or ") + "?"
			}
			return e.Misuse(fmt.Errorf("there is no command %q of cluster%s; see parley cluster --help", args[0], hint))
		},
		RunE: func(*cobra.Command, []string) error { return nil },
	}
	cmd.SuggestionsMinimumDistance = 2
	cmd.SetFlagErrorFunc(func(at *cobra.Command, err error) error {
		if stated := e.habit(at, err); stated != nil {
			return stated
		}
		if parent := cmd.Parent(); parent != nil {
			return parent.FlagErrorFunc()(at, err)
		}
		return e.Misuse(err)
	})
	cmd.AddCommand(readCommand(e), drainCommand(e), loseCommand(e), fitCommand(e), growCommand(e), pendingCommand(e),
		blockersCommand(e), rolloutCommand(e), upgradeCommand(e), consolidateCommand(e), scoreCommand(e),
		requestsCommand(e), rightSizeCommand(e), reportCommand(e),
		generateCommand(e), pseudonymiseCommand(e))
	return cmd
}

// files fails if a command has no FILE. It is an Args function of cobra.
func (e *Env) files(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		name := strings.TrimPrefix(cmd.CommandPath(), "parley ")
		return e.Misuse(fmt.Errorf("%s needs one FILE or more; see parley %s --help", name, name))
	}
	return nil
}

// Files returns the files of a dump by their names. A folder gives all files in it, as parts of one dump.
// "-" is standard input, which is kept in memory since a dump may have to be read twice.
func (e *Env) Files(names []string) ([]trace.File, error) {
	var all []trace.File
	for _, name := range names {
		if name == "-" {
			text, err := io.ReadAll(e.In)
			if err != nil {
				return nil, fmt.Errorf("standard input cannot be read: %w", err)
			}
			all = append(all, trace.File{Name: "standard input", Size: int64(len(text)), Open: func() (io.ReadCloser, error) {
				return io.NopCloser(strings.NewReader(string(text))), nil
			}})
			continue
		}
		info, err := os.Stat(name)
		switch {
		case err != nil:
			hint := "name a file that kubectl wrote"
			if !strings.ContainsAny(name, "./\\") {
				hint += "; nodes, zones and pods are named by flags"
			}
			return nil, fmt.Errorf("%s cannot be read: %w; %s", name, trace.Reason(err), hint)
		case info.IsDir():
			inside, err := folder(name)
			if err != nil {
				return nil, err
			}
			all = append(all, inside...)
			continue
		}
		all = append(all, trace.File{
			Name: name, Size: info.Size(),
			Open: func() (io.ReadCloser, error) { return os.Open(name) },
		})
	}
	return all, nil
}

// maxFiles limits the files of a folder.
const maxFiles = 100_000

// folder returns the regular files in a folder and below, in the order of their names, each marked as a
// part. It fails if there are none or more than maxFiles.
func folder(name string) (all []trace.File, err error) {
	err = filepath.WalkDir(name, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		if len(all) == maxFiles {
			return fmt.Errorf("it has more than %d files: name those that hold objects of the cluster", maxFiles)
		}
		all = append(all, trace.File{
			Name: path, Size: info.Size(), Part: true,
			Open: func() (io.ReadCloser, error) { return os.Open(path) },
		})
		return nil
	})
	switch {
	case err != nil:
		return nil, fmt.Errorf("the folder %s cannot be read: %w", name, trace.Reason(err))
	case len(all) == 0:
		return nil, fmt.Errorf("the folder %s has no file: name one that kubectl wrote, or a support bundle", name)
	}
	return all, nil
}

// Read reads the dump in files, with changes.
func (e *Env) Read(names []string, changes ...*dump.Change) (*kube.Cluster, error) {
	files, err := e.Files(names)
	if err != nil {
		return nil, err
	}
	defer e.Clear()
	return dump.ReadWith(files, changes, e.progress())
}

// progress returns a function that shows the progress of reading files.
func (e *Env) progress() func(trace.Progress) error {
	began := e.Now()
	return func(p trace.Progress) error {
		seconds := max(e.Now().Sub(began).Seconds(), 1e-9)
		e.Show("%.1f of %.1f MB, %.0f MB/s unpacked, %s", float64(p.Total)/1e6, float64(p.Sum)/1e6, float64(p.Text)/1e6/seconds, filepath.Base(p.File))
		return nil
	}
}

// JSON writes a document for programs.
func (e *Env) JSON(document any) error {
	enc := json.NewEncoder(e.Out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(document)
}

// within returns an error if the number of a flag is out of its range.
func (e *Env) within(flag string, n, low, high int) error {
	if n < low || n > high {
		return e.Misuse(fmt.Errorf("--%s is %d: choose %d to %s", flag, n, low, unit.Grouped(strconv.Itoa(high))))
	}
	return nil
}

// maxOrders limits the arrival orders that a question tries.
const maxOrders = 1000

// orders makes a command fail before it runs if *n, the value of its --orders, is not from lowest to
// maxOrders. It wraps the PreRunE that the command has, and needs one.
func (e *Env) orders(cmd *cobra.Command, n *int, lowest int) {
	pre := cmd.PreRunE
	cmd.PreRunE = func(cmd *cobra.Command, args []string) error {
		if err := e.within("orders", *n, lowest, maxOrders); err != nil {
			return err
		}
		return pre(cmd, args)
	}
}
