//go:build js

// Program view draws the heatmap in a document of its own, a same-origin frame of the page:
// Ebitengine takes over the body it runs in, its keys and its Tab stop. It has no system and
// computes nothing: it receives buffers and draws pixels.
//
// It exchanges message events with the window that embeds it, and ignores all others: it receives
// core/message's ToView and sends FromView.
//
// An invalid message is reported in the console and changes nothing.
package main

import (
	"syscall/js"

	"github.com/hajimehoshi/ebiten/v2"

	"parley/core/heatmap"
	"parley/core/message"
)

func main() {
	page := connect()
	if reason := missing(); reason != "" {
		page.fail(reason)
		select {} // wasm_exec.js throws when timers find the program gone
	}
	game, err := heatmap.New(page)
	if err != nil {
		page.fail(err.Error())
		select {}
	}
	retreat()
	ebiten.SetScreenClearedEveryFrame(false)
	ebiten.SetTPS(ebiten.SyncWithFPS) // a picture without a tick would ask for no other
	tickOnDemand()
	page.say(message.ViewReady{})
	if err := ebiten.RunGameWithOptions(game, &ebiten.RunGameOptions{InitUnfocused: true}); err != nil {
		page.fail(err.Error())
	}
	select {}
}

// tickOnDemand lets the game sleep until tick is called. Without it Ebitengine
// takes 37 ms of every second from the page's thread while nothing changes,
// with it 15 (script time in Chromium, a paused run).
//
// The mode is deprecated in favour of the vsync setting that main uses as well, which saves the
// drawing but not the ticks.
func tickOnDemand() {
	//lint:ignore SA1019 see above
	ebiten.SetFPSMode(ebiten.FPSModeVsyncOffMinimum)
}

// tick wakes the game for the browser's next picture.
func tick() {
	//lint:ignore SA1019 as tickOnDemand
	ebiten.ScheduleFrame()
}

// missing describes the feature that the browser lacks for the heatmap, or returns "". It uses a
// canvas of its own: Ebitengine ends the program if WebGL is missing.
func missing() string {
	canvas := js.Global().Get("document").Call("createElement", "canvas")
	context := canvas.Call("getContext", "webgl2")
	if !context.Truthy() {
		return "this browser offers no WebGL 2, or it is switched off"
	}
	if lose := context.Call("getExtension", "WEBGL_lose_context"); lose.Truthy() {
		lose.Call("loseContext")
	}
	return ""
}

// retreat removes Ebitengine's canvas from the Tab order and from the accessibility tree: the page's
// overlay has keys, pointer and words.
func retreat() {
	canvas := js.Global().Get("document").Call("querySelector", "canvas")
	if canvas.Truthy() {
		canvas.Call("removeAttribute", "tabindex")
		canvas.Call("setAttribute", "aria-hidden", "true")
	}
}
