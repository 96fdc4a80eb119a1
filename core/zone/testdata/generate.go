//go:build ignore

// generate writes zones.txt from the time zone database of Go: go run ./testdata/generate.go > zones.txt
package main

import (
	"archive/zip"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
)

const first = 631152000 // 1990

// tzif is what a file of the database says from 1990 on.
type tzif struct {
	before int64 // the offset in 1990
	at     []int64
	to     []int64
	rule   string
}

func parse(data []byte) (z tzif) {
	counts := func(h []byte) (n [6]int) {
		for i := range n {
			n[i] = int(binary.BigEndian.Uint32(h[20+4*i:]))
		}
		return n
	}
	size := func(n [6]int, width int) int {
		return n[3]*width + n[3] + n[4]*6 + n[5] + n[2]*(width+4) + n[1] + n[0]
	}
	data = data[44+size(counts(data), 4):]
	n := counts(data)
	body := data[44:]
	times, kinds, types := body[:8*n[3]], body[8*n[3]:9*n[3]], body[9*n[3]:]
	offset := func(k byte) int64 { return int64(int32(binary.BigEndian.Uint32(types[6*int(k):]))) }
	z.before = offset(0)
	for i := range n[3] {
		t, o := int64(binary.BigEndian.Uint64(times[8*i:])), offset(kinds[i])
		if t <= first {
			z.before = o
			continue
		}
		last := z.before
		if len(z.to) > 0 {
			last = z.to[len(z.to)-1]
		}
		if o != last || i == n[3]-1 { // the rule begins with the last of them
			z.at, z.to = append(z.at, t), append(z.to, o)
		}
	}
	z.rule = strings.TrimSpace(string(body[size(n, 8):]))
	return z
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func main() {
	r, err := zip.OpenReader(filepath.Join(runtime.GOROOT(), "lib", "time", "zoneinfo.zip"))
	check(err)
	names := map[string][]string{}
	for _, f := range r.File {
		if strings.HasSuffix(f.Name, "/") || strings.HasPrefix(f.Name, "posix") || strings.HasPrefix(f.Name, "right") {
			continue
		}
		in, err := f.Open()
		check(err)
		data, err := io.ReadAll(in)
		check(err)
		if len(data) < 4 || string(data[:4]) != "TZif" {
			continue
		}
		z := parse(data)
		var b strings.Builder
		fmt.Fprint(&b, z.before/60)
		last := int64(first)
		for i, t := range z.at {
			if t%60 != 0 || z.to[i]%60 != 0 {
				check(fmt.Errorf("%s has seconds", f.Name))
			}
			fmt.Fprintf(&b, " %s:%d", strconv.FormatInt((t-last)/60, 36), z.to[i]/60)
			last = t
		}
		fmt.Fprintf(&b, " %s", z.rule)
		names[b.String()] = append(names[b.String()], f.Name)
	}
	var lines []string
	for text, of := range names {
		slices.Sort(of)
		lines = append(lines, strings.Join(of, ",")+" "+text)
	}
	slices.Sort(lines)
	fmt.Println(strings.Join(lines, "\n"))
}
