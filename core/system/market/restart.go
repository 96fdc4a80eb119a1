package market

import "fmt"

// crash stops a user agent. What it decided is written down and survives.
func (u *users) crash(n int) {
	if n < len(u.all) && !u.all[n].down {
		u.all[n].down = true
		u.all[n].crashes++
	}
}

// restart lets a user agent go on by what is written down: the bidding continues, a
// vote that was not finished is called off (presumed abort), a commit goes on.
func (u *users) restart(n int) {
	if n >= len(u.all) || !u.all[n].down {
		return
	}
	u.all[n].down = false
	for _, a := range u.auctions {
		if a == nil || a.user != n {
			continue
		}
		switch a.phase {
		case bidding, looking, asking:
			if a.arrived == len(a.lots) {
				u.wait(a, u.settings.Interval)
			}
		case counting:
			u.askBalance(a)
		case voting:
			u.abort(a, crashed)
		case committing:
			u.press(a)
		}
	}
}

// audit checks what auctions say of themselves.
func (u *users) audit() error {
	for _, a := range u.auctions {
		if a == nil {
			continue
		}
		n := 0
		for i := range a.lots {
			if a.lots[i].state == held {
				n++
			}
		}
		if (a.phase == voting || a.phase == committing) && n != a.held {
			return fmt.Errorf("auction %d counts %d units as held, and %d are", a.number, a.held, n)
		}
	}
	return nil
}
