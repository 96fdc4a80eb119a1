// Package formats lists the trace formats. It is separate from package run so that the page's
// first program contains no readers; the page loads them with the first file.
package formats

import (
	"slices"

	"parley/core/trace"
	"parley/core/trace/acts"
	"parley/core/trace/field"
	"parley/core/trace/google2011"
	"parley/core/trace/jobtable"
	"parley/core/trace/kubernetes"
	"parley/core/trace/rfql"
	"parley/core/trace/simgrid"
	"parley/core/trace/swf"
	"parley/core/trace/workflow"
)

// All lists the formats. A further one is one line here. Tables with fixed columns of their own
// are tried before those that nearly any table may be.
var All = slices.Concat(field.Formats(), []trace.Format{
	google2011.Format(), swf.Format(), workflow.Format(),
	simgrid.Format(), rfql.Format(), acts.Format(), kubernetes.Format(), jobtable.Format(),
})
