package play

// WithRoom lets a player's snapshots hold so many bytes.
func WithRoom(p *Player, bytes int) { p.room = bytes }

// WithoutPast takes a player's snapshots away: it goes back by the start.
func WithoutPast(p *Player) { p.past.kept, p.past.off = nil, true }

// Snapshots returns how many a player has, and how many bytes they hold.
func Snapshots(p *Player) (n, bytes int) { return len(p.past.kept), p.past.taker.Bytes() }
