#!/bin/sh
# programs.sh PROGRAM... ends with a sentence for the first program that is not
# installed. Go fetches the toolchain that go.mod names by itself.
for program in "$@"; do
	command -v "$program" >/dev/null && continue
	case $program in
	go) from="Go 1.26 or newer from https://go.dev/dl/" ;;
	node | npm) from="Node.js 20 or newer with npm, from https://nodejs.org/" ;;
	*) from="it" ;;
	esac
	echo "parley: the program \"$program\" is not on the PATH; install $from and try again." >&2
	exit 1
done
