package kube

import (
	"errors"
	"math"
)

// Point is one point of a Shape.
type Point struct {
	Utilization int64 `json:"utilization"` // percent of the node, 0 … 100
	Score       int64 `json:"score"`       // 0 … 10
}

// Shape says how good a utilization is: straight lines between points.
type Shape []Point

// maxShapeScore is the highest score of a point; it counts ten times.
const maxShapeScore = 10

// Validate says what is wrong with a shape, if anything.
func (s Shape) Validate() error {
	if len(s) == 0 {
		return errors.New("shape has no points: give at least one")
	}
	if len(s) > 101 {
		return errors.New("shape has more than 101 points")
	}
	for i, p := range s {
		switch {
		case p.Utilization < 0 || p.Utilization > 100 || p.Score < 0 || p.Score > maxShapeScore:
			return errors.New("shape: utilization lies in 0 to 100 and score in 0 to 10")
		case i > 0 && p.Utilization <= s[i-1].Utilization:
			return errors.New("shape: utilization must rise from point to point")
		}
	}
	return nil
}

// At returns the score of a utilization in percent, 0 … MaxScore: on the line
// between the points beside it, rounded towards zero from the point on the left;
// that of the end beyond the ends.
// (plugins/helper/shape_score.go)
func (s Shape) At(utilization int64) int64 {
	const times = MaxScore / maxShapeScore
	for i, p := range s {
		if utilization > p.Utilization {
			continue
		}
		if i == 0 {
			return p.Score * times
		}
		left := s[i-1]
		rise, run := (p.Score-left.Score)*times, p.Utilization-left.Utilization
		return left.Score*times + rise*(utilization-left.Utilization)/run
	}
	return s[len(s)-1].Score * times
}

// RequestedToCapacityRatio scores each resource by the shape and takes the
// weighted mean, rounded to the nearest. A resource whose score is 0 adds neither
// score nor weight, as in the original.
// (plugins/noderesources/requested_to_capacity_ratio.go)
func (s Shape) RequestedToCapacityRatio(rs []Resource) int64 {
	sum, weights := int64(0), int64(0)
	for i := range rs {
		r := &rs[i]
		if r.Allocatable == 0 {
			continue
		}
		utilization := int64(100)
		if r.Requested <= r.Allocatable {
			utilization = r.Requested * 100 / r.Allocatable
		}
		if score := s.At(utilization); score > 0 {
			sum += score * r.Weight
			weights += r.Weight
		}
	}
	if weights == 0 {
		return 0
	}
	return int64(math.Round(float64(sum) / float64(weights)))
}
