package study_test

import (
	"reflect"
	"strings"
	"testing"

	"parley/core/study"
)

// Former names of keys make the same study. rows.txt has a claim that "says".
func TestFormerNamesOfKeys(t *testing.T) {
	for before, names := range map[string][]string{
		`{"v":1,"base":"small","seeds":{"from":1,"to":9},"stop":{"metric":"load","half_width":0.1,"least":4}}`:                                                           {`"least"`, `"min_seeds"`},
		`{"v":1,"base":"small","seeds":[1],"search":{"axis":"workload.scale","from":0.5,"to":2,"step":0.01,"near":1.3,"find":"smallest","fits":{"load":{"at_most":1}}}}`: {`"near"`, `"start"`},
		`{"v":1,"function":"line","axes":{"x":[1]},"rows":[{"name":"y","figure":"y","whose":"theirs"}]}`:                                                                 {`"whose"`, `"method"`},
		`{"v":1,"function":"line","axes":{"x":[1,2]},"rows":[{"name":"y","figure":"y","choose":{"least":"y"}}]}`:                                                         {`"least"`, `"minimize"`},
	} {
		now := strings.Replace(before, names[0], names[1], 1)
		one, err := study.Parse([]byte(before), named)
		if err != nil {
			t.Errorf("%s: %v", before, err)
			continue
		}
		other, err := study.Parse([]byte(now), named)
		if err != nil || !reflect.DeepEqual(one, other) {
			t.Errorf("%s: another study than %s: %v", now, before, err)
		}
		_, err = study.Parse([]byte(strings.Replace(before, names[0], names[1]+`:4,`+names[0], 1)), named)
		if err == nil || !strings.Contains(err.Error(), "given twice, and its former name is "+names[0]) {
			t.Errorf("%s and %s: %v", names[0], names[1], err)
		}
	}
}
