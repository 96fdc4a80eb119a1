package controllers

import (
	_ "k8s.io/kubernetes/pkg/controller/daemon"
	_ "k8s.io/kubernetes/pkg/controller/deployment"
	_ "k8s.io/kubernetes/pkg/controller/disruption"
	_ "k8s.io/kubernetes/pkg/controller/replicaset"
	_ "k8s.io/kubernetes/pkg/controller/statefulset"
)
