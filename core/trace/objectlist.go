package trace

import (
	"bytes"
	"io"
	"strconv"
	"strings"

	"parley/core/strict"
)

// A List is where the objects of a JSON document are.
type List struct {
	Path  []string // the members that lead to them; empty: the document itself
	Named bool     // they are members of an object, and not elements of a list
}

// String returns the path as jq spells it.
func (l List) String() string { return "." + strings.Join(l.Path, ".") }

// OpenList opens a file of JSON documents that contain a list of objects; m counts the bytes read. Documents
// may follow one another, as in concatenated files.
func OpenList(f File, m *Meter, l List) (*Objects, error) {
	o, err := OpenObjects(f, m)
	if err != nil || len(l.Path) == 0 && !l.Named {
		return o, err
	}
	o.list = &l
	return o, nil
}

// Name returns the name of the present object if it is a member of an object.
func (o *Objects) Name() string { return o.name }

// listed reads the next object of a list within documents.
func (o *Objects) listed() error {
	for o.ended == nil {
		if o.within == 0 {
			if err := o.enter(); err != nil {
				return o.end(err)
			}
			continue
		}
		c, err := o.sign()
		switch {
		case err != nil:
			return o.end(err)
		case c == '}' || c == ']':
			if err := o.leave(o.within - 1); err != nil {
				return o.end(err)
			}
			o.within = 0
		case c == '"' && o.list.Named:
			if o.name, err = o.quoted(); err != nil {
				return o.end(err)
			}
		case c == '{':
			return o.whole()
		case c == ',' || c == ':':
		case o.list.Named: // a member that is not an object
			if err := o.pass(c); err != nil {
				return o.end(err)
			}
		default:
			return o.end(o.strange(c))
		}
	}
	return o.ended
}

func (o *Objects) strange(c byte) *Error {
	return &Error{Kind: Damaged, File: o.file, Line: o.line, Reason: "has " + strconv.QuoteRune(rune(c)) +
		" where a JSON object begins", Hint: "give the file as it was published"}
}

// enter reads up to the list of the next document. At the end of the file it returns io.EOF.
func (o *Objects) enter() error {
	c := byte(0)
	for c != '{' {
		var err error
		if c, err = o.in.ReadByte(); err != nil {
			return err
		}
		switch c {
		case '\n':
			o.line++
		case '{', ' ', '\t', '\r', ',', 0xef, 0xbb, 0xbf:
		default:
			return o.strange(c)
		}
	}
	o.within = 1
	for _, want := range o.list.Path {
		if err := o.member(want); err != nil {
			return err
		}
		o.within++
	}
	return nil
}

// member reads the present object up to the value of one of its members, an object or a list, and the sign
// with which it begins.
func (o *Objects) member(want string) error {
	for {
		c, err := o.sign()
		switch {
		case err != nil:
			return err
		case c == ',':
			continue
		case c != '"':
			return &Error{Kind: Damaged, File: o.file, Line: o.line, Reason: "has no member " + strconv.Quote(want) +
				" with jobs in it", Hint: "give the file as it was printed"}
		}
		name, err := o.quoted()
		if err != nil {
			return err
		}
		if c, err = o.sign(); err == nil && c == ':' {
			c, err = o.sign()
		}
		switch {
		case err != nil:
			return err
		case name == want && (c == '[' || c == '{'):
			return nil
		}
		if err := o.pass(c); err != nil {
			return err
		}
	}
}

// sign returns the next byte that is not a blank.
func (o *Objects) sign() (byte, error) {
	for {
		c, err := o.in.ReadByte()
		if err != nil {
			return 0, o.ends(err)
		}
		switch c {
		case '\n':
			o.line++
		case ' ', '\t', '\r':
		default:
			return c, nil
		}
	}
}

// ends is the error of a document that the file ends within.
func (o *Objects) ends(err error) error {
	if isEnd(err) {
		return o.cut()
	}
	return err
}

// longestName is how many bytes of a member's name are kept.
const longestName = 200

// quoted reads the rest of a text whose quotation mark was read, as it is written.
func (o *Objects) quoted() (string, error) {
	var text []byte
	for escaped := false; ; {
		c, err := o.in.ReadByte()
		if err != nil {
			return "", o.ends(err)
		}
		if c == '"' && !escaped {
			return string(text), nil
		}
		if c == '\n' {
			o.line++
		}
		if escaped = c == '\\' && !escaped; len(text) < longestName {
			text = append(text, c)
		}
	}
}

// pass reads the rest of a value whose first sign was read.
func (o *Objects) pass(c byte) error {
	switch c {
	case '"':
		_, err := o.quoted()
		return err
	case '{', '[':
		return o.leave(1)
	}
	for {
		next, err := o.in.Peek(1)
		if err != nil {
			return o.ends(err)
		}
		if strings.IndexByte(",]}\n", next[0]) >= 0 {
			return nil
		}
		if _, err := o.in.ReadByte(); err != nil {
			return err
		}
	}
}

// leave reads until depth objects and lists have ended.
func (o *Objects) leave(depth int) error {
	for depth > 0 {
		c, err := o.sign()
		switch {
		case err != nil:
			return err
		case c == '"':
			if _, err := o.quoted(); err != nil {
				return err
			}
		case c == '{' || c == '[':
			if depth++; depth > strict.Depth {
				return &Error{
					Kind: TooLarge, File: o.file, Line: o.line, Reason: strict.TooDeep,
					Hint: "give the file as it was published",
				}
			}
		case c == '}' || c == ']':
			depth--
		}
	}
	return nil
}

// FirstOf returns the first object of a list in the beginning of a file, cut off if the beginning ends within
// it; nil if there is none.
func FirstOf(head []byte, l List) []byte {
	if len(l.Path) == 0 && !l.Named {
		return FirstObject(head)
	}
	o, err := OpenList(File{
		Name: "head", Size: -1,
		Open: func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(head)), nil },
	}, NewMeter(nil, nil), l)
	if err != nil {
		return nil
	}
	_ = o.Next() // an object that the head ends within is kept
	return o.Text()
}

// Lists returns where the beginning of a JSON document has objects of a kind: lists of objects, and objects
// whose members are objects, the outer ones first.
func Lists(head []byte) (found []List) {
	type level struct {
		name  string
		array bool
		seen  bool // something of it was seen
	}
	var open []level
	name, text := "", -1
	for i := 0; i < len(head) && len(open) < 8 && len(found) < 20; i++ {
		switch c := head[i]; c {
		case '"':
			text = i + 1
			for i++; i < len(head) && head[i] != '"'; i++ {
				if head[i] == '\\' {
					i++
				}
			}
			name = string(head[text:min(i, len(head), text+longestName)])
		case '{', '[':
			if n := len(open); c == '{' && n > 0 && !open[n-1].seen {
				l := List{Named: !open[n-1].array}
				for _, o := range open[1:] {
					l.Path = append(l.Path, o.name)
				}
				inner := false // within an element of a list
				for _, o := range open[:n-1] {
					inner = inner || o.array
				}
				if !inner && (len(l.Path) > 0 || l.Named) {
					found = append(found, l)
				}
			}
			if n := len(open); n > 0 {
				open[n-1].seen = true
			}
			open, name = append(open, level{name: name, array: c == '['}), ""
		case '}', ']':
			if len(open) > 0 {
				open = open[:len(open)-1]
			}
		case ',':
			if n := len(open); n > 0 {
				open[n-1].seen = true
			}
		}
	}
	return found
}
