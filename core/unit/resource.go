package unit

// Resource names one dimension of a Vec. Another resource is one more name in
// resources.go: everything else loops over the vector. The build tag resources4
// builds the house with two more, and a check runs it so.
type Resource uint8

// String returns the resource's name as scenarios and reports spell it.
func (r Resource) String() string { return resourceNames[r].id }

// Title returns the resource's name as people read it.
func (r Resource) Title() string { return resourceNames[r].title }

type resourceName struct{ id, title string }
