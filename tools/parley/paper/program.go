package paper

import (
	"crypto/sha256"
	"fmt"
	"io"
	"os"

	"parley/core/run"
)

// program names the engine and this build of it, so that results of another build do not count.
func program() (string, error) {
	path, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("--keep cannot tell which program this is: %w", err)
	}
	f, err := os.Open(path)
	if err != nil {
		return "", fmt.Errorf("--keep cannot read this program: %w", err)
	}
	defer f.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return "", fmt.Errorf("--keep cannot read this program: %w", err)
	}
	return fmt.Sprintf("%s+%x", run.Engine, sum.Sum(nil)[:6]), nil
}
