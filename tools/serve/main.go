// Command serve serves the built page on this machine and prints its address on the last line.
//
//	go run ./tools/serve --dir dist --port 8123
//
// Without --dir it serves dist, or, if there is none, the folder page beside the program, which may
// then be shown in frames of pages on a disk: so a lecture hall's zip starts with a double click.
// Without --port it uses 8080, or a free port if 8080 is in use; --port 0 chooses a free port.
// It listens on 127.0.0.1 unless --host is given. With --links FOLDER it keeps short links in that
// folder (package links). Ctrl-C ends it.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"parley/tools/links"
	"parley/tools/serve/disk"
	"parley/tools/serve/static"
)

const usualPort = 8080

// writeTimeout limits the time of an answer: the largest file, at half a Mbit a second. A slower
// reader is cut off and cannot hold a connection for ever.
const writeTimeout = 4 * time.Minute

// options are the values of the flags.
type options struct {
	dir, host, frames string
	links             string // the folder that keeps short links; without one none are kept
	proxied           bool   // a reverse proxy passes the client's address on
	port              int
}

func main() {
	var o options
	flags := flag.NewFlagSet("serve", flag.ContinueOnError)
	flags.StringVar(&o.dir, "dir", "", "the directory of the built page (default dist, or the folder page beside this program)")
	flags.StringVar(&o.host, "host", "127.0.0.1", "the address to listen on")
	flags.IntVar(&o.port, "port", -1, "the port, 0 for a free one (default 8080, or a free one when that is in use)")
	flags.StringVar(&o.frames, "frames", "", "origins, with spaces between them, whose pages may show this one in a frame (see docs/hosting.md)")
	flags.StringVar(&o.links, "links", "", "the folder that keeps short links, made when it is missing; without it the page offers none")
	flags.BoolVar(&o.proxied, "behind-proxy", false, "take a visitor's address, for the limit on short links, from the last entry of X-Forwarded-For")
	if err := flags.Parse(os.Args[1:]); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return
		}
		os.Exit(2)
	}
	if flags.NArg() > 0 {
		fmt.Fprintf(os.Stderr, "serve: unexpected argument %q; see --help\n", flags.Arg(0))
		os.Exit(2)
	}
	if program, err := os.Executable(); err == nil {
		o = o.found(filepath.Dir(program))
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := serve(ctx, os.Stdout, os.Stderr, o); err != nil {
		fmt.Fprintln(os.Stderr, "serve:", err)
		os.Exit(1)
	}
}

// found returns the options with the directory of the page, if no flag named it: dist, or page in the
// program's own directory, which slides on the same disk may show in a frame.
func (o options) found(folder string) options {
	if o.dir != "" {
		return o
	}
	o.dir = "dist"
	page := filepath.Join(folder, "page")
	_, here := os.Stat(filepath.Join(o.dir, "index.html"))
	if _, err := os.Stat(filepath.Join(page, "index.html")); here != nil && err == nil {
		o.dir, o.frames = page, strings.TrimSpace(o.frames+" "+static.Disk)
	}
	return o
}

// serve serves the page until ctx ends. warn receives messages for the operator.
func serve(ctx context.Context, out, warn io.Writer, o options) error {
	if err := static.CheckFrames(o.frames); err != nil {
		return fmt.Errorf("--frames: %w", err)
	}
	root, err := os.OpenRoot(o.dir)
	if err == nil {
		defer root.Close()
		_, err = root.Stat("index.html")
	}
	if err != nil {
		return fmt.Errorf("there is no built page in %q (%w); build it with \"go run ./tools/build\"", o.dir, err)
	}
	handler := static.New(root.FS(), o.frames)
	if o.links != "" {
		store, note, err := disk.Open(o.links, func(sentence string) { fmt.Fprintln(warn, "serve:", sentence) })
		if err != nil {
			return err
		}
		if note != "" {
			fmt.Fprintln(warn, "serve:", note)
		}
		defer store.Close()
		handler = links.New(links.Options{Store: store, Files: handler, Address: o.address()})
	}
	listener, err := listen(o.host, o.port)
	if err != nil {
		return err
	}
	server := bounded(handler)
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(listener) }()
	fmt.Fprintf(out, "Parley is at http://%s/\n", listener.Addr())
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	limit, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	if err := server.Shutdown(limit); err != nil {
		return server.Close() // a browser that still reads is cut off
	}
	return nil
}

// address returns the function that finds a visitor's address.
func (o options) address() func(*http.Request) string {
	if !o.proxied {
		return nil
	}
	return func(r *http.Request) string {
		entries := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
		return strings.TrimSpace(entries[len(entries)-1]) // the one that the proxy wrote
	}
}

// bounded returns a server that no browser can hold up: every step has its time, and
// headers have a length.
func bounded(handler http.Handler) *http.Server {
	return &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: 10 * time.Second,
		ReadTimeout:       20 * time.Second, // also of a body, which is short
		WriteTimeout:      writeTimeout,
		IdleTimeout:       time.Minute,
		MaxHeaderBytes:    1 << 16,
	}
}

// listen opens the port, the usual one or a free one when port is negative.
func listen(host string, port int) (net.Listener, error) {
	wanted := port
	if port < 0 {
		wanted = usualPort
	}
	listener, err := net.Listen("tcp", net.JoinHostPort(host, strconv.Itoa(wanted)))
	if err != nil && port < 0 {
		listener, err = net.Listen("tcp", net.JoinHostPort(host, "0"))
	}
	if err != nil {
		return nil, fmt.Errorf("cannot listen on port %d of %s (%w); choose another with --port, or 0 for a free one", wanted, host, err)
	}
	return listener, nil
}
