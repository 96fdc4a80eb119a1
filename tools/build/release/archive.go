package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io/fs"
	"slices"
	"strings"
	"time"
)

// entry is a file of an archive.
type entry struct {
	name    string
	content []byte
	runs    bool // a program
}

// moment is the time of all files, so that archives of equal content are equal bytes. It is the
// earliest time that a zip archive can have.
var moment = time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)

func (e entry) mode() int64 {
	if e.runs {
		return 0o755
	}
	return 0o644
}

// inOrder sorts files by their names.
func inOrder(entries []entry) []entry {
	return slices.SortedFunc(slices.Values(entries), func(a, b entry) int { return strings.Compare(a.name, b.name) })
}

// plainTar returns files as a tar archive.
func plainTar(entries []entry) ([]byte, error) {
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	for _, e := range inOrder(entries) {
		err := w.WriteHeader(&tar.Header{
			Typeflag: tar.TypeReg, Name: e.name, Size: int64(len(e.content)),
			Mode: e.mode(), ModTime: moment, Format: tar.FormatPAX,
		})
		if err == nil {
			_, err = w.Write(e.content)
		}
		if err != nil {
			return nil, err
		}
	}
	err := w.Close()
	return out.Bytes(), err
}

// tarball is plainTar with gzip.
func tarball(entries []entry) ([]byte, error) {
	plain, err := plainTar(entries)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	w, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err == nil {
		_, err = w.Write(plain)
	}
	if err == nil {
		err = w.Close()
	}
	return out.Bytes(), err
}

// zipped returns files as a zip archive.
func zipped(entries []entry) ([]byte, error) {
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, e := range inOrder(entries) {
		header := &zip.FileHeader{Name: e.name, Method: zip.Deflate, Modified: moment}
		header.SetMode(fs.FileMode(e.mode()))
		file, err := w.CreateHeader(header)
		if err == nil {
			_, err = file.Write(e.content)
		}
		if err != nil {
			return nil, err
		}
	}
	err := w.Close()
	return out.Bytes(), err
}

// image returns an image in the layout of the Open Container Initiative, as podman load,
// skopeo and docker load read it: the program in an empty file system, as the
// Containerfile makes it.
func image(r *release, p platform, program, licences []byte) ([]byte, error) {
	layer, err := plainTar([]entry{{"parley", program, true}, {"licences.txt", licences, false}})
	if err != nil {
		return nil, err
	}
	var entries []entry
	blob := func(kind string, content []byte) object {
		sum := sha256.Sum256(content)
		digest := hex.EncodeToString(sum[:])
		entries = append(entries, entry{"blobs/sha256/" + digest, content, false})
		return object{"mediaType": kind, "digest": "sha256:" + digest, "size": len(content)}
	}
	layers := []object{blob("application/vnd.oci.image.layer.v1.tar", layer)}
	labels := object{
		"org.opencontainers.image.version": r.version, "org.opencontainers.image.revision": r.commit,
		"org.opencontainers.image.licenses": "MIT",
	}
	config, err := json.Marshal(object{
		"created": moment.Format(time.RFC3339), "architecture": p.processor, "os": p.system,
		"config": object{"User": "65532:65532", "Entrypoint": []string{"/parley"}, "Labels": labels},
		"rootfs": object{"type": "layers", "diff_ids": []any{layers[0]["digest"]}},
	})
	if err != nil {
		return nil, err
	}
	manifest, err := json.Marshal(object{
		"schemaVersion": 2, "mediaType": "application/vnd.oci.image.manifest.v1+json",
		"config": blob("application/vnd.oci.image.config.v1+json", config), "layers": layers, "annotations": labels,
	})
	if err != nil {
		return nil, err
	}
	first := blob("application/vnd.oci.image.manifest.v1+json", manifest)
	first["annotations"] = object{"org.opencontainers.image.ref.name": "parley:" + r.version}
	index, err := json.Marshal(object{
		"schemaVersion": 2, "mediaType": "application/vnd.oci.image.index.v1+json",
		"manifests": []object{first},
	})
	if err != nil {
		return nil, err
	}
	return plainTar(append(entries, entry{"index.json", index, false},
		entry{"oci-layout", []byte(`{"imageLayoutVersion":"1.0.0"}`), false}))
}

type object = map[string]any
