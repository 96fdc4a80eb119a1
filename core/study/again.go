package study

import (
	"strings"

	"parley/core/study/evidence"
)

// Again judges rows that were recorded anew, by the claims that the study makes now: from their
// means, spreads, seeds and trials, because single values are not recorded. It returns the
// rows in the study's order, and the names of rows that the recording lacks.
func (s *Study) Again(recorded []evidence.Row) (rows []evidence.Row, missing []string, err error) {
	left := map[string][]*evidence.Row{}
	for i := range recorded {
		left[recorded[i].Name] = append(left[recorded[i].Name], &recorded[i])
	}
	var shown []*row
	for i := range s.rows {
		r := &s.rows[i]
		of := left[r.Name]
		if len(of) == 0 {
			if !r.Optional {
				missing = append(missing, r.Name)
			}
			continue
		}
		left[r.Name] = of[1:]
		out := r.again(of[0])
		shown, rows = append(shown, r), append(rows, out)
	}
	arrange(shown, rows)
	evidence.Correct(rows)
	for i, r := range shown {
		if r.Holds != nil {
			if err := s.countHolds(r, &rows[i], rows); err != nil {
				return nil, nil, err
			}
		}
	}
	return rows, missing, nil
}

// again returns a recorded row with the present claim about it.
func (r *row) again(recorded *evidence.Row) evidence.Row {
	out := evidence.Rejudge(recorded, r.Name, r.Unit)
	if out.Method = r.Method; r.Share != nil {
		trials := recorded.Trials
		if r.Share.Of.figure == "" {
			trials = int64(r.Share.Of.value) * int64(out.Seeds)
		}
		out.Counted(trials, r.Share.Whole)
	}
	stated, _, withheld := strings.Cut(recorded.Note, evidence.Withheld)
	if out.Note = r.Note; r.Given != nil || r.Choose != nil || len(r.Seeds) > 0 { // a note about the runs
		out.Note = strings.TrimSuffix(strings.TrimSuffix(strings.TrimSuffix(stated, "; "), r.Reason), "; ")
	}
	if r.claim != nil && (r.Given == nil || recorded.Rule != "" || withheld) {
		r.claim(&out)
		out.Ruled(r.Rule)
		out.Why(r.Reason)
	} else if r.claim == nil {
		out.Ruled(r.Rule)
	}
	return out
}
