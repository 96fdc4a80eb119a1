// Command release makes all files of a release of Parley in one directory: the static page, the
// programs for each platform, a zip for a lecture hall, an image for containers, their contents
// (SBOM), the licences inside each, and the checksums.
//
//	go run ./tools/build/release --out release --version 0.2.0
//
// The same commit and version, with the same Go, give the same bytes on every machine and in every
// directory. It is run from the checkout's root, after npm has installed the packages of
// site/package-lock.json.
package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"parley/core/cluster"
	"parley/tools/build/bundle"
	"parley/tools/build/deploy"
)

func main() {
	flags := flag.NewFlagSet("release", flag.ContinueOnError)
	out := flags.String("out", "release", "the directory for the release, which must be new or empty")
	version := flags.String("version", "", "its version, such as 0.2.0; without one it is named by engine and commit")
	if err := flags.Parse(os.Args[1:]); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return
		}
		os.Exit(2)
	}
	if flags.NArg() > 0 {
		fmt.Fprintf(os.Stderr, "release: unexpected argument %q; see --help\n", flags.Arg(0))
		os.Exit(2)
	}
	r, err := describe(".", *version)
	if err == nil {
		err = r.write(os.Stdout, *out)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

// platform is an operating system and processor to build for.
type platform struct{ system, processor string }

func (p platform) String() string { return p.system + "-" + p.processor }

// platforms are those of a release.
var platforms = []platform{
	{"linux", "amd64"},
	{"linux", "arm64"},
	{"darwin", "amd64"},
	{"darwin", "arm64"},
	{"windows", "amd64"},
	{"windows", "arm64"},
}

// programs are those of a platform, by name.
var programs = map[string]string{
	"parley": "./tools/parley", "parley-serve": "./tools/serve",
	"parley-desktop": "./tools/desktop",
}

// release describes the release to build.
type release struct {
	root, version, commit string
	platforms             []platform
	programs              map[string]string
	page                  func(root string) (map[string][]byte, error)
	unchanged             func() error // an error if the sources are no longer those of the commit; may be nil
}

var (
	versionForm = regexp.MustCompile(`^(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)(-[0-9A-Za-z.-]+)?$`)
	commitForm  = regexp.MustCompile(`^[0-9a-f]{40}$`)
)

// describe returns the whole release of a checkout, all of whose files must be committed.
func describe(root, version string) (*release, error) {
	ask := func(args ...string) (string, error) {
		cmd := exec.Command("git", args...)
		cmd.Dir = root
		out, err := cmd.Output()
		if err != nil {
			return "", fmt.Errorf("asking git for the commit: %w; a release is made in a checkout", err)
		}
		return strings.TrimSpace(string(out)), nil
	}
	commit, err := ask("rev-parse", "HEAD")
	if err != nil {
		return nil, err
	}
	changed, err := ask("status", "--porcelain")
	switch {
	case err != nil:
		return nil, err
	case changed != "":
		return nil, fmt.Errorf("the checkout has changes that are not committed, such as %q: commit or remove them",
			strings.SplitN(changed, "\n", 2)[0])
	case !commitForm.MatchString(commit):
		return nil, fmt.Errorf("git says the commit is %q", commit)
	}
	if version = strings.TrimPrefix(version, "v"); version == "" {
		version = cluster.Engine + "-" + commit[:12]
	}
	if !versionForm.MatchString(version) {
		return nil, fmt.Errorf("--version is %q: write one such as 0.2.0 or 0.2.0-rc.1", version)
	}
	r := &release{root: root, version: version, commit: commit, platforms: platforms, programs: programs, page: page}
	r.unchanged = func() error {
		now, err := describe(root, version)
		if err == nil && now.commit != commit {
			err = fmt.Errorf("the checkout went from commit %.12s to %.12s while the release was made: make it again",
				commit, now.commit)
		}
		return err
	}
	return r, nil
}

// page makes the static page with its compressed neighbours.
func page(root string) (map[string][]byte, error) {
	return packedPage(root, filepath.Join(root, "bin", "packed"))
}

// packedPage is page with the directory in which deploy.Pack keeps its results.
func packedPage(root, cache string) (map[string][]byte, error) {
	files, err := bundle.Make(root)
	if err != nil {
		return nil, err
	}
	packed, err := deploy.Pack(files, cache)
	if err != nil {
		return nil, err
	}
	maps.Copy(files, packed)
	return files, nil
}

// write makes the release in a directory. The files are collected beside it, and the
// directory gets its name when all are there: a release that was interrupted is none.
func (r *release) write(report io.Writer, out string) error {
	if entries, err := os.ReadDir(out); err == nil && len(entries) > 0 {
		return fmt.Errorf("%q is not empty: empty it or choose another --out", out)
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	out = filepath.Clean(out)
	part := out + ".part"
	if err := os.RemoveAll(part); err != nil {
		return err
	}
	if err := os.MkdirAll(part, 0o755); err != nil {
		return err
	}
	err := r.collect(report, part)
	if err == nil && r.unchanged != nil {
		err = r.unchanged()
	}
	if err != nil {
		return errors.Join(err, os.RemoveAll(part))
	}
	if err := os.Remove(out); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return os.Rename(part, out)
}

// collect writes the files of the release into a directory.
func (r *release) collect(report io.Writer, out string) error {
	sums := map[string]string{}
	keep := func(name string, content []byte, err error) error {
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		sum := sha256.Sum256(content)
		sums[name] = hex.EncodeToString(sum[:])
		fmt.Fprintf(report, "%s  %s, %.1f MB\n", sums[name][:16], name, float64(len(content))/1e6)
		return os.WriteFile(filepath.Join(out, name), content, 0o644)
	}
	files, err := r.page(r.root)
	if err != nil {
		return fmt.Errorf("the page: %w", err)
	}
	var entries []entry
	for name, content := range files {
		entries = append(entries, entry{"parley-" + r.version + "/" + name, content, false})
	}
	archive, err := tarball(entries)
	if err := keep("parley-"+r.version+"-page.tar.gz", archive, err); err != nil {
		return err
	}
	parts := newBOM(r)
	if err := parts.addPage(r.root); err != nil {
		return err
	}
	var servers []entry
	for _, p := range r.platforms {
		server, err := r.platform(p, keep, parts)
		if err != nil {
			return err
		}
		servers = append(servers, server...)
	}
	hall, err := r.hall(files, servers)
	if err != nil || hall != nil {
		if err := keep("parley-"+r.version+"-hall.zip", hall, err); err != nil {
			return err
		}
	}
	bom, err := parts.encode()
	if err := keep("parley-"+r.version+".cdx.json", bom, err); err != nil {
		return err
	}
	var list bytes.Buffer
	for _, name := range slices.Sorted(maps.Keys(sums)) {
		fmt.Fprintf(&list, "%s  %s\n", sums[name], name) // as sha256sum --check reads it
	}
	return os.WriteFile(filepath.Join(out, "SHA256SUMS"), list.Bytes(), 0o644)
}

// platform makes the archive of a platform and, of Linux, the image. It returns the program that serves
// the page there, if it is one of the programs.
func (r *release) platform(p platform, keep func(string, []byte, error) error, parts *bom) (
	server []entry, err error,
) {
	dir, err := os.MkdirTemp("", "parley-release-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	var packages []string
	folder := "parley-" + r.version + "-" + p.String()
	var entries []entry
	for _, name := range slices.Sorted(maps.Keys(r.programs)) {
		file := name
		if p.system == "windows" {
			file += ".exe"
		}
		program, err := r.build(p, r.programs[name], filepath.Join(dir, file))
		if err == nil {
			err = parts.addProgram(name+" for "+p.String(), program)
		}
		if err != nil {
			return nil, fmt.Errorf("%s for %v: %w", name, p, err)
		}
		if name == "parley-serve" {
			server = []entry{{"serve-" + p.String() + filepath.Ext(file), program, true}}
		}
		packages = append(packages, r.programs[name])
		entries = append(entries, entry{folder + "/" + file, program, true})
	}
	licences, err := bundle.Licences(r.root, environment(p), packages...)
	if err != nil {
		return nil, err
	}
	for _, name := range []string{"LICENSE", "README.md", "SECURITY.md", "CHANGELOG.md"} {
		text, err := os.ReadFile(filepath.Join(r.root, name))
		if err != nil {
			return nil, err
		}
		entries = append(entries, entry{folder + "/" + name, text, false})
	}
	entries = append(entries, entry{folder + "/licences.txt", licences, false})
	if p.system == "windows" {
		archive, err := zipped(entries)
		return server, keep(folder+".zip", archive, err)
	}
	archive, err := tarball(entries)
	if err := keep(folder+".tar.gz", archive, err); err != nil || p.system != "linux" || r.programs["parley"] == "" {
		return server, err
	}
	i := slices.IndexFunc(entries, func(e entry) bool { return e.name == folder+"/parley" })
	image, err := image(r, p, entries[i].content, licences)
	return server, keep("parley-"+r.version+"-image-"+p.processor+".tar", image, err)
}

// environment is the environment in which Go builds a platform's programs, independent of the
// caller's.
func environment(p platform) []string {
	return []string{
		"GOOS=" + p.system, "GOARCH=" + p.processor, "GOAMD64=v1", "GOARM64=v8.0", "GOEXPERIMENT=",
		"GOFLAGS=-buildvcs=false", "CGO_ENABLED=0",
	}
}

// build returns a program.
func (r *release) build(p platform, pkg, file string) ([]byte, error) {
	flags := "-s -w -buildid="
	if pkg == programs["parley"] {
		flags += " -X main.release=" + r.version + " -X main.commit=" + r.commit
	}
	cmd := exec.Command("go", "build", "-trimpath", "-ldflags", flags, "-o", file, pkg)
	cmd.Dir = r.root
	cmd.Env = append(os.Environ(), environment(p)...)
	if out, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%w: %s", err, out)
	}
	return os.ReadFile(file)
}
