// Command messages writes the TypeScript of the messages between the page and its
// workers, site/src/base/messages.ts, and the golden file that the tests of both
// sides read, site/test/unit/messages.txt. Their one source is core/message.
//
//	make messages
package main

import (
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"parley/core/message"
)

// Where the two files are in a checkout.
var (
	typesFile  = filepath.Join("site", "src", "base", "messages.ts")
	goldenFile = filepath.Join("site", "test", "unit", "messages.txt")
)

func main() {
	if err := write("."); err != nil {
		fmt.Fprintln(os.Stderr, "messages:", err)
		os.Exit(1)
	}
}

func write(root string) error {
	types, err := typescript(root, catalogue())
	if err != nil {
		return err
	}
	lines, err := golden(catalogue())
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(root, typesFile), []byte(types), 0o644); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(root, goldenFile), []byte(lines), 0o644)
}

// files is the number of the viewer's files in a message.
func files(m message.Message) int {
	switch m := m.(type) {
	case message.Open:
		return len(m.Files)
	case message.LookAtTable:
		return 1
	case message.ReadDump:
		return len(m.Files)
	case message.AskCluster:
		return len(m.Usage)
	}
	return 0
}

// golden returns the examples as they cross: a line of union and text each, and
// below it its parts.
func golden(unions []union) (string, error) {
	var out strings.Builder
	for _, u := range unions {
		for _, m := range u.examples {
			text, parts, err := message.Encode(m)
			if err != nil {
				return "", err
			}
			fmt.Fprintf(&out, "%s %s\n", u.name, text)
			for _, p := range parts {
				fmt.Fprintf(&out, "  %s %s\n", p.As, hex.EncodeToString(p.Bytes))
			}
			fmt.Fprint(&out, strings.Repeat("  File\n", files(m)))
		}
	}
	return out.String(), nil
}
