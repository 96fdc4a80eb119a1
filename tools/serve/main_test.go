package main

import (
	"context"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
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
		ended <- serve(ctx, writer, page(t), "127.0.0.1", 0)
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
	err = serve(context.Background(), io.Discard, page(t), "127.0.0.1", number)
	if err == nil || !strings.Contains(err.Error(), "choose another with --port") {
		t.Errorf("%v; want a sentence that names --port", err)
	}
}

func TestNoPageIsASentence(t *testing.T) {
	for _, dir := range []string{t.TempDir(), filepath.Join(t.TempDir(), "none")} {
		err := serve(context.Background(), io.Discard, dir, "127.0.0.1", 0)
		if err == nil || !strings.Contains(err.Error(), "there is no built page in") {
			t.Errorf("%s: %v; want a sentence that says how to build", dir, err)
		}
	}
}
