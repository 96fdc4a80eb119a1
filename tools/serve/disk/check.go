package disk

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"math"
	"os"

	"parley/tools/links"
)

// The format of bbolt's files: https://pkg.go.dev/go.etcd.io/bbolt. All pages begin
// with their number (8 bytes), kind (2), count of elements (2) and how many more pages
// they take (4); a meta page goes on with magic, version, page size and flags (4 each),
// the root bucket (page and sequence), the list of free pages, the end of the used ones,
// the transaction and a checksum of all that (8 each).
const (
	pageHead   = 16
	metaSize   = 64
	elements   = 16 // bytes of an element, of leaves and branches
	bucketHead = 16
	magic      = 0xED0CDAED
	version    = 2

	branchPage, leafPage, metaPage, freePage = 1, 2, 4, 16
)

// meta is what a meta page says.
type meta struct {
	pageSize          uint32
	root, free, pages uint64
	transaction       uint64
}

// checking is one way through a file.
type checking struct {
	from  io.ReaderAt
	meta  meta
	seen  map[uint64]bool // pages that are reached
	found bool            // the bucket of links
}

// check reads a whole file, without mapping it, and returns what is wrong in it: the
// program that opens it afterwards trusts every number. Each entry must have the name
// that its content gives it.
func check(path string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil || info.Size() == 0 {
		return err // an empty file becomes a store
	}
	c := checking{from: file, seen: map[uint64]bool{0: true, 1: true}}
	if err := c.metas(info.Size()); err != nil {
		return err
	}
	if err := c.bucket(c.meta.root, true); err != nil {
		return err
	}
	return c.free()
}

// metas reads both meta pages: with one of them alone, the latest entries would be gone.
func (c *checking) metas(size int64) error {
	var head [pageHead + metaSize]byte
	if _, err := c.from.ReadAt(head[:], 0); err != nil {
		return fmt.Errorf("its first page cannot be read (%w)", err)
	}
	pageSize := binary.LittleEndian.Uint32(head[pageHead+8:])
	if pageSize < 1<<10 || pageSize > 1<<16 || pageSize&(pageSize-1) != 0 {
		return errors.New("its first page has no size of a page")
	}
	for i := range int64(2) {
		if _, err := c.from.ReadAt(head[:], i*int64(pageSize)); err != nil {
			return fmt.Errorf("its page %d cannot be read (%w)", i, err)
		}
		text := head[pageHead:]
		number := func(at int) uint64 { return binary.LittleEndian.Uint64(text[at:]) }
		sum := fnv.New64a()
		_, _ = sum.Write(text[:metaSize-8])
		m := meta{binary.LittleEndian.Uint32(text[8:]), number(16), number(32), number(40), number(48)}
		switch {
		case binary.LittleEndian.Uint32(text) != magic || binary.LittleEndian.Uint32(text[4:]) != version || m.pageSize != pageSize || binary.LittleEndian.Uint16(head[8:]) != metaPage || sum.Sum64() != number(56):
			return fmt.Errorf("its page %d is not what was written", i)
		case m.pages > uint64(size)/uint64(pageSize):
			return fmt.Errorf("it has %d bytes of %d", size, m.pages*uint64(pageSize))
		}
		if i == 0 || m.transaction > c.meta.transaction {
			c.meta = m
		}
	}
	return nil
}

// page reads a page that is reached for the first time, whole.
func (c *checking) page(id uint64) (text []byte, kind, count int, err error) {
	if id < 2 || id >= c.meta.pages || c.seen[id] {
		return nil, 0, 0, fmt.Errorf("its page %d is reached from where it cannot be", id)
	}
	size := uint64(c.meta.pageSize)
	var head [pageHead]byte
	if _, err := c.from.ReadAt(head[:], int64(id*size)); err != nil {
		return nil, 0, 0, fmt.Errorf("its page %d cannot be read (%w)", id, err)
	}
	more := uint64(binary.LittleEndian.Uint32(head[12:]))
	if binary.LittleEndian.Uint64(head[:]) != id || id+more >= c.meta.pages {
		return nil, 0, 0, fmt.Errorf("its page %d is not what was written", id)
	}
	for i := range more + 1 {
		if c.seen[id+i] {
			return nil, 0, 0, fmt.Errorf("its page %d is part of two", id+i)
		}
		c.seen[id+i] = true
	}
	text = make([]byte, (more+1)*size)
	if _, err := c.from.ReadAt(text, int64(id*size)); err != nil {
		return nil, 0, 0, fmt.Errorf("its page %d cannot be read (%w)", id, err)
	}
	return text, int(binary.LittleEndian.Uint16(head[8:])), int(binary.LittleEndian.Uint16(head[10:])), nil
}

// bucket checks the tree of a bucket. The root holds the bucket of links alone.
func (c *checking) bucket(page uint64, root bool) error {
	text, kind, count, err := c.page(page)
	if err != nil {
		return err
	}
	if err := c.tree(text, kind, count, root, nil, nil); err != nil {
		return fmt.Errorf("its page %d is damaged: %w", page, err)
	}
	if root && !c.found && count > 0 {
		return errors.New("it holds something else than links")
	}
	return nil
}

// tree checks a page and those below it, whose keys are from low up to high; nil: any.
func (c *checking) tree(text []byte, kind, count int, root bool, low, high []byte) error {
	if kind != leafPage && kind != branchPage || kind == branchPage && count == 0 || pageHead+count*elements > len(text) {
		return errors.New("it is no page of a tree")
	}
	// part returns bytes behind an element, without those of another page.
	part := func(at int, pos, size uint32) ([]byte, error) {
		from := uint64(at) + uint64(pos)
		if from < uint64(pageHead+count*elements) || from+uint64(size) > uint64(len(text)) {
			return nil, errors.New("an entry leaves it")
		}
		return text[from : from+uint64(size)], nil
	}
	keys := make([][]byte, 0, count)
	for i := range count {
		at := pageHead + i*elements
		pos, size := at, at+4 // of a branch's key
		if kind == leafPage {
			pos, size = at+4, at+8
		}
		key, err := part(at, binary.LittleEndian.Uint32(text[pos:]), binary.LittleEndian.Uint32(text[size:]))
		switch {
		case err != nil:
			return err
		case len(key) == 0 || i > 0 && bytes.Compare(keys[i-1], key) >= 0 || low != nil && bytes.Compare(key, low) < 0 || high != nil && bytes.Compare(key, high) >= 0:
			return errors.New("its names are not in order")
		}
		keys = append(keys, key)
	}
	for i, key := range keys {
		at := pageHead + i*elements
		if kind == branchPage {
			next := high
			if i+1 < count {
				next = keys[i+1]
			}
			id := binary.LittleEndian.Uint64(text[at+8:])
			below, kind, count, err := c.page(id)
			if err == nil {
				err = c.tree(below, kind, count, root, key, next)
			}
			if err != nil {
				return err
			}
			continue
		}
		flags, size := binary.LittleEndian.Uint32(text[at:]), binary.LittleEndian.Uint32(text[at+12:])
		value, err := part(at, binary.LittleEndian.Uint32(text[at+4:])+uint32(len(key)), size)
		switch {
		case err != nil:
			return err
		case root && (flags != 1 || string(key) != string(bucket) || len(value) < bucketHead):
			return errors.New("it holds something else than links")
		case root:
			c.found = true
			if page := binary.LittleEndian.Uint64(value); page != 0 {
				err = c.bucket(page, false)
			} else if inside := value[bucketHead:]; len(inside) < pageHead {
				err = errors.New("its bucket is cut off")
			} else {
				err = c.tree(inside, int(binary.LittleEndian.Uint16(inside[8:])), int(binary.LittleEndian.Uint16(inside[10:])), false, nil, nil)
			}
			if err != nil {
				return err
			}
		case flags != 0 || !whole(key, value):
			return fmt.Errorf("the entry %.20q is not what was kept", key)
		}
	}
	return nil
}

// free checks that no page of the list of free ones is in use.
func (c *checking) free() error {
	if c.meta.free == math.MaxUint64 {
		return nil // there is none
	}
	text, kind, count, err := c.page(c.meta.free)
	if err != nil {
		return err
	}
	ids := text[pageHead:]
	if count == math.MaxUint16 {
		if n := binary.LittleEndian.Uint64(ids); n <= uint64(len(ids)/8) {
			count, ids = int(n), ids[8:]
		} else {
			kind = 0
		}
	}
	if kind != freePage || count > len(ids)/8 {
		return errors.New("its list of free pages is not what was written")
	}
	for i := range count {
		id := binary.LittleEndian.Uint64(ids[8*i:])
		if id < 2 || id >= c.meta.pages || c.seen[id] {
			return errors.New("its list of free pages is not what was written")
		}
		c.seen[id] = true
	}
	return nil
}

// whole reports whether a value is an entry with its right name and time.
func whole(id, value []byte) bool {
	return len(value) > timeSize && timely(value) && links.Name(value[timeSize:]) == string(id)
}

// isStore reports whether a file that cannot be read was one.
func isStore(file io.ReaderAt) bool {
	for _, at := range []int64{0, int64(os.Getpagesize())} {
		var mark [4]byte
		if _, err := file.ReadAt(mark[:], at+pageHead); err == nil && binary.LittleEndian.Uint32(mark[:]) == magic {
			return true
		}
	}
	return false
}
