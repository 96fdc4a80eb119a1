// Package bridge is how the Go programs in web workers talk to the page: values,
// messages, transferred buffers, and turns of the event loop.
package bridge
