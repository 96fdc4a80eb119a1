package papers

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"parley/core/study/evidence"
)

// Document is the page of the documentation that shows the recordings, with slashes.
const Document = "docs/results.md"

// The lines around the generated part of Document.
const (
	tableBegins = "<!-- recorded: go run ./tools/gallery papers writes this table -->\n"
	tableEnds   = "<!-- end of what is recorded -->\n"
)

// Table summarises recordings in Markdown: the claims of each experiment that hold, do not hold and
// are open, separately for each method if there are several, and the command that prints them.
func Table(all []Recording) string {
	var b strings.Builder
	b.WriteString(
		"| experiment | seeds | claims that hold | do not | are open | command |\n|---|---|---|---|---|---|\n",
	)
	for _, r := range all {
		whole, apart := evidence.Count(r.Result.Rows)
		counts := fmt.Sprintf("%d | %d | %d", whole.Holds, whole.Fails, whole.Open)
		if whole.All() == 0 {
			counts = "– | – | –"
		}
		fmt.Fprintf(&b, "| %s | %d | %s | `%s` |\n", r.ID, r.Result.Seeds, counts, r.Command)
		if len(apart) > 1 {
			for _, c := range apart {
				fmt.Fprintf(&b, "| · %s | | %d | %d | %d | |\n", c.Method, c.Holds, c.Fails, c.Open)
			}
		}
	}
	return b.String()
}

// PutTable returns the text of Document with the table of recordings in its place.
func PutTable(text []byte, all []Recording) ([]byte, error) {
	before, rest, begins := bytes.Cut(text, []byte(tableBegins))
	_, after, ends := bytes.Cut(rest, []byte(tableEnds))
	if !begins || !ends {
		return nil, errors.New("there is no place for the table of recordings: write the lines " +
			strings.TrimSpace(tableBegins) + " and " + strings.TrimSpace(tableEnds))
	}
	return bytes.Join([][]byte{before, []byte(tableBegins), []byte("\n" + Table(all) + "\n"), []byte(tableEnds), after},
		nil), nil
}

// writeTable writes the table of recordings into the Document of the checkout at root.
func writeTable(root string, all []Recording) error {
	path := filepath.Join(root, filepath.FromSlash(Document))
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if text, err = PutTable(text, all); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return os.WriteFile(path, text, 0o644)
}
