package disk

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"go.etcd.io/bbolt"

	"parley/tools/links"
)

// beginning is what all entries begin with: so they are found wherever they are in a
// damaged file, whatever became of the numbers that lead to them.
const beginning = `{"place":"`

// mostEntry bounds the bytes of an entry.
const mostEntry = 2 * links.MostBytes

// salvage finds the entries of a damaged file: bytes that are an entry, behind the name
// that belongs to them and a time. One whose time is damaged is kept as long as a new one.
func salvage(file io.ReaderAt, now time.Time) (map[string][]byte, error) {
	found := map[string][]byte{}
	const step = 1 << 20
	block, front := make([]byte, step+len(beginning)-1), links.IDLength+timeSize
	around := make([]byte, front+mostEntry)
	for at := int64(0); ; at += step {
		n, err := file.ReadAt(block, at)
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, err
		}
		for from := 0; ; {
			i := bytes.Index(block[from:n], []byte(beginning))
			if i < 0 {
				break
			}
			place := at + int64(from+i) - int64(front)
			from += i + 1
			if place < 0 {
				continue
			}
			m, _ := file.ReadAt(around, place) // less at the end of the file
			var entry json.RawMessage
			if m <= front || json.NewDecoder(bytes.NewReader(around[front:m])).Decode(&entry) != nil {
				continue
			}
			id, value := string(around[:links.IDLength]), around[links.IDLength:front+len(entry)]
			if links.Name(entry) != id {
				continue
			}
			if !timely(value) || until(value).After(now.Add(links.Kept+24*time.Hour)) {
				value = valueOf(entry, now.Add(links.Kept))
			}
			if before := found[id]; before == nil || until(value).After(until(before)) { // an older copy may be in pages that are free
				found[id] = bytes.Clone(value)
			}
		}
		if err != nil {
			return found, nil
		}
	}
}

// errForeign says that a file never was a store.
var errForeign = errors.New("it is no store of links")

// rescue puts a new store with all that can be read in the place of a damaged one, which
// it keeps under another name, and says so.
func rescue(path string, now time.Time, damage error) (said string, err error) {
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	found, err := salvage(file, now)
	if err != nil {
		return "", err
	}
	if len(found) == 0 && !isStore(file) {
		return "", errForeign
	}
	fresh := path + ".new"
	if err := os.Remove(fresh); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	db, err := bbolt.Open(fresh, 0o600, &bbolt.Options{Timeout: time.Second})
	if err != nil {
		return "", err
	}
	err = db.Update(func(tx *bbolt.Tx) error {
		b, err := tx.CreateBucket(bucket)
		for id, value := range found {
			if err == nil {
				err = b.Put([]byte(id), value)
			}
		}
		return err
	})
	if err = errors.Join(err, db.Close()); err != nil {
		return "", err
	}
	aside := path + ".damaged"
	for n := 2; ; n++ {
		if _, err := os.Lstat(aside); errors.Is(err, fs.ErrNotExist) {
			break
		}
		aside = fmt.Sprintf("%s.damaged-%d", path, n)
	}
	file.Close()
	if err := os.Link(path, aside); err != nil { // a link leaves no moment without a store
		if err := os.Rename(path, aside); err != nil {
			return "", err
		}
	}
	if err := os.Rename(fresh, path); err != nil {
		return "", err
	}
	return fmt.Sprintf("The store of links %q is damaged (%v): %d links were read from it and kept; the damaged file is %q now.", path, damage, len(found), aside), nil
}
