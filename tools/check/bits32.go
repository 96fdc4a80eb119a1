package main

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
)

// not32 returns the reason why 32-bit programs do not run here, or "". Debian's emulator of this
// processor does not help: Go's threads crash in it.
func not32() string {
	if runtime.GOARCH == "amd64" && runtime.GOOS == "linux" && runs(leaves32()) {
		return ""
	}
	return "this system does not run 32-bit programs of GOARCH=386"
}

// leaves32 is a 32-bit program for Linux that ends at once. An amd64 kernel may have been built or
// started without support for it, and only a trial shows that.
func leaves32() []byte {
	code := []byte{
		0x31, 0xc0, 0x40, // eax = 1, the system call exit
		0x31, 0xdb, // ebx = 0, its result
		0xcd, 0x80, // the call
	}
	const begin, base = 52 + 32, 0x08048000 // behind the two headers; where programs are loaded
	size := uint32(begin + len(code))
	var file bytes.Buffer
	for _, part := range []any{
		elf.Header32{
			Ident: [elf.EI_NIDENT]byte{
				0x7f, 'E', 'L', 'F', byte(elf.ELFCLASS32), byte(elf.ELFDATA2LSB),
				byte(elf.EV_CURRENT),
			},
			Type: uint16(elf.ET_EXEC), Machine: uint16(elf.EM_386), Version: uint32(elf.EV_CURRENT),
			Entry: base + begin,
			Phoff: 52, Ehsize: 52, Phentsize: 32, Phnum: 1,
		},
		elf.Prog32{
			Type: uint32(elf.PT_LOAD), Vaddr: base, Paddr: base, Filesz: size, Memsz: size,
			Flags: uint32(elf.PF_R | elf.PF_X), Align: 0x1000,
		},
		code,
	} {
		if err := binary.Write(&file, binary.LittleEndian, part); err != nil {
			panic(err) // every part has a fixed size
		}
	}
	return file.Bytes()
}

// runs reports whether the system can run a program and the program succeeds.
func runs(program []byte) bool {
	dir, err := os.MkdirTemp("", "parley-check-")
	if err != nil {
		return false
	}
	defer os.RemoveAll(dir)
	name := filepath.Join(dir, "program")
	return os.WriteFile(name, program, 0o700) == nil && exec.Command(name).Run() == nil
}
