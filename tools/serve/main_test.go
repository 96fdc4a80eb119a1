package main

import (
	"context"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"
)

// page makes a directory that holds a page.
func page(t *testing.T) string {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "index.html"), []byte("the page"), 0o644); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestPrintsItsAddressServesAndEnds(t *testing.T) {
	ctx, interrupt := context.WithCancel(context.Background())
	reader, writer := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		ended <- serve(ctx, writer, io.Discard, options{dir: page(t), host: "127.0.0.1"})
		writer.Close()
	}()
	line := make([]byte, 100)
	n, err := reader.Read(line)
	if err != nil {
		t.Fatal(err)
	}
	address, found := strings.CutPrefix(strings.TrimSpace(string(line[:n])), "Parley is at ")
	if !found || !strings.HasPrefix(address, "http://127.0.0.1:") {
		t.Fatalf("printed %q; want the address", line[:n])
	}
	answer, err := http.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(answer.Body)
	if err != nil || string(got) != "the page" {
		t.Errorf("the address answers %q, %v", got, err)
	}
	answer.Body.Close()
	interrupt()
	if err := <-ended; err != nil {
		t.Errorf("interrupted: %v; want a quiet end", err)
	}
}

func TestTakenPortIsASentence(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	_, port, err := net.SplitHostPort(taken.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	number, err := strconv.Atoi(port)
	if err != nil {
		t.Fatal(err)
	}
	err = serve(context.Background(), io.Discard, io.Discard, options{dir: page(t), host: "127.0.0.1", port: number})
	if err == nil || !strings.Contains(err.Error(), "choose another with --port") {
		t.Errorf("%v; want a sentence that names --port", err)
	}
}

func TestNoPageIsASentence(t *testing.T) {
	for _, dir := range []string{t.TempDir(), filepath.Join(t.TempDir(), "none")} {
		err := serve(context.Background(), io.Discard, io.Discard, options{dir: dir, host: "127.0.0.1"})
		if err == nil || !strings.Contains(err.Error(), "there is no built page in") {
			t.Errorf("%s: %v; want a sentence that says how to build", dir, err)
		}
	}
}

// A browser that sends half a request, or reads nothing of its answer, is let go.
func TestNobodyHoldsTheServer(t *testing.T) {
	server := bounded(http.NotFoundHandler())
	for subject, limit := range map[string]time.Duration{"headers": server.ReadHeaderTimeout, "a request": server.ReadTimeout, "an answer": server.WriteTimeout, "a connection": server.IdleTimeout} {
		if limit <= 0 || limit > 5*time.Minute {
			t.Errorf("%s may take %v", subject, limit)
		}
	}
	server.WriteTimeout = 50 * time.Millisecond
	left := make(chan error, 1)
	server.Handler = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		for chunk := make([]byte, 1<<20); ; {
			if _, err := w.Write(chunk); err != nil {
				left <- err
				return
			}
		}
	})
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go server.Serve(listener)
	defer server.Close()
	idle, err := net.Dial("tcp", listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer idle.Close()
	if _, err := io.WriteString(idle, "GET / HTTP/1.1\r\nHost: here\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	if err := <-left; err == nil {
		t.Error("it was served without end")
	}
}

// What is sent for a short link and could make the server do much is refused in a sentence, and
// the server goes on; a body that does not come to its end holds nobody up.
func TestBombsBySending(t *testing.T) {
	ctx, interrupt := context.WithCancel(context.Background())
	reader, writer := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		ended <- serve(ctx, writer, io.Discard, options{dir: page(t), host: "127.0.0.1", links: filepath.Join(t.TempDir(), "links")})
		writer.Close()
	}()
	line := make([]byte, 100)
	n, err := reader.Read(line)
	if err != nil {
		t.Fatal(err)
	}
	address := strings.TrimPrefix(strings.TrimSpace(string(line[:n])), "Parley is at ")
	const room = 64<<10 - 100 // of a body
	view := func(value string) string { return `{"v":1,"system":"central","view":{"x":` + value + `}}` }
	nested := func(open, shut string) string {
		return strings.Repeat(open, room/len(open+shut)) + strings.Repeat(shut, room/len(open+shut))
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for _, c := range []struct {
		subject, body string
		status        int
	}{
		{"lists", view(nested("[", "]")), 422},
		{"lists that do not end", view(strings.Repeat("[", room)), 422},
		{"objects", view(nested(`{"a":`, "}")), 422},
		{"lists that are a whole", nested("[", "]"), 422},
		{"one key again and again", view("{" + strings.Repeat(`"k":0,`, room/6) + `"k":0}`), 422},
		{"a wide list", view("[" + strings.Repeat("0,", room/2-50) + "0]"), 201},
		{"a number", view(strings.Repeat("9", room)), 0},
		{"escapes", view(`"` + strings.Repeat(`\u0001`, room/6) + `"`), 0},
		{"more than is taken", view(`"` + strings.Repeat("a", 1<<20) + `"`), 413},
		{"nothing", "", 422},
	} {
		began := time.Now()
		answer, err := http.Post(address+"api/links", "application/json", strings.NewReader(c.body))
		if err != nil {
			t.Fatalf("%s: %v", c.subject, err)
		}
		stated, _ := io.ReadAll(answer.Body)
		answer.Body.Close()
		if c.status != 0 && answer.StatusCode != c.status || answer.StatusCode >= 500 || len(stated) > 1000 || strings.Count(string(stated), "\n") != 1 {
			t.Errorf("%s: %d, %.300s; want %d", c.subject, answer.StatusCode, stated, c.status)
		}
		if took := time.Since(began); took > 10*time.Second {
			t.Errorf("%s: answered after %v", c.subject, took)
		}
	}
	runtime.ReadMemStats(&after)
	if mb := (after.TotalAlloc - before.TotalAlloc) >> 20; mb > 256 {
		t.Errorf("all of them together take %d MB", mb)
	}

	half, err := net.Dial("tcp", strings.Trim(strings.TrimPrefix(address, "http://"), "/"))
	if err != nil {
		t.Fatal(err)
	}
	defer half.Close()
	if _, err := io.WriteString(half, "POST /api/links HTTP/1.1\r\nHost: here\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{"); err != nil {
		t.Fatal(err)
	}
	answer, err := http.Get(address)
	if err != nil || answer.StatusCode != 200 {
		t.Fatalf("while a body is on its way: %v, %v", answer, err)
	}
	answer.Body.Close()
	half.Close()
	interrupt()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// Without --dir the page beside the program is served, as a lecture hall's zip has it, and slides on its
// disk may show it.
func TestPageBesideTheProgram(t *testing.T) {
	beside := t.TempDir()
	t.Chdir(t.TempDir())
	if o := (options{}).found(beside); o.dir != "dist" || o.frames != "" {
		t.Errorf("without any page: %+v", o)
	}
	if err := os.Rename(page(t), filepath.Join(beside, "page")); err != nil {
		t.Fatal(err)
	}
	if o := (options{}).found(beside); o.dir != filepath.Join(beside, "page") || o.frames != "file:" {
		t.Errorf("beside the program: %+v", o)
	}
	if o := (options{dir: "mine", frames: "https://a.example"}).found(beside); o.dir != "mine" || o.frames != "https://a.example" {
		t.Errorf("with --dir: %+v", o)
	}
	if err := os.Rename(page(t), "dist"); err != nil {
		t.Fatal(err)
	}
	if o := (options{}).found(beside); o.dir != "dist" || o.frames != "" {
		t.Errorf("with dist: %+v", o)
	}
}
