package dump

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"path"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"

	"parley/core/strict"
	"parley/core/trace"
)

// Limits of an archive or a folder: each of its files is kept in memory while it is read.
const (
	maxParts   = 100_000
	largestOne = 256 << 20
	maxBytes   = 16 << 30
)

// isTar reports whether unpacked bytes begin like a tar archive.
func isTar(head []byte) bool { return len(head) > 262 && string(head[257:262]) == "ustar" }

// parts calls each with the files of an archive, and reports whether f is one; if not, nothing was called.
// A file that cannot be opened is none, because walk reports that.
func parts(f trace.File, m *trace.Meter, each func(name string, content []byte) error) (bool, error) {
	in, err := trace.Inflate(f, &trace.Meter{})
	if err != nil {
		return false, nil // walk opens it again and returns the error
	}
	text := bufio.NewReaderSize(in, 64<<10)
	head, _ := text.Peek(512)
	is := isTar(head)
	in.Close()
	if !is {
		return false, nil
	}
	if in, err = trace.Inflate(f, m); err != nil {
		return true, err
	}
	defer in.Close()
	return true, untar(f.Name, bufio.NewReaderSize(in, 64<<10), each)
}

// untar reads a tar archive, with the names of ustar, GNU and pax. It calls each with every regular file:
// with its content, which each may keep, if its name allows objects in it (mayHold), otherwise with nil.
// Archives and files above the limits are an error.
func untar(file string, in *bufio.Reader, each func(name string, content []byte) error) error {
	broken := func(reason, hint string) error { return &Error{File: file, Reason: reason, Hint: hint} }
	cut := func(err error) error {
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return broken("is a tar archive that ends too early: the file was cut off", "fetch or copy it again")
		}
		return err
	}
	header, long, size := make([]byte, 512), "", int64(0)
	unpacked, count := int64(0), 0
	for {
		if _, err := io.ReadFull(in, header); err != nil {
			return cut(err) // an archive ends with a block of zeros
		}
		if len(bytes.Trim(header, "\x00")) == 0 {
			return drained(in)
		}
		text := func(from, to int) string { s, _, _ := strings.Cut(string(header[from:to]), "\x00"); return s }
		name, kind := text(0, 100), header[156]
		if prefix := text(345, 500); prefix != "" && isTar(header) && header[262] == 0 {
			name = prefix + "/" + name
		}
		n, err := strconv.ParseInt(strings.TrimSpace(text(124, 136)), 8, 64)
		if err != nil || n < 0 {
			return broken("is a tar archive with a broken entry ("+strconv.QuoteToASCII(name)+")", "fetch or copy it again")
		}
		if size > 0 {
			n = size
		}
		if long != "" {
			name = long
		}
		if unpacked += min(n, maxBytes+1); unpacked > maxBytes {
			return broken(fmt.Sprintf("unpacks to more than %d GiB", maxBytes>>30), "unpack it and give the files that have objects of the cluster")
		}
		special := kind == 'L' || kind == 'x'
		regular := kind == '0' || kind == 0
		if regular {
			if count++; count > maxParts {
				return broken(fmt.Sprintf("holds more than %d files", maxParts), "give the files that have objects of the cluster")
			}
		}
		padded := (n + 511) &^ 511
		if !special && (!regular || !mayHold(name) || n > largestOne) {
			if regular && mayHold(name) {
				return &Error{File: file + "/" + name, Reason: fmt.Sprintf("has more than %d MiB", largestOne>>20), Hint: "unpack the archive and give this file by itself"}
			}
			if regular {
				if err := each(name, nil); err != nil {
					return err
				}
			}
			if _, err := io.CopyN(io.Discard, in, padded); err != nil {
				return cut(err)
			}
			if kind != 'g' {
				long, size = "", 0
			}
			continue
		}
		if special && n > 1<<20 {
			return broken("is a tar archive with a name of more than 1 MiB", "fetch or copy it again")
		}
		var content []byte // grows with the bytes read, not with the size in the header
		if content, err = io.ReadAll(io.LimitReader(in, n)); err == nil && int64(len(content)) < n {
			err = io.ErrUnexpectedEOF
		}
		if err != nil {
			return cut(err)
		}
		if _, err := io.CopyN(io.Discard, in, padded-n); err != nil {
			return cut(err)
		}
		switch kind {
		case 'L':
			long = strings.TrimRight(string(content), "\x00")
		case 'x':
			long, size = pax(content, long)
		default:
			long, size = "", 0
			if err := each(name, content); err != nil {
				return err
			}
		}
	}
}

// drained reads to the end of the stream after the archive, so that gzip checks its checksum.
func drained(in io.Reader) error {
	_, err := io.Copy(io.Discard, in)
	return err
}

// pax returns the name and the size that an extended header defines for the next file: name unchanged and 0
// if it defines none. Records after a broken one are ignored.
func pax(records []byte, name string) (string, int64) {
	size := int64(0)
	for len(records) > 0 {
		digits, _, found := bytes.Cut(records, []byte(" "))
		n, err := strconv.Atoi(string(digits))
		if !found || err != nil || n <= len(digits) || n > len(records) {
			break
		}
		key, value, _ := strings.Cut(strings.TrimSuffix(string(records[len(digits)+1:n]), "\n"), "=")
		switch key {
		case "path":
			name = value
		case "size":
			size, _ = strconv.ParseInt(value, 10, 64)
		}
		records = records[n:]
	}
	return name, size
}

// mayHold reports whether a file of a folder or an archive may hold objects, by its name.
func mayHold(name string) bool {
	name = strings.TrimSuffix(strings.ToLower(name), ".gz")
	switch path.Ext(name) {
	case ".json", ".yaml", ".yml":
		return !strings.HasPrefix(path.Base(name), "._") // macOS adds such files to archives
	case "": // kubectl_get_-o_json_nodes of sos
		return strings.Contains(path.Base(name), "json") || strings.Contains(path.Base(name), "yaml")
	}
	return false
}

// holds reports whether a file of this content seems to have objects of a cluster. Content that is broken
// counts as such if it looks like objects, so that reading it reports the error.
func holds(name string, content []byte) bool {
	text := bytes.TrimSpace(bytes.TrimPrefix(content, []byte("\xef\xbb\xbf")))
	if len(text) == 0 {
		return false
	}
	if bytes.HasPrefix(text, []byte("\xff\xfe")) || bytes.HasPrefix(text, []byte("\xfe\xff")) {
		return true
	}
	if rest, marked := bytes.CutPrefix(text, []byte("---")); marked { // JSON may be a document of YAML
		if rest = bytes.TrimSpace(rest); len(rest) > 0 && rest[0] == '{' {
			text = rest
		}
	}
	if text[0] != '{' && text[0] != '[' {
		return listed(string(text[:min(len(text), 64<<10)]))
	}
	// too deep, which is said when it is read, several documents, or a file that was cut off
	if _, at := strict.Nesting(text, strict.Depth+2); at >= 0 || !gjson.ValidBytes(text) {
		return bytes.Contains(text, []byte(`"apiVersion"`)) && bytes.Contains(text, []byte(`"metadata"`))
	}
	doc := gjson.ParseBytes(text)
	if doc.IsArray() {
		first := doc.Get("0")
		return first.Get("metadata.name").Exists() &&
			(first.Get("kind").Exists() || kindByPath(name) != "" || looksLike([]byte(first.Raw)) != "")
	}
	return doc.Get("items").IsArray() && (doc.Get("kind").Exists() || doc.Get("items.0.kind").Exists() || kindByPath(name) != "") ||
		doc.Get("kind").Exists() && doc.Get("metadata.name").Exists()
}

// kindByPath returns the kind of the objects in a bundle's file, by the name of the file or of its
// folder; "" if unknown.
func kindByPath(name string) string {
	name = strings.TrimSuffix(name, ".gz")
	base := strings.TrimSuffix(path.Base(name), path.Ext(name))
	// core_v1_nodes.json of Sonobuoy
	for _, word := range []string{base, base[strings.LastIndexByte(base, '_')+1:], path.Base(path.Dir(name))} {
		if kind := kindWords[strings.ReplaceAll(strings.ToLower(word), "-", "")]; kind != "" {
			return kind
		}
	}
	return ""
}

// kindWords are kinds by the words that bundles have for them.
var kindWords = map[string]string{
	"nodes": "Node", "pods": "Pod", "namespaces": "Namespace", "priorityclasses": "PriorityClass", "poddisruptionbudgets": "PodDisruptionBudget", "poddisruptionbudget": "PodDisruptionBudget",
	"services": "Service", "deployments": "Deployment", "replicasets": "ReplicaSet", "replicationcontrollers": "ReplicationController", "statefulsets": "StatefulSet",
	"daemonsets": "DaemonSet", "jobs": "Job", "cronjobs": "CronJob", "pvcs": "PersistentVolumeClaim", "persistentvolumeclaims": "PersistentVolumeClaim",
	"pvs": "PersistentVolume", "persistentvolumes": "PersistentVolume", "storageclasses": "StorageClass", "csinodes": "CSINode",
	"volumeattachments": "VolumeAttachment", "csidrivers": "CSIDriver", "csistoragecapacities": "CSIStorageCapacity",
	"resourcequotas": "ResourceQuota", "resourcequota": "ResourceQuota", "limitranges": "LimitRange", "runtimeclasses": "RuntimeClass",
}
