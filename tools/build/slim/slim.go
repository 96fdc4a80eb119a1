// Package slim makes a WebAssembly module of Go's smaller to send. It behaves the same, except that
// a stack trace names functions without files and lines.
//
//	module, err = slim.Module(module)
//
// Two things of Go's linker compress badly. It cuts the memory that a program
// starts with at every eight zeros, into 70,000 pieces with an offset each; here
// only long zeros are left out. And its table of functions holds the line of
// every call, which nothing but a stack trace reads. See
// docs/decisions/2026-11-22-slim-modules.md.
package slim

import (
	"encoding/binary"
	"errors"
	"fmt"
)

var errModule = errors.New("this is no WebAssembly module as Go's linker writes it")

// The parts of a WebAssembly module (WebAssembly Core 1.0, 5.5) that are read here.
const (
	header      = "\x00asm\x01\x00\x00\x00"
	dataSection = 11
	opI32Const  = 0x41
	opEnd       = 0x0b
)

// Module returns a module that does the same in fewer bytes.
func Module(module []byte) ([]byte, error) {
	return rewrite(module, dropLines)
}

// rewrite returns a module whose memory starts as change leaves it.
func rewrite(module []byte, change func(memory []byte) error) ([]byte, error) {
	if len(module) < len(header) || string(module[:len(header)]) != header {
		return nil, errModule
	}
	out := append(make([]byte, 0, len(module)+len(module)/8), header...)
	for at := len(header); at < len(module); {
		r := numbers{module[at+1:]}
		body := r.take(int(r.unsigned()))
		if r.rest == nil {
			return nil, fmt.Errorf("%w: the section at byte %d is cut off", errModule, at)
		}
		next := len(module) - len(r.rest)
		if module[at] == dataSection {
			memory, err := readSegments(body)
			if err == nil {
				err = change(memory)
			}
			if err != nil {
				return nil, err
			}
			body = writeSegments(memory)
			out = append(binary.AppendUvarint(append(out, dataSection), uint64(len(body))), body...)
		} else {
			out = append(out, module[at:next]...)
		}
		at = next
	}
	return out, nil
}
