// Package scaffold is parley new: it writes a system to start from.
package scaffold

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"go/format"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"text/template"

	"github.com/spf13/cobra"

	"parley/tools/parley/console"
)

//go:embed templates/system
var templates embed.FS

// Command returns parley new.
func Command(c *console.Console) *cobra.Command {
	cmd := &cobra.Command{
		Use: "new COMMAND", Short: "Create the files of a new part of Parley",
		Args:    console.Args(1, 1, "what to begin: system"),
		Example: "  parley new system --help",
		RunE: func(_ *cobra.Command, args []string) error {
			return console.NewUsageError(fmt.Errorf("new begins no %q: choose system", args[0]))
		},
	}
	cmd.AddCommand(newSystemCommand(c))
	return cmd
}

func newSystemCommand(c *console.Console) *cobra.Command {
	title := ""
	cmd := &cobra.Command{
		Use:   "system NAME",
		Short: "Create a new system: a folder that works, with its tests",
		Long: `Writes a system into the checkout around the present folder: core/system/NAME with a scheduler that works, its tests, a README and how.json, a scenario in assets/scenarios, its question for the gallery, and its lines in core/run/registry.go and core/floors_test.go. Its tests are green at once; core/system/README.md says what to replace.

NAME is the system's id in scenarios and the name of its package: lower-case letters and digits.`,
		Example: "  parley new system --help",
		Args:    console.Args(1, 1, "one NAME"),
		RunE: func(_ *cobra.Command, args []string) error {
			root, err := checkoutRoot()
			if err != nil {
				return err
			}
			written, err := beginSystem(root, args[0], title)
			if err != nil {
				return err
			}
			for _, name := range written {
				fmt.Fprintln(c.Out, name)
			}
			_, err = fmt.Fprintf(c.Out,
				"\nNext: go test ./core/system/%s; parley run %s --until 10m; go run ./tools/parley/reference writes its page of the manual, and go run ./tools/gallery %s its card of the gallery.\n", args[0], args[0], args[0])
			return err
		},
	}
	cmd.Flags().StringVar(&title, "title", "", "its name for people; NAME if left out")
	return cmd
}

// checkoutRoot returns the root of Parley's sources around the present folder.
func checkoutRoot() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		text, err := os.ReadFile(filepath.Join(dir, "go.mod"))
		if err == nil && bytes.HasPrefix(text, []byte("module parley\n")) {
			return dir, nil
		}
		if up := filepath.Dir(dir); up != dir {
			dir = up
			continue
		}
		return "",
			errors.New("this folder is in no checkout of Parley: change to one, where go.mod begins with module parley")
	}
}

var systemName = regexp.MustCompile(`^[a-z][a-z0-9]{1,30}$`)

// beginSystem writes a new system and returns the paths of its files from the root. It writes
// nothing if there is an error.
func beginSystem(root, id, title string) ([]string, error) {
	if !systemName.MatchString(id) {
		return nil,
			console.NewUsageError(fmt.Errorf("the name is %q: choose 2 to 31 lower-case letters and digits, a letter first",
				id))
	}
	if title == "" {
		title = strings.ToUpper(id[:1]) + id[1:]
	}
	if strings.ContainsAny(title, "\"\\\n{}") || len(title) > 60 {
		return nil,
			console.NewUsageError(
				fmt.Errorf("--title is %q: choose at most 60 characters without quotes, braces and backslashes", title),
			)
	}
	folder := filepath.Join("core", "system", id)
	if _, err := os.Stat(filepath.Join(root, folder)); !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s exists: choose another name", folder)
	}
	files := map[string]string{}
	for from, to := range map[string]string{
		"system.go": filepath.Join(folder, id+".go"), "system_test.go": filepath.Join(folder, id+"_test.go"),
		"README.md":     filepath.Join(folder, "README.md"),
		"how.json":      filepath.Join(folder, "how.json"),
		"scenario.json": filepath.Join("assets", "scenarios", id+".json"),
	} {
		t, err := template.ParseFS(templates, "templates/system/"+from+".tmpl")
		if err != nil {
			return nil, err
		}
		var b strings.Builder
		if err := t.Execute(&b, struct{ ID, Name string }{id, title}); err != nil {
			return nil, err
		}
		files[to] = b.String()
	}
	question := fmt.Sprintf(`,
  {
    "id": %q,
    "question": "How full do nodes get under %s?",
    "at": "10m",
    "finding": "{metrics.overloaded_pct:3} %% of the nodes are overloaded; {metrics.waiting:1} tasks wait on average."
  }`, id, title)
	for _, change := range []struct{ file, before, text string }{
		{"assets/questions.json", "\n]", question},
		{"core/run/registry.go", ", recorded.Entry())", ", " + id + ".Entry()"},
		{"core/run/registry.go", "	\"parley/core/workload\"\n", "	\"parley/core/system/" + id + "\"\n"},
		{"core/floors_test.go", "7 core/run ", "6 core/system/" + id + "\n"},
	} {
		text, read := files[change.file]
		if !read {
			content, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(change.file)))
			if err != nil {
				return nil, console.Unreadable(change.file, err)
			}
			text = string(content)
		}
		at := strings.Index(text, change.before)
		if at < 0 {
			return nil,
				fmt.Errorf(
					"%s has no %q, before which the line of the system belongs: add it by hand, as core/system/README.md says", change.file, strings.TrimSpace(change.before),
				)
		}
		files[change.file] = text[:at] + change.text + text[at:]
	}
	return writeAll(root, files)
}

// writeAll writes files below a root and returns their names in order.
func writeAll(root string, files map[string]string) ([]string, error) {
	names := slices.Sorted(maps.Keys(files))
	for _, name := range names {
		text := []byte(files[name])
		if strings.HasSuffix(name, ".go") {
			formatted, err := format.Source(text)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			text = formatted
		}
		place := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(place), 0o755); err != nil {
			return nil, console.Unwritable(place, err)
		}
		if err := os.WriteFile(place, text, 0o644); err != nil {
			return nil, console.Unwritable(place, err)
		}
	}
	return names, nil
}
