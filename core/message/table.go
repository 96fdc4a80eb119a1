package message

import "parley/core/unit"

// LookAtTable asks how the beginning of a table of jobs is read with a mapping.
type LookAtTable struct {
	File File   `json:"file"`
	Map  string `json:"map"` // as a scenario has it; "": no mapping
}

// Table answers LookAtTable.
type Table struct {
	Reason  string        `json:"why,omitempty"` // why it cannot be looked at, a sentence; the rest is empty then
	Comma   string        `json:"comma"`         // between columns
	Decimal string        `json:"decimal"`       // sign of decimal numbers
	Columns []TableColumn `json:"columns"`
	Fields  []string      `json:"fields"` // that a column may hold, as mappings spell them
	Units   []string      `json:"units"`  // that a column of times may have
	Asks    string        `json:"asks"`   // the missing part of the mapping; "" if jobs can be read
	Rows    int64         `json:"rows"`   // rows inspected
	Whole   bool          `json:"whole"`  // the table has no more rows
	Played  int64         `json:"played"` // jobs among them
	Widest  int64         `json:"widest"` // processors of the largest
	First   unit.Time     `json:"first"`  // submission, since 1970 or the table's zero
	Last    unit.Time     `json:"last"`
	Jobs    []TableJob    `json:"jobs"` // the first ones
	LeftOut []HeldCount   `json:"leftOut"`
	Bad     string        `json:"bad,omitempty"` // the error in the first bad row
}

// TableColumn is a column of a table.
type TableColumn struct {
	Name   string   `json:"name"`
	Values []string `json:"values"` // the first ones
	Field  string   `json:"field"`  // its field; "": it is not read
	Unit   string   `json:"unit"`   // from the mapping or the column's name
	Reads  string   `json:"reads"`  // how its times are read: a unit, "date" or "h:m:s"; "": it holds no times
	Guess  bool     `json:"guess"`  // that is an assumption
}

// TableJob is a job as it is read; times that are unknown are below 0.
type TableJob struct {
	Number     uint64    `json:"number"`
	Wait       unit.Time `json:"wait"`
	Run        unit.Time `json:"run"`
	Asks       unit.Time `json:"asks"` // the requested time
	Processors int64     `json:"processors"`
}
