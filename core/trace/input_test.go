package trace_test

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"parley/core/trace"
)

func TestGzipMembers(t *testing.T) {
	joined := bytes.Join([][]byte{zipped("a\nb"), zipped(""), zipped("c\n"), zipped("d")}, nil)
	for _, step := range []int{0, 1, 7} {
		for name, stored := range map[string][]byte{
			"members":        joined,
			"zeros after":    append(bytes.Clone(joined), make([]byte, 512)...),
			"zeros between":  bytes.Join([][]byte{zipped("a\nb"), zipped("c\nd")}, make([]byte, 3)),
			"a single empty": append(zipped(""), zipped("a\nbc\nd")...),
		} {
			rows, end := read(memory("f.gz", stored, step))
			if got := strings.Join(rows, " "); end != io.EOF || got != "1 a 2 bc 3 d" {
				t.Errorf("%s by %d bytes: %s, %v", name, step, got, end)
			}
		}
	}
}

// Damage is found where it is, after all rows before it.
func TestDamagedGzip(t *testing.T) {
	whole := zipped(strings.Repeat("0,5,0,p,0.5,0.25\n", 20000))
	flipped := bytes.Clone(whole)
	flipped[len(flipped)-8] ^= 1 // the checksum
	broken := bytes.Clone(whole)
	copy(broken[len(broken)/2:], "\xff\xff\xff\xff\xff\xff\xff\xff")
	for _, c := range []struct {
		name   string
		stored []byte
		reason string
	}{
		{"cut in the data", whole[:len(whole)/2], "the gzip data ends too early: the file was cut off"},
		{"cut in the checksum", whole[:len(whole)-3], "the gzip data ends too early: the file was cut off"},
		{"cut in the header", whole[:5], "the gzip data ends too early: the file was cut off"},
		{"cut in the second header", append(zipped("a\n"), whole[:5]...), "the gzip data ends too early: the file was cut off"},
		{"wrong checksum", flipped, "the gzip data does not match its checksum"},
		{"broken data", broken, "the gzip data is broken"},
		{"no gzip after the magic", []byte("\x1f\x8bhello, world"), "the gzip data is broken"},
		{"text after the data", append(bytes.Clone(whole), "hello"...), "something that is not gzip follows the gzip data"},
	} {
		for _, step := range []int{0, 7} {
			rows, end := read(memory("f.gz", c.stored, step))
			var e *trace.Error
			if !errors.As(end, &e) || e.Kind != trace.Damaged || e.Reason != c.reason {
				t.Errorf("%s by %d bytes ends with %v", c.name, step, end)
				continue
			}
			if e.Line != int64(len(rows))+1 {
				t.Errorf("%s by %d bytes: damage in line %d after %d rows", c.name, step, e.Line, len(rows))
			}
		}
	}
}

func TestUnreadableFile(t *testing.T) {
	gone := errors.New("the file has gone")
	unopened := trace.File{Name: "f", Open: func() (io.ReadCloser, error) { return nil, gone }}
	if _, err := trace.OpenRows(unopened, &trace.Meter{}, ','); !errors.Is(err, gone) {
		t.Errorf("OpenRows: %v", err)
	}
	for _, content := range [][]byte{[]byte("a\nb"), zipped("a\nb")[:12]} {
		breaking := trace.File{Name: "f", Open: func() (io.ReadCloser, error) {
			return io.NopCloser(io.MultiReader(bytes.NewReader(content), failing{gone})), nil
		}}
		_, end := read(breaking)
		var e *trace.Error
		if !errors.As(end, &e) || e.Kind != trace.Unreadable || !strings.Contains(e.Error(), " cannot be read: "+gone.Error()) {
			t.Errorf("reading ends with %v", end)
		}
	}
	stuck := trace.File{Name: "f", Open: func() (io.ReadCloser, error) { return io.NopCloser(failing{}), nil }}
	if _, end := read(stuck); !strings.Contains(end.Error(), io.ErrNoProgress.Error()) {
		t.Errorf("a reader that never reads ends with %v", end)
	}
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

func TestProgress(t *testing.T) {
	plain := []byte(strings.Repeat("0123456,89\n", 100_000))
	files := []trace.File{memory("a", plain, 0), memory("b.gz", zipped(string(plain)), 0)}
	var told []trace.Progress
	m := trace.NewMeter(files, func(p trace.Progress) error {
		told = append(told, p)
		return nil
	})
	for _, f := range files {
		r, err := trace.OpenRows(f, m, ',')
		for err == nil {
			err = r.Next()
		}
		if err != io.EOF {
			t.Fatal(err)
		}
	}
	sum := files[0].Size + files[1].Size
	for i, p := range told {
		if p.Sum != sum || p.Total > sum || p.Read > p.Size {
			t.Errorf("call %d: %+v", i, p)
		}
		if i > 0 && (p.Total < told[i-1].Total || p.Total-told[i-1].Total > 512<<10 || p.Text-told[i-1].Text > 2<<20) {
			t.Errorf("call %d jumps from %+v to %+v", i, told[i-1], p)
		}
	}
	want := trace.Progress{
		File: "b.gz", Read: files[1].Size, Size: files[1].Size, Total: sum, Sum: sum,
		Text: 2 * int64(len(plain)), Rows: 200_000, FilesRead: 2,
	}
	if last := told[len(told)-1]; last != want {
		t.Errorf("at the end: %+v\nwant: %+v", last, want)
	}
}

func TestCancel(t *testing.T) {
	stop := errors.New("stop")
	plain := strings.Repeat("0123456,89\n", 1_000_000)
	for _, stored := range [][]byte{[]byte(plain), zipped(plain)} {
		f := memory("f", stored, 0)
		calls := 0
		m := trace.NewMeter([]trace.File{f}, func(trace.Progress) error {
			calls++
			if calls == 3 {
				return stop
			}
			return nil
		})
		r, err := trace.OpenRows(f, m, ',')
		rows := 0
		for ; err == nil; err = r.Next() {
			rows++
		}
		if err != stop || calls != 3 || rows > 500_000 {
			t.Errorf("the reading ends with %v after %d calls and %d rows", err, calls, rows)
		}
	}
}

// TestPackedGrows: a packed file unfolds to a bounded number of bytes for each of its own.
func TestPackedGrows(t *testing.T) {
	line := strings.Repeat("0", 99) + "\n"
	rows, end := read(memory("f.gz", zipped(strings.Repeat(line, 100<<20/len(line))), 0))
	var e *trace.Error
	if !errors.As(end, &e) || e.Kind != trace.TooLarge || e.Reason != "unfolds to more than 200 bytes for each of its own" {
		t.Errorf("after %d rows: %v", len(rows), end)
	}
	if _, end := read(memory("f.gz", zipped(strings.Repeat(line, 60<<20/len(line))), 0)); end != io.EOF {
		t.Errorf("60 MB: %v", end)
	}
}
