// Imports draws who imports whom: one drawing a checkout, side by side, so that a
// package which knows too much, or which everything knows, stands out.
//
//	go run ./tools/imports [DIR…] > docs/imports.svg
//
// A package stands one row above the highest it imports. Its box is as wide as the
// packages that it knows and as dark as those that know it are many.
package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
)

func main() {
	dirs := os.Args[1:]
	if len(dirs) == 0 {
		dirs = []string{"."}
	}
	var all []drawing
	for _, dir := range dirs {
		d, err := read(dir)
		if err != nil {
			fmt.Fprintf(os.Stderr, "imports: %s: %v\n", dir, err)
			os.Exit(1)
		}
		all = append(all, d)
	}
	write(os.Stdout, all)
}

// drawing is the packages of a checkout.
type drawing struct {
	packages []string // sorted
	knows    map[string][]string
	knownBy  map[string]int
	row      map[string]int // 0: imports none of the others
}

// read asks go for the packages of the core and what they import of it.
func read(dir string) (drawing, error) {
	cmd := exec.Command("go", "list", "-f", `{{.ImportPath}} {{join .Imports " "}}`, "./core/...")
	cmd.Dir, cmd.Stderr = dir, os.Stderr
	out, err := cmd.Output()
	d := drawing{knows: map[string][]string{}, knownBy: map[string]int{}, row: map[string]int{}}
	for line := range strings.Lines(string(out)) {
		words := strings.Fields(line)
		d.packages = append(d.packages, short(words[0]))
		for _, w := range words[1:] {
			if strings.HasPrefix(w, prefix) {
				d.knows[short(words[0])] = append(d.knows[short(words[0])], short(w))
				d.knownBy[short(w)]++
			}
		}
	}
	slices.Sort(d.packages)
	for _, p := range d.packages {
		d.rise(p)
	}
	return d, err
}

const prefix = "parley/core/"

func short(path string) string { return strings.TrimPrefix(path, prefix) }

// rise finds the row of a package.
func (d *drawing) rise(p string) int {
	if _, known := d.row[p]; !known {
		row := 0
		for _, q := range d.knows[p] {
			row = max(row, d.rise(q)+1)
		}
		d.row[p] = row
	}
	return d.row[p]
}

// Sizes in the drawing's units.
const (
	width, rowHeight, head = 900, 64, 56
	least, step, high      = 8, 5, 26 // a box: 8 wide and 5 for each package it knows, 26 high
)

type spot struct{ x, y, w int }

func write(w io.Writer, all []drawing) {
	rows := 0
	for _, d := range all {
		for _, r := range d.row {
			rows = max(rows, r+1)
		}
	}
	height := head + rows*rowHeight
	fmt.Fprintf(w, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" font-size="9">`+"\n", width*len(all), height)
	fmt.Fprintf(w, `<rect width="%d" height="%d" fill="#ffffff"/>`+"\n", width*len(all), height)
	for i, d := range all {
		fmt.Fprintf(w, `<g transform="translate(%d 0)">`+"\n", i*width)
		d.write(w, rows)
		fmt.Fprintln(w, "</g>")
	}
	fmt.Fprintln(w, "</svg>")
}

func (d *drawing) write(w io.Writer, rows int) {
	imports := 0
	for _, k := range d.knows {
		imports += len(k)
	}
	fmt.Fprintf(w, `<text x="16" y="24" font-size="14">%d packages of the core, %d imports</text>`+"\n", len(d.packages), imports)
	at := d.spots(rows)
	for _, p := range d.packages {
		for _, q := range d.knows[p] {
			a, b := at[p], at[q]
			fmt.Fprintf(w, `<line x1="%d" y1="%d" x2="%d" y2="%d" stroke="#5b6b7f" stroke-opacity="0.25"/>`+"\n", a.x+a.w/2, a.y+high, b.x+b.w/2, b.y)
		}
	}
	for _, p := range d.packages {
		s := at[p]
		fmt.Fprintf(w, `<rect x="%d" y="%d" width="%d" height="%d" rx="3" fill="#1f6f8b" fill-opacity="%.2f" stroke="#1f6f8b"><title>%s imports %d, imported by %d</title></rect>`+"\n",
			s.x, s.y, s.w, high, min(0.08+0.03*float64(d.knownBy[p]), 0.95), p, len(d.knows[p]), d.knownBy[p])
		fmt.Fprintf(w, `<text x="%d" y="%d" text-anchor="middle" fill="#0b1f2a" stroke="#ffffff" stroke-width="2" paint-order="stroke">%s</text>`+"\n", s.x+s.w/2, s.y+high+10, p)
	}
}

// spots places the boxes: a row each, spread over the width, by the mean place of
// what they import.
func (d *drawing) spots(rows int) map[string]spot {
	at := map[string]spot{}
	for row := range rows {
		var here []string
		for _, p := range d.packages {
			if d.row[p] == row {
				here = append(here, p)
			}
		}
		mean := func(p string) (x int) {
			for _, q := range d.knows[p] {
				x += at[q].x
			}
			return x / max(1, len(d.knows[p]))
		}
		slices.SortStableFunc(here, func(a, b string) int { return mean(a) - mean(b) })
		for i, p := range here {
			w := least + step*len(d.knows[p])
			x := (2*i+1)*width/(2*len(here)) - w/2
			at[p] = spot{x, head + (rows-1-row)*rowHeight, w}
		}
	}
	return at
}
