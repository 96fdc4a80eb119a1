// Command serve hands out the built page on this machine and prints its address
// as its last line.
//
//	go run ./tools/serve --dir dist --port 8123
//
// Without --port it takes 8080, or a free port when 8080 is in use; --port 0 is a
// free port. It listens on 127.0.0.1 unless --host says otherwise. Ctrl-C ends it.
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
	"strconv"
	"syscall"
	"time"

	"parley/tools/serve/static"
)

const usualPort = 8080

// writeTimeout is how long an answer may take: the largest file, at half a Mbit a
// second. Who reads slower is cut off and holds no connection for ever.
const writeTimeout = 4 * time.Minute

func main() {
	flags := flag.NewFlagSet("serve", flag.ContinueOnError)
	dir := flags.String("dir", "dist", "the directory of the built page")
	host := flags.String("host", "127.0.0.1", "the address to listen on")
	port := flags.Int("port", -1, "the port, 0 for a free one (default 8080, or a free one when that is in use)")
	frames := flags.String("frames", "", "origins, with spaces between them, whose pages may show this one in a frame (see embed=1 in the README)")
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
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := serve(ctx, os.Stdout, *dir, *host, *frames, *port); err != nil {
		fmt.Fprintln(os.Stderr, "serve:", err)
		os.Exit(1)
	}
}

// serve serves dir until ctx ends.
func serve(ctx context.Context, out io.Writer, dir, host, frames string, port int) error {
	root, err := os.OpenRoot(dir)
	if err == nil {
		defer root.Close()
		_, err = root.Stat("index.html")
	}
	if err != nil {
		return fmt.Errorf("there is no built page in %q (%w); build it with \"go run ./tools/build\"", dir, err)
	}
	listener, err := listen(host, port)
	if err != nil {
		return err
	}
	server := bounded(static.New(root.FS(), frames))
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

// bounded returns a server that no browser can hold up: every step has its time, and
// headers have a length.
func bounded(handler http.Handler) *http.Server {
	return &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: 10 * time.Second,
		ReadTimeout:       20 * time.Second, // no request has a body
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
