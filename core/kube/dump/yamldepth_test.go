package dump

import (
	"math/rand/v2"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"parley/core/strict"
)

// TestYAMLDepth: a text that the parser accepts never nests deeper than the brackets and columns that
// the look before it counts.
func TestYAMLDepth(t *testing.T) {
	signs := []string{"[", "]", "{", "}", "[]", "{}", "a", "b: ", "c: ", "- ", "- ", "\n", "\n", "\n  ", "\n    ", " ", "\"", "'", ": |\n", "- |\n", "d: >-\n", "#", " # ", ", ", "don't", "\\", "&x ", "*x", "!!str ", "? ", "--- "}
	random := rand.New(rand.NewPCG(1, 49))
	read := 0
	for range 60_000 {
		var b strings.Builder
		for range 1 + random.IntN(14) {
			b.WriteString(signs[random.IntN(len(signs))])
		}
		text := []byte(b.String())
		object, err := yaml.YAMLToJSON(text)
		if err != nil {
			continue
		}
		read++
		deep, _ := strict.Nesting(object, 1000)
		y := yamlDepth{text: text, parent: -1}
		y.look()
		if deep > y.deepest+2*(y.right+1) {
			t.Fatalf("%q nests %d deep in JSON %s, and %d brackets and %d columns are seen", text, deep, object, y.deepest, y.right)
		}
	}
	if read < 1_000 {
		t.Fatalf("only %d texts were read", read)
	}
}

// TestYAMLTextIsNotNested: brackets and columns in texts are not nesting.
func TestYAMLTextIsNotNested(t *testing.T) {
	many, far := strings.Repeat("[{", 500), strings.Repeat(" ", 1000)
	for _, text := range []string{
		`a: "` + many + `\" ` + many + `"`, "a: '" + many + "''" + many + "'", "a: x" + many, "a: x\n  " + many + "\nb: c", "a: # " + many,
		"a: |\n  " + many + "\n" + far + "x\nb: c", "- a: >-\n    " + many + "\n\n    " + many + "\n- b", "- |\n " + far + many, "a:\n- don't " + many + "\n- 'x'",
		"a: {b: '" + many + `', "c": "` + many + `", d: [x'` + `]}`,
	} {
		if _, err := yaml.YAMLToJSON([]byte(text)); err != nil {
			t.Errorf("%.40q is no YAML: %v", text, err)
		}
		if yamlTooDeep([]byte(text)) {
			t.Errorf("%.40q is taken for deep", text)
		}
	}
	for _, text := range []string{
		many, "a: " + many, "- " + many, "a: &x " + many, "a: !!seq " + many, "--- " + many, "'a': " + many, "a:\n  " + many, "a: x\nb: " + many, "a: |\n x\nb: " + many,
		"a: 'it''s'\nb: " + many, "a: [b, 'c', \"d\", " + many, "a: don't\nb: '\nc: ' # \nd: " + many, strings.Repeat("- ", 500) + "x", far + "a: b", "a:\n" + far + "- x", "? " + many, "a: b # c\nd: " + many,
	} {
		if !yamlTooDeep([]byte(text)) {
			t.Errorf("%.40q is not taken for deep", text)
		}
	}
}
