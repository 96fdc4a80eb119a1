package dump

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/csv"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"parley/core/kube"
	"parley/core/kube/usage"
	"parley/core/trace"
)

// ReadUsage reads the usage of pods: answers of Prometheus' range and instant queries, the output of
// kubectl top pods --containers, metrics.k8s.io as JSON, and CSV with a header. A file of Prometheus
// is about one resource: resource is kube.CPU (in cores), kube.Memory (in bytes), or -1 if unknown.
// Errors are an *Error.
func ReadUsage(u *usage.Usage, files []trace.File, resource int, progress func(trace.Progress) error) error {
	m := trace.NewMeter(files, progress)
	for _, f := range files {
		in, err := trace.Unpack(f, m)
		if err != nil {
			return &Error{File: f.Name, Reason: "cannot be opened: " + trace.Reason(err).Error(), Hint: "choose it again, or another file"}
		}
		err = readUsage(u, f.Name, bufio.NewReaderSize(in, 64<<10), resource)
		in.Close()
		if err != nil {
			err = asError(err, f.Name)
			if e, is := err.(*Error); is && e.Hint == hintAgain { // an error that dumps and usage share
				e.Hint = "ask Prometheus or the metrics API again"
			}
			return err
		}
	}
	return nil
}

const hintUsage = "give a range query's JSON, what kubectl top pods -A --containers prints, or CSV with a header"

// readUsage reads one file of usage into u, in the format that its first 4 KiB show. resource is as for
// ReadUsage.
func readUsage(u *usage.Usage, name string, in *bufio.Reader, resource int) error {
	if mark, _ := in.Peek(3); string(mark) == "\xef\xbb\xbf" {
		in.Discard(3)
	}
	head, err := in.Peek(4096)
	if len(bytes.TrimSpace(head)) == 0 {
		if err != nil && err != io.EOF {
			return err
		}
		return &Error{File: name, Reason: "is empty", Hint: hintUsage}
	}
	switch text := strings.TrimSpace(string(head)); {
	case text[0] == '{' && gjson.Get(text, "status").Str == "error":
		return failedQuery(name, text)
	case text[0] == '<':
		return &Error{File: name, Reason: "is a web page, perhaps one to log in", Hint: hintUsage}
	case text[0] == '{' && strings.Contains(text, `"resultType"`):
		if resource < 0 {
			return &Error{File: name, Reason: "is an answer of Prometheus, which does not say of which resource", Hint: "name it with --cpu or --memory"}
		}
		return prometheus(u, name, in, resource)
	case text[0] == '{' && strings.Contains(text, `"VerticalPodAutoscaler"`), strings.Contains(text, "kind: VerticalPodAutoscaler"):
		return &Error{File: name, Reason: "is a VerticalPodAutoscaler, whose recommendation is no sample of use", Hint: hintUsage}
	case strings.Contains(text, "kind: PodMetrics"):
		return &Error{File: name, Reason: "is what pods use at one moment (PodMetrics), which says nothing of a peak", Hint: hintUsage}
	case text[0] == '{':
		return podMetrics(u, name, in)
	case header.MatchString(strings.TrimRight(firstLine(text), " \r")) && strings.Contains(firstLine(text), "CPU%"):
		return &Error{File: name, Reason: "is what kubectl top nodes prints, and use is compared by pods", Hint: hintUsage}
	case strings.HasPrefix(text, "NAME ") && !strings.Contains(firstLine(text), "NAMESPACE"):
		return &Error{File: name, Reason: "has no column NAMESPACE", Hint: "add -A: kubectl top pods -A --containers"}
	case strings.HasPrefix(text, "NAMESPACE"):
		return top(u, name, in)
	}
	return table(u, name, in)
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}

// failedQuery returns the error for a query that Prometheus refused.
func failedQuery(name, text string) error {
	kind, detail := gjson.Get(text, "errorType").Str, gjson.Get(text, "error").Str
	hint := map[string]string{
		"timeout": "ask for fewer days at once, or a longer step", "canceled": "ask again", "bad_data": "correct the query",
		"execution": "ask for fewer days at once, a longer step or fewer pods", "unavailable": "ask again when Prometheus is up", "not_found": "correct the address",
	}[kind]
	if hint == "" {
		hint = "ask Prometheus again"
	}
	return &Error{File: name, Value: shown(detail), Reason: "is what Prometheus says instead of an answer (" + printable(kind) + ")", Hint: hint}
}

// prometheus reads the series of a Prometheus answer one by one, a range's or an instant's. The labels
// namespace and pod must be there. All samples are of resource; an answer without series is an error.
func prometheus(u *usage.Usage, name string, in io.Reader, resource int) error {
	s := newScanner(name, in)
	s.inner, s.field = `"data"`, `"result"`
	series := 0
	s.each = func(object []byte, line int64) error {
		series++
		if !gjson.ValidBytes(object) {
			return &Error{File: name, Line: line, Value: shown(string(object)), Reason: "is no JSON", Hint: hintAgain}
		}
		doc := gjson.ParseBytes(object)
		metric := doc.Get("metric")
		label := func(name string) string { // an exporter has its own pod, and cAdvisor had other labels until 1.16
			return cmp.Or(metric.Get("exported_"+name).String(), metric.Get(name).String(), metric.Get(name+"_name").String())
		}
		in := usage.Series{Namespace: label("namespace"), Pod: label("pod"), Container: label("container"), Resource: resource}
		if of := metric.Get("__name__").Str; resource == kube.CPU && strings.HasSuffix(of, "_total") {
			return &Error{
				File: name, Line: line, Field: "metric", Value: shown(of),
				Reason: "is a counter of seconds that only grows",
				Hint:   "ask for its rate: rate(" + printable(of) + "[5m])",
			}
		}
		if in.Pod == "" || in.Namespace == "" {
			return &Error{File: name, Line: line, Field: "metric", Value: shown(metric.Raw), Reason: "has no label pod or no label namespace", Hint: "keep both in the query: sum by (namespace, pod, container) (…)"}
		}
		values, broken, wrong := doc.Get("values"), "", false
		sample := func(v gjson.Result) bool {
			x, err := strconv.ParseFloat(v.Get("1").Str, 64)
			if err != nil || v.Get("0").Type != gjson.Number {
				broken, wrong = v.Raw, true
				return false
			}
			u.Add(in, x)
			u.At(int64(v.Get("0").Num))
			return true
		}
		if values.IsArray() {
			values.ForEach(func(_, v gjson.Result) bool { return sample(v) })
		} else {
			sample(doc.Get("value"))
		}
		if wrong {
			return &Error{
				File: name, Line: line, Object: in.Namespace + "/" + in.Pod, Field: "values",
				Value: shown(broken), Reason: "is no pair of a time and a number in quotes", Hint: hintAgain,
			}
		}
		return nil
	}
	if err := s.documents(); err != nil || series > 0 {
		return err
	}
	return &Error{File: name, Reason: "is an answer of Prometheus without any series: the query matched nothing in that time", Hint: "correct the names of its metric and labels, or the range"}
}

// podMetrics reads metrics.k8s.io/v1beta1: one sample of CPU in cores and one of memory in bytes for each
// container. It fails if the file has none.
func podMetrics(u *usage.Usage, name string, in io.Reader) error {
	s := newScanner(name, in)
	found := false
	s.each = func(object []byte, line int64) error {
		if !gjson.ValidBytes(object) {
			return &Error{File: name, Line: line, Value: shown(string(object)), Reason: "is no JSON", Hint: hintAgain}
		}
		doc := gjson.ParseBytes(object)
		if !doc.Get("containers").IsArray() || doc.Get("spec").Exists() {
			return &Error{File: name, Line: line, Value: shown(string(object)), Reason: "is no use of a pod", Hint: hintUsage}
		}
		found = true
		r := &reader{file: name, line: line, object: doc.Get("metadata.namespace").Str + "/" + doc.Get("metadata.name").Str, texts: map[string]string{}}
		if at := r.moment(doc.Get("timestamp"), "timestamp"); at != 0 {
			u.At(at)
		}
		r.list(doc.Get("containers"), "containers", func(v gjson.Result, at string) {
			of := usage.Series{
				Namespace: doc.Get("metadata.namespace").String(),
				Pod:       doc.Get("metadata.name").String(), Container: v.Get("name").String(),
			}
			cpu, memory := r.quantity(v.Get("usage.cpu"), at+".usage.cpu"), r.quantity(v.Get("usage.memory"), at+".usage.memory")
			if r.err == nil {
				u.Add(of, float64(cpu.MilliValue())/1000)
				of.Resource = kube.Memory
				u.Add(of, float64(memory.Value()))
			}
		})
		return r.err
	}
	if err := s.documents(); err != nil {
		return err
	}
	if !found {
		return &Error{File: name, Reason: "holds no use of any pod", Hint: hintUsage}
	}
	return nil
}

// top reads the output of kubectl top pods -A, with --containers or without.
func top(u *usage.Usage, name string, in io.Reader) error {
	lines, n := bufio.NewScanner(in), int64(0)
	var names []string
	for lines.Scan() {
		n++
		words := strings.Fields(lines.Text())
		if len(words) == 0 {
			continue
		}
		if names == nil {
			names = words
			continue
		}
		if strings.Trim(words[0], "_") == "" { // the sum that --sum prints below a line
			break
		}
		if len(words) != len(names) {
			return &Error{File: name, Line: n, Value: shown(lines.Text()), Reason: "has " + strconv.Itoa(len(words)) +
				" columns, and the first line names " + strconv.Itoa(len(names)), Hint: hintUsage}
		}
		if err := row(u, name, n, names, words); err != nil {
			return err
		}
	}
	if err := lines.Err(); errors.Is(err, bufio.ErrTooLong) {
		return &Error{File: name, Line: n + 1, Reason: "is longer than 64 KiB", Hint: hintUsage}
	} else if err != nil {
		return err
	}
	return nil
}

// table reads CSV, with commas, semicolons or tabs, whose header names namespace, pod, and cpu or memory;
// container and time may be there too. in must be a *bufio.Reader.
func table(u *usage.Usage, name string, in io.Reader) error {
	rows := csv.NewReader(in)
	rows.ReuseRecord = true
	if head, _ := in.(*bufio.Reader).Peek(1024); strings.Contains(firstLine(string(head)), ";") {
		rows.Comma = ';'
	} else if strings.Contains(firstLine(string(head)), "\t") {
		rows.Comma = '\t'
	}
	header, err := rows.Read()
	if err != nil {
		return wrongCSV(name, err)
	}
	names := slices.Clone(header)
	for _, want := range []string{"namespace", "pod"} {
		if !slices.ContainsFunc(names, func(n string) bool {
			return strings.EqualFold(strings.TrimSpace(n), want) || want == "pod" &&
				strings.EqualFold(strings.TrimSpace(n), "name")
		}) {
			return &Error{
				File: name, Line: 1, Value: shown(strings.Join(names, ",")), Reason: "has no column " + want, Hint: hintUsage,
			}
		}
	}
	for n := int64(2); ; n++ {
		words, err := rows.Read()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return wrongCSV(name, err)
		}
		if err := row(u, name, n, names, words); err != nil {
			return err
		}
	}
}

func wrongCSV(name string, err error) error {
	var wrong *csv.ParseError
	if errors.As(err, &wrong) {
		return &Error{File: name, Line: int64(wrong.Line), Reason: "is no CSV: " + wrong.Err.Error(), Hint: hintUsage}
	}
	return err
}

// row adds the samples of a row to u; names are the columns of words. Amounts are quantities: 12m, 34Mi,
// 0.25, 1e6. A time in the row extends the span of u. A row with neither cpu nor memory is an error.
func row(u *usage.Usage, file string, line int64, names, words []string) error {
	var of usage.Series
	amounts := map[int]kube.Quantity{}
	for i, name := range names {
		value := strings.TrimSpace(words[i])
		name, _, _ = strings.Cut(strings.ToLower(strings.TrimSpace(name)), "(")
		switch name {
		case "namespace":
			of.Namespace = strings.Clone(value)
		case "pod", "name":
			if name == "pod" || of.Pod == "" {
				of.Pod = strings.Clone(value)
			} else {
				of.Container = strings.Clone(value) // kubectl top calls a container NAME beside POD
			}
		case "container":
			of.Container = strings.Clone(value)
		case "time", "timestamp":
			at, err := strconv.ParseFloat(value, 64)
			if err != nil {
				for _, form := range []string{time.RFC3339, time.DateTime} {
					if t, wrong := time.Parse(form, value); wrong == nil {
						at, err = float64(t.Unix()), nil
					}
				}
			}
			if err != nil || !(at >= 0) || at > 1e12 {
				return &Error{File: file, Line: line, Field: name, Value: shown(value), Reason: "is neither a number of seconds since 1970 nor a time such as 2026-11-24T08:00:00Z", Hint: hintUsage}
			}
			u.At(int64(at))
		case "cpu", "memory":
			q, ok := kube.ParseQuantity(value)
			if !ok {
				return &Error{File: file, Line: line, Field: name, Value: shown(value), Reason: "is no quantity", Hint: "quantities are written like 12m, 34Mi or 0.25"}
			}
			amounts[map[string]int{"cpu": kube.CPU, "memory": kube.Memory}[name]] = q
		}
	}
	if of.Namespace == "" || of.Pod == "" || len(amounts) == 0 {
		return &Error{File: file, Line: line, Value: shown(strings.Join(words, " ")), Reason: "has no namespace, no pod, or neither cpu nor memory", Hint: hintUsage}
	}
	if q, has := amounts[kube.CPU]; has {
		of.Resource = kube.CPU
		u.Add(of, float64(q.MilliValue())/1000)
	}
	if q, has := amounts[kube.Memory]; has {
		of.Resource = kube.Memory
		u.Add(of, float64(q.Value()))
	}
	return nil
}
