package main_test

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"io"
	"slices"
	"strings"

	"parley/core/trace"
	"parley/core/trace/formats"
	"parley/core/trace/packed"
)

// asParquet reads the table of a Parquet file to its end.
func asParquet(text []byte) error {
	files, err := packed.Open([]trace.File{stored(text)}, formats.All)
	if err != nil {
		return err
	}
	in, err := files[0].Open()
	if err != nil {
		return err
	}
	defer in.Close()
	_, err = io.Copy(io.Discard, in)
	return err
}

// member is a field of a struct in Thrift's compact protocol.
type member struct {
	id, kind int
	body     []byte
}

func whole(id int, n int64) member { return member{id, 6, binary.AppendVarint(nil, n)} }
func named(id int, s string) member {
	return member{id, 8, append(binary.AppendUvarint(nil, uint64(len(s))), s...)}
}
func within(id int, fields ...member) member { return member{id, 12, structOf(fields...)} }

// listed is a list of values of one kind.
func listed(id, kind int, values ...[]byte) member {
	body := binary.AppendUvarint([]byte{0xf0 | byte(kind)}, uint64(len(values)))
	return member{id, 9, append(body, bytes.Join(values, nil)...)}
}

func structOf(fields ...member) (out []byte) {
	last := 0
	for _, f := range fields {
		out = append(out, byte(f.id-last)<<4|byte(f.kind))
		out, last = append(out, f.body...), f.id
	}
	return append(out, 0)
}

func gzipped(text []byte) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	w.Write(text)
	w.Close()
	return b.Bytes()
}

// page is a page of a Parquet file that gzip packs: of data, or the dictionary.
func page(dict bool, values, encoding int64, data []byte) []byte {
	stored := gzipped(data)
	kind, about := int64(0), within(5, whole(1, values), whole(2, encoding), whole(3, 3), whole(4, 3))
	if dict {
		kind, about = 2, within(7, whole(1, values), whole(2, encoding))
	}
	return append(structOf(whole(1, kind), whole(2, int64(len(data))), whole(3, int64(len(stored))), about), stored...)
}

// parquetFile is a file with one column, of a physical type and a repetition (0 required, 1 optional,
// 2 repeated), whose values are in pages.
func parquetFile(kind, repetition, values int64, pages ...[]byte) string {
	chunk := bytes.Join(pages, nil)
	schema := [][]byte{
		structOf(named(4, "schema"), whole(5, 1)),
		structOf(whole(1, kind), whole(3, repetition), named(4, "id")),
	}
	meta := within(3, whole(4, 2), whole(5, values), whole(6, int64(len(chunk))), whole(7, int64(len(chunk))), whole(9, 4))
	group := structOf(listed(1, 12, structOf(meta)), whole(3, values))
	return parquetOf(chunk, structOf(listed(2, 12, schema...), listed(4, 12, group)))
}

func parquetOf(chunk, footer []byte) string {
	out := slices.Concat([]byte("PAR1"), chunk, footer)
	return string(append(binary.LittleEndian.AppendUint32(out, uint32(len(footer))), "PAR1"...))
}

// equal is a run of n equal numbers of at most one byte.
func equal(n uint64, value ...byte) []byte { return append(binary.AppendUvarint(nil, n<<1), value...) }

func level(runs ...[]byte) []byte {
	all := bytes.Join(runs, nil)
	return append(binary.LittleEndian.AppendUint32(nil, uint32(len(all))), all...)
}

// parquetBombs are small files that tell of much.
func parquetBombs() map[string]string {
	const many = 8_000_000 // values of a page: one such page is within the budget of a small file
	text := func(s string) []byte { return append(binary.LittleEndian.AppendUint32(nil, uint32(len(s))), s...) }
	const bytesKind, numbers, truths = 6, 2, 0
	nothing := page(false, many, 0, level(equal(many, 0)))
	lists := slices.Concat(level(equal(1, 0), equal(many-1, 1)), level(equal(many, 1)))
	// differences of width 0: blocks of 2^20 in one part each
	differences := page(false, 1, 5, slices.Concat(
		[]byte{0x80, 0x80, 0x40, 1}, binary.AppendUvarint(nil, 1<<22), []byte{2}, bytes.Repeat([]byte{2, 0}, 4),
	))
	columns := [][]byte{structOf(named(4, "schema"), whole(5, 100_000))}
	for range 100_000 {
		columns = append(columns, structOf(whole(1, 1), named(4, "id")))
	}
	dict := func(entry string) []byte { return page(true, 1, 0, text(entry)) }
	first := page(false, many, 8, append([]byte{0}, equal(many)...)) // the dictionary's first entry, many times
	lists = page(false, many, 8, append(lists, append([]byte{0}, equal(many)...)...))
	emptyLists := page(false, many, 0, slices.Concat(level(equal(many, 1)), level(equal(many, 0))))
	inGzip := func(list member) string { return string(gzipped([]byte(parquetOf(nil, structOf(list))))) }
	return map[string]string{
		"nulls":           parquetFile(bytesKind, 1, 200*many, slices.Repeat([][]byte{nothing}, 200)...),
		"lists of nulls":  parquetFile(bytesKind, 2, 5000*many, slices.Repeat([][]byte{emptyLists}, 5000)...),
		"a wide list":     parquetFile(bytesKind, 2, many, dict("a"), lists),
		"one text":        parquetFile(bytesKind, 0, many, dict(strings.Repeat("a", 1<<20)), first),
		"a long text":     parquetFile(bytesKind, 0, 1, page(false, 1, 0, text(strings.Repeat("a", 200<<20)))),
		"truths":          parquetFile(truths, 0, many, page(false, many, 0, make([]byte, many/8))),
		"differences":     parquetFile(numbers, 0, 20_000, slices.Repeat([][]byte{differences}, 20_000)...),
		"a long footer":   inGzip(listed(2, 3, make([]byte, 7<<20))),
		"objects":         inGzip(listed(2, 12, bytes.Repeat([]byte{0x13, 0, 0}, 1<<20))),
		"columns":         parquetOf(nil, structOf(listed(2, 12, columns...))),
		"what unfolds to": parquetFile(bytesKind, 0, many, page(false, many, 0, make([]byte, 240_000_000))),
	}
}
