package strict

import (
	"encoding/json"
	"fmt"
)

// The limits of the work that a file or message may cause, whatever its format. Every reader relies
// on them: a file within its limit of bytes must not take memory or time without bound.
const (
	// lists and objects, or elements, that lie in each other: recursive code ends a program under WebAssembly at
	// some thousands
	Depth    = 64
	Envelope = Depth + 8 // of a message, a report or a manifest, which holds whole documents
	Unpacked = 200       // bytes that a packed byte may unfold to: a regular dump has 75, deflate can reach 1032
	Spared   = 64 << 10  // bytes that a packed text may unfold to however short it is
	Whole    = 64 << 20  // likewise a packed file
	Entries  = 10_000    // files of an archive, or lines of a list
	Archive  = 512 << 20 // bytes of all files of an archive together, which are held in memory,
	Packed   = 50        // and at most Whole and this many for each byte of the archive
	Graded   = 31        // days of simulated time that a hand-in may ask for, unless the grader sets another limit
)

// MaxUnpacked returns how many bytes a packed text of n bytes may unfold to.
func MaxUnpacked(n int64) int64 { return Spared + Unpacked*n }

// Nesting returns the depth of the lists and objects of a JSON text. It stops at the first that is
// deeper than limit and returns its place, which is -1 if there is none.
func Nesting(doc []byte, limit int) (deepest int, at int64) {
	depth := 0
	for i := 0; i < len(doc); i++ {
		switch doc[i] {
		case '"':
			for i++; i < len(doc) && doc[i] != '"'; i++ {
				if doc[i] == '\\' {
					i++
				}
			}
		case '{', '[':
			if depth++; depth > deepest {
				deepest = depth
			}
			if depth > limit {
				return deepest, int64(i)
			}
		case '}', ']':
			depth--
		}
	}
	return deepest, -1
}

// TooDeep describes nesting deeper than Depth, for formats whose errors have a file and a line of
// their own.
const TooDeep = "lists and objects lie more than 64 deep in each other"

// Shallow returns an error if doc nests deeper than Depth. Call it before any other function
// reads JSON from elsewhere; Decode, Part and Unmarshal do. The error names the line and column
// in shown, which is doc, or nil if a document has no lines.
func Shallow(doc, shown []byte) error {
	if _, at := Nesting(doc, Depth); at >= 0 {
		return fmt.Errorf("%s%s; flatten them", TooDeep, column(shown, at+1))
	}
	return nil
}

// Unmarshal is json.Unmarshal for text from elsewhere in which unknown fields are ignored. It
// refuses nesting deeper than Envelope.
func Unmarshal(doc []byte, into any) error {
	if _, at := Nesting(doc, Envelope); at >= 0 {
		return fmt.Errorf("lists and objects lie more than %d deep in each other; flatten them", Envelope)
	}
	now, err := present(doc, nil, into)
	if err != nil {
		return err
	}
	return json.Unmarshal(now, into)
}
