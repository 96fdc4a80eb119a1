package table

// Plain is plain, the way of its own in which rows of short whole numbers are read.
func (t *Table) Plain(r *Row, line []byte) bool { return t.plain(r, line) }
