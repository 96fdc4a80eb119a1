package main

import (
	"context"
	"fmt"
	"slices"
)

// watcher learns of the steps while they run. Its methods are called from several
// goroutines.
type watcher interface {
	begin(s step)
	failure(s step, text string)
	end(o outcome)
}

// schedule runs the steps, at most jobs at the same time and in their order where
// they can, and returns their outcomes in the order in which they ended. In strict
// mode a step that lacks a program fails instead of being skipped.
func schedule(ctx context.Context, root string, steps []step, jobs int, strict bool, w watcher) []outcome {
	var outcomes []outcome
	waiting := slices.Clone(steps)
	failed := map[string]bool{} // by name; false: passed
	running := 0
	exclusive := false
	ended := make(chan outcome)
	finish := func(o outcome) {
		failed[o.step.name] = o.counts.Failed > 0 || o.skipped != ""
		outcomes = append(outcomes, o)
		w.end(o)
	}
	for len(waiting) > 0 || running > 0 {
		at := slices.IndexFunc(waiting, func(s step) bool {
			return ready(s, steps, failed) && running < jobs && !exclusive && (!s.alone || running == 0)
		})
		if at < 0 || ctx.Err() != nil {
			if running == 0 {
				return outcomes // interrupted
			}
			o := <-ended
			running--
			exclusive = false
			finish(o)
			continue
		}
		s := waiting[at]
		waiting = slices.Delete(waiting, at, at+1)
		fail := func(text string) { w.failure(s, text) }
		if o, runs := s.prepare(failed, strict, fail); !runs {
			finish(o)
			continue
		}
		running++
		exclusive = s.alone
		w.begin(s)
		go func() { ended <- s.run(ctx, root, fail) }()
	}
	return outcomes
}

// ready reports whether the step that s follows has ended or is not selected.
func ready(s step, steps []step, failed map[string]bool) bool {
	_, ended := failed[s.after]
	selected := slices.ContainsFunc(steps, func(t step) bool { return t.name == s.after })
	return ended || !selected
}

// prepare returns the outcome of a step that cannot run.
func (s step) prepare(failed map[string]bool, strict bool, fail func(text string)) (o outcome, runs bool) {
	o.step = s
	program := s.missing()
	switch {
	case failed[s.after]:
		o.skipped = fmt.Sprintf("it needs %q, which did not pass", s.after)
	case s.unable != "":
		o.skipped = s.unable
	case program != "" && strict:
		o.counts.Failed = 1
		fail(fmt.Sprintf("the program %q is not installed, and CI skips no check for that\n", program))
	case program != "":
		o.skipped = fmt.Sprintf("the program %q is not installed", program)
	default:
		return o, true
	}
	return o, false
}
