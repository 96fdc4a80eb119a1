// A program that leans on what Go's runtime knows of functions: stacks that grow
// and are collected, panics, names of callers, inlined ones too.
package main

import (
	"errors"
	"fmt"
	"os"
	"runtime"
)

type list struct {
	next *list
	name string
}

// deep makes the stack grow and holds pointers in every frame.
func deep(n int) *list {
	l := &list{name: fmt.Sprint(n)}
	if n%1000 == 0 {
		runtime.GC()
	}
	if n > 0 {
		l.next = deep(n - 1)
	}
	return l
}

func inlined() []string {
	var names []string
	pc := make([]uintptr, 10)
	frames := runtime.CallersFrames(pc[:runtime.Callers(1, pc)])
	for {
		frame, more := frames.Next()
		names = append(names, frame.Function)
		if !more {
			return names
		}
	}
}

func caller() []string { return inlined() }

func recovered() (err error) {
	defer func() { err = fmt.Errorf("recovered: %v", recover()) }()
	var missing *list
	return errors.New(missing.name)
}

func main() {
	sum := 0
	for l := deep(20_000); l != nil; l = l.next {
		sum += len(l.name)
	}
	fmt.Println(sum, recovered(), caller())
	if len(os.Args) > 1 {
		panic(os.Args[1])
	}
}
