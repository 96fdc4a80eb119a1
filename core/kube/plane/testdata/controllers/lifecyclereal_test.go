package controllers

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	coordination "k8s.io/api/coordination/v1"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/kubernetes/scheme"
	core "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/rest"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/client-go/tools/cache"
	cloudprovider "k8s.io/cloud-provider"
	cloudlifecycle "k8s.io/cloud-provider/controllers/nodelifecycle"
	"k8s.io/component-base/metrics/prometheus/controllers"
	"k8s.io/kubernetes/pkg/controller/nodelifecycle"
	"k8s.io/kubernetes/pkg/controller/podgc"
	"k8s.io/kubernetes/pkg/controller/tainteviction"
)

// withEvents is the fake client with a REST client, to which the controller of nodes sends its events.
type withEvents struct {
	*fake.Clientset
	rest rest.Interface
}

type coreWithEvents struct {
	core.CoreV1Interface
	rest rest.Interface
}

func (c coreWithEvents) RESTClient() rest.Interface { return c.rest }
func (c *withEvents) CoreV1() core.CoreV1Interface {
	return coreWithEvents{c.Clientset.CoreV1(), c.rest}
}

// sink takes events and forgets them.
type sink struct{}

func (sink) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	return &http.Response{StatusCode: http.StatusCreated, Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(bytes.NewReader(body)), Request: r}, nil
}

// cloud knows which machines exist.
type cloud struct {
	cloudprovider.Interface
	gone map[string]bool
}

func (c *cloud) Instances() (cloudprovider.Instances, bool)     { return nil, false }
func (c *cloud) InstancesV2() (cloudprovider.InstancesV2, bool) { return c, true }
func (c *cloud) InstanceExists(_ context.Context, n *v1.Node) (bool, error) {
	return !c.gone[n.Name], nil
}
func (c *cloud) InstanceShutdown(context.Context, *v1.Node) (bool, error) { return false, nil }
func (c *cloud) InstanceMetadata(context.Context, *v1.Node) (*cloudprovider.InstanceMetadata, error) {
	return &cloudprovider.InstanceMetadata{}, nil
}

// monitorPass is a little less than the 5 s of the controller, so that its passes are never at the moment of the
// limiter's passes of 100 ms: what is first at one moment is chance, and a node that is tainted in the midst of the
// monitor's pass is queued again and takes the turn of another. It adds up to less than 100 ms in a play.
const monitorPass = 5*time.Second - 250*time.Microsecond

// warm is for how many seconds all is well before the machines stop: longer than the 60 s for which new nodes
// are spared, and a multiple of all periods.
const warm = 200

// real returns what happens under the real controllers.
func (o *outage) real(t *testing.T) (out moments) {
	out = moments{}
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(context.Background())
		begin := time.Now()
		t0 := begin.Add(warm * time.Second)
		var all []runtime.Object
		zone, tolerates, machines := map[string]string{}, map[string]int64{}, &cloud{gone: map[string]bool{}}
		stops := map[string]time.Duration{} // how long before t0 the last lease was renewed
		long := metav1.NewTime(begin.Add(-time.Hour))
		for _, z := range o.zones {
			for i := range z.size {
				name := z.node(i)
				zone[name] = z.key()
				stops[name] = -1
				if k := z.size - 1 - i; k < len(z.renewed) {
					stops[name] = time.Duration(z.renewed[k]) * time.Second / 10
					machines.gone[name] = z.gone
				}
				all = append(all, &v1.Node{
					ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID(name), Labels: z.labels(i), CreationTimestamp: long},
					Spec:       v1.NodeSpec{ProviderID: "fake://" + name},
					Status:     v1.NodeStatus{Conditions: []v1.NodeCondition{{Type: v1.NodeReady, Status: v1.ConditionTrue, LastHeartbeatTime: metav1.NewTime(begin), LastTransitionTime: long}}},
				}, &coordination.Lease{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "kube-node-lease"}, Spec: coordination.LeaseSpec{RenewTime: &metav1.MicroTime{Time: begin}}})
				for k, seconds := range z.pods {
					pod := fmt.Sprintf("%s-p%d", name, k)
					tolerates[pod] = seconds
					p := &v1.Pod{
						ObjectMeta: metav1.ObjectMeta{Name: pod, Namespace: "default", UID: types.UID(pod)}, Spec: v1.PodSpec{NodeName: name},
						Status: v1.PodStatus{Phase: v1.PodRunning, Conditions: []v1.PodCondition{{Type: v1.PodReady, Status: v1.ConditionTrue}}},
					}
					if seconds != 0 {
						one := v1.Toleration{Key: "node.kubernetes.io/unreachable", Operator: "Exists", Effect: "NoExecute"}
						if seconds > 0 {
							one.TolerationSeconds = &seconds
						}
						p.Spec.Tolerations = []v1.Toleration{one}
					}
					all = append(all, p)
				}
			}
		}
		w := &world{out: facts{}, t0: t0, c: fake.NewSimpleClientset(all...)}
		client := w.events(t)
		w.hold()
		f := informers.NewSharedInformerFactory(client, 1000*time.Hour)
		var lock sync.Mutex // nodes and pods are watched apart
		say := func(what, zone string, tolerates int64) {
			lock.Lock()
			defer lock.Unlock()
			if since := time.Since(t0); since >= 0 {
				out.add((since.Milliseconds()+99)/100, what, zone, tolerates)
			}
		}
		watchNodes(t, f, func(what, node string) { say(what, zone[node], 0) })
		watchPods(t, f, func(what string, p *v1.Pod) { say(what, zone[p.Spec.NodeName], tolerates[p.Name]) })
		lives, err := nodelifecycle.NewNodeLifecycleController(ctx, f.Coordination().V1().Leases(), f.Core().V1().Pods(), f.Core().V1().Nodes(), f.Apps().V1().DaemonSets(), client,
			monitorPass, 60*time.Second, 50*time.Second, 0.1, 0.01, 50, 0.55)
		if err != nil {
			t.Fatal(err)
		}
		taints, err := tainteviction.New(ctx, client, f.Core().V1().Pods(), f.Core().V1().Nodes(), "taint-eviction-controller")
		if err != nil {
			t.Fatal(err)
		}
		clouds, err := cloudlifecycle.NewCloudNodeLifecycleController(f.Core().V1().Nodes(), client, machines, 5*time.Second)
		if err != nil {
			t.Fatal(err)
		}
		collect := podgc.NewPodGC(ctx, client, f.Core().V1().Pods(), f.Core().V1().Nodes(), 12500)
		f.Start(ctx.Done())
		f.WaitForCacheSync(ctx.Done())
		tenth := time.Second / 10
		time.Sleep(time.Until(begin.Add(tenth))) // the informers take no time or 100 ms
		go lives.Run(ctx)
		go taints.Run(ctx)
		time.AfterFunc(time.Duration(o.cloud-1)*tenth, func() { clouds.Run(ctx, controllers.NewControllerManagerMetrics("test")) })
		time.AfterFunc(time.Duration(o.pass-1)*tenth, func() { collect.Run(ctx) })
		for name, stop := range stops {
			go w.renew(ctx, name, t0, stop)
		}
		time.Sleep(time.Until(t0.Add(horizon*time.Second + time.Second/2)))
		synctest.Wait()
		cancel()
		time.Sleep(2 * time.Hour)
	})
	return out
}

// events gives the client of a world a REST client.
func (w *world) events(t *testing.T) *withEvents {
	config := &rest.Config{Host: "http://x", APIPath: "/api", QPS: -1, ContentConfig: rest.ContentConfig{ContentType: "application/json", GroupVersion: &v1.SchemeGroupVersion, NegotiatedSerializer: scheme.Codecs.WithoutConversion()}}
	c, err := rest.RESTClientForConfigAndClient(config, &http.Client{Transport: sink{}})
	if err != nil {
		t.Fatal(err)
	}
	return &withEvents{w.c, c}
}

// hold lets pods that are deleted stay until they are deleted by force: no kubelet ends them.
func (w *world) hold() {
	w.c.PrependReactor("delete", "pods", func(a clienttesting.Action) (bool, runtime.Object, error) {
		d := a.(clienttesting.DeleteActionImpl)
		if grace := d.DeleteOptions.GracePeriodSeconds; grace != nil && *grace == 0 {
			return false, nil, nil
		}
		o, err := w.c.Tracker().Get(pods, a.GetNamespace(), d.Name)
		if err != nil {
			return true, nil, err
		}
		p := o.(*v1.Pod).DeepCopy()
		if p.DeletionTimestamp == nil {
			end := metav1.NewTime(time.Now().Add(30 * time.Second))
			p.DeletionTimestamp = &end
			w.update(p)
		}
		return true, nil, nil
	})
	w.c.PrependReactor("update", "*", func(a clienttesting.Action) (bool, runtime.Object, error) {
		if u, is := a.(clienttesting.UpdateAction); is {
			if _, err := meta.Accessor(u.GetObject()); err == nil {
				w.version(u.GetObject())
			}
		}
		return false, nil, nil
	})
}

// renew is the kubelet of a node: it renews its lease every 10 s, until it stops, which is below 0 if it never does.
func (w *world) renew(ctx context.Context, name string, t0 time.Time, stop time.Duration) {
	last := t0.Add(horizon * time.Second)
	phase := 3 * time.Second
	if stop >= 0 {
		last = t0.Add(-stop)
		phase = time.Until(last) % (10 * time.Second)
	}
	time.Sleep(phase)
	for !time.Now().After(last) && ctx.Err() == nil {
		leases := w.c.CoordinationV1().Leases("kube-node-lease")
		l, err := leases.Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return // its node has gone
		}
		l = l.DeepCopy()
		l.Spec.RenewTime = &metav1.MicroTime{Time: time.Now()}
		if _, err := leases.Update(ctx, l, metav1.UpdateOptions{}); err != nil {
			panic(err)
		}
		time.Sleep(10 * time.Second)
	}
}

func watchNodes(t *testing.T, f informers.SharedInformerFactory, say func(what, node string)) {
	tainted := func(n *v1.Node) bool {
		return slices.ContainsFunc(n.Spec.Taints, func(x v1.Taint) bool {
			return x.Key == v1.TaintNodeUnreachable && x.Effect == v1.TaintEffectNoExecute
		})
	}
	ready := func(n *v1.Node) bool { return n.Status.Conditions[0].Status == v1.ConditionTrue }
	_, err := f.Core().V1().Nodes().Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		UpdateFunc: func(from, to any) {
			a, b := from.(*v1.Node), to.(*v1.Node)
			if ready(a) && !ready(b) {
				say("not ready", b.Name)
			}
			if tainted(b) && !tainted(a) {
				say("tainted", b.Name)
			} else if tainted(a) && !tainted(b) {
				say("untainted", b.Name)
			}
		},
		DeleteFunc: func(o any) { say("left", o.(*v1.Node).Name) },
	})
	if err != nil {
		t.Fatal(err)
	}
}

func watchPods(t *testing.T, f informers.SharedInformerFactory, say func(what string, p *v1.Pod)) {
	ready := func(p *v1.Pod) bool {
		return slices.ContainsFunc(p.Status.Conditions, func(c v1.PodCondition) bool { return c.Type == v1.PodReady && c.Status == v1.ConditionTrue })
	}
	_, err := f.Core().V1().Pods().Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		UpdateFunc: func(from, to any) {
			a, b := from.(*v1.Pod), to.(*v1.Pod)
			if ready(a) && !ready(b) {
				say("unready", b)
			}
			if a.DeletionTimestamp == nil && b.DeletionTimestamp != nil {
				say("deleted", b)
			}
		},
		DeleteFunc: func(o any) { say("gone", o.(*v1.Pod)) },
	})
	if err != nil {
		t.Fatal(err)
	}
}
