package trace

import (
	"errors"
	"io"
	"path"
	"slices"

	"parley/core/strict"
)

// maxKinds limits the kinds of files that an archive of tables has.
const maxKinds = 100

// member is one kind of file of an archive.
type member struct {
	kind  string
	first string // the first file of the kind
	bytes int64
}

// Members returns files with each archive of several kinds of files, such as the tables of one trace,
// replaced by one file for each kind that one of the formats reads. File.Passed lists the skipped kinds.
// Archives of one kind, archives that a format reads itself, and archives without a known kind are
// returned unchanged.
func Members(files []File, formats []Format) ([]File, error) {
	var all []File
	for _, f := range files {
		members, err := membersOf(f, formats)
		if err != nil {
			return nil, err
		}
		all = append(all, members...)
	}
	return all, nil
}

// membersOf returns the files of an archive, one for each kind of file in it. It returns f itself if it is not an
// archive of several kinds, or if a format reads such archives itself. Kinds that cannot be read are noted in
// Passed of the first.
func membersOf(f File, formats []Format) ([]File, error) {
	if h, err := ReadHead(f); err == nil {
		if format, _, err := Identify(h, formats); err == nil && format.Archives {
			return []File{f}, nil
		}
	}
	kinds, err := kindsOf(f)
	if err != nil || len(kinds) < 2 {
		return []File{f}, err
	}
	var members []File
	var passed []string
	for _, k := range kinds {
		one := File{
			Name: f.Name + "/" + path.Base(k.first), Size: k.bytes, Read: f.Read, Part: f.Part,
			Open: func() (io.ReadCloser, error) { return openMember(f, k.kind) },
		}
		h, err := ReadHead(one)
		var e *Error
		if err == nil {
			var format Format
			if format, _, err = Identify(h, formats); err == nil && format.Archives {
				return []File{f}, nil
			}
		}
		switch {
		case err == nil:
			members = append(members, one)
		case errors.As(err, &e):
			passed = append(passed, path.Base(k.first)+" of the archive is passed over: it "+e.Reason)
		default:
			return nil, err
		}
	}
	if len(members) == 0 {
		return []File{f}, nil
	}
	members[0].Passed = passed
	return members, nil
}

// kindsOf returns the kinds of files in an archive. It returns none if f is not an archive, is damaged,
// or is larger than strict.Archive.
func kindsOf(f File) (kinds []member, err error) {
	c, err := inflate(f, &Meter{})
	if err != nil {
		return nil, err
	}
	defer c.Close()
	c.in, _ = unarchive(c.in)
	a, is := c.in.(*archive)
	if !is {
		return nil, nil
	}
	now := -1
	a.list = func(kind string) {
		if now = slices.IndexFunc(kinds, func(m member) bool { return m.kind == kind }); now < 0 {
			now = len(kinds)
			kinds = append(kinds, member{kind: kind, first: a.first})
		}
	}
	buffer := make([]byte, 64<<10)
	for all := int64(0); all < strict.Archive && len(kinds) <= maxKinds; {
		n, err := c.Read(buffer)
		if all += int64(n); now >= 0 {
			kinds[now].bytes += int64(n)
		}
		switch err {
		case nil:
		case io.EOF:
			return kinds, nil
		default:
			return nil, nil // the reader reports the error
		}
	}
	return nil, nil
}

// openMember opens the files of one kind of an archive as one.
func openMember(f File, kind string) (io.ReadCloser, error) {
	c, err := inflate(f, &Meter{})
	if err != nil {
		return nil, err
	}
	if c.in, _ = unarchive(c.in); c.in != nil {
		if a, is := c.in.(*archive); is {
			a.only = kind
		}
	}
	return c, nil
}
