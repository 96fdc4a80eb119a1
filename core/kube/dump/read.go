// Package dump reads dumps of a Kubernetes cluster: the output of kubectl get … -o json or
// -o yaml, plain or gzip, in one or several files, as a list, as one object a file, or as a
// sequence of objects.
//
//	cluster, err := dump.Read(files, nil)
//
// Objects are read one by one as a stream. Environment variables, managed fields, digests of images
// and most annotations are skipped, and memory grows only with the rest. Pods that are alike share
// their common parts. An *Error names the file, line, object, field and value.
package dump

import (
	"bufio"
	"bytes"
	"cmp"
	"hash/fnv"
	"io"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"parley/core/kube"
	"parley/core/strict"
	"parley/core/trace"
)

// reader gathers a cluster.
type reader struct {
	cluster *kube.Cluster
	file    string
	line    int64
	object  string // "Pod default/web-1", the object that errors name
	err     error  // the first trouble
	hint    string // the remedy for a file that is not a dump; "" for a dump: fetch it again
	// manifest is set for an object that a person wrote, whose errors no other dump mends.
	manifest bool
	applied  int // objects of manifests that the dump has already: they are passed over

	texts    map[string]string
	labelled map[string]kube.Labels // by their JSON
	specs    map[string]*kube.Spec  // by the JSON of the fields that affect decisions
	unranked []*kube.Spec           // specs whose priority is that of their class
	late     []late                 // specs that admission has not seen
	pods     [][]kube.Pod           // in parts: a slice that grows leaves several times its size
	ranges   map[string][]limitRange
	runtimes map[string]runtimeClass
	// selectors are node selectors of namespaces, which new pods get, and vertical the targets of
	// VerticalPodAutoscalers.
	selectors map[string]kube.Labels
	vertical  []kube.Owned
	events    map[[3]string]int // places in cluster.Events, by object
	places    map[string]int    // of resources
	images    map[string]int
	seen      map[uint64]seen // objects by kind, namespace and name
	kinds     map[string]int  // places in cluster.Kinds
	again     int             // objects that were read before and skipped or replaced
	unnamed   int             // objects whose kind is not known
	odds      map[string]bool // unknown values that are listed one by one
	strange   []string        // fields with values that are not known, since the last Spec began
	key       []byte
}

// Read reads the dumps of one cluster. progress receives the progress of reading (see
// trace.NewMeter) and may be nil. Errors are an *Error, or the error that progress returned.
func Read(files []trace.File, progress func(trace.Progress) error) (*kube.Cluster, error) {
	return read(files, nil, progress)
}

// read is Read; if change is not nil, it is called with each object before that is read, and calls take
// with the objects that are read instead: any number.
func read(files []trace.File, change func(o *Object, take func(o *Object) error) error,
	progress func(trace.Progress) error,
) (*kube.Cluster, error) {
	r := &reader{
		cluster: &kube.Cluster{Resources: kube.BaseResources()},
		texts:   map[string]string{}, labelled: map[string]kube.Labels{}, specs: map[string]*kube.Spec{},
		places: map[string]int{},
		ranges: map[string][]limitRange{}, runtimes: map[string]runtimeClass{}, selectors: map[string]kube.Labels{},
		events: map[[3]string]int{},
		images: map[string]int{}, seen: map[uint64]seen{}, kinds: map[string]int{},
	}
	for i, name := range r.cluster.Resources {
		r.places[name] = i
	}
	if len(files) > 0 {
		r.file = files[0].Name
	}
	passed, err := all(files, progress, func(o Object) error {
		r.file, r.line = o.File, o.Line
		if change != nil {
			return change(&o, r.take)
		}
		return r.take(&o)
	})
	if err != nil {
		return nil, err
	}
	return r.finish(passed)
}

// Object is one object of a dump.
type Object struct {
	File string
	Line int64  // on which it begins
	Kind string // its own, or that of the list that it is in
	JSON []byte // valid until the next
	Gone bool   // a watch reports that it was deleted
}

// Objects reads files and calls each with every object of the lists in them. It ends with
// the first error. A tar archive, and files that are parts of a folder, are read as far as they
// hold objects.
func Objects(files []trace.File, progress func(trace.Progress) error, each func(Object) error) error {
	_, err := all(files, progress, each)
	return err
}

// all is Objects, and returns the number of parts of archives and folders that it skipped because they hold
// no objects. A small file among several that is JSON without objects is skipped as well.
func all(files []trace.File, progress func(trace.Progress) error, each func(Object) error) (passed int, err error) {
	m := trace.NewMeter(files, progress)
	p := pages{}
	part := func(name string, content []byte) error {
		if !mayHold(name) || !holds(name, content) {
			passed++
			return nil
		}
		inside := trace.File{
			Name: name, Size: int64(len(content)),
			Open: func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(content)), nil },
		}
		return objects(inside, nil, p, each)
	}
	for _, f := range files {
		is, err := parts(f, m, func(name string, content []byte) error { return part(f.Name+"/"+name, content) })
		switch {
		case err != nil || is:
		case f.Part && !mayHold(f.Name):
			passed++
		case f.Part && f.Size <= largestOne:
			content, reason := unpacked(f, m)
			if err = reason; err == nil {
				err = part(f.Name, content)
			}
		case len(files) > 1 && f.Size >= 0 && f.Size < 1<<20 && idle(f):
			passed++ // as a pattern for all files of a folder names them too
		default:
			err = objects(f, m, p, each)
		}
		if err != nil {
			return passed, asError(err, f.Name)
		}
	}
	if len(files) == 0 {
		return passed, &Error{File: "no file", Reason: "was given", Hint: hintDump}
	}
	return passed, p.missing()
}

// idle reports whether a file is valid JSON that holds no object, so that it can be skipped. The file must
// be small: it is read as a whole.
func idle(f trace.File) bool {
	content, err := unpacked(f, &trace.Meter{})
	if _, at := strict.Nesting(content, strict.Depth); at >= 0 {
		return false // reported when it is read
	}
	return err == nil && gjson.ValidBytes(content) && len(bytes.TrimSpace(content)) > 0 &&
		!gjson.GetBytes(content, "kind").Exists() && !gjson.GetBytes(content, "items").Exists() &&
		!holds(f.Name, content)
}

// unpacked returns the content of a file, without its compression. It fails above largestOne bytes.
func unpacked(f trace.File, m *trace.Meter) ([]byte, error) {
	in, err := trace.Inflate(f, m)
	if err != nil {
		return nil, &Error{File: f.Name, Reason: "cannot be opened: " + trace.Reason(err).Error(), Hint: "choose it again, or another file"}
	}
	defer in.Close()
	content, err := io.ReadAll(io.LimitReader(in, largestOne+1))
	if len(content) > largestOne {
		return nil, &Error{File: f.Name, Reason: "unpacks to more than 256 MiB", Hint: "give this file by itself"}
	}
	return content, err
}

// objects calls each with every object of a file, with the objects of nested lists one by one. An object
// without a kind gets the kind of its document, or else of its list, which may follow the items (the file
// is then read twice), or else one guessed from its fields or the file's name; "" if none is known.
func objects(f trace.File, m *trace.Meter, p pages, each func(Object) error) error {
	var ofList map[int]string // kinds of lists that follow their items, by document
	whole := each
	each = func(o Object) error { // a list within a list, as of kubectl output that jq or a person put together
		if !strings.HasSuffix(o.Kind, "List") || gjson.GetBytes(o.JSON, "spec").Exists() {
			return whole(o)
		}
		items := gjson.GetBytes(o.JSON, "items")
		if !items.IsArray() {
			return whole(o)
		}
		var err error
		kind := strings.TrimSuffix(o.Kind, "List")
		items.ForEach(func(_, v gjson.Result) bool {
			inner := Object{File: o.File, Line: o.Line, Kind: cmp.Or(v.Get("kind").String(), kind), JSON: []byte(v.Raw)}
			err = each(inner)
			return err == nil
		})
		return err
	}
	err := walk(f, m, nil, p.listed(f.Name), func(doc int, ofDoc string, json []byte, line int64) error {
		o := Object{File: f.Name, Line: line, JSON: json}
		if bytes.IndexByte(json, 0) >= 0 {
			return &Error{File: f.Name, Line: line, Reason: "has zero bytes (NUL), as a file that was not written to its end", Hint: hintAgain}
		}
		if !gjson.ValidBytes(json) {
			return &Error{File: f.Name, Line: line, Value: shown(string(json)), Reason: "is no JSON", Hint: hintAgain}
		}
		o.Kind = gjson.GetBytes(json, "kind").String()
		if of := gjson.GetBytes(json, "object"); o.Kind == "" && of.Get("kind").Exists() { // kubectl get --output-watch-events
			o.Gone = gjson.GetBytes(json, "type").Str == "DELETED"
			o.JSON, o.Kind = []byte(of.Raw), of.Get("kind").String()
			return each(o)
		}
		if o.Kind == "" {
			if o.Kind = ofDoc; o.Kind == "" {
				if ofList == nil {
					ofList = map[int]string{}
					if err := walk(f, nil, func(doc int, kind string) { ofList[doc] = kind }, nil, nil); err != nil {
						return err
					}
				}
				o.Kind = ofList[doc]
			}
			if o.Kind = strings.TrimSuffix(o.Kind, "List"); o.Kind == "" {
				o.Kind = looksLike(json)
			}
			if o.Kind == "" {
				o.Kind = kindByPath(f.Name)
			}
		}
		return each(o)
	})
	return err
}

// walk reads the documents of a file, JSON or YAML, as its content shows. It calls each with the JSON of
// every object and its first line, or, if kinds is not nil, kinds alone with the kind of every document.
// doc counts documents from 0. listed, for JSON only, gets the kind and metadata of each list and may be
// nil; a nil m reports no progress.
func walk(f trace.File, m *trace.Meter, kinds func(doc int, kind string), listed func(string, []byte),
	each func(doc int, kind string, json []byte, line int64) error,
) error {
	if m == nil {
		m = &trace.Meter{}
	}
	in, err := trace.Inflate(f, m)
	if err != nil {
		return &Error{File: f.Name, Reason: "cannot be opened: " + trace.Reason(err).Error(), Hint: "choose it again, or another file"}
	}
	defer in.Close()
	text := bufio.NewReaderSize(trace.AsUTF8(bufio.NewReaderSize(in, 64<<10)), 64<<10)
	passed, err := passMessages(f.Name, text)
	if err != nil {
		return err
	}
	head, _ := text.Peek(4096)
	if mark := []byte("\xef\xbb\xbf"); bytes.HasPrefix(head, mark) {
		text.Discard(len(mark))
		head, _ = text.Peek(4096)
	}
	first := bytes.TrimSpace(head)
	if reason, hint := otherText(head); reason != "" {
		return &Error{File: f.Name, Reason: reason, Hint: hint}
	}
	if len(first) > 0 && (first[0] == '{' || first[0] == '[') {
		s := newScanner(f.Name, text)
		s.line += passed
		s.kinds, s.listed = kinds, listed
		s.each = func(json []byte, line int64) error { return each(s.doc, s.kind, json, line) }
		return s.documents()
	}
	if len(first) == 0 {
		if _, err := text.ReadByte(); err != nil && err.Error() != "EOF" {
			return err
		}
		return &Error{File: f.Name, Reason: "is empty", Hint: hintDump}
	}
	if !bytes.Contains(head, []byte(":")) {
		return &Error{File: f.Name, Reason: "is neither JSON nor YAML", Hint: hintDump}
	}
	b := newBlocks(f.Name, text)
	b.line += passed
	b.kinds = kinds
	b.each = func(json []byte, line int64) error { return each(b.doc, b.kind, json, line) }
	return b.documents()
}

// passMessages skips the lines that kubectl writes beside the objects if both went to one file:
// warnings, logs, prompts and the command itself. If one of them is an error, objects are missing,
// and it returns an *Error. It returns the number of lines.
func passMessages(name string, text *bufio.Reader) (lines int64, err error) {
	for {
		head, _ := text.Peek(4096)
		line, _, whole := bytes.Cut(head, []byte{'\n'})
		switch message, fails := isMessage(line); {
		case fails:
			return lines, failure(name, lines+1, line)
		case !whole || !message:
			return lines, nil
		}
		if _, err := text.Discard(len(line) + 1); err != nil {
			return lines, err
		}
		lines++
	}
}

// failure is the error for a line in which kubectl reports one.
func failure(file string, line int64, text []byte) error {
	return &Error{File: file, Line: line, Reason: "is what kubectl says of an error (" + trace.Shorten(string(bytes.TrimSpace(text))) +
		"), so that objects are missing", Hint: hintAgain}
}

// isMessage reports whether a line is a message of kubectl, and whether it is an error message.
func isMessage(line []byte) (is, fails bool) {
	word, _, _ := bytes.Cut(line, []byte{' '})
	if bytes.HasPrefix(line, []byte("Error from server")) || bytes.HasPrefix(line, []byte("Unable to connect")) || string(word) == "error:" {
		return true, true
	}
	log := len(word) == 5 && bytes.IndexByte([]byte("IWE"), word[0]) >= 0 && len(bytes.Trim(word[1:], "0123456789")) == 0 // I0302
	return bytes.HasPrefix(line, []byte(fence)) || log || string(word) == "Warning:" || string(word) == "$" ||
		string(word) == "Flag", false
}

// take reads one object into the cluster. Objects of a kind that is not modelled are only counted, and so
// are those without a kind that have a name. An object that was read before is skipped: see twice. The
// error is the reader's first one.
func (r *reader) take(o *Object) error {
	doc := gjson.ParseBytes(o.JSON)
	var part [3]gjson.Result
	pick(doc, part[:], "metadata", "spec", "status")
	r.object, r.manifest = o.Kind, false
	if o.Kind == "" && part[0].Get("name").Type == gjson.String {
		r.unnamed++
		return nil
	}
	if o.Kind == "" && doc.Get("data.resultType").Exists() {
		return &Error{File: o.File, Reason: "is an answer of Prometheus about use, and no objects", Hint: "give it with --cpu or --memory to right-size, beside the dump"}
	}
	if o.Kind == "" {
		r.object = "an object"
		r.fail("", gjson.Result{}, "has no kind, and its list has none", hintDump)
		return r.err
	}
	meta := meta{spec: part[1], status: part[2]}
	r.fields(part[0], "metadata", func(name string, v gjson.Result) { r.metadata(&meta, name, v) })
	r.object = strings.TrimSpace(o.Kind + " " + meta.full())
	r.manifest = meta.uid == "" && meta.created == 0 && !doc.Get("status").Exists()
	if r.err != nil {
		r.err.(*Error).Object = r.object
		return r.err
	}
	if o.Kind == "Status" {
		r.fail("message", doc.Get("message"), "is what the API server answered instead of objects", hintAgain)
		return r.err
	}
	kind, known := kinds[o.Kind]
	if meta.namespace == "" && known && !clusterWide[o.Kind] {
		meta.namespace = "default" // of a manifest, as kubectl apply fills in
	}
	if known && meta.name == "" {
		r.fail("metadata.name", gjson.Result{}, "is missing", hintAgain)
		return r.err
	}
	if o.Gone {
		if r.gone(o.Kind, &meta); known {
			return r.err
		}
	}
	if known && r.twice(o, &meta) || r.err != nil {
		return r.err
	}
	at, counted := r.kinds[o.Kind]
	if !counted {
		at = len(r.cluster.Kinds)
		r.kinds[r.keep(o.Kind)] = at
		r.cluster.Kinds = append(r.cluster.Kinds, kube.Count{Kind: r.keep(o.Kind)})
	}
	r.cluster.Kinds[at].Count++
	switch {
	case known:
		kind(r, &meta, doc)
	case o.Kind == "Event":
		r.event(&meta, doc)
	case o.Kind == "VerticalPodAutoscaler":
		r.resizer(&meta, doc)
	}
	return r.err
}

// twice reports whether an object was read before, so that it must be skipped. The same name with another
// uid is an error, since the files are of different moments. Objects without a uid are the same if their
// JSON is equal. Of a pod or a node a newer version replaces the older one: then twice forgets that and
// reports false.
func (r *reader) twice(o *Object, m *meta) bool {
	h, key := fnv.New64a(), seenKey(o.Kind, m)
	if h.Write([]byte(m.uid)); m.uid == "" {
		h.Write(o.JSON)
	}
	uid := h.Sum64()
	before, known := r.seen[key]
	if !known {
		r.seen[key] = seen{uid, m.version, r.manifest}
		return false
	}
	if before.uid != uid && r.manifest && !before.manifest && o.Kind != "Pod" && o.Kind != "Node" {
		return !r.replaced(o.Kind, m)
	}
	if before.uid != uid && r.manifest != before.manifest {
		r.fail("", gjson.Result{}, "is in the dump and in a manifest", "give the manifest after the dump, and a pod or a node under another name")
	}
	if before.uid != uid {
		r.fail("metadata.uid", gjson.Result{Type: gjson.String, Str: m.uid}, "is not that of the object of this kind and name that was read before", "give the dumps of one moment, each object once")
	}
	if r.again++; m.version <= before.version || o.Kind != "Pod" && o.Kind != "Node" {
		return true
	}
	r.seen[key] = seen{uid, m.version, r.manifest}
	r.forget(o.Kind, m)
	return false
}

// seen is an object that was read: its uid and the version of its resource.
type seen struct {
	uid, version uint64
	manifest     bool
}

// replaced removes the workload of the dump that a manifest changes, as kubectl apply does, and reports whether the
// manifest must be read. Of other objects those of the dump count.
func (r *reader) replaced(kind string, m *meta) bool {
	c := r.cluster
	at := slices.IndexFunc(c.Workloads, func(w kube.Workload) bool {
		return w.Kind == kind && w.Namespace == m.namespace && w.Name == m.name
	})
	if at < 0 {
		r.applied++
		return false
	}
	c.Workloads = slices.Delete(c.Workloads, at, at+1)
	for i := range c.Kinds {
		if c.Kinds[i].Kind == kind {
			c.Kinds[i].Count--
		}
	}
	return true
}

// gone removes a pod or a node that was read and is deleted later in a watch.
func (r *reader) gone(kind string, m *meta) {
	key := seenKey(kind, m)
	if _, known := r.seen[key]; known && (kind == "Pod" || kind == "Node") {
		r.forget(kind, m)
		delete(r.seen, key)
	}
}

// seenKey returns the key of an object in seen.
func seenKey(kind string, m *meta) uint64 {
	h := fnv.New64a()
	h.Write([]byte(kind + "\x00" + m.namespace + "\x00" + m.name))
	return h.Sum64()
}

// forget removes the older state of a pod or a node before its newer version is read: kubectl get --watch
// prints both. A pod that is not found had finished and was only counted.
func (r *reader) forget(kind string, m *meta) {
	c := r.cluster
	for i := range c.Kinds {
		if c.Kinds[i].Kind == kind {
			c.Kinds[i].Count--
		}
	}
	if kind == "Node" {
		c.Nodes = slices.DeleteFunc(c.Nodes, func(n kube.Node) bool { return n.Name == m.name })
		return
	}
	for k, pods := range r.pods {
		at := slices.IndexFunc(pods, func(p kube.Pod) bool { return p.Namespace == m.namespace && p.Name == m.name })
		if at >= 0 {
			r.pods[k] = slices.Delete(pods, at, at+1)
			return
		}
	}
	c.Finished--
}

// add adds a pod after those that were read before.
func (r *reader) add(p *kube.Pod) {
	last := len(r.pods) - 1
	if last < 0 || len(r.pods[last]) == cap(r.pods[last]) {
		r.pods, last = append(r.pods, make([]kube.Pod, 0, min(podsAtOnce, 16<<len(r.pods)))), last+1
	}
	r.pods[last] = append(r.pods[last], *p)
}

// podsAtOnce is the largest number of pods whose memory is allocated together.
const podsAtOnce = 4096

// clusterWide are the kinds of kinds that have no namespace.
var clusterWide = map[string]bool{
	"Node": true, "Namespace": true, "PriorityClass": true, "PersistentVolume": true, "StorageClass": true, "CSINode": true, "VolumeAttachment": true, "CSIDriver": true, "NodePool": true, "RuntimeClass": true,
}

// kinds has the reader of each kind of object. Objects of other kinds are counted.
var kinds = map[string]func(*reader, *meta, gjson.Result){
	"Node": (*reader).node, "Pod": (*reader).pod, "Namespace": (*reader).namespace, "PriorityClass": (*reader).priorityClass,
	"PodDisruptionBudget": (*reader).budget, "Service": (*reader).service,
	"Deployment": (*reader).workload, "ReplicaSet": (*reader).workload, "ReplicationController": (*reader).workload,
	"StatefulSet": (*reader).workload, "Rollout": (*reader).workload, "DaemonSet": (*reader).workload,
	"Job": (*reader).workload, "CronJob": (*reader).workload,
	"PersistentVolumeClaim": (*reader).claim, "PersistentVolume": (*reader).persistentVolume, "StorageClass": (*reader).storageClass,
	"CSINode": (*reader).csiNode, "VolumeAttachment": (*reader).attachment, "CSIStorageCapacity": (*reader).capacity, "CSIDriver": (*reader).driver,
	"NodePool": (*reader).nodePool, "ResourceQuota": (*reader).quota, "LimitRange": (*reader).limitRange, "RuntimeClass": (*reader).runtimeClass,
}
