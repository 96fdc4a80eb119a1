package disk

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"parley/tools/durable"
	"parley/tools/links"
)

// Earlier versions kept links in one file, in the format of bbolt. Its entries are found by their
// first bytes and checked against their names, so that the intact entries of a damaged file are
// read.

// beginning is the prefix of all entries.
const beginning = `{"place":"`

// timeSize is the size of a time, which is between the name of an entry and the entry.
const timeSize = 8

// maxEntry limits the bytes of an entry.
const maxEntry = 2 * links.MaxBytes

// entriesOf finds the entries of a file of an earlier version.
func entriesOf(file io.ReaderAt) (map[string][]byte, error) {
	found := map[string][]byte{}
	const step = 1 << 20
	block, before := make([]byte, step+len(beginning)-1), links.IDLength+timeSize
	around := make([]byte, before+maxEntry)
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
			place := at + int64(from+i) - int64(before)
			from += i + 1
			if place < 0 {
				continue
			}
			m, _ := file.ReadAt(around, place) // less at the end of the file
			var entry json.RawMessage
			if m <= before || json.NewDecoder(bytes.NewReader(around[before:m])).Decode(&entry) != nil {
				continue
			}
			if id := string(around[:links.IDLength]); links.Name(entry) == id {
				found[id] = bytes.Clone(entry)
			}
		}
		if err != nil {
			return found, nil
		}
	}
}

// isEarlier reports whether a file was a store, by the mark of a page.
func isEarlier(file io.ReaderAt) bool {
	for _, at := range []int64{0, 4096, int64(os.Getpagesize())} {
		var mark [4]byte
		if _, err := file.ReadAt(mark[:], at+16); err == nil && binary.LittleEndian.Uint32(mark[:]) == 0xED0CDAED {
			return true
		}
	}
	return false
}

// moveOver puts a folder in the place of a file of an earlier version, which gets the ending
// .earlier. All its links start their time again, because the times in the file are those of a
// clock. An interrupted move is repeated or completed.
func moveOver(d durable.System, path string) (note string, err error) {
	fresh, aside := path+".new", path+".earlier"
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		if _, err := os.Stat(filepath.Join(fresh, ageName)); err != nil {
			return "", nil
		}
		return "", errors.Join(d.Rename(fresh, path), d.Sync(filepath.Dir(path))) // the file had been put aside
	}
	if err != nil || info.IsDir() {
		return "", err
	}
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	found, err := entriesOf(file)
	if err != nil {
		return "", err
	}
	if len(found) == 0 && info.Size() > 0 && !isEarlier(file) {
		return "", errors.New("it is no store of links")
	}
	if err := os.RemoveAll(fresh); err != nil {
		return "", err
	}
	if err := os.Mkdir(fresh, 0o700); err != nil {
		return "", err
	}
	end := place{end: int64(links.Kept / time.Second)}
	for id, entry := range found {
		key, err := keyOf(id)
		if err == nil {
			name := filepath.Join(fresh, end.name(key))
			err = d.Replace(name, name+partEnding, entry, 0o600)
		}
		if err != nil {
			return "", err
		}
	}
	// The age is written last: with it the folder is whole.
	if err := d.Replace(filepath.Join(fresh, ageName), filepath.Join(fresh, ageName+partEnding),
		[]byte("0 "+sumOf("0")+"\n"), 0o600); err != nil {
		return "", err
	}
	for n := 2; ; n++ {
		if _, err := os.Lstat(aside); errors.Is(err, fs.ErrNotExist) {
			break
		}
		aside = fmt.Sprintf("%s.earlier-%d", path, n)
	}
	file.Close()
	if err := d.Rename(path, aside); err != nil {
		return "", err
	}
	if err := errors.Join(d.Rename(fresh, path), d.Sync(filepath.Dir(path))); err != nil {
		return "", err
	}
	return fmt.Sprintf("The %d short links of %q, a file of an earlier version, were moved into a folder of that name, where their time begins anew; the file is %q now.", len(found), path, aside), nil
}
