//go:build unix

package sweeps

import (
	"fmt"
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// lockFile takes a lock that ends with the process.
func lockFile(name string) (io.Closer, error) {
	file, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, unwritable(name, err)
	}
	if err := unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		_ = file.Close()
		return nil, fmt.Errorf("another sweep writes into the folder of %s: wait for its end, or choose another folder",
			name)
	}
	return file, nil
}
