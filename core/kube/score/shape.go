package score

import (
	"errors"
	"math"
	"strconv"
	"strings"
)

// Point is one point of a Shape.
type Point struct {
	Utilization int64 // percent of the node, 0 … 100
	Score       int64 // 0 … 10
}

// Shape scores a utilization by straight lines between points.
type Shape []Point

// maxShapeScore is the highest score of a point; it counts ten times.
const maxShapeScore = 10

// ParseShape reads points such as "0:0 100:10": percent and score, percent rising.
func ParseShape(text string) (Shape, error) {
	var s Shape
	for _, word := range strings.Fields(text) {
		left, right, _ := strings.Cut(word, ":")
		utilization, err := strconv.ParseUint(left, 10, 8)
		score, other := strconv.ParseUint(right, 10, 8)
		if err != nil || other != nil || utilization > 100 || score > maxShapeScore {
			return nil, errors.New(`write points such as "0:0 100:10", percent from 0 to 100 and a score from 0 to 10`)
		}
		if n := len(s); n > 0 && int64(utilization) <= s[n-1].Utilization {
			return nil, errors.New("percent must rise from point to point")
		}
		s = append(s, Point{int64(utilization), int64(score)})
	}
	if len(s) == 0 {
		return nil, errors.New("it has no points: give at least one")
	}
	return s, nil
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
