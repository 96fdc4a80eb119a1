package solve

import (
	"fmt"
	"io"
)

// WriteMathProg writes the mixed integer program (12)-(21) of the instance in
// GNU MathProg, so that an independent solver can check Solve:
//
//	glpsol --math instance.mod
//
// prints "yield" and the optimum, or reports that there is no solution.
func WriteMathProg(w io.Writer, in Instance) error {
	t := flatten(in)
	out := &stickyWriter{w: w}
	out.printf("param H, integer := %d;\nparam T, integer := %d;\n", in.Hosts, t.len())
	out.printf("param a{1..T};\nparam m{1..T};\nparam job{1..T}, integer;\n")
	out.printf("var e{1..T, 1..H}, binary;                                    # (12) (14)\n")
	out.printf("var c{1..T, 1..H}, >= 0;                                      # (13)\n")
	out.printf("var Y;\nmaximize minimumYield: Y;\n")
	out.printf("s.t. share{i in 1..T, j in 1..H}: c[i,j] <= e[i,j];           # (15)\n")
	out.printf("s.t. place{i in 1..T}: sum{j in 1..H} e[i,j] = 1;             # (16)\n")
	out.printf("s.t. cpu{j in 1..H}: sum{i in 1..T} c[i,j] <= 1;              # (17)\n")
	out.printf("s.t. memory{j in 1..H}: sum{i in 1..T} e[i,j]*m[i] <= 1;      # (18)\n")
	out.printf("s.t. need{i in 1..T}: sum{j in 1..H} c[i,j] <= a[i];          # (19)\n")
	out.printf("s.t. equal{i in 2..T: job[i] = job[i-1]}: sum{j in 1..H} (c[i,j] - c[i-1,j]) = 0; # (20)\n")
	out.printf("s.t. yield{i in 1..T}: sum{j in 1..H} c[i,j] >= a[i]*Y;       # (21), equal tasks\n")
	out.printf("solve;\nprintf \"yield %%.12f\\n\", Y;\ndata;\nparam: a m job :=\n")
	for i := range t.len() {
		out.printf("%d %.17g %.17g %d\n", i+1, t.cpu[i], t.mem[i], t.job[i])
	}
	out.printf(";\nend;\n")
	return out.err
}

// stickyWriter keeps the first error.
type stickyWriter struct {
	w   io.Writer
	err error
}

func (s *stickyWriter) printf(format string, args ...any) {
	if s.err == nil {
		_, s.err = fmt.Fprintf(s.w, format, args...)
	}
}
