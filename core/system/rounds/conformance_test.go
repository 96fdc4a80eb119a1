package rounds_test

import (
	"testing"

	"parley/core/system/rounds"
	"parley/core/system/systemtest"
)

func TestDescription(t *testing.T) { systemtest.Describes(t, rounds.Entry(), rounds.Default()) }
