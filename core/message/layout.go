package message

// Layout describes where cells are drawn: a grid of squares in which racks are blocks.
type Layout struct {
	Columns int      `json:"columns"`
	Rows    int      `json:"rows"`
	X       *Binary  `json:"x" ts:"Uint16Array"` // of each cell
	Y       *Binary  `json:"y" ts:"Uint16Array"`
	Rack    *Binary  `json:"rack" ts:"Int32Array"` // of each cell
	Blocks  []Block  `json:"blocks"`
	Pitch   Pitch    `json:"pitch"`
	Groups  []string `json:"groups,omitempty"`  // the names of what Block.Group numbers
	Zones   []Zone   `json:"zones,omitempty"`   // that the system tells apart: two or more
	NoRacks bool     `json:"noRacks,omitempty"` // racks mean nothing: the words of the page have none
}

// Zone is a set of nodes that the system tells apart from the others.
type Zone struct {
	Name string `json:"name"` // of no other zone
	Rack int32  `json:"rack"` // whose nodes are those of the zone; -1 if there is no such rack
}

// ZoneCard is how a zone stands now, as its card shows it.
type ZoneCard struct {
	Figure string   `json:"figure"`          // the one that decides; "": it has none
	Mark   string   `json:"mark,omitempty"`  // its place among the zones that are asked now: "leads"
	Leads  bool     `json:"leads,omitempty"` // that place is the first
	Lines  []string `json:"lines"`           // two lines at most
	Free   float64  `json:"free"`            // of Size, what is to be had now
	Size   float64  `json:"size"`            // what it has, in a unit that all zones share
	Down   bool     `json:"down,omitempty"`  // no node of it is up
}

// Pitch describes how the squares of a layout lie on the picture, in widths of a cell.
type Pitch struct {
	// squares of a whole block, after which comes an empty column; 0: all squares are alike
	Width  int     `json:"width"`
	Height int     `json:"height"`
	GapX   float64 `json:"gapX"` // width of an empty column
	GapY   float64 `json:"gapY"` // height of an empty row
	Tall   float64 `json:"tall"` // height of a cell
}

// Block is the rectangle of one rack in squares of the grid.
type Block struct {
	Rack   int32 `json:"rack"`            // -1: its cells are of no one rack
	Group  int32 `json:"group,omitempty"` // of Layout.Groups
	X      int   `json:"x"`
	Y      int   `json:"y"`
	Width  int   `json:"width"`
	Height int   `json:"height"`
}
