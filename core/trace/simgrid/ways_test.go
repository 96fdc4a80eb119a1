package simgrid_test

import (
	"fmt"
	"strings"
	"testing"

	"parley/core/trace/simgrid"
)

// waysFrom reads a platform and returns the ways from a host, by name of the other end, as
// "10 MB/s 5 us", and what is said if there is none.
func waysFrom(t *testing.T, body, master string) (map[string]string, error) {
	t.Helper()
	p, err := simgrid.Read("f", strings.NewReader(`<platform version="4.1">`+body+`</platform>`))
	if err != nil {
		t.Fatalf("%s: %v", body, err)
	}
	found := map[string]string{}
	paths, _, err := p.Paths(master)
	for _, way := range paths {
		found[p.Hosts[way.Host].Name] = fmt.Sprintf("%.4g MB/s %.4g us", way.Bandwidth/1e6, way.Latency*1e6)
	}
	return found, err
}

// check compares the ways from a host.
func check(t *testing.T, body, master string, want map[string]string) {
	t.Helper()
	got, err := waysFrom(t, body, master)
	if fmt.Sprint(got) != fmt.Sprint(want) || err != nil && len(want) > 0 {
		t.Errorf("from %s: %v (%v), want %v", master, got, err, want)
	}
}

func hosts(names string) (text string) {
	for _, n := range strings.Fields(names) {
		text += `<host id="` + n + `" speed="1Gf"/>`
	}
	return text
}

// linkOf is a link of so many MB/s and 1 us.
func linkOf(id string, bandwidth int) string {
	return fmt.Sprintf(`<link id="%s" bandwidth="%dMBps" latency="1us"/>`, id, bandwidth)
}

func routeOf(from, to string, links ...string) string {
	text := `<route src="` + from + `" dst="` + to + `">`
	for _, l := range links {
		text += `<link_ctn id="` + l + `"/>`
	}
	return text + `</route>`
}

// TestShortestWay: the way of the fewest links counts, and of two of as many the one by
// the host that is described first.
func TestShortestWay(t *testing.T) {
	all := linkOf("ab", 1) + linkOf("bd", 2) + linkOf("ac", 3) + linkOf("cd", 4) + linkOf("de", 5)
	for _, routing := range []string{"Floyd", "Dijkstra"} {
		for _, routes := range [][]string{{"ab", "bd", "ac", "cd", "de"}, {"de", "cd", "ac", "bd", "ab"}, {"cd", "ab", "de", "ac", "bd"}} {
			body := `<zone id="z" routing="` + routing + `">` + hosts("a b c d e") + all
			for _, r := range routes {
				body += routeOf(r[:1], r[1:], r)
			}
			check(t, body+`</zone>`, "a", map[string]string{"b": "1 MB/s 1 us", "c": "3 MB/s 1 us", "d": "1 MB/s 2 us", "e": "1 MB/s 3 us"})
		}
	}
}

// TestNestedZones: a way leads up to the zone that holds both ends, from however deep
// either lies; of two zones that none holds there is no way.
func TestNestedZones(t *testing.T) {
	const gates = `<zoneRoute src="%s" dst="%s" gw_src="%s" gw_dst="%s"><link_ctn id="%s"/></zoneRoute>`
	deep := `<zone id="deep" routing="Full">` + hosts("x y") + linkOf("xy", 7) + routeOf("x", "y", "xy") + `</zone>`
	middle := `<zone id="middle" routing="Full">` + deep + hosts("m") + `<zone id="flat" routing="Full">` + hosts("g") + `</zone>` + linkOf("mid", 5) +
		fmt.Sprintf(gates, "deep", "flat", "y", "g", "mid") + `</zone>`
	body := `<zone id="top" routing="Full">` + middle + `<zone id="side" routing="Full">` + hosts("s") + `</zone>` + linkOf("up", 3) +
		fmt.Sprintf(gates, "middle", "side", "g", "s", "up") + `</zone>`
	check(t, body, "x", map[string]string{"y": "7 MB/s 1 us", "g": "5 MB/s 2 us", "s": "3 MB/s 3 us"})
	check(t, body, "s", map[string]string{"x": "3 MB/s 3 us", "y": "3 MB/s 2 us", "g": "3 MB/s 1 us"})
	check(t, body, "g", map[string]string{"x": "5 MB/s 2 us", "y": "5 MB/s 1 us", "s": "3 MB/s 1 us"})
	two := `<zone id="one" routing="Full">` + hosts("a b") + linkOf("ab", 2) + routeOf("a", "b", "ab") + `</zone><zone id="two" routing="Full">` + hosts("c") + `</zone>`
	check(t, two, "a", map[string]string{"b": "2 MB/s 1 us"})
	if got, err := waysFrom(t, two, "c"); len(got) != 0 || err == nil || !strings.Contains(err.Error(), "no zone holds both c and a") {
		t.Errorf("%v %v", got, err)
	}
}

// TestLimiter: a cluster's limiter bounds the way of each of its hosts.
func TestLimiter(t *testing.T) {
	cluster := func(limiter string) string {
		return `<cluster id="c" prefix="h" suffix="" radical="0-2" speed="1Gf" bw="10MBps" lat="5us"` + limiter + `/>`
	}
	check(t, cluster(""), "h0", map[string]string{"h1": "10 MB/s 10 us", "h2": "10 MB/s 10 us"})
	check(t, cluster(` limiter_link="4MBps"`), "h0", map[string]string{"h1": "4 MB/s 10 us", "h2": "4 MB/s 10 us"})
	check(t, cluster(` limiter_link="40MBps"`), "h0", map[string]string{"h1": "10 MB/s 10 us", "h2": "10 MB/s 10 us"})
	_, err := simgrid.Read("f", strings.NewReader(`<platform version="4.1">`+cluster(` limiter_link="-4MBps"`)+`</platform>`))
	if err == nil || !strings.Contains(err.Error(), `column "cluster limiter_link": "-4MBps"`) {
		t.Error(err)
	}
}

// TestWifiLink: a link in the air has a bandwidth for each distance, of which the first
// counts; any other has one.
func TestWifiLink(t *testing.T) {
	body := func(policy string) string {
		return `<zone id="z" routing="Full">` + hosts("a b") + `<link id="l" bandwidth="54MBps,36MBps,18MBps" latency="0"` + policy + `/>` + routeOf("a", "b", "l") + `</zone>`
	}
	check(t, body(` sharing_policy="WIFI"`), "a", map[string]string{"b": "54 MB/s 0 us"})
	for _, policy := range []string{"", ` sharing_policy="SHARED"`} {
		if _, err := simgrid.Read("f", strings.NewReader(`<platform version="4.1">`+body(policy)+`</platform>`)); err == nil || !strings.Contains(err.Error(), `"54MBps,36MBps,18MBps"`) {
			t.Errorf("%s: %v", policy, err)
		}
	}
}

// TestCommentsAndLines: comments hold anything, dashes and less-than signs among them,
// and count their lines; a file may be much longer than what is read of it at once.
func TestCommentsAndLines(t *testing.T) {
	for _, comment := range []string{
		"<!-- a -->", "<!---->", "<!-- a - b -- c -->", "<!-- a --->", "<!-- <host id=\"no\"/> < ! -->", "<!--\n\r\n<!-- a\n-->", "<!-- " + strings.Repeat("long - ", 3000) + "-->",
	} {
		text := comment + "<platform version=\"4.1\">" + comment + "<zone id=\"z\" routing=\"Full\">\n" + comment + hosts("a") + comment + "<host id=\"b\" speed=\"x\"/>" + "</zone></platform>"
		want := fmt.Sprintf("f, line %d, column \"host speed\"", 2+4*strings.Count(comment, "\n"))
		if _, err := simgrid.Read("f", strings.NewReader(text)); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%.40q: %v, want %s", comment, err, want)
		}
	}
	names := ""
	for i := range 900 {
		names += fmt.Sprintf(" host%d", i)
	}
	p, err := simgrid.Read("f", strings.NewReader(`<platform version="4.1"><zone id="z" routing="Full">`+hosts(names)+`</zone></platform>`))
	if err != nil || len(p.Hosts) != 900 || p.Hosts[899].Name != "host899" {
		t.Errorf("%d hosts, %v", len(p.Hosts), err)
	}
}

// TestLongNames: an error repeats forty bytes of a name.
func TestLongNames(t *testing.T) {
	for n, want := range map[int]string{40: strings.Repeat("x", 40), 41: strings.Repeat("x", 40) + "…"} {
		_, err := simgrid.Read("f", strings.NewReader(`<platform version="4.1"><zone id="z" routing="`+strings.Repeat("x", n)+`"/></platform>`))
		if err == nil || !strings.Contains(err.Error(), `"`+want+`"`) {
			t.Errorf("%d: %v", n, err)
		}
	}
}
