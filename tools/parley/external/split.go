package external

import (
	"errors"
	"strings"
)

// Split splits a command at spaces. Single and double quotes keep words together; outside
// single quotes a backslash before a space, a quote or a backslash makes it a plain one.
func Split(command string) ([]string, error) {
	var words []string
	var word strings.Builder
	begun := false
	quote := rune(0)
	runes := []rune(command)
	for i := 0; i < len(runes); i++ {
		r := runes[i]
		switch {
		case r == '\\' && quote != '\'' && i+1 < len(runes) && strings.ContainsRune(` '"\`, runes[i+1]):
			i++
			word.WriteRune(runes[i])
			begun = true
		case quote != 0 && r == quote:
			quote = 0
		case quote == 0 && (r == '\'' || r == '"'):
			quote, begun = r, true
		case quote == 0 && (r == ' ' || r == '\t' || r == '\n'):
			if begun {
				words = append(words, word.String())
			}
			word.Reset()
			begun = false
		default:
			word.WriteRune(r)
			begun = true
		}
	}
	if quote != 0 {
		return nil, errors.New("a quote is not closed")
	}
	if begun {
		words = append(words, word.String())
	}
	if len(words) == 0 || words[0] == "" {
		return nil, errors.New("it names no program")
	}
	return words, nil
}
