package batch

import (
	"parley/core/des"
	"parley/core/unit"
)

// Logged is a job of a log: when it came and how long it really ran, which its
// site learns at its end. A run beyond the estimate is cut there: the job is
// killed at its limit.
type Logged struct {
	Job
	Submit, Run unit.Time
}

// Play runs a log, sorted by submission, through an empty site and returns when each job started
// for the last time; unit.Forever: never. The submissions of a moment come before its ends, and
// after each single event there is a pass: the rules of pyss, by which published figures are
// reproduced to their last digit. Nothing else is simulated, so this is the fastest way to evaluate
// a policy.
func Play(p Policy, processors int, log []Logged) []unit.Time {
	return PlayOn(NewSite(p, processors), log)
}

// PlayOn is Play on an empty site, which may have an order of its own.
func PlayOn(s *Site, log []Logged) []unit.Time { return play(NewStream(s), log) }

// PlayOnce is PlayOn with one pass a moment, when all its submissions and ends are known, as
// textbooks describe and Slurm and Batsim do.
func PlayOnce(s *Site, log []Logged) []unit.Time {
	w := NewStream(s)
	w.once = true
	return play(w, log)
}

// play adds the whole log to a stream and returns the last start of each job, by its index in the log;
// unit.Forever for a job that never started.
func play(w *Stream, log []Logged) []unit.Time {
	w.starts = make([]unit.Time, 0, len(log))
	for i := range log {
		w.starts = append(w.starts, unit.Forever)
		w.Add(log[i])
	}
	w.End()
	return w.starts
}

// Stream is Play for a log that comes job by job. It holds the jobs that wait or run.
type Stream struct {
	site     *Site
	clock    *des.Kernel
	jobs     []streamed  // by Handle
	starts   []unit.Time // by job; nil: not kept
	added    int
	last     unit.Time // the latest end of a job that started
	nextWake unit.Time // when the next pass is due anyway
	once     bool      // there is one pass a moment
	due      bool      // a pass of the present moment is scheduled
}

// streamed is a job of a stream.
type streamed struct {
	index int       // in the log
	run   unit.Time // until its end or its limit
	end   des.Ticket
}

// NewStream returns a stream onto an empty site.
func NewStream(s *Site) *Stream { return &Stream{site: s, clock: des.New()} }

// Add plays all events until a job's submission and submits the job. Jobs must be added in the order of
// their submission. The job runs for Run, or until its limit Estimate if that is shorter.
func (w *Stream) Add(l Logged) {
	for w.clock.Step(l.Submit) {
	}
	h := w.site.Submit(l.Submit, l.Job)
	for int(h) >= len(w.jobs) {
		w.jobs = append(w.jobs, streamed{})
	}
	w.jobs[h] = streamed{index: w.added, run: min(l.Run, l.Estimate)}
	w.added++
	w.passAfter(l.Submit)
}

// passAfter makes the site pass after an event: at once or, if there is one pass a moment, after all other
// events of that moment.
func (w *Stream) passAfter(now unit.Time) {
	if w.once {
		w.requestPass(now)
	} else {
		w.pass(now)
	}
}

// requestPass schedules a pass after all events of this moment that are scheduled already. It does nothing if
// one is scheduled.
func (w *Stream) requestPass(now unit.Time) {
	if !w.due {
		w.due = true
		w.clock.At(now, w, passNow)
	}
}

// End plays to the end and returns when the last job that started ends; 0 if none did.
func (w *Stream) End() unit.Time {
	for w.clock.Step(unit.Forever) {
	}
	return w.last
}

// Args of events that end no job: a wake-up of the site, and a pass. The pass of a wake-up is an event of its own,
// after all ends of its moment: an end can make room for a job that came before the one that is woken for.
const (
	wake = 1<<40 + iota
	passNow
)

// Fire handles an event: the end of the job whose handle is arg, a wake-up, or a requested pass. A wake-up only
// requests a pass, so that the pass comes after the ends of the same moment.
func (w *Stream) Fire(now unit.Time, arg uint64) {
	switch arg {
	case wake:
		w.requestPass(now)
	case passNow:
		w.due = false
		w.pass(now)
	default:
		w.site.End(now, Handle(arg))
		w.passAfter(now)
	}
}

// pass lets the site decide which jobs run: it cancels the end of each job that was stopped, schedules
// the end of each job that started, and schedules the site's next wake-up if that is new. A wake-up that
// was scheduled earlier is not cancelled.
func (w *Stream) pass(now unit.Time) {
	started := w.site.Pass(now)
	for _, h := range w.site.Stopped() {
		w.clock.Cancel(w.jobs[h].end)
		w.began(h, unit.Forever)
	}
	for _, h := range started {
		ends := after(now, w.jobs[h].run)
		w.jobs[h].end = w.clock.At(ends, w, uint64(h))
		w.last = max(w.last, ends)
		w.began(h, now)
	}
	if at := w.site.Wake(now); at < unit.Forever && at != w.nextWake {
		w.clock.At(at, w, wake)
		w.nextWake = at
	}
}

// began notes the start of a job; unit.Forever if it was stopped. It does nothing if starts are not
// kept.
func (w *Stream) began(h Handle, at unit.Time) {
	if w.starts != nil {
		w.starts[w.jobs[h].index] = at
	}
}
