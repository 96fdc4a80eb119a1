package metric_test

import (
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"parley/core/metric"
)

// TestFiguresDescribeReports compares the figures that are described with the numbers
// that the reports' types have.
func TestFiguresDescribeReports(t *testing.T) {
	for of, c := range map[string]struct {
		report  any
		figures []metric.Column
	}{
		"tasks":  {metric.TasksReport{}, metric.TaskFigures()},
		"jobs":   {metric.JobReport{}, metric.JobFigures()},
		"graphs": {metric.GraphReport{}, metric.GraphFigures()},
	} {
		numbers := map[string]bool{}
		numbersOf(reflect.TypeOf(c.report), of, numbers)
		for _, f := range c.figures {
			if !numbers[f.ID] {
				t.Errorf("%s is described twice, or no number of the report", f.ID)
			}
			delete(numbers, f.ID)
			if f.Name == "" || f.About == "" {
				t.Errorf("%s lacks a name or a formula", f.ID)
			}
		}
		for _, id := range slices.Sorted(maps.Keys(numbers)) {
			t.Errorf("%s is not described", id)
		}
	}
}

// numbersOf lists the numbers of a report's type by their paths; users are left out.
func numbersOf(t reflect.Type, path string, into map[string]bool) {
	switch t.Kind() {
	case reflect.Struct:
		for i := range t.NumField() {
			name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
			if name != "by_user" {
				numbersOf(t.Field(i).Type, path+"."+name, into)
			}
		}
	case reflect.Map:
		numbersOf(t.Elem(), path+".*", into)
	case reflect.Pointer:
		numbersOf(t.Elem(), path, into)
	default:
		into[path] = true
	}
}
