package load

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"parley/assets"
	"parley/core/scenario"
	"parley/core/trace"
	"parley/core/trace/formats"
	"parley/core/unit"
	"parley/core/words"
	"parley/tools/parley/console"
)

// Document is the scenario of an argument.
type Document struct {
	Label    string // for people: a file's name, an id
	Scenario *scenario.Scenario
	Endless  bool             // it does not define its end
	Address  scenario.Address // of a link: the place in the run that it names
	Warnings []string         // parts of it that were left out
}

// ReadScenario reads the scenario of a SCENARIO argument. With files of a trace, a scenario of the
// gallery counts only with its system and settings.
func ReadScenario(c *console.Console, arg string, files *Trace) (Document, error) {
	if IsLink(arg) {
		return OpenLink(c, arg, files)
	}
	var text []byte
	var err error
	label, own := arg, true
	if arg == "-" {
		arg = console.ShownName(arg)
		label = arg
		text, err = console.ReadAll(c.In)
	} else {
		text, own, err = readScenarioFile(arg)
		label = strings.TrimSuffix(filepath.Base(arg), ".json")
	}
	if err != nil {
		return Document{}, err
	}
	s, err := scenario.Parse(text)
	if err != nil {
		if reason := notScenario(arg, text); reason != nil {
			return Document{}, reason
		}
		return Document{}, fmt.Errorf("%s: %w", arg, err)
	}
	if err := UnreadIn(c, s, []string{s.System}); err != nil {
		return Document{}, fmt.Errorf("%s: %w", arg, err)
	}
	if !own && files.Given() {
		return Document{Label: label, Scenario: s.ForFiles(), Endless: true, Warnings: []string{leftOut(arg)}}, nil
	}
	return Document{Label: label, Scenario: s, Endless: !has(text, "until")}, nil
}

// notScenario returns an error that names the format of a text that does not begin as a scenario does; nil if it
// does.
func notScenario(name string, text []byte) error {
	begin := bytes.TrimSpace(bytes.TrimPrefix(text, []byte("\xef\xbb\xbf")))
	if len(begin) == 0 || begin[0] == '{' {
		return nil
	}
	f := trace.File{
		Name: name, Size: int64(len(text)),
		Open: func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(text)), nil },
	}
	head, err := trace.ReadHead(f)
	if err != nil {
		return err
	}
	if unpacked := bytes.TrimSpace(head.Bytes); head.Gzip && len(unpacked) > 0 && unpacked[0] == '{' {
		if _, _, err = trace.Identify(head, formats.All); err != nil {
			return fmt.Errorf("%s is packed with gzip, and a scenario is read as it is: unpack it first", name)
		}
		return nil
	}
	var e *trace.Error
	if _, _, err = trace.Identify(head, formats.All); errors.As(err, &e) {
		return fmt.Errorf("%s is no scenario, which begins with {, and %w",
			name, &trace.Error{Kind: e.Kind, File: "it", Line: e.Line, Reason: e.Reason, Hint: e.Hint})
	}
	return err
}

// leftOut describes the parts of a gallery scenario that do not count beside files.
func leftOut(id string) string {
	return fmt.Sprintf(
		"the files replace what the gallery's %s plays: of it only the system and its settings count, not its cluster, workload, faults, seed or end", id,
	)
}

// readScenarioFile reads a file or, if there is none, a scenario of the
// gallery. It reports whether it was a file.
func readScenarioFile(name string) (text []byte, own bool, err error) {
	f, err := os.Open(StoredScenario(name))
	if errors.Is(err, fs.ErrNotExist) {
		if text, ok := assets.Scenario(name); ok {
			return text, false, nil
		}
		return nil, false, fmt.Errorf("%q is no file, no link and not in the gallery, which has %s",
			name, strings.Join(assets.Scenarios(), ", "))
	}
	if err != nil {
		return nil, false, console.Unreadable(name, err)
	}
	defer f.Close()
	if text, err = console.ReadAll(f); err != nil {
		return nil, false, console.Unreadable(name, err)
	}
	return text, true, nil
}

// StoredScenario returns the path of the scenario's file if a name is that of a folder of parley run
// --out, and other names unchanged.
func StoredScenario(name string) string {
	if file := filepath.Join(name, "scenario.json"); IsFolder(name) {
		if _, err := os.Stat(file); err == nil {
			return file
		}
	}
	return name
}

// IsFolder reports whether a name is that of a folder.
func IsFolder(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}

// IsLink reports whether an argument is a link and not a file's name.
func IsLink(arg string) bool {
	_, keys, found := strings.Cut(arg, "#")
	if !found {
		keys = arg
	}
	name, _, valued := strings.Cut(keys, "=")
	if !(valued && !strings.ContainsAny(name, "/ ") || found && keys == "") {
		return false
	}
	_, err := os.Stat(arg)
	return err != nil
}

// OpenLink returns the scenario of a link. With files, they replace the link's workload. Parts of the link that were
// changed are printed to c.Err.
func OpenLink(c *console.Console, link string, files *Trace) (Document, error) {
	g, err := Gallery()
	if err != nil {
		return Document{}, err
	}
	a, problems, notes := scenario.DecodeAddress(link)
	if len(problems) > 0 {
		return Document{}, errors.New(problems[0])
	}
	base := g[cmp.Or(a.Base, scenario.DefaultBase)]
	system := a.System
	if system == "" && base != nil {
		system = base.System
	}
	if err := a.Unread(settingsOf(c, system)); err != nil {
		return Document{}, err
	}
	for _, note := range notes {
		fmt.Fprintf(c.Err, "parley: %s\n", note)
	}
	d := Document{Address: a}
	if files.Given() {
		d.Endless = true
		if a.Base == "" && a.System == "" && a.Packed == nil {
			if a.System, err = files.playerOf(c); err != nil {
				return Document{}, err
			}
			d.Warnings = append(d.Warnings, chosenFor(a.System))
		}
		if a.Base != "" && a.Packed == nil {
			d.Warnings = append(d.Warnings, leftOut(a.Base))
		}
		d.Scenario, err = a.ForFiles(g)
	} else {
		if base != nil && a.System != "" && a.Packed == nil {
			if lost := c.Systems.Loses(base, a.System); lost != "" {
				d.Warnings = append(d.Warnings, lost)
			}
		}
		d.Scenario, err = a.Scenario(g)
	}
	if err != nil {
		return Document{}, err
	}
	s := d.Scenario
	if a.Packed != nil {
		err = UnreadIn(c, s, []string{s.System})
	} else {
		err = s.UnreadMay(mayBe(c, s, s.System))
	}
	if err != nil {
		return Document{}, fmt.Errorf("the link's scenario: %w", err)
	}
	if a.Fork > len(s.Faults) {
		fmt.Fprintf(c.Err, "parley: the link's fork is %d, and the acts of its scenario number %d: it has no parent\n",
			a.Fork, len(s.Faults))
	}
	_, keys, found := strings.Cut(link, "#")
	if !found {
		keys = link
	}
	d.Label = words.Cut(keys, 60)
	if base, ok := assets.Scenario(a.Base); a.Packed != nil {
		d.Endless = !has(a.Packed, "until")
	} else if ok && !files.Given() {
		d.Endless = !has(base, "until")
	}
	return d, nil
}

// settingsOf returns the settings of systems.
func settingsOf(c *console.Console, systems ...string) (ids []string) {
	for _, name := range systems {
		if e, err := c.Systems.Find(name); err == nil {
			for _, s := range e.Settings {
				ids = append(ids, s.ID)
			}
		}
	}
	return ids
}

// mayBe returns the settings that a class may find in a scenario of these systems: those of
// all systems, if it may choose one.
func mayBe(c *console.Console, s *scenario.Scenario, systems ...string) []string {
	if slices.Contains(s.May, "system") {
		for _, e := range c.Systems {
			systems = append(systems, e.ID)
		}
	}
	return settingsOf(c, systems...)
}

// UnreadIn returns an error if no run of the scenario reads some part of it, with any of systems, the first of
// which is the scenario's own. It returns nil for errors that opening the scenario reports.
func UnreadIn(c *console.Console, s *scenario.Scenario, systems []string) error {
	e, err := c.Systems.Find(systems[0])
	if err != nil {
		return nil // reported when it is opened
	}
	if err := s.UnreadMay(mayBe(c, s, systems...)); err != nil {
		return err
	}
	if len(s.Workload.Trace)+len(s.Workload.Graphs) > 0 {
		return s.UnreadNotes(false, 0, 0)
	}
	nodes, racks := s.Machines()
	if e.Workload != nil && slices.ContainsFunc(s.Notes, func(n scenario.Note) bool { return n.Focus != "" }) {
		if nodes, racks, err = machinesOf(c, s); err != nil {
			return nil // reported when it is opened
		}
	}
	return s.UnreadNotes(true, nodes, racks)
}

// machinesOf returns the nodes and racks at the start of a scenario whose system provides its own
// machines.
func machinesOf(c *console.Console, s *scenario.Scenario) (nodes, racks int, err error) {
	r, err := c.Systems.Open(s, nil)
	if err == nil {
		err = r.Advance(1)
	}
	if err != nil {
		return 0, 0, err
	}
	v := r.View()
	for n := range unit.NodeID(v.Nodes()) {
		racks = max(racks, int(v.Rack(n))+1)
	}
	return v.Nodes(), racks, nil
}

// Gallery returns the scenarios that links may start from.
func Gallery() (scenario.Gallery, error) {
	g := scenario.Gallery{}
	for _, id := range assets.Scenarios() {
		text, _ := assets.Scenario(id)
		s, err := scenario.Parse(text)
		if err != nil {
			return nil, fmt.Errorf("the gallery's %s: %w", id, err)
		}
		g[id] = s
	}
	return g, nil
}

// has reports whether a document has a member of this name.
func has(doc []byte, name string) bool {
	var members map[string]json.RawMessage
	return json.Unmarshal(doc, &members) == nil && members[name] != nil
}
