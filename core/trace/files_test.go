package trace_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"testing/iotest"

	"parley/core/trace"
)

// memory returns a file that holds content. A step above 0 hands out at most so
// many bytes at a time.
func memory(name string, content []byte, step int) trace.File {
	return trace.File{Name: name, Size: int64(len(content)), Open: func() (io.ReadCloser, error) {
		var r io.Reader = bytes.NewReader(content)
		if step == 1 {
			r = iotest.OneByteReader(r)
		} else if step > 0 {
			r = &stepwise{r, step}
		}
		return io.NopCloser(r), nil
	}}
}

type stepwise struct {
	in   io.Reader
	step int
}

func (s *stepwise) Read(p []byte) (int, error) { return s.in.Read(p[:min(len(p), s.step)]) }

// zipped returns content as one gzip member.
func zipped(content string) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	z.Write([]byte(content))
	z.Close()
	return b.Bytes()
}
