package zone_test

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley/core/zone"
)

// names returns all names of the table.
func names(t *testing.T) (all []string) {
	f, err := os.Open("zones.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		of, _, _ := strings.Cut(s.Text(), " ")
		all = append(all, strings.Split(of, ",")...)
	}
	return all
}

// Every zone agrees with Go's own database from 1990 to 2037, of which the table was made.
func TestAgainstGo(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: 600 zones every 6 hours of 48 years")
	}
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Skip("there is no go command here to name its database")
	}
	t.Setenv("ZONEINFO", filepath.Join(strings.TrimSpace(string(root)), "lib", "time", "zoneinfo.zip")) // not that of the machine
	compared := 0
	for _, name := range names(t) {
		place, err := time.LoadLocation(name)
		if err != nil {
			continue // this machine has no database, or an older one
		}
		z, is := zone.Find(name)
		if !is {
			t.Fatal(name)
		}
		compared++
		for at := time.Date(1990, 1, 2, 0, 30, 0, 0, time.UTC).Unix(); at < time.Date(2037, 12, 1, 0, 0, 0, 0, time.UTC).Unix(); at += 6 * 3600 {
			if _, want := time.Unix(at, 0).In(place).Zone(); z.At(at) != int64(want) {
				t.Errorf("%s at %d: %d, want %d", name, at, z.At(at), want)
				break
			}
		}
	}
	t.Log(compared, "zones compared")
}

// The two hours of a year in which a clock is changed, as published by the rules of the EU and the USA.
func TestChanges(t *testing.T) {
	wall := func(text string) int64 {
		at, err := time.Parse("2006-01-02 15:04", text)
		if err != nil {
			t.Fatal(err)
		}
		return at.Unix()
	}
	for _, c := range []struct {
		name, clock string
		utc, later  int64
		skipped     bool
	}{
		{"Europe/Berlin", "2025-10-26 02:30", 1761438600, 3600, false},
		{"europe/berlin", "2025-03-30 02:30", 1743298200, 0, true},
		{"America/New_York", "2025-11-02 01:30", 1762061400, 3600, false},
		{"Asia/Kolkata", "2025-11-02 01:30", 1762027200, 0, false},
		{"Australia/Lord_Howe", "2025-04-06 01:45", 1743864300, 1800, false},
		{"Europe/Dublin", "2025-10-26 01:30", 1761438600, 3600, false},
		{"Africa/Casablanca", "2025-07-01 12:00", 1751367600, 0, false},
	} {
		z, is := zone.Find(c.name)
		if !is {
			t.Fatal(c.name)
		}
		if utc, later, skipped := z.Local(wall(c.clock)); utc != c.utc || later != c.later || skipped != c.skipped {
			t.Errorf("%s in %s: %d, %d, %v; want %d, %d, %v", c.clock, c.name, utc, later, skipped, c.utc, c.later, c.skipped)
		}
	}
	for _, name := range []string{"", "B", "Europe/Atlantis", "Europe/Berlin 60", "60"} {
		if _, is := zone.Find(name); is {
			t.Errorf("%q is a zone", name)
		}
	}
}
