package controllers

import (
	"context"
	"fmt"
	"reflect"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	apps "k8s.io/api/apps/v1"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/client-go/util/flowcontrol"
	"k8s.io/kubernetes/pkg/controller/daemon"
	"k8s.io/kubernetes/pkg/controller/deployment"
	"k8s.io/kubernetes/pkg/controller/replicaset"
	"k8s.io/kubernetes/pkg/controller/statefulset"
)

var pods = schema.GroupVersionResource{Version: "v1", Resource: "pods"}

// world plays the API server, the scheduler of one node and its kubelet around the fake clientset.
type world struct {
	c       *fake.Clientset
	r       rollout
	t0      time.Time
	rolling bool // the template has changed
	out     facts
	saying  sync.Mutex // controllers delete pods in several goroutines
	serial  atomic.Int64
	reason  string // of the Deployment's condition Progressing
	bound   int
	waiting []*v1.Pod
	sick    int // pods that are still to be made and never become ready
	never   map[string]bool
}

// now returns the time in whole seconds, as the API server keeps it.
func now() metav1.Time { return metav1.NewTime(time.Now().Truncate(time.Second)) }

func (w *world) say(what string) {
	w.saying.Lock()
	defer w.saying.Unlock()
	if w.rolling {
		w.out.add(time.Since(w.t0).Milliseconds()/100, what)
	}
}

func (w *world) version(o runtime.Object) {
	if m, err := meta.Accessor(o); err == nil {
		// The fake does not raise it, and informers take such an update for none.
		m.SetResourceVersion(fmt.Sprint(w.serial.Add(1)))
	}
}

// get returns a pod, nil if it is gone or another of its name has come.
func (w *world) get(name string, uid types.UID) *v1.Pod {
	o, err := w.c.Tracker().Get(pods, "default", name)
	if err != nil || o.(*v1.Pod).UID != uid {
		return nil
	}
	return o.(*v1.Pod).DeepCopy()
}

func (w *world) update(p *v1.Pod) {
	w.version(p)
	if err := w.c.Tracker().Update(pods, p, "default"); err != nil {
		panic(err)
	}
}

// node returns where a pod runs: n, or the node that a DaemonSet made it for.
func node(p *v1.Pod) string {
	if a := p.Spec.Affinity; a != nil && a.NodeAffinity != nil {
		return a.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution.NodeSelectorTerms[0].MatchFields[0].Values[0]
	}
	return "n"
}

// bind gives a pod its node and starts it.
func (w *world) bind(p *v1.Pod) {
	w.bound++
	never := w.r.broken && w.rolling && p.Spec.Containers[0].Image == "b"
	if (!w.rolling || w.r.drain) && w.sick > 0 { // in a drain the successors of sick pods are sick
		w.sick--
		never = true
		w.never[p.Name] = true
	}
	time.AfterFunc(time.Millisecond, func() { // when the create that is under way has ended
		if q := w.get(p.Name, p.UID); q != nil {
			q.Spec.NodeName, q.Status.Phase = node(q), v1.PodRunning
			w.update(q)
		}
	})
	if never {
		return
	}
	time.AfterFunc(time.Duration(w.r.start)*time.Second, func() {
		q := w.get(p.Name, p.UID)
		if q == nil || q.DeletionTimestamp != nil {
			return
		}
		q.Spec.NodeName, q.Status.Phase = node(q), v1.PodRunning
		q.Status.Conditions = []v1.PodCondition{{Type: v1.PodReady, Status: v1.ConditionTrue, LastTransitionTime: now()}}
		w.update(q)
		w.say("ready")
	})
}

// gone ends a pod, and gives its room to the one that waits longest.
func (w *world) gone(p *v1.Pod, bound bool) {
	if w.get(p.Name, p.UID) == nil {
		return
	}
	w.c.Tracker().Delete(pods, "default", p.Name)
	w.say("gone")
	if !bound {
		return
	}
	w.bound--
	for len(w.waiting) > 0 {
		next := w.waiting[0]
		w.waiting = w.waiting[1:]
		if w.get(next.Name, next.UID) != nil {
			w.bind(next)
			return
		}
	}
}

// progress notes that a rollout is complete or has exceeded its deadline.
func (w *world) progress(d *apps.Deployment) {
	if w.r.drain {
		return
	}
	for _, c := range d.Status.Conditions {
		if c.Type == apps.DeploymentProgressing && c.Reason != w.reason {
			if w.reason = c.Reason; w.reason == "NewReplicaSetAvailable" || w.reason == "ProgressDeadlineExceeded" {
				w.say(w.reason)
			}
		}
	}
}

func (w *world) react() {
	w.c.PrependReactor("*", "*", func(a clienttesting.Action) (bool, runtime.Object, error) {
		u, is := a.(clienttesting.CreateAction) // updates have the same method
		if !is {
			return false, nil, nil
		}
		o := u.GetObject()
		m, err := meta.Accessor(o)
		if err != nil {
			return false, nil, nil
		}
		if a.GetVerb() == "update" {
			old, err := w.c.Tracker().Get(a.GetResource(), a.GetNamespace(), m.GetName())
			if err != nil {
				return false, nil, nil
			}
			if reflect.DeepEqual(old, o) {
				return true, o, nil // the API server sends no event of a write that changes nothing
			}
			if was, err := meta.Accessor(old); err == nil && was.GetResourceVersion() != m.GetResourceVersion() {
				return true, nil, errors.NewConflict(a.GetResource().GroupResource(), m.GetName(), fmt.Errorf("it has changed"))
			}
		}
		w.version(o)
		if d, is := o.(*apps.Deployment); is {
			w.progress(d)
		}
		if a.GetVerb() == "create" && m.GetUID() == "" {
			m.SetUID(types.UID(fmt.Sprint("u", w.serial.Load())))
			m.SetCreationTimestamp(now())
		}
		if p, is := o.(*v1.Pod); is && a.GetVerb() == "create" {
			if _, err := w.c.Tracker().Get(pods, "default", p.Name); err == nil && p.Name != "" {
				return false, nil, nil // the tracker refuses a name that is taken
			}
			p.Namespace, p.Status.Phase = a.GetNamespace(), v1.PodPending
			if p.Name == "" {
				p.Name = fmt.Sprintf("%s%d", p.GenerateName, w.serial.Load())
			}
			w.say("created")
			if w.bound < w.r.room {
				w.bind(p.DeepCopy())
			} else {
				w.waiting = append(w.waiting, p.DeepCopy())
			}
		}
		return false, nil, nil
	})
	w.c.PrependReactor("delete", "pods", func(a clienttesting.Action) (bool, runtime.Object, error) {
		d := a.(clienttesting.DeleteAction)
		o, err := w.c.Tracker().Get(pods, a.GetNamespace(), d.GetName())
		if err != nil {
			return true, nil, err
		}
		p := o.(*v1.Pod).DeepCopy()
		if p.DeletionTimestamp != nil {
			return true, nil, nil
		}
		w.say("deleted")
		if w.never[p.Name] {
			w.sick++
		}
		waits := false
		for _, x := range w.waiting {
			waits = waits || x.UID == p.UID
		}
		if waits { // no kubelet has it: the API server removes it at once
			w.gone(p, false)
			return true, nil, nil
		}
		end := metav1.NewTime(time.Now().Add(time.Duration(w.r.grace) * time.Second))
		p.DeletionTimestamp = &end
		w.update(p)
		time.AfterFunc(time.Duration(w.r.grace)*time.Second, func() { w.gone(p, true) })
		return true, nil, nil
	})
}

// real returns what happens under the real controllers.
func real(t *testing.T, r rollout) (out facts) {
	out = facts{}
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(context.Background())
		labels := map[string]string{"app": "w"}
		replicas, deadline, history := int32(r.replicas), int32(r.deadline), int32(10)
		template := v1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels}, Spec: v1.PodSpec{Containers: []v1.Container{{Name: "c", Image: "a"}}}}
		selector := &metav1.LabelSelector{MatchLabels: labels}
		object := metav1.ObjectMeta{Name: "w", Namespace: "default", UID: "w", Generation: 1}
		w := &world{r: r, out: out, sick: r.sick, never: map[string]bool{}, t0: time.Now()}
		if r.daemon {
			unavailable, surge := intstr.Parse(r.unavailable), intstr.Parse(r.surge)
			all := []runtime.Object{&apps.DaemonSet{ObjectMeta: object, Spec: apps.DaemonSetSpec{
				RevisionHistoryLimit: &history, Selector: selector, Template: template, MinReadySeconds: int32(r.minReady),
				UpdateStrategy: apps.DaemonSetUpdateStrategy{Type: apps.RollingUpdateDaemonSetStrategyType, RollingUpdate: &apps.RollingUpdateDaemonSet{MaxUnavailable: &unavailable, MaxSurge: &surge}},
			}}}
			for i := range r.replicas {
				all = append(all, &v1.Node{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprint("n", i)}, Status: v1.NodeStatus{Conditions: []v1.NodeCondition{{Type: v1.NodeReady, Status: v1.ConditionTrue}}}})
			}
			w.c = fake.NewSimpleClientset(all...)
		} else if r.set {
			policy, partition := apps.OrderedReadyPodManagement, int32(r.partition)
			if r.parallel {
				policy = apps.ParallelPodManagement
			}
			w.c = fake.NewSimpleClientset(&apps.StatefulSet{ObjectMeta: object, Spec: apps.StatefulSetSpec{
				Replicas: &replicas, RevisionHistoryLimit: &history, PodManagementPolicy: policy, ServiceName: "w", Selector: selector, Template: template, MinReadySeconds: int32(r.minReady),
				UpdateStrategy: apps.StatefulSetUpdateStrategy{Type: apps.RollingUpdateStatefulSetStrategyType, RollingUpdate: &apps.RollingUpdateStatefulSetStrategy{Partition: &partition}},
			}})
		} else {
			surge, unavailable := intstr.Parse(r.surge), intstr.Parse(r.unavailable)
			strategy := apps.DeploymentStrategy{Type: apps.RollingUpdateDeploymentStrategyType, RollingUpdate: &apps.RollingUpdateDeployment{MaxSurge: &surge, MaxUnavailable: &unavailable}}
			if r.recreate {
				strategy = apps.DeploymentStrategy{Type: apps.RecreateDeploymentStrategyType}
			}
			all := []runtime.Object{&apps.Deployment{ObjectMeta: object, Spec: apps.DeploymentSpec{
				Replicas: &replicas, RevisionHistoryLimit: &history, ProgressDeadlineSeconds: &deadline, Selector: selector, Strategy: strategy, Template: template, MinReadySeconds: int32(r.minReady),
			}}}
			if r.drain {
				all = append(all, r.budget())
			}
			w.c = fake.NewSimpleClientset(all...)
		}
		w.react()
		// An informer without a resync selects on a channel of its package, for which virtual time never passes.
		f := informers.NewSharedInformerFactory(w.c, 1000*time.Hour)
		if r.daemon {
			c, err := daemon.NewDaemonSetsController(ctx, f.Apps().V1().DaemonSets(), f.Apps().V1().ControllerRevisions(), f.Core().V1().Pods(), f.Core().V1().Nodes(), w.c, flowcontrol.NewBackOff(time.Second, 15*time.Minute))
			if err != nil {
				t.Fatal(err)
			}
			f.Start(ctx.Done())
			f.WaitForCacheSync(ctx.Done())
			go c.Run(ctx, 1)
		} else if r.set {
			c := statefulset.NewStatefulSetController(ctx, f.Core().V1().Pods(), f.Apps().V1().StatefulSets(), f.Core().V1().PersistentVolumeClaims(), f.Apps().V1().ControllerRevisions(), w.c)
			f.Start(ctx.Done())
			f.WaitForCacheSync(ctx.Done())
			go c.Run(ctx, 1)
		} else {
			rc := replicaset.NewReplicaSetController(ctx, f.Apps().V1().ReplicaSets(), f.Core().V1().Pods(), w.c, 500)
			c, err := deployment.NewDeploymentController(ctx, f.Apps().V1().Deployments(), f.Apps().V1().ReplicaSets(), f.Core().V1().Pods(), w.c)
			if err != nil {
				t.Fatal(err)
			}
			disrupts := func() {}
			if r.drain {
				disrupts = w.disrupts(ctx, f)
			}
			f.Start(ctx.Done())
			f.WaitForCacheSync(ctx.Done())
			go rc.Run(ctx, 1)
			go c.Run(ctx, 1)
			go disrupts()
		}
		time.Sleep(2000 * time.Second)
		synctest.Wait()
		if r.drain {
			w.t0, w.rolling = time.Now(), true
			go w.drain(ctx)
		} else {
			w.change(ctx, t)
		}
		time.Sleep(time.Until(w.t0.Add(horizon * time.Second)))
		synctest.Wait()
		w.rolling = false
		cancel()
		time.Sleep(2 * time.Hour)
	})
	return out
}

// change gives the workload another template.
func (w *world) change(ctx context.Context, t *testing.T) {
	w.t0, w.rolling = time.Now(), true
	var err error
	if w.r.daemon {
		s, _ := w.c.AppsV1().DaemonSets("default").Get(ctx, "w", metav1.GetOptions{})
		s = s.DeepCopy()
		s.Generation, s.Spec.Template.Spec.Containers[0].Image = 2, "b"
		_, err = w.c.AppsV1().DaemonSets("default").Update(ctx, s, metav1.UpdateOptions{})
	} else if w.r.set {
		s, _ := w.c.AppsV1().StatefulSets("default").Get(ctx, "w", metav1.GetOptions{})
		s = s.DeepCopy()
		s.Generation, s.Spec.Template.Spec.Containers[0].Image = 2, "b"
		_, err = w.c.AppsV1().StatefulSets("default").Update(ctx, s, metav1.UpdateOptions{})
	} else {
		d, _ := w.c.AppsV1().Deployments("default").Get(ctx, "w", metav1.GetOptions{})
		d = d.DeepCopy()
		d.Generation, d.Spec.Template.Spec.Containers[0].Image = 2, "b"
		_, err = w.c.AppsV1().Deployments("default").Update(ctx, d, metav1.UpdateOptions{})
	}
	if err != nil {
		t.Fatal(err)
	}
	synctest.Wait()
}
