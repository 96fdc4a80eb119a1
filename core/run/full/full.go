// Package full is the registry with every system, the one of users' programs included.
// Its interpreter is 0.4 MB of a program of the page, so package run, which the page
// loads first, does not know it.
package full

import (
	"parley/core/run"
	"parley/core/system/program"
)

// Systems returns run.Systems and the system of programs.
func Systems() run.Registry { return append(run.Systems(), program.Entry()) }
