package run

import (
	"fmt"

	"parley/core/metric"
	"parley/core/score"
)

// ChartColumn is the id of the column that the scenario's chart fills.
const ChartColumn = "chart"

// trackChart adds the figure that a scenario asks for to the samples.
func (r *Run) trackChart(text string) error {
	figure, err := score.NewFigure(text, r.cluster.View())
	if err != nil {
		return fmt.Errorf("chart: %w", err)
	}
	r.table.Track([]metric.Column{{ID: ChartColumn, Name: text, Unit: figure.Unit(), About: "the scenario's chart, over the nodes that are up"}}, figure)
	return nil
}
