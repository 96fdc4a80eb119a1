package packed

import (
	"cmp"
	"encoding/binary"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"parley/core/strict"
	"parley/core/trace"
)

// parquetMagic begins and ends a Parquet file.
const parquetMagic = "PAR1"

// The most bytes of the description at the end of a Parquet file, and of the cells of a row together.
// Rows are handed on when they have more than batch bytes.
const (
	maxFooter = 8 << 20
	maxRow    = 4 << 20
	batch     = 1 << 20
)

// budget limits the unpacked size of a Parquet file: the bytes of its pages, and its values, also
// those that take no space in the file.
type budget struct{ left int64 }

// take takes from the budget, and returns an error when it is used up.
func (b *budget) take(n int) error {
	if b.left -= int64(n); b.left >= 0 {
		return nil
	}
	return errUnfolds
}

var errUnfolds = &refusal{
	trace.TooLarge, fmt.Sprintf("unfolds to more than %d bytes for each of its own", strict.Unpacked),
	"unpack it first if that is what it should hold",
}

// refusal is the reason why a Parquet file is not read, with the remedy.
type refusal struct {
	kind         trace.ErrorKind
	reason, hint string
}

func (r *refusal) Error() string { return r.reason }

// rowGroup is a group of rows: the positions of its columns in the file.
type rowGroup struct {
	rows   int64
	chunks []chunk
}

// chunk is a column of a group.
type chunk struct {
	from, size    int64
	codec, values int64
}

// table reads a Parquet file as the table with names that it holds, as CSV: nested columns are
// called by their path, as in resource_request.cpus, and a list is one cell. The file is read from
// its beginning to its end twice, the first time for the description at its end; one group of rows
// is held at a time, packed.
type table struct {
	file   trace.File
	leaves []leaf
	groups []rowGroup
	budget budget

	in      io.ReadCloser
	at      int64 // bytes of in that were read
	columns []column
	rows    int64 // of the group that are left
	text    strings.Builder
	csv     *csv.Writer
	ready   string // text for Read
	err     error
}

// refused converts an error to a *trace.Error about the file. One that is not a refusal means that the file is
// damaged.
func (t *table) refused(reason error) error {
	if e := (*trace.Error)(nil); errors.As(reason, &e) {
		return reason
	}
	if r := (*refusal)(nil); errors.As(reason, &r) {
		return &trace.Error{Kind: r.kind, File: t.file.Name, Reason: r.reason, Hint: r.hint}
	}
	return &trace.Error{
		Kind: trace.Damaged, File: t.file.Name,
		Reason: "the Parquet file cannot be read: " + reason.Error(),
		Hint:   "fetch or write it again",
	}
}

// openParquet opens a Parquet file as a table, whose first line has the names of its columns. It reads the file's
// description; the rows are read later. The caller closes the table.
func openParquet(f trace.File) (io.ReadCloser, error) {
	t := &table{file: f}
	footer, size, err := t.footer()
	if err == nil {
		err = t.describe(footer, size)
	}
	if err != nil {
		return nil, t.refused(err)
	}
	if t.in, err = f.Open(); err != nil {
		return nil, err
	}
	t.csv = csv.NewWriter(&t.text)
	names := make([]string, len(t.leaves))
	for i := range t.leaves {
		names[i] = t.leaves[i].name
	}
	t.csv.Write(names)
	t.csv.Flush()
	t.ready = t.text.String()
	return t, nil
}

// footer reads the file to its end and returns its description, which is the last thing in it, and its size in
// bytes. It holds at most 2 * maxFooter bytes.
func (t *table) footer() (footer []byte, size int64, err error) {
	in, err := t.file.Open()
	if err != nil {
		return nil, 0, err
	}
	defer in.Close()
	var tail []byte // the last bytes read, enough for the description
	buffer := make([]byte, 32<<10)
	if t.file.Size > maxFooter {
		if size, err = io.CopyN(io.Discard, in, t.file.Size-maxFooter); err != nil {
			return nil, 0, err
		}
	}
	for {
		n, err := in.Read(buffer)
		size += int64(n)
		if tail = append(tail, buffer[:n]...); len(tail) > 2*maxFooter {
			tail = append(tail[:0], tail[len(tail)-maxFooter:]...)
		}
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, 0, err
		}
	}
	if len(tail) < 12 || string(tail[len(tail)-4:]) != parquetMagic {
		return nil, 0, errCut
	}
	n := int64(binary.LittleEndian.Uint32(tail[len(tail)-8:]))
	if n > maxFooter {
		return nil, 0, &refusal{
			trace.TooLarge, fmt.Sprintf("its description has %d bytes, more than %d", n, maxFooter),
			"write it in larger groups of rows",
		}
	}
	if n > int64(len(tail)-8) {
		return nil, 0, errThrift
	}
	return tail[len(tail)-8-int(n) : len(tail)-8], size, nil
}

// describe reads the description into t.leaves and t.groups, and sets the budget by the size of the file. Positions
// outside the file are an error.
func (t *table) describe(footer []byte, size int64) error {
	read := thrift{in: footer}
	about, err := read.object()
	if err != nil {
		return err
	}
	schema := about.list(2)
	if len(schema) == 0 {
		return errThrift
	}
	rest, err := t.names(schema[1:], nil, 0, 0, children(schema[0]))
	if err != nil || len(rest) > 0 || len(t.leaves) == 0 {
		return errThrift
	}
	t.budget = budget{strict.Whole + strict.Unpacked*size}
	for _, g := range about.list(4) {
		group, _ := g.(fields)
		columns := group.list(1)
		if len(columns) != len(t.leaves) || group.number(3) < 0 {
			return errThrift
		}
		rg := rowGroup{rows: group.number(3)}
		for _, one := range columns {
			c, _ := one.(fields)
			meta := c.object(3)
			from, size64 := meta.number(9), meta.number(7)
			if dict := meta.number(11); dict > 0 {
				from = min(from, dict)
			}
			if from < 4 || size64 < 0 || from > size || size64 > size-from || meta.number(5) < 0 {
				return errThrift
			}
			rg.chunks = append(rg.chunks, chunk{
				from: from, size: size64, codec: meta.number(4),
				values: meta.number(5),
			})
		}
		t.groups = append(t.groups, rg)
	}
	return nil
}

func children(element any) int64 {
	e, _ := element.(fields)
	return e.number(5)
}

// names appends to t.leaves the columns with values among count elements of the schema and their descendants, and
// returns the elements after them. path has the names of the elements around them; defined counts
// those of them that may be missing or are repeated, again those that are repeated: the highest levels of the format.
func (t *table) names(schema []any, path []string, defined, again int, count int64) ([]any, error) {
	if len(path) > deepestThrift {
		return nil, errThrift
	}
	for ; count > 0; count-- {
		if len(schema) == 0 {
			return nil, errThrift
		}
		e, _ := schema[0].(fields)
		schema = schema[1:]
		def, rep := defined, again
		switch e.number(3) {
		case 1: // may be missing
			def++
		case 2: // repeated
			def, rep = def+1, rep+1
		}
		below := append(slices.Clone(path), e.text(4))
		if n := e.number(5); n > 0 {
			var err error
			if schema, err = t.names(schema, below, def, rep, n); err != nil {
				return nil, err
			}
			continue
		}
		t.leaves = append(t.leaves, leaf{
			name: columnName(below), kind: e.number(1), size: int(e.number(2)), defined: def, again: rep,
		})
	}
	return schema, nil
}

// columnName returns the name of a column by its path: without the steps that stand for the
// elements of a list.
func columnName(path []string) string {
	short := slices.DeleteFunc(slices.Clone(path), func(step string) bool {
		return slices.Contains([]string{"list", "element", "item", "bag", "array", "array_element"}, step) &&
			len(path) > 1
	})
	return strings.Join(short, ".")
}

// load reads the packed columns of the next group of rows, in the order in which they are in the file. There must
// be a next group. Decoders are passed on to the new columns.
func (t *table) load() error {
	g := t.groups[0]
	t.groups, t.rows = t.groups[1:], g.rows
	old := t.columns
	t.columns = make([]column, len(g.chunks))
	order := make([]int, len(g.chunks))
	for i := range order {
		order[i] = i
		t.columns[i] = column{leaf: t.leaves[i], budget: &t.budget, codec: g.chunks[i].codec, total: g.chunks[i].values}
		if old != nil {
			t.columns[i].zstd = old[i].zstd
		}
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(g.chunks[a].from, g.chunks[b].from) })
	for _, i := range order {
		c := g.chunks[i]
		if c.from < t.at {
			return errors.New("its columns overlap")
		}
		if _, err := io.CopyN(io.Discard, t.in, c.from-t.at); err != nil {
			return errCut
		}
		t.columns[i].chunk = make([]byte, c.size)
		if _, err := io.ReadFull(t.in, t.columns[i].chunk); err != nil {
			return errCut
		}
		t.at = c.from + c.size
	}
	return nil
}

// fill sets t.ready to the CSV of the next rows, at most 256 and about batch bytes; io.EOF if there are none left.
// On another error t.ready stays empty.
func (t *table) fill() error {
	t.text.Reset()
	cells := make([]string, len(t.leaves))
	for n := 0; n < 256 && t.text.Len() < batch; n++ {
		for t.rows == 0 {
			if len(t.groups) == 0 {
				t.csv.Flush()
				if t.ready = t.text.String(); t.ready == "" {
					return io.EOF
				}
				return nil
			}
			if err := t.load(); err != nil {
				return err
			}
		}
		t.rows--
		size := 0
		for i := range t.columns {
			var err error
			if cells[i], err = t.columns[i].cell(); err != nil {
				if err == io.EOF {
					err = fmt.Errorf("its column %s has fewer rows than the others", t.leaves[i].name)
				}
				return err
			}
			if size += len(cells[i]); size > maxRow {
				return &refusal{
					trace.TooLarge, fmt.Sprintf("one of its rows has more than %d bytes", maxRow),
					"leave out its largest column",
				}
			}
		}
		t.csv.Write(cells)
	}
	t.csv.Flush()
	t.ready = t.text.String()
	return nil
}

// Read implements io.Reader: it returns the table as CSV. Rows of the batch in which an error occurs are not returned.
func (t *table) Read(p []byte) (int, error) {
	for t.ready == "" {
		if t.err == nil {
			if t.err = t.fill(); t.err != nil && t.err != io.EOF {
				t.err = t.refused(t.err)
			}
		}
		if t.ready == "" && t.err != nil {
			return 0, t.err
		}
	}
	n := copy(p, t.ready)
	t.ready = t.ready[n:]
	return n, nil
}

// Close closes the file.
func (t *table) Close() error {
	for i := range t.columns {
		if z := t.columns[i].zstd; z != nil {
			z.Close()
		}
	}
	return t.in.Close()
}
