package slim

import (
	"bytes"
	"encoding/binary"
	"fmt"
)

// The layout of Go's function tables, for Go 1.20 to 1.26: pcHeader in runtime/symtab.go and _func
// in runtime/runtime2.go.
const (
	tableMagic = "\xf1\xff\xff\xff\x00\x00\x01\x08" // for 64-bit words, instructions of any length
	tableHead  = 72

	funcPCFile    = 20 // offset of the table of files
	funcPCLine    = 24 // offset of the table of lines
	funcTables    = 28 // offset of the number of further tables
	funcUnit      = 32
	funcStartLine = 36
	funcHead      = 44 // the offsets of further tables follow
)

// funcStackTable is the offset of the table of stack depths.
const funcStackTable = 16

// functions is the table of functions in a memory.
type functions struct {
	memory []byte
	count  int
	// where the parts begin: file names by unit, file names, tables by instruction, functions
	units, files, tables, end int
}

// dropLines removes the lines and files of calls from the table of functions: offset 0 means that
// there is no table, and the runtime prints "?".
func dropLines(memory []byte) error {
	f, err := findFunctions(memory)
	if err != nil {
		return err
	}
	used, lines := map[int]bool{}, map[int]bool{}
	for i := range f.count {
		record, err := f.record(i)
		if err != nil {
			return err
		}
		used[word(record, funcStackTable)] = true
		for k := range word(record, funcTables) {
			used[word(record, funcHead+4*k)] = true
		}
		lines[word(record, funcPCFile)], lines[word(record, funcPCLine)] = true, true
		clear(record[funcPCFile:funcTables])
		clear(record[funcUnit : funcStartLine+4])
	}
	for offset := range lines {
		if offset == 0 || used[offset] {
			continue // equal tables are kept once
		}
		table, err := f.table(offset)
		if err != nil {
			return err
		}
		clear(table)
	}
	clear(memory[f.units:f.tables])
	return nil
}

// findFunctions finds the table of functions by its head.
func findFunctions(memory []byte) (functions, error) {
	var found []functions
	for at := 0; ; at++ {
		next := bytes.Index(memory[at:], []byte(tableMagic))
		if next < 0 {
			break
		}
		at += next
		if f, fits := functionsAt(memory, at); fits {
			found = append(found, f)
		}
	}
	if len(found) != 1 {
		return functions{},
			fmt.Errorf(
				"%w: there are %d tables of functions as Go 1.26 writes them; see which layout this Go has in runtime/symtab.go", errModule, len(found),
			)
	}
	return found[0], nil
}

func functionsAt(memory []byte, at int) (functions, bool) {
	if at+tableHead > len(memory) {
		return functions{}, false
	}
	var fields [8]int // functions, files, text, names, units, files, tables, functions
	last := 0
	for i := range fields {
		n := binary.LittleEndian.Uint64(memory[at+8+8*i:])
		if n > uint64(len(memory)-at) {
			return functions{}, false
		}
		fields[i] = int(n)
		if i >= 3 {
			if fields[i] < last {
				return functions{}, false
			}
			last = fields[i]
		}
	}
	f := functions{
		memory: memory, count: fields[0], units: at + fields[4], files: at + fields[5],
		tables: at + fields[6], end: at + fields[7],
	}
	return f, f.count > 0 && fields[3] == tableHead && f.end+8*f.count+4 <= len(memory)
}

// record returns the entry of function i.
func (f functions) record(i int) ([]byte, error) {
	at := f.end + word(f.memory, f.end+8*i+4)
	if at+funcHead > len(f.memory) {
		return nil, f.wrong(i)
	}
	record := f.memory[at:]
	if n := word(record, funcTables); n > 64 || funcHead+4*n > len(record) {
		return nil, f.wrong(i)
	}
	return record, nil
}

func (f functions) wrong(i int) error {
	return fmt.Errorf("%w: function %d of %d has another layout than in Go 1.26", errModule, i, f.count)
}

// table returns the bytes of a table by instruction: pairs of two numbers in
// LEB128 until one begins with 0, but for the first.
func (f functions) table(offset int) ([]byte, error) {
	if f.tables+offset >= f.end {
		return nil, fmt.Errorf("%w: a table by instruction lies at %d, behind the last", errModule, offset)
	}
	from := f.memory[f.tables+offset : f.end]
	r := numbers{from}
	for first := true; ; first = false {
		value := r.unsigned()
		if r.rest != nil && (value != 0 || first) {
			r.unsigned()
			if r.rest != nil {
				continue
			}
		}
		if r.rest == nil {
			return nil, fmt.Errorf("%w: the table by instruction at %d has no end", errModule, offset)
		}
		return from[:len(from)-len(r.rest)], nil
	}
}

// word reads a 32-bit word.
func word(memory []byte, at int) int {
	return int(binary.LittleEndian.Uint32(memory[at:]))
}
