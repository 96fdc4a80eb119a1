package packed_test

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"runtime/debug"
	"strings"
	"testing"

	"parley/core/trace"
	"parley/core/trace/formats"
	"parley/core/trace/packed"
)

// tasks is the table that the Parquet files of testdata hold: three tasks of OpenDC in two groups of
// rows, written by the parquet-go library.
const tasks = "id,submission_time,duration,cpu_count,cpu_capacity,mem_capacity,name,parents\n" +
	"1,1376314846000,60000,2,5200,4096,one,\n2,1376314847000,60000,1,2600,2048,one more,1\n3,1376314849500,,4,10400,8192,three,1 2\n"

func inMemory(name string, content []byte) trace.File {
	return trace.File{Name: name, Size: int64(len(content)), Open: func() (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(content)), nil
	}}
}

func tableOf(f trace.File) (string, error) {
	files, err := packed.Open([]trace.File{f}, formats.All)
	if err != nil {
		return "", err
	}
	in, err := files[0].Open()
	if err != nil {
		return "", err
	}
	defer in.Close()
	text, err := io.ReadAll(in)
	return string(text), err
}

func samples(t testing.TB) (list [][]byte) {
	for _, name := range []string{"tasks-snappy.parquet", "tasks-zstd.parquet"} {
		content, err := os.ReadFile("testdata/" + name)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, content)
	}
	return list
}

// A Parquet file is the table that it holds, also within gzip as Google publishes them; it is played
// as that table.
func TestParquet(t *testing.T) {
	for _, content := range samples(t) {
		if got, err := tableOf(inMemory("tasks.parquet", content)); got != tasks || err != nil {
			t.Errorf("%q, %v", got, err)
		}
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		z.Write(content)
		z.Close()
		if got, err := tableOf(inMemory("tasks.parquet.gz", b.Bytes())); got != tasks || err != nil {
			t.Errorf("in gzip: %q, %v", got, err)
		}
		files, err := packed.Open([]trace.File{inMemory("tasks.parquet", content)}, formats.All)
		if err != nil {
			t.Fatal(err)
		}
		r, err := trace.Summarise(files, formats.All, trace.Options{})
		if err != nil || r.Files[0].Format != "opendc/tasks" || r.Files[0].Rows != 3 {
			t.Errorf("%+v, %v", r.Files, err)
		}
	}
}

// A Parquet file of which a byte is another one, or that is cut off, is read or refused in a sentence.
func TestParquetBroken(t *testing.T) {
	refused := 0
	for _, content := range samples(t) {
		step := 3
		if testing.Short() {
			step = 13
		}
		for at := 0; at < len(content); at += step {
			for _, with := range []byte{0, 0x7f, 0xff, content[at] ^ 1} {
				broken := bytes.Clone(content)
				broken[at] = with
				_, err := tableOf(inMemory("tasks.parquet", broken))
				if answered(t, err) {
					refused++
				}
			}
			_, err := tableOf(inMemory("tasks.parquet", content[:at]))
			if at >= 4 && !answered(t, err) {
				t.Errorf("the first %d bytes are read without an error", at)
			}
		}
	}
	if refused < 100 {
		t.Errorf("only %d were refused", refused)
	}
}

// A footer of maps in maps in maps is refused before it fills the stack, which is small in WebAssembly.
func TestParquetNestedMaps(t *testing.T) {
	defer debug.SetMaxStack(debug.SetMaxStack(64 << 20))
	footer := append([]byte{0x1b}, bytes.Repeat([]byte{1, 0xbb}, 3<<20)...)
	content := append([]byte("PAR1"), footer...)
	content = append(binary.LittleEndian.AppendUint32(content, uint32(len(footer))), "PAR1"...)
	if _, err := tableOf(inMemory("tasks.parquet", content)); !answered(t, err) {
		t.Error("it is read")
	}
}

// answered reports whether there is an error, which says of which file and in one sentence.
func answered(t *testing.T, err error) bool {
	if err == nil {
		return false
	}
	var e *trace.Error
	if s := err.Error(); !errors.As(err, &e) || !strings.HasPrefix(s, "tasks.parquet") || len(s) > 1000 || strings.ContainsAny(s, "\n\x00") {
		t.Errorf("%q", s)
	}
	return true
}

func FuzzParquet(f *testing.F) {
	for _, content := range samples(f) {
		f.Add(content)
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		if !bytes.HasPrefix(content, []byte("PAR1")) {
			return
		}
		_, err := tableOf(inMemory("tasks.parquet", content))
		answered(t, err)
	})
}
