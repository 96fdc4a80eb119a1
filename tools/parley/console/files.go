package console

import (
	"fmt"
	"io"
	"os"

	"parley/core/trace"
)

// StandardInput is the name of - in sentences.
const StandardInput = "standard input"

// ShownName returns the name of a file for sentences.
func ShownName(name string) string {
	if name == "-" {
		return StandardInput
	}
	return name
}

// MaxText limits the bytes read of a document. It is above the size of any scenario, so a larger
// document is refused for its size and not for being cut off.
const MaxText = 4 << 20

// ReadAll reads at most MaxText bytes.
func ReadAll(r io.Reader) ([]byte, error) { return io.ReadAll(io.LimitReader(r, MaxText)) }

// Unreadable puts a file's error into a sentence.
func Unreadable(name string, err error) error {
	return fmt.Errorf("%s cannot be read: %w", name, trace.Reason(err))
}

// Unwritable does so for a file that is written.
func Unwritable(name string, err error) error {
	return fmt.Errorf("%s cannot be written: %w", name, trace.Reason(err))
}

// ReadText reads a file, or standard input if arg is -; at most MaxText bytes.
func ReadText(c *Console, arg string) ([]byte, error) {
	if arg == "-" {
		return ReadAll(c.In)
	}
	file, err := os.Open(arg)
	if err != nil {
		return nil, Unreadable(arg, err)
	}
	defer file.Close()
	text, err := ReadAll(file)
	if err != nil {
		return nil, Unreadable(arg, err)
	}
	return text, nil
}
