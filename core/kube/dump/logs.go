package dump

import "strings"

// logs skips the container log that kubectl cluster-info dump prints between lists, and reports
// whether there was one.
func (s *scanner) logs() bool {
	line, _ := s.lineHead()
	if !strings.HasPrefix(line, "==== START logs for container ") {
		return false
	}
	for !strings.HasPrefix(line, "==== END logs for container ") {
		more := false
		if line, more = s.lineHead(); !more && line == "" {
			return true // the log of the last container was cut off: no object was
		}
	}
	return true
}

// lineHead takes a line and returns how it begins, and whether it ended.
func (s *scanner) lineHead() (string, bool) {
	var head []byte
	for s.pos < len(s.buf) || s.fill() {
		c := s.buf[s.pos]
		s.pos++
		if c == '\n' {
			s.line++
			return string(head), true
		}
		if len(head) < 64 {
			head = append(head, c)
		}
	}
	return string(head), false
}
