package market

import (
	"parley/core/system"
	"parley/core/unit"
)

// Fail implements system.FaultTarget.
func (x *exchange) Fail(f system.AgentFault) {
	switch f.Kind {
	case "user_down":
		x.users.Crash(f.Target)
	case "user_up":
		x.users.Restart(f.Target)
	case "resource_down":
		x.resources.Crash(f.Target)
	case "resource_up":
		x.resources.Restart(f.Target)
	case "resource_left":
		x.resources.Member(f.Target, false)
	case "resource_joined":
		x.resources.Member(f.Target, true)
	case "bank_down":
		x.banker.crash()
	case "bank_up":
		x.banker.restart()
	case "offer_approved":
		x.users.Decide(f.Target, f.Value, true)
	case "offer_declined":
		x.users.Decide(f.Target, f.Value, false)
	case "mail_loss":
		x.post.SetLoss(f.Value)
	case "mail_delay":
		x.post.SetDelay(unit.Time(f.Value * float64(unit.Second)))
	case "mail_repeat":
		x.repeat = f.Value
	}
}

// Audit implements system.Auditor.
func (x *exchange) Audit() error {
	if err := x.banker.bank.Audit(); err != nil {
		return err
	}
	if err := x.users.Audit(); err != nil {
		return err
	}
	return x.resources.Audit()
}
