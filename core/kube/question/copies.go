package question

import (
	"strings"

	"parley/core/kube"
	"parley/core/strict"
)

// Nearest returns the workload or pod whose name is nearest to one that the cluster does not have, as NAMESPACE/NAME;
// "" if none is near.
func Nearest(c *kube.Cluster, name string) string {
	var all []string
	for i := range c.Workloads {
		all = append(all, c.Workloads[i].Namespace+"/"+c.Workloads[i].Name)
	}
	for i := range c.Pods[:min(len(c.Pods), 1000)] {
		all = append(all, c.Pods[i].Full())
	}
	own := name[strings.LastIndexByte(name, '/')+1:]
	for _, full := range all { // in another namespace, or written with its kind
		if strings.HasSuffix(full, "/"+own) {
			return full
		}
	}
	if near := strict.Nearest(name, all); near != "" && strict.Distance(near, name) <= 1+len(name)/6 {
		return near
	}
	return ""
}
