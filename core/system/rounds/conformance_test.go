package rounds_test

import (
	"testing"

	"parley/core/system/rounds"
	"parley/core/testkit/systemtest"
)

func TestDescription(t *testing.T) { systemtest.Describes(t, rounds.Entry(), rounds.Default()) }
