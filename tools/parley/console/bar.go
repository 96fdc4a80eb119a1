package console

import (
	"fmt"
	"time"

	"parley/core/escape"
)

// Bar is a progress line on the terminal.
type Bar struct {
	console *Console
	shown   time.Time
	dirty   bool
}

// NewBar returns a line of progress on the console.
func NewBar(c *Console) *Bar { return &Bar{console: c} }

// Show rewrites the line, at most five times a second.
func (b *Bar) Show(format string, args ...any) {
	if !b.console.Terminal {
		return
	}
	if now := b.console.Now(); now.Sub(b.shown) >= 200*time.Millisecond {
		b.shown, b.dirty = now, true
		fmt.Fprint(b.console.Err, "\r\x1b[K", escape.Terminal(fmt.Sprintf(format, args...)))
	}
}

// Clear takes the line away.
func (b *Bar) Clear() {
	if b.dirty {
		fmt.Fprint(b.console.Err, "\r\x1b[K")
		b.dirty = false
	}
}
