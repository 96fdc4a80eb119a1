package question

import (
	"slices"
	"strings"

	"parley/core/kube"
)

// holes returns, as sentences, the kinds of objects that pods of the dump refer to and the dump lacks, so
// that the answer is unsure; nil if there are none.
func (a *query) holes() (all []string) {
	namespaces, classes := 0, 0
	known := map[string]bool{}
	for i := range a.c.StorageClasses {
		known[a.c.StorageClasses[i].Name] = true
	}
	for i := range a.c.Volumes {
		known[a.c.Volumes[i].Class] = true // a name that only volumes made by hand have
	}
	var missing []string
	claims := map[[2]string]*kube.Claim{}
	for i := range a.c.Claims {
		claims[[2]string{a.c.Claims[i].Namespace, a.c.Claims[i].Name}] = &a.c.Claims[i]
	}
	for i := range a.c.Pods {
		p := &a.c.Pods[i]
		if len(a.c.Namespaces) == 0 && slices.ContainsFunc(slices.Concat(p.Spec.PodRequired, p.Spec.AntiRequired),
			selectsNamespaces) {
			namespaces++
		}
		if !p.Pending() {
			continue
		}
		for _, name := range p.Claims {
			c := claims[[2]string{p.Namespace, name}]
			if c == nil || c.Volume != "" || c.Class == "" || known[c.Class] {
				continue
			}
			if classes++; !slices.Contains(missing, c.Class) {
				missing = append(missing, c.Class)
			}
		}
	}
	if len(a.c.Pods) == 0 {
		all = append(all, "the dump has no pods: if they were not fetched, nodes are taken for empty that are not")
	}
	if namespaces > 0 {
		all = append(all, "affinity of "+count(namespaces, "pod", "pods")+" selects namespaces by their labels, and the dump has no namespaces: it matches none of them here; fetch namespaces too")
	}
	if classes > 0 {
		all = append(all, count(classes, "claim of a pending pod has", "claims of pending pods have")+" a class that the dump does not have ("+strings.Join(missing, ", ")+"): where its volumes may be is not known; fetch storageclasses too")
	}
	return all
}

// selectsNamespaces reports whether a term is about namespaces with some labels; {} is about all.
func selectsNamespaces(t kube.PodTerm) bool {
	return t.NamespaceSelector != nil && len(t.NamespaceSelector.Requirements) > 0
}
