package board

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// Best holds the least schedule lengths that are known of graphs on n equal
// processors, as the Standard Task Graph set publishes them.
type Best map[bestKey]known

// known has a schedule length of a graph, and a lower bound of its schedules. They are equal if the
// length is proved optimal.
type known struct{ bound, length float64 }

type bestKey struct {
	name       string
	processors int
}

// longestBest limits a line of Best.Read.
const longestBest = 1 << 12

// Read adds the lines of a file: name,processors,length, as in 50/rand0000.stg,2,131, or
// name,processors,bound,length if the length is not proved to be least. An error
// is one sentence with the file and the line.
func (b Best) Read(file string, r io.Reader) error {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, longestBest)
	number := 0
	for lines.Scan() {
		number++
		line := strings.TrimSpace(lines.Text())
		if line == "" {
			continue
		}
		words := strings.Split(line, ",")
		if len(words) < 3 || len(words) > 4 || words[0] == "" {
			return fmt.Errorf("%s, line %d: %.60q is not name,processors,length, as in 50/rand0000.stg,2,131",
				file, number, line)
		}
		processors, err := strconv.Atoi(words[1])
		if err != nil || processors < 1 {
			return fmt.Errorf("%s, line %d: %.60q is not a number of processors of at least 1", file, number, words[1])
		}
		var lengths []float64
		for _, word := range words[2:] {
			length, err := strconv.ParseFloat(word, 64)
			if err != nil || !(length > 0) || length > 1e15 {
				return fmt.Errorf("%s, line %d: %.60q is not a schedule length above 0", file, number, word)
			}
			lengths = append(lengths, length)
		}
		one := known{lengths[0], lengths[len(lengths)-1]}
		if one.length < one.bound {
			return fmt.Errorf("%s, line %d: the length %v is below the bound %v", file, number, one.length, one.bound)
		}
		key := bestKey{words[0], processors}
		if had, twice := b[key]; twice && had != one {
			return fmt.Errorf("%s, line %d: of %.60q on %d processors two lengths are given, %v and %v", file,
				number, words[0], processors, had.length, one.length)
		}
		b[key] = one
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("%s, behind line %d: %w", file, number, err)
	}
	return nil
}

// of returns the best known length of the graph in a file on a given number of processors; zeros if
// there is none. The file's path ends with the name.
func (b Best) of(file string, processors int) known {
	parts := strings.Split(strings.ReplaceAll(file, "\\", "/"), "/")
	for i := range parts {
		if one, is := b[bestKey{strings.Join(parts[i:], "/"), processors}]; is {
			return one
		}
	}
	return known{}
}
