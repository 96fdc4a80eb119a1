package central

import (
	"fmt"
	"slices"
	"strings"

	"parley/core/batch"
)

// unread returns a warning if settings were changed that the policy does not read; none otherwise. A page
// keeps the settings of one policy while another is tried, so they are no error.
func (s *Settings) unread() []string {
	d := Default()
	tasks, gangs := placesTasks(s.Policy), s.gangs()
	sorted := slices.Contains([]string{s.Batch.Order, s.Batch.Backfill}, batch.Multifactor.String())
	_, kube := s.profile()
	var idle []string
	for _, c := range []struct {
		id            string
		changed, read bool
	}{
		{"admission", s.Admission != d.Admission, tasks},
		{"overcommit", s.Overcommit != d.Overcommit, tasks},
		{"fill", s.Fill != d.Fill, tasks},
		{"production_limit", s.ProductionLimit != d.ProductionLimit, tasks},
		{"production_soft", s.ProductionSoft != d.ProductionSoft, tasks},
		{"preempt", s.Preempt != d.Preempt, tasks},
		{"kube.…", s.Kube != d.Kube, kube},
		{"rescheduler.…", s.Rescheduler != d.Rescheduler, tasks},
		{"formula.where", s.Formula.Where != d.Formula.Where, s.Policy == byFormula},
		{"formula.score", s.Formula.Score != d.Formula.Score, s.Policy == byFormula},
		{
			"formula.order", s.Formula.Order != d.Formula.Order,
			!tasks && slices.Contains([]string{s.Batch.Order, s.Batch.Backfill}, batch.ByFormula.String()),
		},
		{"batch.…", s.Batch != d.Batch, !tasks},
		{"batch.slack", s.Batch.Slack != d.Batch.Slack, tasks || gangs || s.Policy == batch.Slack.String()},
		{"batch.slurm.…", s.Batch.Slurm != d.Batch.Slurm, tasks || gangs || s.Policy == batch.Slurm.String()},
		{"batch.priority.…", s.Batch.Priority != d.Batch.Priority, tasks || gangs || sorted},
		{"gang.…", s.Gang != d.Gang, gangs},
	} {
		if c.changed && !c.read {
			idle = append(idle, c.id)
		}
	}
	if idle == nil {
		return nil
	}
	return []string{fmt.Sprintf("settings that the policy %s does not read, so that they have no effect: %s", s.Policy, strings.Join(idle, ", "))}
}
