package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

var span = flag.Duration("for", 2*time.Second, "how long TestKilledServerKeepsItsLinks sends links")

// asServer in the environment makes the test's own program the server.
const asServer = "PARLEY_TEST_SERVES"

func TestMain(m *testing.M) {
	if os.Getenv(asServer) != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

// start starts a server that keeps links in a file, and returns it with its address.
func start(t *testing.T, dir, file string) (*exec.Cmd, string) {
	t.Helper()
	cmd := exec.Command(os.Args[0], "--dir", dir, "--links", file, "--behind-proxy", "--port", "0")
	cmd.Env = append(os.Environ(), asServer+"=1")
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	line, err := bufio.NewReader(out).ReadString('\n')
	address, found := strings.CutPrefix(strings.TrimSpace(line), "Parley is at ")
	if err != nil || !found {
		t.Fatalf("printed %q, %v", line, err)
	}
	return cmd, address
}

// bodies are those that package links is tested with.
func bodies(t *testing.T) (all []struct {
	Query, Body, Base64, Type, With, Says string
	Fill, FillQuery, Status               int
},
) {
	t.Helper()
	text, err := os.ReadFile("../links/testdata/bodies.json")
	if err == nil {
		err = json.Unmarshal(text, &all)
	}
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// A server that is killed in the middle of everything, three times, has every link
// that it accepted, and no answer is wrong. -for 30s makes it long; -v prints how much it was.
func TestKilledServerKeepsItsLinks(t *testing.T) {
	const workers, rounds = 16, 3
	dir, file, all := page(t), filepath.Join(t.TempDir(), "links.db"), bodies(t)
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: workers}}
	var accepted sync.Map // id → the seed by which its scenario is known
	var number, answers, kept atomic.Int64
	opens := func(address string, id, seed any) error {
		answer, err := client.Get(fmt.Sprintf("%sapi/links/%s", address, id))
		if err != nil {
			return err
		}
		defer answer.Body.Close()
		text, err := io.ReadAll(answer.Body)
		if err == nil && (answer.StatusCode != http.StatusOK || !bytes.Contains(text, fmt.Appendf(nil, `"seed":%d}`, seed))) {
			t.Errorf("the accepted link %v answers %d %.200s", id, answer.StatusCode, text)
		}
		return err
	}
	for round := range rounds {
		cmd, address := start(t, dir, file)
		ctx, end := context.WithTimeout(context.Background(), *span/rounds)
		// send asks once; an error says that the connection broke, as it does when the server is killed.
		send := func(n int64) error {
			b, seed := all[n%int64(len(all))], any(nil)
			text := []byte(b.Body)
			if n%2 == 0 {
				seed, b.Query, b.Type, b.Status = n, "at=1m", "", http.StatusCreated
				text = fmt.Appendf(nil, `{"v":1,"system":"central","seed":%d,"name":"%s"}`, n, strings.Repeat("name ", int(n%400)))
			} else if b.Base64 != "" {
				text, _ = base64.StdEncoding.DecodeString(b.Base64)
			} else if b.Fill > 0 {
				text = bytes.Replace(text, []byte("%s"), bytes.Repeat([]byte(max(b.With, "a")), b.Fill), 1)
			}
			request, err := http.NewRequest("POST", address+"api/links?"+strings.Replace(b.Query, "%s", strings.Repeat("a", b.FillQuery), 1), bytes.NewReader(text))
			if err != nil {
				t.Fatal(err)
			}
			request.Header.Set("Content-Type", "application/json")
			if b.Type != "" {
				request.Header.Set("Content-Type", b.Type)
			}
			request.Header.Set("X-Forwarded-For", fmt.Sprintf("192.0.2.1, 10.%d.%d.%d", n>>16&255, n>>8&255, n&255))
			answer, err := client.Do(request)
			if err != nil {
				return err
			}
			defer answer.Body.Close()
			var told struct{ ID, Error string }
			if err := json.NewDecoder(answer.Body).Decode(&told); err != nil {
				return err
			}
			if answer.StatusCode != b.Status || !strings.Contains(told.Error, b.Says) && seed == nil {
				t.Errorf("%.100s: %d %s", text, answer.StatusCode, told.Error)
			}
			answers.Add(1)
			if seed == nil || answer.StatusCode != http.StatusCreated {
				return nil
			}
			accepted.Store(told.ID, seed)
			kept.Add(1)
			answers.Add(1)
			return opens(address, told.ID, seed)
		}
		var all sync.WaitGroup
		for range workers {
			all.Go(func() {
				for n := number.Add(1); !t.Failed(); n = number.Add(1) {
					if err := send(n); err != nil {
						if ctx.Err() == nil {
							t.Errorf("before the server was killed: %v", err)
						}
						return
					}
				}
			})
		}
		<-ctx.Done()
		end()
		if grown := resident(cmd.Process.Pid); grown > 0 {
			t.Logf("round %d: %d requests, %d links kept, %d MB resident", round+1, answers.Load(), kept.Load(), grown>>20)
		}
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		all.Wait()
		cmd.Wait()
	}
	_, address := start(t, dir, file)
	found := 0
	accepted.Range(func(id, seed any) bool {
		if err := opens(address, id, seed); err != nil {
			t.Errorf("%v: %v", id, err)
		}
		found++
		return !t.Failed()
	})
	t.Logf("%d requests in %v, killed %d times: all %d accepted links open", answers.Load(), *span, rounds, found)
	if found < 10 {
		t.Errorf("only %d links were accepted", found)
	}
}

// resident is the memory that a process holds, in bytes; 0 where nobody tells.
func resident(pid int) int {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
	var size, pages int
	if err == nil {
		_, err = fmt.Sscan(string(text), &size, &pages)
	}
	if err != nil {
		return 0
	}
	return pages * os.Getpagesize()
}
