package scenario

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Parse splits a fault's target into what it is ("node", "rack", "broker" or
// "mail") and its number, and checks that the kind fits.
func (f Fault) Parse() (what string, number int, err error) {
	if !slices.Contains(FaultKinds, f.Kind) {
		return "", 0, fmt.Errorf("kind is %q: choose one of %s", shorten(f.Kind), strings.Join(FaultKinds, ", "))
	}
	if f.At < 0 {
		return "", 0, fmt.Errorf("at is %v: choose a time from 0 on", f.At)
	}
	what, _, _ = strings.Cut(f.Kind, "_")
	if what == "mail" {
		return what, 0, f.checkMail()
	}
	text, ok := strings.CutPrefix(f.Target, what+".")
	number, convErr := strconv.Atoi(text)
	if !ok || convErr != nil || number < 0 || number > math.MaxInt32 {
		return "", 0, fmt.Errorf("target is %q: %s needs one like %s.14", shorten(f.Target), f.Kind, what)
	}
	return what, number, nil
}

func (f Fault) checkMail() error {
	switch {
	case f.Target != "mail" && f.Target != "":
		return fmt.Errorf("target is %q: %s needs \"mail\"", shorten(f.Target), f.Kind)
	case f.Kind == "mail_loss" && !(f.Value >= 0 && f.Value < 1):
		return fmt.Errorf("value is %v: mail_loss needs a probability from 0 up to 1", f.Value)
	case f.Kind == "mail_delay" && !(f.Value >= 0 && f.Value <= 3600):
		return fmt.Errorf("value is %v: mail_delay needs 0 to 3600 seconds", f.Value)
	}
	return nil
}
