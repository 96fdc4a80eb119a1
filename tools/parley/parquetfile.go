package main

import (
	"bufio"
	"encoding/csv"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/parquet-go/parquet-go"

	"parley/core/strict"
)

// openTable opens a file of a trace. A Parquet file is read as the table with names that it
// holds: nested columns are called by their path, as in resource_request.cpus, and a list is one
// cell. Moments are numbers of the file's unit.
func openTable(name string) (io.ReadCloser, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	magic := make([]byte, 4)
	if n, _ := f.ReadAt(magic, 0); n < 4 || string(magic) != "PAR1" {
		return f, nil
	}
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	in, err := parquet.OpenFile(f, info.Size())
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("it is a Parquet file that cannot be read (%w): fetch it again", err)
	}
	unpacked := int64(0)
	for _, group := range in.Metadata().RowGroups {
		for _, column := range group.Columns {
			unpacked += max(column.MetaData.TotalUncompressedSize, 0)
		}
	}
	if unpacked < 0 || unpacked > strict.Whole+strict.Unpacked*info.Size() {
		f.Close()
		return nil, fmt.Errorf("it is a Parquet file that unfolds to more than %d bytes for each of its own: write it without compression first if that is what it should hold", strict.Unpacked)
	}
	out, w := io.Pipe()
	go func() {
		err := writeRows(w, in)
		w.CloseWithError(err) // nil is the end of the file
		f.Close()
	}()
	return out, nil
}

// writeRows writes the rows of a Parquet file as CSV.
func writeRows(w io.Writer, in *parquet.File) (err error) {
	defer func() { // the reader panics where pages are broken
		if p := recover(); p != nil {
			err = fmt.Errorf("the Parquet file is broken: %v", p)
		}
	}()
	buffered := bufio.NewWriter(w)
	out := csv.NewWriter(buffered)
	var names []string
	for _, path := range in.Schema().Columns() {
		names = append(names, columnName(path))
	}
	if err := out.Write(names); err != nil {
		return err
	}
	cells := make([]string, len(names))
	for _, group := range in.RowGroups() {
		rows := group.Rows()
		batch := make([]parquet.Row, 256)
		for {
			n, err := rows.ReadRows(batch)
			for _, row := range batch[:n] {
				clear(cells)
				for _, v := range row {
					at := v.Column()
					switch text := cellOf(v); {
					case cells[at] == "":
						cells[at] = text
					case text != "":
						cells[at] += " " + text
					}
				}
				if err := out.Write(cells); err != nil {
					rows.Close()
					return err
				}
			}
			if err == io.EOF {
				break
			}
			if err != nil {
				rows.Close()
				return err
			}
		}
		if err := rows.Close(); err != nil {
			return err
		}
	}
	out.Flush()
	if err := out.Error(); err != nil {
		return err
	}
	return buffered.Flush()
}

// columnName returns the name of a column by its path: without the steps that stand for the
// elements of a list.
func columnName(path []string) string {
	path = slices.DeleteFunc(slices.Clone(path), func(step string) bool {
		return slices.Contains([]string{"list", "element", "item", "bag", "array", "array_element"}, step) && len(path) > 1
	})
	return strings.Join(path, ".")
}

// cellOf returns a value as text; nothing where it is null.
func cellOf(v parquet.Value) string {
	if v.IsNull() {
		return ""
	}
	if v.Kind() == parquet.Double { // ids may be such numbers
		return strconv.FormatFloat(v.Double(), 'f', -1, 64)
	}
	return strings.ReplaceAll(strings.ToValidUTF8(v.String(), ""), "\n", " ") // a row is a line
}
