package buyer

import (
	"fmt"

	"parley/core/system/market/fipa"
)

// Crash stops a user agent. Its decisions are on stable storage and survive.
func (u *Users) Crash(n int) {
	if n < len(u.All) && !u.All[n].Down {
		u.All[n].Down = true
		u.All[n].Crashes++
	}
}

// Restart continues a user agent from stable storage: the bidding continues, a vote that was not
// finished is aborted (presumed abort), a commit continues.
func (u *Users) Restart(n int) {
	if n >= len(u.All) || !u.All[n].Down {
		return
	}
	u.All[n].Down = false
	for _, a := range u.Auctions {
		if a == nil || a.User != n {
			continue
		}
		switch a.Phase {
		case Bidding, Looking, Asking:
			if a.arrived == len(a.Lots) {
				u.wait(a, u.rules.Interval)
			}
		case Counting:
			u.askBalance(a)
		case Voting:
			u.abort(a, fipa.Crashed)
		case Committing:
			u.press(a)
		}
	}
}

// Audit checks the auctions' counts of held units.
func (u *Users) Audit() error {
	for _, a := range u.Auctions {
		if a == nil {
			continue
		}
		n := 0
		for i := range a.Lots {
			if a.Lots[i].State == held {
				n++
			}
		}
		if (a.Phase == Voting || a.Phase == Committing) && n != a.Held {
			return fmt.Errorf("auction %d counts %d units as held, and %d are", a.Number, a.Held, n)
		}
	}
	return nil
}
