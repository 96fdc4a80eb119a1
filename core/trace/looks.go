package trace

import "bytes"

// A look is a kind of file that people try to open, by how it begins.
type look struct {
	is   func(head []byte) bool
	name string
	data bool // data that a program wrote: perhaps the right folder and the wrong file
}

func begins(magic string) func([]byte) bool {
	return func(head []byte) bool { return bytes.HasPrefix(head, []byte(magic)) }
}

func contains(texts ...string) func([]byte) bool {
	return func(head []byte) bool {
		for _, t := range texts {
			if !bytes.Contains(head, []byte(t)) {
				return false
			}
		}
		return true
	}
}

// firstLine looks at the first line only.
func firstLine(is func([]byte) bool) func([]byte) bool {
	return func(head []byte) bool {
		line, _, _ := bytes.Cut(head, []byte("\n"))
		return is(line)
	}
}

// fields checks how many fields the first line that is no comment has.
func fields(split func([]byte) [][]byte, n int) func([]byte) bool {
	return func(head []byte) bool {
		for line := range bytes.Lines(head) {
			if line = bytes.TrimSpace(line); len(line) > 0 && line[0] != ';' {
				return len(split(line)) == n
			}
		}
		return false
	}
}

// looks is tried in order: certain signs first.
var looks = [...]look{
	{begins("\x89PNG\r\n"), "a PNG image", false},
	{begins("\xff\xd8\xff"), "a JPEG image", false},
	{begins("GIF8"), "a GIF image", false},
	{begins("%PDF-"), "a PDF document", false},
	{begins("PK\x03\x04"), "a ZIP archive or a spreadsheet", false},
	{begins("PAR1"), "a Parquet file", false},
	{begins("\x28\xb5\x2f\xfd"), "zstd data, which is not unpacked here", false},
	{begins("BZh"), "bzip2 data, which is not unpacked here", false},
	{begins("\xfd7zXZ"), "xz data, which is not unpacked here", false},
	{begins("7z\xbc\xaf"), "a 7-Zip archive", false},
	{begins("SQLite format"), "an SQLite database", false},
	{begins("\x7fELF"), "a program", false},
	{begins("\xff\xfe"), "text in UTF-16", false},
	{begins("\xfe\xff"), "text in UTF-16", false},
	{func(h []byte) bool { return len(h) > 262 && string(h[257:262]) == "ustar" }, "a tar archive: unpack it first", false},
	{contains("<!DOCTYPE html"), "a web page", false},
	{contains("<html"), "a web page", false},
	{contains("<platform", "version="), "a SimGrid platform", true},
	{contains("<adag"), "a Pegasus DAX workflow", true},
	{begins("<"), "XML", true},
	{contains(`"workflow"`, `"tasks"`), "a WfCommons workflow", true},
	{contains(`"workflow"`, `"jobs"`), "a WfCommons workflow", true},
	{begins("{"), "JSON", true},
	{begins("["), "JSON", true},
	{firstLine(contains("collection_id")), "a table of the Google trace of 2019", true},
	{firstLine(contains("ParentID", "TaskID")), "version 1 of the Google trace, of 2010", true},
	{firstLine(contains("milli", "gpu")), "an Alibaba GPU trace", true},
	{firstLine(contains("task_create_time")), "the Alibaba trace of 2017", true},
	{firstLine(contains("Terminated")), "an Alibaba batch trace", true},
	{begins("m_"), "the Alibaba trace of 2018", true},
	{firstLine(contains("Timestamp [ms];")), "a Bitbrains trace", true},
	{fields(bytes.Fields, 18), "a Standard Workload Format log", true},
	{begins(";"), "a Standard Workload Format log", true},
	{contains("\x00"), "binary data", false},
	{contains(";"), "a table with semicolons", true},
	{contains("\t"), "a table with tabs", true},
	{contains(","), "a table with other columns", true},
}

// looksLike names what h looks like, to a person who chose the wrong file.
func looksLike(h *Head) look {
	for _, l := range looks {
		if l.is(h.Bytes) {
			return l
		}
	}
	return look{name: "text"}
}
