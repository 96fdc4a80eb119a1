package thread

import "parley/core/unit"

// Duration is duration: how long an amount takes at a rate a second.
func Duration(amount, rate int64) unit.Time { return duration(amount, rate) }
