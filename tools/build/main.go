// Command build makes the page: it compiles the core and the renderer to
// WebAssembly, bundles the scripts and styles, writes the documents with their
// content-security policy, and puts everything into one directory.
//
//	go run ./tools/build --out dist
//	go run ./tools/build --out dist --compress --check-budgets
//
// The same sources give the same bytes. It is run from the checkout's root, after npm has installed
// the packages of site/package-lock.json.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"

	"parley/tools/build/budget"
	"parley/tools/build/bundle"
	"parley/tools/build/deploy"
)

func main() {
	flags := flag.NewFlagSet("build", flag.ContinueOnError)
	out := flags.String("out", "dist", "the directory for the page; it will hold nothing else")
	compress := flags.Bool("compress", false,
		"write .br and .gz beside each file, for static hosts; without it .br beside the programs alone")
	address := flags.String("address", "",
		"the page's address, such as https://example.org/parley/: previews of links to it have a picture then")
	check := flags.Bool("check-budgets", false, "print the sizes, and fail when one is over its budget")
	if err := flags.Parse(os.Args[1:]); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return
		}
		os.Exit(2)
	}
	if flags.NArg() > 0 {
		fmt.Fprintf(os.Stderr, "build: unexpected argument %q; see --help\n", flags.Arg(0))
		os.Exit(2)
	}
	if err := build(os.Stdout, ".", *out, *address, *compress, *check); err != nil {
		fmt.Fprintln(os.Stderr, "build:", err)
		os.Exit(1)
	}
}

// build makes the page of the checkout at root in the directory out. The page is written even if it
// exceeds its budgets.
func build(report io.Writer, root, out, address string, compress, check bool) error {
	files, err := bundle.MakeFor(root, address)
	if err != nil {
		return err
	}
	var over error
	if check {
		table, err := budget.Check(files, budget.Limits(files))
		fmt.Fprint(report, table)
		over = err
	}
	pack, cache := deploy.PackPrograms, "packed-programs"
	if compress {
		pack, cache = deploy.Pack, "packed"
	}
	packed, err := pack(files, filepath.Join(root, "bin", cache))
	if err != nil {
		return err
	}
	maps.Copy(files, packed)
	if err := deploy.Write(out, files); err != nil {
		return err
	}
	bytes := 0
	for _, content := range files {
		bytes += len(content)
	}
	fmt.Fprintf(report, "%s: %d files, %.1f MB\n", out, len(files), float64(bytes)/1e6)
	return over
}
