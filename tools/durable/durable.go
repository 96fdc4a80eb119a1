// Package durable writes files so that after a power cut each has its old or its new content: the
// new content is on the disk before it gets the name of the old one.
package durable

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

// System has the system calls that writing needs; tests let each of them fail.
type System struct {
	Create func(path string, mode fs.FileMode) (File, error)
	Rename func(from, to string) error
	Remove func(path string) error
	Sync   func(dir string) error // puts the names of a folder on the disk
}

// File is a file that is being written.
type File interface {
	io.WriteCloser
	Sync() error
}

// Disk is the system itself.
func Disk() System {
	return System{
		Create: func(path string, mode fs.FileMode) (File, error) {
			return os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, mode)
		},
		Rename: os.Rename, Remove: os.Remove, Sync: syncFolder,
	}
}

func syncFolder(dir string) error {
	if runtime.GOOS == "windows" {
		return nil // its folders are not opened for this
	}
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	err = f.Sync()
	if errors.Is(err, errors.ErrUnsupported) || errors.Is(err, fs.ErrInvalid) || errors.Is(err, fs.ErrPermission) {
		err = nil // some network file systems do not support it
	}
	return errors.Join(err, f.Close())
}

// Write writes a file, puts its content on the disk and closes it.
func (s System) Write(path string, content []byte, mode fs.FileMode) error {
	f, err := s.Create(path, mode)
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// Replace replaces a file's content, by way of a file named part. A path that is not a regular file,
// such as /dev/stdout, is written directly; a symbolic link stays one.
func (s System) Replace(path, part string, content []byte, mode fs.FileMode) error {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() && !info.IsDir() {
		return os.WriteFile(path, content, mode)
	}
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	err := s.Write(part, content, mode)
	if err == nil {
		err = s.Rename(part, path)
	}
	if err != nil {
		_ = s.Remove(part)
		return err
	}
	return s.Sync(filepath.Dir(path))
}

// Error is an error of one of several files.
type Error struct {
	Name string
	Err  error
}

// Error implements error.
func (e *Error) Error() string { return e.Name + ": " + e.Err.Error() }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// ReplaceAll writes files of a folder, by name, in an order: those that were there stay until all of the new
// ones are whole and on the disk. Errors are an *Error.
func (s System) ReplaceAll(dir string, names []string, content map[string]string, ending string) error {
	part := func(name string) string { return filepath.Join(dir, name+ending) }
	failed := func(name string, err error) error {
		for _, name := range names {
			_ = s.Remove(part(name))
		}
		return &Error{name, err}
	}
	for _, name := range names {
		if err := s.Write(part(name), []byte(content[name]), 0o644); err != nil {
			return failed(name, err)
		}
	}
	for _, name := range names {
		if err := s.Rename(part(name), filepath.Join(dir, name)); err != nil {
			return failed(name, err)
		}
	}
	if err := s.Sync(dir); err != nil {
		return &Error{names[0], err}
	}
	return nil
}
