package run

import (
	"reflect"

	"parley/core/scenario"
	"parley/core/system"
	"parley/core/unit"
)

// SettingFields describes the settings of a system as fields of a scenario, by the paths
// that changes and sweeps take.
func SettingFields(d system.Description) []scenario.Field {
	fields := make([]scenario.Field, len(d.Settings))
	for i, s := range d.Settings {
		kind := "number"
		switch reflect.TypeOf(s.Value).Kind() {
		case reflect.Bool:
			kind = "true or false"
		case reflect.String:
			kind = "text"
		default:
			if s.Whole {
				kind = "whole number"
			}
		}
		allowed := s.Allowed()
		if kind == "true or false" {
			allowed = ""
		}
		if _, isTime := s.Value.(unit.Time); !isTime && s.Range != nil {
			allowed = s.Range.String() // the unit has a place of its own
		}
		fields[i] = scenario.Field{
			Path: "settings." + s.ID, Type: kind, Unit: s.Unit, Allowed: allowed,
			Default: system.Decimal(s.Value), About: s.About,
		}
	}
	return fields
}
