//go:build js && wasm

// Command questions answers questions about a Kubernetes cluster: the page loads it when
// the place Your cluster opens a dump. It plays no simulation and has no other readers.
package main

import (
	"parley/core/kube/remote"
	"parley/core/message"
	"parley/core/trace"
	"parley/wasm/bridge"
	"parley/wasm/file"
	"parley/wasm/memory"
)

func main() {
	memory.Sparing()
	desk := remote.New(bridge.Clock)
	bridge.Work(message.ToCluster, func(m message.Message, parts bridge.Parts,
		tell func(message.Message),
	) message.Message {
		return desk.Answer(m,
			remote.Host{Open: func(f message.File) trace.File { return file.Open(f, parts.At(f.Part)) }, Send: tell})
	})
	select {}
}
