package packed_test

import (
	"archive/zip"
	"bytes"
	"encoding/base64"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"parley/core/trace"
	"parley/core/trace/formats"
	"parley/core/trace/packed"
)

// file returns a file that hands out at most step bytes at a time; 0: all.
func file(name string, content []byte, step int) trace.File {
	return trace.File{Name: name, Size: int64(len(content)), Open: func() (io.ReadCloser, error) {
		if step == 0 {
			return io.NopCloser(bytes.NewReader(content)), nil
		}
		return io.NopCloser(&stepwise{bytes.NewReader(content), step}), nil
	}}
}

type stepwise struct {
	in   io.Reader
	step int
}

func (s *stepwise) Read(p []byte) (int, error) { return s.in.Read(p[:min(len(p), s.step)]) }

// text returns what a file holds once it is opened.
func text(f trace.File) (string, error) {
	files, err := packed.Open([]trace.File{f}, formats.All)
	if err != nil {
		return "", err
	}
	in, err := files[0].Open()
	if err != nil {
		return "", err
	}
	defer in.Close()
	all, err := io.ReadAll(in)
	return string(all), err
}

func zstandard(content string) []byte {
	var b bytes.Buffer
	w, _ := zstd.NewWriter(&b)
	io.WriteString(w, content)
	w.Close()
	return b.Bytes()
}

// "1,2\n3,4\n" as the program bzip2 packs it
const bzipped = "QlpoOTFBWSZTWZO3DQwAAAJYAAAQAAQ8ACAAMMAIabKIIyeLuSKcKEhJ24aGAA=="

// Files that are zstd, of one frame or several, or bzip2 are read as what they hold, however few
// bytes come at a time, and others as they are.
func TestOpen(t *testing.T) {
	bz, _ := base64.StdEncoding.DecodeString(bzipped)
	for name, content := range map[string][]byte{
		"a.zst": zstandard("1,2\n3,4\n"), "frames.zst": append(zstandard("1,2\n"), zstandard("3,4\n")...), "a.bz2": bz, "a.csv": []byte("1,2\n3,4\n"),
	} {
		for _, step := range []int{0, 7} {
			if got, err := text(file(name, content, step)); got != "1,2\n3,4\n" || err != nil {
				t.Errorf("%s by %d bytes: %q, %v", name, step, got, err)
			}
		}
	}
	for _, short := range []string{"", "B", "BZ", "BZh", "BZhello"} {
		if got, err := text(file("f", []byte(short), 0)); got != short || err != nil {
			t.Errorf("%q: %q, %v", short, got, err)
		}
	}
}

// What is cut off, damaged or unfolds without bound ends with a sentence.
func TestBroken(t *testing.T) {
	bz, _ := base64.StdEncoding.DecodeString(bzipped)
	z := zstandard(strings.Repeat("1,2,3\n5,7,8\n", 5000))
	bomb := zstandard(strings.Repeat("0", 100<<20))
	for name, c := range map[string]struct {
		content []byte
		reason  string
	}{
		"cut zstd":     {z[:len(z)-9], "the zstd data ends too early: the file was cut off"},
		"cut bzip2":    {bz[:len(bz)-9], "the bzip2 data ends too early: the file was cut off"},
		"broken zstd":  {append(bytes.Clone(z[:8]), bytes.Repeat([]byte{0xff}, 40)...), "the zstd data is broken"},
		"broken bzip2": {append(bytes.Clone(bz[:12]), bytes.Repeat([]byte{0xff}, 40)...), "the bzip2 data is broken"},
		"bomb":         {bomb, "unfolds to more than 200 bytes for each of its own"},
	} {
		_, err := text(file(name, c.content, 0))
		var e *trace.Error
		if !errors.As(err, &e) || e.Reason != c.reason || e.File != name {
			t.Errorf("%s: %v\nwant %s", name, err, c.reason)
		}
	}
}

// A file that cannot be read says why, not that its data is broken.
func TestUnreadable(t *testing.T) {
	gone := errors.New("the disk is gone")
	f := trace.File{Name: "a.zst", Open: func() (io.ReadCloser, error) {
		z := zstandard(strings.Repeat("1,2,3\n", 100))
		return io.NopCloser(io.MultiReader(bytes.NewReader(z[:20]), failing{gone})), nil
	}}
	if _, err := text(f); !errors.Is(err, gone) {
		t.Error(err)
	}
}

type failing struct{ reason error }

func (f failing) Read([]byte) (int, error) { return 0, f.reason }

// The tables of an archive are files of their own. What no format reads is passed over with a
// sentence; tables in different folders are different ones.
func TestTables(t *testing.T) {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, f := range [][2]string{
		{"x/batch_task.csv", "M1,1,j_2,1,Terminated,87076,87083,50,0.2\n"},
		{"x/machine_meta_1.csv", "m_1,0,1,f,96,100,USING\n"},
		{"x/cluster_gpu_number.csv", "date,v1,total\n2020-09-01,8,8\n"},
		{"x/machine_meta_2.csv", "m_2,0,1,f,96,100,USING\n"},
		{"README.md", "text"},
	} {
		in, _ := w.Create(f[0])
		io.WriteString(in, f[1])
	}
	w.Close()
	for _, step := range []int{0, 7} {
		files, err := packed.Open([]trace.File{file("trace.zip", b.Bytes(), step)}, formats.All)
		if err != nil || len(files) != 2 || files[0].Name != "trace.zip/batch_task.csv" || files[1].Name != "trace.zip/machine_meta_1.csv" {
			t.Fatal(files, err)
		}
		report, err := trace.Summarise(files, formats.All, trace.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if report.Files[0].Rows != 1 || report.Files[1].Rows != 2 {
			t.Error(report.Files)
		}
		notes := strings.Join(report.Files[0].Notes, "\n")
		if !strings.Contains(notes, "cluster_gpu_number.csv of the archive is passed over: it is the table of GPUs by day") || strings.Contains(notes, "README") {
			t.Error(notes)
		}
	}
}

// FuzzOpen: whatever a file holds, opening it ends, without a panic.
func FuzzOpen(f *testing.F) {
	bz, _ := base64.StdEncoding.DecodeString(bzipped)
	f.Add(bz)
	f.Add(zstandard("1,2\n"))
	f.Add([]byte("PK\x03\x04"))
	f.Fuzz(func(t *testing.T, content []byte) {
		if got, err := text(file("f", content, 0)); err == nil && len(got) > 64<<20 {
			t.Error(len(got))
		}
	})
}
