package trace_test

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"parley/core/trace"
)

// rowsOf returns the lines of a file, and why the reading ended.
func rowsOf(t *testing.T, f trace.File) (lines []string, err error) {
	t.Helper()
	rows, err := trace.OpenRows(f, trace.NewMeter(nil, nil), ',')
	if err != nil {
		t.Fatal(err)
	}
	for err = rows.Next(); err == nil; err = rows.Next() {
		lines = append(lines, string(rows.Text()))
	}
	return lines, err
}

// TestArchiveGrows: neither a file of an archive nor what is passed over in it unfolds without bound.
func TestArchiveGrows(t *testing.T) {
	zeros := strings.Repeat(strings.Repeat("0", 1023)+"\n", 100<<10)
	for name, content := range map[string][]byte{
		"a file of a ZIP archive":    zippedUp(t, false, "a.csv", zeros),
		"a file of a tar archive":    zipped(string(tarred(t, "a.csv", zeros))),
		"a licence in a tar archive": zipped(string(tarred(t, "LICENSE", zeros, "a.csv", "1\n"))),
	} {
		_, err := rowsOf(t, memory("f", content, 0))
		var e *trace.Error
		if !errors.As(err, &e) || e.Reason != "unfolds to more than 200 bytes for each of its own" {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func tarred(t *testing.T, files ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for i := 0; i < len(files); i += 2 {
		if err := w.WriteHeader(&tar.Header{Name: files[i], Size: int64(len(files[i+1])), Mode: 0o644, Typeflag: tar.TypeReg}); err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(w, files[i+1]); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func zippedUp(t *testing.T, stored bool, files ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for i := 0; i < len(files); i += 2 {
		var f io.Writer
		var err error
		if stored {
			f, err = w.CreateRaw(&zip.FileHeader{Name: files[i], Method: zip.Store, CompressedSize64: uint64(len(files[i+1])), UncompressedSize64: uint64(len(files[i+1]))})
		} else {
			f, err = w.Create(files[i])
		}
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(f, files[i+1]); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// The files of an archive are read as one, plain or packed, however few bytes come at a time.
func TestArchives(t *testing.T) {
	files := []string{"x/a1.csv", "1,2\n3,4", "LICENSE", "free", "x/a20.csv", "5,6\n", "x/a3.csv", ""}
	for name, stored := range map[string][]byte{
		"tar": tarred(t, files...), "tar.gz": zipped(string(tarred(t, files...))), "zip": zippedUp(t, false, files...), "stored zip": zippedUp(t, true, files...),
	} {
		for _, step := range []int{0, 7} {
			lines, err := rowsOf(t, memory(name, stored, step))
			if got := strings.Join(lines, " "); got != "1,2 3,4 5,6" || err != io.EOF {
				t.Errorf("%s by %d bytes: %q, %v", name, step, got, err)
			}
		}
	}
}

// An archive that is cut off ends with a sentence.
func TestArchivesCut(t *testing.T) {
	var b strings.Builder
	for i := range 5000 {
		fmt.Fprintf(&b, "%d,%d\n", i, i*i*7919%1_000_003)
	}
	text := b.String()
	for name, stored := range map[string][]byte{"tar": tarred(t, "a.csv", text), "zip": zippedUp(t, false, "a.csv", text), "stored zip": zippedUp(t, true, "a.csv", text)} {
		for _, at := range []int{len(stored) / 2, 700} {
			_, err := rowsOf(t, memory(name, stored[:at], 0))
			var e *trace.Error
			if !errors.As(err, &e) || e.Kind != trace.Damaged || !strings.Contains(e.Error(), "the archive ends too early: the file was cut off") {
				t.Errorf("%s cut at %d: %v", name, at, err)
			}
		}
	}
}

// An archive of several kinds of tables is refused: they are not one table.
func TestArchiveOfSeveral(t *testing.T) {
	files := []string{"data/cluster_log.csv", "a,b\n", "data/cluster_gpu_number.csv", "c,d\n"}
	for name, stored := range map[string][]byte{"tar": tarred(t, files...), "zip": zippedUp(t, false, files...), "stored zip": zippedUp(t, true, files...)} {
		_, err := rowsOf(t, memory(name, stored, 0))
		want := name + " is an archive of several kinds of files, such as data/cluster_log.csv and data/cluster_gpu_number.csv; unpack it and open its files"
		if err == nil || err.Error() != want {
			t.Errorf("%v\nwant %s", err, want)
		}
		if _, err := trace.ReadHead(memory(name, stored, 0)); err == nil || err.Error() != want {
			t.Errorf("%v\nwant %s", err, want)
		}
	}
}

// A spreadsheet is not an archive of tables.
func TestSpreadsheetIsNoArchive(t *testing.T) {
	f := memory("a.xlsx", zippedUp(t, false, "[Content_Types].xml", "<Types/>", "xl/workbook.xml", "<workbook/>"), 0)
	if _, err := trace.Open([]trace.File{f}, formats, trace.Options{}); err == nil || !strings.Contains(err.Error(), "looks like a spreadsheet; save its table as CSV") {
		t.Error(err)
	}
}
