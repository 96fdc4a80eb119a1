//go:build !unix

package sweeps

import (
	"io"
	"os"
)

// lockFile makes the file; this platform has no lock against a second sweep in the folder.
func lockFile(name string) (io.Closer, error) {
	file, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, unwritable(name, err)
	}
	return file, nil
}
