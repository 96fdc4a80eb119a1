package console

import (
	"errors"
	"fmt"
	"math"
	"strconv"

	"parley/core/scenario"
)

// Positive is a flag that holds a whole number above 0; 0 if it was left out.
type Positive int

// String implements pflag.Value.
func (p *Positive) String() string {
	if *p == 0 {
		return ""
	}
	return strconv.Itoa(int(*p))
}

// Set implements pflag.Value.
func (p *Positive) Set(text string) error {
	n, err := strconv.ParseInt(text, 10, 32)
	if err != nil || n < 1 {
		return fmt.Errorf("choose a whole number from 1 to %d", math.MaxInt32)
	}
	*p = Positive(n)
	return nil
}

// Type implements pflag.Value.
func (p *Positive) Type() string { return "int" }

// Span is a flag that holds a duration above 0.
type Span scenario.Duration

// String implements pflag.Value.
func (s *Span) String() string {
	if *s == 0 {
		return ""
	}
	return scenario.Duration(*s).String()
}

// Set implements pflag.Value.
func (s *Span) Set(text string) error {
	d, err := scenario.ParseDuration(text)
	switch {
	case err != nil:
		err = errors.New("write a duration such as 90s, 6h12m40s or 29d, up to 36500d")
	case d == 0:
		err = errors.New("choose a time above 0")
	}
	*s = Span(d)
	return err
}

// Type implements pflag.Value.
func (s *Span) Type() string { return "duration" }
