package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/component-base/logs"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	_ "k8s.io/kubernetes/pkg/apis/apps/install"
	_ "k8s.io/kubernetes/pkg/apis/core/install"
	_ "k8s.io/kubernetes/pkg/apis/policy/install"
	_ "k8s.io/kubernetes/pkg/apis/scheduling/install"
	_ "k8s.io/kubernetes/pkg/apis/storage/install"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/scheme"
)

func main() {
	if err := run(os.Args[1:], os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "kubernetes-oracle:", err)
		os.Exit(1)
	}
}

// run reads a dump from standard input and writes an answer a line.
func run(args []string, in io.Reader, out io.Writer) error {
	flags := flag.NewFlagSet("kubernetes-oracle", flag.ContinueOnError)
	file := flags.String("config", "", "a KubeSchedulerConfiguration; the default one without")
	if err := flags.Parse(args); err != nil {
		return err
	}
	dump, err := io.ReadAll(in)
	if err != nil {
		return err
	}
	var profiles []config.KubeSchedulerProfile
	if *file != "" {
		text, err := os.ReadFile(*file)
		if err != nil {
			return err
		}
		if profiles, err = Profiles(text); err != nil {
			return err
		}
	}
	answers, err := Answers(dump, profiles)
	if err != nil {
		return err
	}
	encode := json.NewEncoder(out)
	for _, a := range answers {
		if err := encode.Encode(a); err != nil {
			return err
		}
	}
	return nil
}

// Answers returns what the scheduler says about the pending pods of a dump.
func Answers(dump []byte, profiles []config.KubeSchedulerProfile) ([]Answer, error) {
	logs.InitLogs()
	objects, err := Objects(dump)
	if err != nil {
		return nil, err
	}
	o, err := NewOracle(objects, profiles)
	if err != nil {
		return nil, err
	}
	defer o.Close()
	// The caches of volumes are filled behind the scheduler's back, and nothing says when they
	// are: the answers count when they come a second time.
	before := ""
	for range 200 {
		var out []Answer
		stated := ""
		for _, pod := range o.Pending() {
			a := o.Ask(pod)
			out = append(out, a)
			a.Nominated = "" // a draw
			stated += fmt.Sprintf("%+v\n", a)
		}
		if stated == before {
			return out, nil
		}
		before = stated
		time.Sleep(20 * time.Millisecond)
	}
	return nil, errors.New("the scheduler does not say the same twice")
}

// Objects reads the items of a list as kubectl writes it, and sets the defaults that an
// API server has set. Objects of kinds that it does not know are left out.
func Objects(dump []byte) ([]runtime.Object, error) {
	var list struct {
		Kind, APIVersion string
		Items            []json.RawMessage
	}
	if err := json.Unmarshal(dump, &list); err != nil {
		return nil, fmt.Errorf("read the dump: %w", err)
	}
	var out []runtime.Object
	decoder := legacyscheme.Codecs.UniversalDeserializer()
	for i, item := range list.Items {
		var head unstructured.Unstructured
		if err := json.Unmarshal(item, &head.Object); err != nil {
			return nil, fmt.Errorf("read item %d: %w", i, err)
		}
		if head.GetKind() == "" { // PodList, NodeList
			head.SetKind(string(bytes.TrimSuffix([]byte(list.Kind), []byte("List"))))
			head.SetAPIVersion("v1")
			item, _ = head.MarshalJSON()
		}
		object, _, err := decoder.Decode(item, nil, nil)
		if runtime.IsNotRegisteredError(err) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("read item %d, %s %s: %w", i, head.GetKind(), head.GetName(), err)
		}
		legacyscheme.Scheme.Default(object)
		out = append(out, object)
	}
	return out, nil
}

// Profiles reads a KubeSchedulerConfiguration with the scheduler's own defaults.
func Profiles(text []byte) ([]config.KubeSchedulerProfile, error) {
	object, _, err := scheme.Codecs.UniversalDecoder().Decode(text, nil, nil)
	if err != nil {
		return nil, fmt.Errorf("read the configuration: %w", err)
	}
	c, is := object.(*config.KubeSchedulerConfiguration)
	if !is {
		return nil, fmt.Errorf("read the configuration: it is a %T", object)
	}
	return c.Profiles, nil
}
