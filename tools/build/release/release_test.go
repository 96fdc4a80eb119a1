package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"parley/core/cluster"
)

const someCommit = "0123456789abcdef0123456789abcdef01234567"

// copied returns a copy of the checkout in another directory.
func copied(t *testing.T, root string) string {
	t.Helper()
	cmd := exec.Command("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	cmd.Dir = root
	list, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	to := filepath.Join(t.TempDir(), "another", "place")
	for name := range strings.SplitSeq(strings.TrimRight(string(list), "\x00"), "\x00") {
		content, err := os.ReadFile(filepath.Join(root, name))
		if errors.Is(err, os.ErrNotExist) {
			continue // removed and not committed
		}
		if err == nil {
			err = os.MkdirAll(filepath.Dir(filepath.Join(to, name)), 0o755)
		}
		if err == nil {
			err = os.WriteFile(filepath.Join(to, name), content, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if modules, err := filepath.Abs(filepath.Join(root, "site", "node_modules")); err != nil || os.Symlink(modules, filepath.Join(to, "site", "node_modules")) != nil {
		t.Fatal(err)
	}
	return to
}

// made returns the files of a release.
func made(t *testing.T, r *release) map[string][]byte {
	t.Helper()
	out := filepath.Join(t.TempDir(), "release")
	var report bytes.Buffer
	if err := r.write(&report, out); err != nil {
		t.Fatal(err)
	}
	if err := r.write(io.Discard, out); err == nil || !strings.Contains(err.Error(), "is not empty") {
		t.Errorf("a second release into the directory: %v", err)
	}
	entries, err := os.ReadDir(out)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{}
	for _, e := range entries {
		if files[e.Name()], err = os.ReadFile(filepath.Join(out, e.Name())); err != nil {
			t.Fatal(err)
		}
	}
	return files
}

// packed returns the files of an archive.
func packed(t *testing.T, name string, archive []byte) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	if strings.HasSuffix(name, ".zip") {
		z, err := zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range z.File {
			r, err := f.Open()
			if err != nil {
				t.Fatal(err)
			}
			if files[f.Name], err = io.ReadAll(r); err != nil {
				t.Fatal(err)
			}
		}
		return files
	}
	var plain io.Reader = bytes.NewReader(archive)
	if strings.HasSuffix(name, ".gz") {
		z, err := gzip.NewReader(plain)
		if err != nil {
			t.Fatal(err)
		}
		plain = z
	}
	for r := tar.NewReader(plain); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return files
		}
		if err != nil {
			t.Fatal(err)
		}
		if files[h.Name], err = io.ReadAll(r); err != nil {
			t.Fatal(err)
		}
	}
}

// A release that is made twice, from two directories and with other variables in the
// environment, is the same to the byte; all of it is listed, licensed and says what it is.
func TestReleaseIsReproducible(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: it builds the page and the programs of two platforms twice")
	}
	root := filepath.Join("..", "..", "..")
	r := release{
		root: root, version: "1.2.3", commit: someCommit, platforms: []platform{{"linux", "amd64"}, {"windows", "arm64"}},
		programs: map[string]string{"parley": "./tools/parley"}, page: page,
	}
	_, err := os.Stat(filepath.Join(root, "site", "node_modules"))
	withPage := err == nil
	if !withPage {
		t.Log("without the page: npm has not installed what it needs")
		r.page = func(string) (map[string][]byte, error) {
			return map[string][]byte{"index.html": []byte("the page")}, nil
		}
	}
	first := made(t, &r)
	other := r
	if withPage { // equal files pack to equal bytes, as package deploy tests: the minutes this takes are spent once
		other.page = func(place string) (map[string][]byte, error) {
			return packedPage(place, filepath.Join(root, "bin", "packed"))
		}
	}
	other.root = copied(t, root)
	t.Setenv("GOFLAGS", "-buildvcs=true")
	t.Setenv("GOAMD64", "v3")
	t.Setenv("SOURCE_DATE_EPOCH", "1700000000")
	t.Setenv("TZ", "Asia/Kathmandu")
	second := made(t, &other)
	for name, content := range first {
		if !bytes.Equal(second[name], content) {
			t.Errorf("%s differs", name)
		}
	}
	if len(first) != 2+1+1+1+1 || len(second) != len(first) {
		t.Errorf("%d and %d files", len(first), len(second))
	}
	for line := range strings.Lines(string(first["SHA256SUMS"])) {
		sum, name, _ := strings.Cut(strings.TrimSpace(line), "  ")
		if got := sha256.Sum256(first[name]); hex.EncodeToString(got[:]) != sum {
			t.Errorf("%s has another checksum than %s", name, sum)
		}
	}
	if n := bytes.Count(first["SHA256SUMS"], []byte("\n")); n != len(first)-1 {
		t.Errorf("%d checksums of %d files", n, len(first))
	}
	for _, name := range []string{"parley-1.2.3-linux-amd64.tar.gz", "parley-1.2.3-windows-arm64.zip"} {
		files := packed(t, name, first[name])
		folder, _, _ := strings.Cut(strings.TrimSuffix(name, ".zip"), ".tar")
		licences := string(files[folder+"/licences.txt"])
		if !strings.Contains(licences, "github.com/spf13/cobra") || !strings.Contains(licences, "github.com/parquet-go/parquet-go") || len(files[folder+"/LICENSE"]) == 0 || len(files[folder+"/SECURITY.md"]) == 0 {
			t.Errorf("%s: %d bytes of licences", name, len(licences))
		}
	}
	runs(t, packed(t, "x.tar.gz", first["parley-1.2.3-linux-amd64.tar.gz"])["parley-1.2.3-linux-amd64/parley"])
	checkImage(t, packed(t, "x.tar", first["parley-1.2.3-image-amd64.tar"]))
	checkBOM(t, first["parley-1.2.3.cdx.json"])
}

// runs holds that the program says which release it is.
func runs(t *testing.T, program []byte) {
	t.Helper()
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		t.Log("the program is for another platform than this one")
		return
	}
	file := filepath.Join(t.TempDir(), "parley")
	if err := os.WriteFile(file, program, 0o755); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(file, "version", "--json").Output()
	var says struct{ Release, Commit, Engine string }
	if err == nil {
		err = json.Unmarshal(out, &says)
	}
	if err != nil || says.Release != "1.2.3" || says.Commit != someCommit || says.Engine != cluster.Engine {
		t.Errorf("%s, %v", out, err)
	}
}

// checkImage follows an image from its index to its layer.
func checkImage(t *testing.T, files map[string][]byte) {
	t.Helper()
	type ref struct {
		Digest string
		Size   int
	}
	follow := func(r ref, into any) []byte {
		content := files["blobs/sha256/"+strings.TrimPrefix(r.Digest, "sha256:")]
		if sum := sha256.Sum256(content); "sha256:"+hex.EncodeToString(sum[:]) != r.Digest || len(content) != r.Size {
			t.Fatalf("%v is %d bytes of another content", r, len(content))
		}
		if into != nil {
			if err := json.Unmarshal(content, into); err != nil {
				t.Fatal(err)
			}
		}
		return content
	}
	var index struct{ Manifests []ref }
	if err := json.Unmarshal(files["index.json"], &index); err != nil || len(index.Manifests) != 1 {
		t.Fatalf("%s: %v", files["index.json"], err)
	}
	var manifest struct {
		Config ref
		Layers []ref
	}
	follow(index.Manifests[0], &manifest)
	var config struct {
		Config struct{ Entrypoint []string }
		Rootfs struct {
			IDs []string `json:"diff_ids"`
		}
	}
	follow(manifest.Config, &config)
	layer := packed(t, "layer.tar", follow(manifest.Layers[0], nil))
	if !slices.Equal(config.Config.Entrypoint, []string{"/parley"}) || config.Rootfs.IDs[0] != manifest.Layers[0].Digest || len(layer["parley"]) < 1<<20 || len(layer["licences.txt"]) == 0 {
		t.Errorf("%+v with %d files", config, len(layer))
	}
}

// checkBOM holds that what programs are made of is listed, each part once.
func checkBOM(t *testing.T, text []byte) {
	t.Helper()
	var doc struct {
		BOMFormat    string
		SerialNumber string
		Components   []struct {
			Ref  string `json:"bom-ref"`
			PURL string
		}
		Dependencies []struct {
			Ref       string
			DependsOn []string
		}
	}
	if err := json.Unmarshal(text, &doc); err != nil || doc.BOMFormat != "CycloneDX" || doc.SerialNumber != "" {
		t.Fatalf("%v: %.300s", err, text)
	}
	seen := map[string]bool{}
	for _, c := range doc.Components {
		if seen[c.Ref] {
			t.Errorf("%s is there twice", c.Ref)
		}
		seen[c.Ref] = true
	}
	for _, want := range []string{"page", "parley for linux-amd64", "parley for windows-arm64", "pkg:npm/uplot@1.6.32", "pkg:npm/%40leeoniya/ufuzzy@1.0.19"} {
		if !seen[want] {
			t.Errorf("%s is not listed", want)
		}
	}
	parts := 0
	for _, d := range doc.Dependencies {
		for _, on := range d.DependsOn {
			parts++
			if !seen[on] {
				t.Errorf("%s contains %s, which is not listed", d.Ref, on)
			}
		}
	}
	if parts < 25 {
		t.Errorf("%d parts", parts)
	}
}

// Anything but a version, and a checkout with changes, is refused in a sentence.
func TestDescribe(t *testing.T) {
	root := t.TempDir()
	if _, err := describe(root, "1.0.0"); err == nil || !strings.Contains(err.Error(), "is made in a checkout") {
		t.Errorf("%v", err)
	}
	for _, args := range [][]string{{"init", "-q"}, {"-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-q", "--allow-empty", "-m", "a"}} {
		cmd := exec.Command("git", args...)
		cmd.Dir = root
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	for version, want := range map[string]string{"1.0.0": "1.0.0", "v1.2.3-rc.1": "1.2.3-rc.1", "": cluster.Engine + "-"} {
		if r, err := describe(root, version); err != nil || !strings.HasPrefix(r.version, want) || len(r.platforms) != 6 {
			t.Errorf("%q: %+v, %v", version, r, err)
		}
	}
	for _, version := range []string{"1", "1.2", "01.2.3", "1.2.3/..", "latest", "1.2.3 "} {
		if _, err := describe(root, version); err == nil || !strings.Contains(err.Error(), "write one such as 0.2.0") {
			t.Errorf("%q: %v", version, err)
		}
	}
	if err := os.WriteFile(filepath.Join(root, "new"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := describe(root, "1.0.0"); err == nil || !strings.Contains(err.Error(), "not committed") {
		t.Errorf("%v", err)
	}
}

// A release that fails or was interrupted leaves no directory with a part of its files.
func TestIncompleteReleaseIsNone(t *testing.T) {
	out := filepath.Join(t.TempDir(), "release")
	left := filepath.Join(out+".part", "of an earlier one")
	if err := errors.Join(os.MkdirAll(filepath.Dir(left), 0o755), os.WriteFile(left, nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	calls := 0
	r := &release{root: "../../..", version: "1.2.3", commit: strings.Repeat("0", 40), page: func(string) (map[string][]byte, error) {
		calls++
		if _, err := os.Stat(left); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("a file of an interrupted release: %v", err)
		}
		return nil, errors.New("no page")
	}}
	if err := r.write(io.Discard, out); err == nil || !strings.Contains(err.Error(), "no page") {
		t.Fatalf("%v; want the error of the page", err)
	}
	if calls != 1 {
		t.Errorf("the page was made %d times", calls)
	}
	r.page = func(string) (map[string][]byte, error) { return map[string][]byte{"index.html": nil}, nil }
	r.unchanged = func() error { return errors.New("another commit") }
	if err := r.write(io.Discard, out); err == nil || !strings.Contains(err.Error(), "another commit") {
		t.Errorf("%v; want the error of the sources", err)
	}
	for _, dir := range []string{out, out + ".part"} {
		if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s is there: %v", dir, err)
		}
	}
}
