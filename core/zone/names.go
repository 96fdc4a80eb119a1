package zone

// abbreviations are those with one meaning, in minutes ahead of UTC.
var abbreviations = map[string]int64{
	"UTC": 0, "GMT": 0, "Z": 0, "UT": 0, "WET": 0, "WEST": 60, "CET": 60, "CEST": 120, "MET": 60, "MEST": 120,
	"MEZ": 60, "MESZ": 120, "EET": 120, "EEST": 180, "MSK": 180,
	"EST": -300, "EDT": -240, "CDT": -300, "MST": -420, "MDT": -360, "PST": -480, "PDT": -420, "AKST": -540,
	"AKDT": -480, "HST": -600, "ADT": -180, "NST": -210, "NDT": -150,
	"JST": 540, "KST": 540, "HKT": 480, "SGT": 480, "PKT": 300, "WIB": 420, "SAST": 120, "AEST": 600, "AEDT": 660,
	"ACST": 570, "ACDT": 630, "AWST": 480, "NZST": 720, "NZDT": 780, "BRT": -180, "ART": -180,
}

// several are abbreviations with several meanings, and the zones that they are used in.
var several = map[string][]string{
	"IST": {"Asia/Kolkata", "Asia/Jerusalem", "Europe/Dublin"},
	"CST": {"America/Chicago", "Asia/Shanghai", "America/Havana"}, "BST": {"Europe/London", "Asia/Dhaka"},
	"AST": {"America/Halifax", "Asia/Riyadh"}, "GST": {"Asia/Dubai", "Atlantic/South_Georgia"},
	"SST": {"Pacific/Pago_Pago", "Asia/Singapore"}, "AMT": {"America/Manaus", "Asia/Yerevan"},
	"WST": {"Australia/Perth", "Pacific/Apia"},
	"ECT": {"America/Guayaquil", "Europe/Paris"}, "MSD": {"Europe/Moscow"},
}

// places are zones whose clocks go by an abbreviation for a part of the year.
var places = map[string]string{
	"WEST": "Europe/Lisbon", "CEST": "Europe/Berlin", "MEST": "Europe/Berlin", "MEZ": "Europe/Berlin",
	"MESZ": "Europe/Berlin", "EEST": "Europe/Helsinki",
	"EST": "America/New_York", "EDT": "America/New_York", "CDT": "America/Chicago", "MST": "America/Denver",
	"MDT": "America/Denver", "PST": "America/Los_Angeles", "PDT": "America/Los_Angeles", "AKST": "America/Anchorage",
	"AKDT": "America/Anchorage",
	"ADT":  "America/Halifax", "NST": "America/St_Johns", "NDT": "America/St_Johns", "AEST": "Australia/Sydney",
	"AEDT": "Australia/Sydney", "ACST": "Australia/Adelaide", "ACDT": "Australia/Adelaide", "NZST": "Pacific/Auckland",
	"NZDT": "Pacific/Auckland",
}

// Abbreviated returns the offset of an abbreviation such as CEST from UTC, in seconds. If the
// abbreviation has several meanings, it returns the zones.
func Abbreviated(name string) (ahead int64, among []string, known bool) {
	if among = several[name]; among != nil {
		return 0, among, false
	}
	n, known := abbreviations[name]
	return n * 60, nil, known
}

// Place returns a zone whose clock goes by an abbreviation for a part of the year; "" if there is none.
func Place(name string) string { return places[name] }
