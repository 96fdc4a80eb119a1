package central

import (
	"fmt"
	"strconv"
	"strings"

	"parley/core/batch/multifactor"
	"parley/core/workload"
)

// shares reads Shares, such as "3=10 3/17=2 chem/ann=4 chem@science=30 science=60": an account, or
// a user of one, and its shares; with @ the account that is above it.
func (p *Priority) shares(s *multifactor.Settings, names *workload.Names) error {
	s.Accounts, s.Users = map[uint32]int64{}, map[multifactor.User]int64{}
	s.Above, s.Inner = map[uint32]string{}, map[string]multifactor.Inner{}
	words := strings.Fields(p.Shares)
	for _, word := range words { // the accounts that others are below
		path, _, _ := strings.Cut(word, "=")
		if _, above, below := strings.Cut(path, "@"); below {
			s.Inner[above] = multifactor.Inner{Shares: 1}
		}
	}
	for _, word := range words {
		path, number, _ := strings.Cut(word, "=")
		account, user, of := strings.Cut(path, "/")
		account, above, below := strings.Cut(account, "@")
		n, wrong := strconv.ParseInt(number, 10, 32)
		if wrong != nil || n < 1 || account == "" || of && (user == "" || strings.Contains(user, "@")) || below &&
			(above == "" || of) {
			return fmt.Errorf("settings: batch.priority.shares has %q: write a group's name or number and its shares, as in chem=10 or 3=10, or a user of a group, as in chem/ann=2, or the account above a group, as in chem@science=10", shortened(word))
		}
		if _, inner := s.Inner[account]; inner {
			if of {
				return fmt.Errorf("settings: batch.priority.shares has %q, and %s has accounts below it and no users: give the user's own account", shortened(word), shortened(account))
			}
			s.Inner[account] = multifactor.Inner{Shares: n, Above: above}
			continue
		}
		a, err := numbered(names, workload.OfGroups, account)
		u := uint32(0)
		if of && err == nil {
			u, err = numbered(names, workload.OfUsers, user)
		}
		switch {
		case err != nil:
			return fmt.Errorf("settings: batch.priority.shares has %w", err)
		case of:
			s.Users[multifactor.User{Account: a, User: u}] = n
		default:
			s.Accounts[a] = n
			if below {
				s.Above[a] = above
			}
		}
	}
	for _, word := range words { // an account is not above itself
		path, _, _ := strings.Cut(word, "=")
		name, _, _ := strings.Cut(path, "@")
		for at, steps := s.Inner[name].Above, 0; at != ""; at, steps = s.Inner[at].Above, steps+1 {
			if at == name || steps > len(words) {
				return fmt.Errorf("settings: batch.priority.shares puts the account %s above itself: leave one @ out", shortened(name))
			}
		}
	}
	return nil
}
