package controllers

import (
	"context"
	"slices"
	"time"

	v1 "k8s.io/api/core/v1"
	policy "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/client-go/informers"
	scalefake "k8s.io/client-go/scale/fake"
	"k8s.io/kubernetes/pkg/controller/disruption"
	"k8s.io/utils/clock"
)

// budget returns the disruption budget of a case.
func (r *rollout) budget() *policy.PodDisruptionBudget {
	b := &policy.PodDisruptionBudget{ObjectMeta: metav1.ObjectMeta{Name: "b", Namespace: "default", Generation: 1}}
	b.Spec.Selector = &metav1.LabelSelector{MatchLabels: map[string]string{"app": "w"}}
	if r.least != "" {
		n := intstr.Parse(r.least)
		b.Spec.MinAvailable = &n
	} else {
		n := intstr.Parse(r.most)
		b.Spec.MaxUnavailable = &n
	}
	if r.always {
		always := policy.AlwaysAllow
		b.Spec.UnhealthyPodEvictionPolicy = &always
	}
	return b
}

// disrupts starts the disruption controller.
func (w *world) disrupts(ctx context.Context, f informers.SharedInformerFactory) func() {
	mapper := meta.NewDefaultRESTMapper([]schema.GroupVersion{{Group: "apps", Version: "v1"}})
	for _, kind := range []string{"ReplicaSet", "Deployment"} {
		mapper.Add(schema.GroupVersionKind{Group: "apps", Version: "v1", Kind: kind}, meta.RESTScopeNamespace)
	}
	c := disruption.NewDisruptionControllerInternal(ctx, f.Core().V1().Pods(), f.Policy().V1().PodDisruptionBudgets(), f.Core().V1().ReplicationControllers(), f.Apps().V1().ReplicaSets(),
		f.Apps().V1().Deployments(), f.Apps().V1().StatefulSets(), w.c, mapper, &scalefake.FakeScaleClient{}, w.c.Discovery(), clock.RealClock{}, 2*time.Minute)
	return func() { c.Run(ctx) }
}

// drain evicts the pods that are there now as kubectl drain does: all at once, and those that are refused
// again every 5 seconds.
func (w *world) drain(ctx context.Context) {
	list, err := w.c.CoreV1().Pods("default").List(ctx, metav1.ListOptions{})
	if err != nil {
		panic(err)
	}
	left := list.Items
	for len(left) > 0 && time.Since(w.t0) <= horizon*time.Second {
		left = slices.DeleteFunc(left, func(p v1.Pod) bool { return w.evict(ctx, p.Name) })
		time.Sleep(5 * time.Second)
	}
}

// evict answers an eviction, and reports whether the pod goes.
// (pkg/registry/core/pod/storage/eviction.go)
func (w *world) evict(ctx context.Context, name string) bool {
	p, err := w.c.CoreV1().Pods("default").Get(ctx, name, metav1.GetOptions{})
	if err != nil || p.DeletionTimestamp != nil {
		return true
	}
	b, err := w.c.PolicyV1().PodDisruptionBudgets("default").Get(ctx, "b", metav1.GetOptions{})
	if err != nil {
		panic(err)
	}
	b = b.DeepCopy()
	ready := slices.ContainsFunc(p.Status.Conditions, func(c v1.PodCondition) bool { return c.Type == v1.PodReady && c.Status == v1.ConditionTrue })
	s := &b.Status
	switch {
	case p.Status.Phase == v1.PodPending:
	case !ready && (w.r.always || s.CurrentHealthy >= s.DesiredHealthy && s.DesiredHealthy > 0):
	case s.DisruptionsAllowed < 1:
		return false
	default:
		s.DisruptionsAllowed--
		if s.DisruptedPods == nil {
			s.DisruptedPods = map[string]metav1.Time{}
		}
		s.DisruptedPods[name] = now()
		if _, err := w.c.PolicyV1().PodDisruptionBudgets("default").UpdateStatus(ctx, b, metav1.UpdateOptions{}); err != nil {
			time.Sleep(time.Millisecond) // a conflict: the API server tries again at once
			return w.evict(ctx, name)
		}
	}
	if err := w.c.CoreV1().Pods("default").Delete(ctx, name, metav1.DeleteOptions{}); err != nil {
		panic(err)
	}
	return true
}
