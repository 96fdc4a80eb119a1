package karpenter

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/scheme"
	clock "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"
	fakeclient "sigs.k8s.io/controller-runtime/pkg/client/fake"
	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"
	"sigs.k8s.io/karpenter/pkg/cloudprovider"
	"sigs.k8s.io/karpenter/pkg/cloudprovider/fake"
	"sigs.k8s.io/karpenter/pkg/controllers/disruption"
	"sigs.k8s.io/karpenter/pkg/controllers/provisioning"
	"sigs.k8s.io/karpenter/pkg/controllers/state"
	"sigs.k8s.io/karpenter/pkg/operator/options"
	"sigs.k8s.io/karpenter/pkg/scheduling"
	"sigs.k8s.io/karpenter/pkg/test"
)

// What nodes have besides CPU; the fake cloud takes 10Mi of the memory for the machine itself.
const (
	memory            = "64Gi"
	allocatableMemory = "65526Mi"
	podsOfNode        = "110"
)

func resources(cpu int, memory string) corev1.ResourceList {
	return corev1.ResourceList{
		corev1.ResourceCPU:    *resource.NewMilliQuantity(int64(cpu), resource.DecimalSI),
		corev1.ResourceMemory: resource.MustParse(memory),
		corev1.ResourcePods:   resource.MustParse(podsOfNode),
	}
}

func (n *node) labels() map[string]string {
	return map[string]string{
		v1.NodePoolLabelKey: "p", v1.NodeRegisteredLabelKey: "true", v1.NodeInitializedLabelKey: "true",
		v1.CapacityTypeLabelKey: n.capacity, corev1.LabelTopologyZone: n.zone, corev1.LabelHostname: n.name,
		corev1.LabelInstanceTypeStable: n.machine.name, corev1.LabelArchStable: "amd64", corev1.LabelOSStable: "linux",
	}
}

// cloud returns a cloud that offers the machines of the case's nodes in the zones of such nodes, as Parley assumes:
// a dump does not tell what else a cloud has.
func (c *cluster) cloud() *fake.CloudProvider {
	out := fake.NewCloudProvider()
	out.InstanceTypes = nil
	for _, m := range machines {
		var offerings cloudprovider.Offerings
		for _, zone := range zones {
			if !slices.ContainsFunc(c.nodes, func(n node) bool { return n.machine == m && n.zone == zone }) {
				continue
			}
			for _, capacity := range c.capacities {
				offerings = append(offerings, &cloudprovider.Offering{
					Available: true, Price: c.prices[offer{m.name, zone, capacity}],
					Requirements: scheduling.NewLabelRequirements(map[string]string{
						v1.CapacityTypeLabelKey: capacity, corev1.LabelTopologyZone: zone,
					}),
				})
			}
		}
		if offerings != nil {
			out.InstanceTypes = append(out.InstanceTypes, fake.NewInstanceType(fake.InstanceTypeOptions{
				Name: m.name, Resources: resources(m.cpu*1000, memory), Offerings: offerings,
			}))
		}
	}
	return out
}

// pool returns the NodePool. Without its requirement it would be of both capacity types, and Karpenter would
// replace nodes by spot ones only.
func (c *cluster) pool() *v1.NodePool {
	var out v1.NodePool
	out.Name = "p"
	out.Spec.Template.Spec.Requirements = []v1.NodeSelectorRequirementWithMinValues{{
		NodeSelectorRequirement: corev1.NodeSelectorRequirement{
			Key: v1.CapacityTypeLabelKey, Operator: corev1.NodeSelectorOpIn, Values: c.capacities,
		},
	}}
	out.Spec.Disruption = v1.Disruption{
		ConsolidationPolicy: v1.ConsolidationPolicyWhenEmptyOrUnderutilized,
		ConsolidateAfter:    v1.MustParseNillableDuration("0s"),
		Budgets:             []v1.Budget{{Nodes: c.budget}},
	}
	return test.NodePool(out)
}

// made returns the objects of a node that Karpenter has made and that may be consolidated.
func (n *node) made() (*v1.NodeClaim, *corev1.Node) {
	status := v1.NodeClaimStatus{
		ProviderID: "fake:///" + n.name, NodeName: n.name,
		Capacity:    resources(n.machine.cpu*1000, memory),
		Allocatable: resources(n.machine.allocatable(), allocatableMemory),
	}
	meta := metav1.ObjectMeta{Name: n.name, Labels: n.labels()}
	claim, made := test.NodeClaimAndNode(v1.NodeClaim{ObjectMeta: meta, Status: status})
	for _, condition := range []string{
		v1.ConditionTypeLaunched, v1.ConditionTypeRegistered, v1.ConditionTypeInitialized,
		v1.ConditionTypeConsolidatable,
	} {
		claim.StatusConditions().SetTrue(condition)
	}
	made.Name, made.Labels, made.Spec.Taints = n.name, n.labels(), nil
	made.Status.Capacity, made.Status.Allocatable = status.Capacity, status.Allocatable
	return claim, made
}

func (p *pod) made(on string) *corev1.Pod {
	controls := true
	requests := corev1.ResourceList{corev1.ResourceCPU: *resource.NewMilliQuantity(int64(p.cpu), resource.DecimalSI)}
	out := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Name: p.name, Namespace: "n", UID: types.UID(p.name), Labels: map[string]string{"app": "web"},
			Annotations: map[string]string{corev1.PodDeletionCost: fmt.Sprint(p.cost)},
			OwnerReferences: []metav1.OwnerReference{
				{APIVersion: "apps/v1", Kind: "ReplicaSet", Name: "set" + p.name, UID: "u", Controller: &controls},
			},
		},
		Spec: corev1.PodSpec{
			NodeName:   on,
			Containers: []corev1.Container{{Name: "c", Resources: corev1.ResourceRequirements{Requests: requests}}},
		},
		Status: corev1.PodStatus{
			Phase:      corev1.PodRunning,
			Conditions: []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}},
		},
	}
	if p.zone != "" {
		out.Spec.NodeSelector = map[string]string{corev1.LabelTopologyZone: p.zone}
	}
	return out
}

// by makes an index of one field of the objects of a type.
func by[T client.Object](field func(T) string) client.IndexerFunc {
	return func(o client.Object) []string { return []string{field(o.(T))} }
}

// server returns a client with objects and the indexes by which Karpenter lists them.
func server(objects []client.Object) client.Client {
	return fakeclient.NewClientBuilder().WithScheme(scheme.Scheme).WithObjects(objects...).
		WithStatusSubresource(&v1.NodeClaim{}, &v1.NodePool{}).
		WithIndex(&corev1.Pod{}, "spec.nodeName", by(func(p *corev1.Pod) string { return p.Spec.NodeName })).
		WithIndex(&corev1.Node{}, "spec.providerID", by(func(n *corev1.Node) string { return n.Spec.ProviderID })).
		WithIndex(&v1.NodeClaim{}, "status.providerID",
			by(func(c *v1.NodeClaim) string { return c.Status.ProviderID })).
		WithIndex(&storagev1.VolumeAttachment{}, "spec.nodeName",
			by(func(v *storagev1.VolumeAttachment) string { return v.Spec.NodeName })).
		Build()
}

// karpenter returns the first command of Karpenter: its methods are asked in its order, and its validation, which
// waits for 15 s, is part of them.
func (c *cluster) karpenter(t *testing.T) command {
	ctx, cancel := context.WithCancel(options.ToContext(context.Background(), test.Options()))
	defer cancel()
	now := clock.NewFakeClock(time.Now())
	provider := c.cloud()
	objects := []client.Object{c.pool(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "n"}}}
	var claims []*v1.NodeClaim
	var nodes []*corev1.Node
	var pods []*corev1.Pod
	for _, n := range c.nodes {
		claim, made := n.made()
		claims, nodes, objects = append(claims, claim), append(nodes, made), append(objects, claim, made)
		for _, p := range n.pods {
			one := p.made(n.name)
			pods, objects = append(pods, one), append(objects, one)
		}
	}
	kube, recorder := server(objects), test.NewEventRecorder()
	known := state.NewCluster(now, kube, provider)
	for i := range nodes {
		known.UpdateNodeClaim(claims[i])
		if err := known.UpdateNode(ctx, nodes[i]); err != nil {
			t.Fatal(err)
		}
	}
	for _, p := range pods {
		if err := known.UpdatePod(ctx, p); err != nil {
			t.Fatal(err)
		}
	}
	now.Step(10 * time.Minute)
	go func() { // time passes whenever the validation waits
		for ctx.Err() == nil {
			if now.HasWaiters() {
				now.Step(15 * time.Second)
			}
			time.Sleep(100 * time.Microsecond)
		}
	}()
	provisioner := provisioning.NewProvisioner(kube, recorder, provider, known, now)
	queue := disruption.NewQueue(kube, recorder, known, now, provisioner)
	base := disruption.MakeConsolidation(now, known, kube, provisioner, provider, recorder, queue)
	for _, method := range []struct {
		kind string
		disruption.Method
	}{
		{"empty", disruption.NewEmptiness(base)},
		{"multi-node", disruption.NewMultiNodeConsolidation(base)},
		{"single-node", disruption.NewSingleNodeConsolidation(base)},
	} {
		candidates, err := disruption.GetCandidates(
			ctx, known, kube, recorder, now, provider, method.ShouldDisrupt, method.Class(), queue,
		)
		if err != nil {
			t.Fatal(err)
		}
		if len(candidates) == 0 {
			continue
		}
		budgets, err := disruption.BuildDisruptionBudgetMapping(
			ctx, known, now, kube, provider, recorder, method.Reason(),
		)
		if err != nil {
			t.Fatal(err)
		}
		decided, err := method.ComputeCommand(ctx, budgets, candidates...)
		if err != nil {
			t.Fatal(err)
		}
		if decided.Decision() == disruption.NoOpDecision {
			continue
		}
		out := command{kind: method.kind}
		for _, x := range decided.Candidates {
			out.nodes = append(out.nodes, x.Name())
		}
		slices.Sort(out.nodes)
		for _, x := range decided.Replacements {
			cheapest := x.InstanceTypeOptions.OrderByPrice(x.Requirements)[0].Name
			capacities := x.Requirements.Get(v1.CapacityTypeLabelKey).Values()
			out.replacement += cheapest + ", " + strings.Join(capacities, " or ")
		}
		return out
	}
	return command{}
}
