package program

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"parley/core/formula"

	"parley/core/score"
	"parley/core/strict"
	"parley/core/system"
)

// Hooks are the functions of a program that a run calls.
func Hooks() []Field {
	return []Field{
		{
			"on_start", "on_start(cluster, state)",
			"before the run begins, when there is no node yet: gives what is kept in state its first value",
		},
		{
			"on_submit", "on_submit(task, cluster, state)",
			"a task has arrived and waits for a place; every program has this hook or on_jobs",
		},
		{
			"on_jobs", "on_jobs(cluster, state)",
			"rigid jobs have arrived, ended or lost their nodes, or processors have come or gone; called once a moment, after all that happens at it",
		},
		{
			"on_displaced", "on_displaced(task, cluster, state)",
			"a task has lost its place and waits again; without it on_submit is called",
		},
		{
			"on_finished", "on_finished(task, node, cluster, state)",
			"a task has ended on a node, or, if node is None, while it waited; of the task only id and state are left",
		},
		{"on_node_up", "on_node_up(node, cluster, state)", "a node has joined or has come back"},
		{"on_node_down", "on_node_down(node, cluster, state)", "a node has gone down; its tasks were displaced before"},
		{"on_minute", "on_minute(cluster, state)", "a simulated minute has passed and what tasks use has changed"},
		{"on_wake", "on_wake(data, cluster, state)", "the time of a cluster.wake(seconds, data) has come"},
	}
}

// Functions are the names that a program can use beside those of Starlark.
func Functions() []Field {
	return []Field{
		{
			"setting", `setting(default, low=None, high=None, choices=None, unit="", about="")`,
			"a value of the dict settings that people can change: a number from low to high, True or False, or one of the choices; in hooks settings[\"name\"] is its value",
		},
		{
			"formula", `formula("-cpu.used / cpu.capacity")`,
			"a score of nodes for cluster.best, checked when the program is loaded; only outside of functions",
		},
		{
			"note", `note(text, task=None, node=None, value=0)`,
			"writes into the run's notes; a note about a task is shown as why it is where it is",
		},
	}
}

// hooks are the functions of one program; nil if it has none.
type hooks struct{ start, submit, jobs, displaced, finished, nodeUp, nodeDown, minute, wake *starlark.Function }

// loaded is a program that is ready to run.
type loaded struct {
	hooks    hooks
	globals  starlark.StringDict
	settings []system.Setting
	formulas []*scorer
}

const (
	threadKey = "run"    // of the scheduler whose hook runs
	loadKey   = "loaded" // of the program that is being loaded
)

// load reads a program's text. Its errors are *Error.
func load(text string) (*loaded, error) {
	l, err := compile(text)
	if err != nil {
		return nil, explain(text, err)
	}
	return l, nil
}

// compile parses, rewrites and runs the text of a program once, outside of any run, and finds its hooks
// and settings. Errors are of the parser, the rewriter or the interpreter; load turns them into
// sentences.
func compile(text string) (*loaded, error) {
	switch {
	case len(text) > MaxText:
		return nil, fmt.Errorf("it has %d bytes: at most %d are read", len(text), MaxText)
	case !utf8.ValidString(text):
		return nil, errors.New("it is no UTF-8 text: save it as UTF-8")
	}
	options := &syntax.FileOptions{Set: true, While: true}
	file, err := options.Parse(fileName, text, 0)
	if err != nil {
		return nil, err
	}
	methods := guardedMethods()
	r := rewriter{methods: methods}
	if r.statements(file.Stmts); r.err != nil {
		return nil, r.err
	}
	names := starlark.StringDict{
		"setting": starlark.NewBuiltin("setting", newSetting),
		"formula": starlark.NewBuiltin("formula", newFormula),
		"note":    starlark.NewBuiltin("note", writeNote),
	}
	guard(names, methods)
	code, err := starlark.FileProgram(file, names.Has)
	if err != nil {
		return nil, err
	}
	l := &loaded{}
	thread := newThread()
	thread.SetLocal(loadKey, l)
	if l.globals, err = code.Init(thread, names); err != nil {
		return nil, err
	}
	if err := l.findHooks(); err != nil {
		return nil, err
	}
	return l, l.findSettings()
}

func newThread() *starlark.Thread {
	thread := &starlark.Thread{Name: fileName}
	thread.SetMaxExecutionSteps(MaxSteps)
	return thread
}

// findHooks sets l.hooks from the globals and checks their parameters. A function on_… that is not a
// hook would never be called, so it is an error. Without on_displaced, on_submit takes its place. A
// program needs on_submit or on_jobs.
func (l *loaded) findHooks() error {
	known := Hooks()
	for _, name := range l.globals.Keys() {
		if !strings.HasPrefix(name, "on_") {
			continue
		}
		at := slices.IndexFunc(known, func(h Field) bool { return h.Name == name })
		f, is := l.globals[name].(*starlark.Function)
		switch {
		case at < 0 && is:
			nearest := known[slices.IndexFunc(known,
				func(h Field) bool { return h.Name == strict.Nearest(name, namesOf(known)) })]
			return placed(f, "%s is no hook, so nothing calls it: did you mean %s", name, nearest.Usage)
		case at < 0:
			continue
		case !is:
			return fmt.Errorf("%s is the name of a hook, and it is of the type %s: write def %s",
				name, l.globals[name].Type(), known[at].Usage)
		}
		if want := strings.Count(known[at].Usage, ",") + 1; f.NumParams() != want || f.NumKwonlyParams() > 0 {
			return placed(f, "%s has %s: write def %s", name, system.Count(float64(f.NumParams()), "parameter"),
				known[at].Usage)
		}
	}
	of := func(name string) *starlark.Function {
		f, _ := l.globals[name].(*starlark.Function)
		return f
	}
	l.hooks = hooks{
		of("on_start"), of("on_submit"), of("on_jobs"), of("on_displaced"), of("on_finished"),
		of("on_node_up"), of("on_node_down"), of("on_minute"), of("on_wake"),
	}
	if l.hooks.submit == nil && l.hooks.jobs == nil {
		return errors.New(
			"it has no on_submit: write def on_submit(task, cluster, state), or for rigid jobs def on_jobs(cluster, state)",
		)
	}
	if l.hooks.displaced == nil {
		l.hooks.displaced = l.hooks.submit
	}
	return nil
}

// placed returns an error about a function.
func placed(f *starlark.Function, format string, args ...any) error {
	e := &Error{Message: fmt.Sprintf(format, args...)}
	e.at(f.Position())
	return e
}

// spec is the value of setting(…) until the run's values are known.
type spec struct{ is system.Setting }

func (s *spec) String() string        { return "setting" }
func (s *spec) Type() string          { return "setting" }
func (s *spec) Freeze()               {}
func (s *spec) Truth() starlark.Bool  { return true }
func (s *spec) Hash() (uint32, error) { return 0, errors.New("a setting has no hash") }

var settingName = regexp.MustCompile(`^[a-z][a-z0-9_]{0,39}$`)

// findSettings sets l.settings from the dict named settings; none if the program has no such name. It
// checks names, types and defaults.
func (l *loaded) findSettings() error {
	v, has := l.globals["settings"]
	if !has {
		return nil
	}
	dict, is := v.(*starlark.Dict)
	if !is {
		return fmt.Errorf("settings is of the type %s: write settings = {\"name\": setting(…)}", v.Type())
	}
	if dict.Len() > maxSettings {
		return fmt.Errorf("settings has %d entries: at most %d are read", dict.Len(), maxSettings)
	}
	for key, value := range dict.Entries() {
		name, isText := starlark.AsString(key)
		one, isSetting := value.(*spec)
		switch {
		case !isText || !settingName.MatchString(name):
			return fmt.Errorf("%s is no name of a setting: write small letters, digits and _, at most 40",
				shorten(key.String()))
		case !isSetting:
			return fmt.Errorf("settings[%q] is of the type %s: write setting(%s)", name, value.Type(),
				shorten(value.String()))
		}
		s := one.is
		s.ID, s.Name = name, strings.ToUpper(name[:1])+strings.ReplaceAll(name[1:], "_", " ")
		if s.About == "" {
			s.About = "setting " + name + " of the program"
		}
		l.settings = append(l.settings, s)
	}
	system.Describe(l.settings...)
	if err := system.Check(l.settings); err != nil {
		return fmt.Errorf("a default is not allowed: %w", err)
	}
	return nil
}

// newSetting is setting(default, …): it checks the arguments against each other and returns a spec. The
// type of the default is that of the setting. A number without low and high is limited to ±10⁹.
func newSetting(thread *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple,
	kwargs []starlark.Tuple,
) (starlark.Value, error) {
	var usual, low, high starlark.Value
	var choices *starlark.List
	s := &spec{}
	if err := starlark.UnpackArgs("setting", args, kwargs, "default", &usual, "low?", &low, "high?", &high, "choices?",
		&choices, "unit?", &s.is.Unit, "about?", &s.is.About); err != nil {
		return nil, err
	}
	switch v := usual.(type) {
	case starlark.Bool:
		s.is.Value = bool(v)
	case starlark.Float:
		s.is.Value = float64(v)
	case starlark.Int:
		n, small := v.Int64()
		if !small || n > 1<<53 || n < -1<<53 {
			return nil, errors.New("the default is too large")
		}
		s.is.Value = int(n)
	case starlark.String:
		s.is.Value = string(v)
	default:
		return nil, fmt.Errorf("the default is of the type %s: choose a number, True, False, or a text with choices",
			usual.Type())
	}
	_, isText := usual.(starlark.String)
	if isText != (choices != nil) {
		return nil, errors.New("a text needs choices, a list of texts, and nothing else has them")
	}
	if choices != nil {
		for i := range choices.Len() {
			one, is := starlark.AsString(choices.Index(i))
			if !is || one == "" || i >= maxSettings {
				return nil, fmt.Errorf("choices is a list of up to %d texts", maxSettings)
			}
			s.is.Choices = append(s.is.Choices, one)
		}
	}
	switch s.is.Value.(type) {
	case int, float64:
		lowest, ok := starlark.AsFloat(or(low, starlark.MakeInt(-1_000_000_000)))
		limit, also := starlark.AsFloat(or(high, starlark.MakeInt(1_000_000_000)))
		if !ok || !also || !(lowest <= limit) || !formula.Finite(lowest) || !formula.Finite(limit) {
			return nil, errors.New("low and high are numbers, and low is not above high")
		}
		s.is.Range = system.Between(lowest, limit)
	default:
		if low != nil || high != nil {
			return nil, errors.New("only a number has low and high")
		}
	}
	return s, nil
}

func or(v, other starlark.Value) starlark.Value {
	if v == nil || v == starlark.None {
		return other
	}
	return v
}

// newFormula is formula(text): it compiles the text and adds it to the program that is being loaded.
// Once the program is loaded, it is an error.
func newFormula(thread *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple,
	kwargs []starlark.Tuple,
) (starlark.Value, error) {
	l, loading := thread.Local(loadKey).(*loaded)
	if !loading {
		return nil,
			errors.New(
				"write formulas outside of functions, as in score = formula(\"-cpu.used\"), so that they are checked when the program is loaded",
			)
	}
	var text string
	if err := starlark.UnpackArgs("formula", args, kwargs, "text", &text); err != nil {
		return nil, err
	}
	if len(l.formulas) >= 100 {
		return nil, errors.New("a program has at most 100 formulas")
	}
	columns := score.Columns()
	compiled, err := formula.Compile(text, columns, formula.Number)
	if err != nil {
		return nil, fmt.Errorf("in the formula, %w", err)
	}
	f := &scorer{formula: compiled, number: len(l.formulas)}
	for i := range columns {
		f.perTask = f.perTask || score.OfTask(i) && compiled.Uses(i)
	}
	l.formulas = append(l.formulas, f)
	return f, nil
}

// bind puts the values of settings, those of raw or the defaults, into the program's dict, and freezes
// all globals, so it can be called once. A setting that the program does not have is an error; of
// several, the first by name is reported.
func (l *loaded) bind(raw json.RawMessage) error {
	given := map[string]json.RawMessage{}
	if err := system.Decode(raw, &given); err != nil {
		return err
	}
	dict, _ := l.globals["settings"].(*starlark.Dict)
	for i := range l.settings {
		s := &l.settings[i]
		if text, has := given[s.ID]; has {
			if err := decodeSetting(s, text); err != nil {
				return err
			}
			delete(given, s.ID)
		}
		if err := dict.SetKey(starlark.String(s.ID), valueOf(s.Value)); err != nil {
			return err
		}
	}
	l.globals.Freeze()
	if len(given) == 0 {
		return system.Check(l.settings)
	}
	names := make([]string, len(l.settings))
	for i, s := range l.settings {
		names[i] = s.ID
	}
	unknown := ""
	for name := range given {
		if unknown == "" || name < unknown {
			unknown = name
		}
	}
	if len(names) == 0 {
		return fmt.Errorf("settings: the program has no setting %s, for it has none: leave it out", shorten(unknown))
	}
	return fmt.Errorf("settings: the program has no setting %s: it has %s", shorten(unknown), strings.Join(names, ", "))
}

// decodeSetting sets s.Value from JSON of the same type as its present value, the default. The range is
// not checked.
func decodeSetting(s *system.Setting, raw json.RawMessage) error {
	var err error
	switch s.Value.(type) {
	case bool:
		var v bool
		err = system.Decode(raw, &v)
		s.Value = v
	case int:
		var v int
		err = system.Decode(raw, &v)
		s.Value = v
	case float64:
		var v float64
		err = system.Decode(raw, &v)
		s.Value = v
	case string:
		var v string
		err = system.Decode(raw, &v)
		s.Value = v
	}
	if err != nil {
		return fmt.Errorf("settings: %s is %s: choose %s", s.ID, shorten(string(raw)), s.Allowed())
	}
	return nil
}

// valueOf returns the value of a setting, a bool, int, float64 or string, as a program reads it.
func valueOf(v any) starlark.Value {
	switch v := v.(type) {
	case bool:
		return starlark.Bool(v)
	case int:
		return starlark.MakeInt(v)
	case float64:
		return starlark.Float(v)
	case string:
		return starlark.String(v)
	}
	return starlark.None
}
