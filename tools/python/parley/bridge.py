"""The scheduler that parley run starts for parley.gym: it passes lines on between standard input
and output and the environment's socket."""

import socket
import sys


def main() -> None:
    connection = socket.socket(socket.AF_UNIX)
    connection.connect(sys.argv[1])
    there = connection.makefile("rwb")
    for line in sys.stdin.buffer:
        there.write(line)
        there.flush()
        answer = there.readline()
        if not answer:
            return
        sys.stdout.buffer.write(answer)
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
