// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"context"
	"io"
	"sync/atomic"
	"testing"
	"time"

	"hide/internal/browsertest"
	"hide/internal/demo"
	"hide/internal/testsize"
)

// newcomer is somebody who has just started the demo and reads only what its pages say. It
// counts what they do and logs the seconds since the start.
type newcomer struct {
	*browsertest.Browser
	t       *testing.T
	enter   io.Writer     // standard input of the demo
	printed *bufio.Reader // its standard output
	ahead   atomic.Int64  // of the demo's clock, in nanoseconds
	began   time.Time
	actions int
}

// startDemo runs a demo inside the test.
func startDemo(t *testing.T) *newcomer {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	in, enter := io.Pipe()
	printed, out := io.Pipe()
	n := &newcomer{t: t, enter: enter, printed: bufio.NewReader(printed), began: time.Now()}
	ended := make(chan int, 1)
	go func() {
		clock := func() time.Time { return time.Now().Add(time.Duration(n.ahead.Load())) }
		ended <- run(ctx, []string{"demo", "--no-open", "--addr", "127.0.0.1:0"}, &env{stdin: in, stdout: out, stderr: io.Discard, now: clock})
	}()
	t.Cleanup(func() {
		cancel()
		enter.Close()
		if code := <-ended; code != exitDone {
			t.Errorf("the demo ended with exit code %d", code)
		}
	})
	return n
}

// link is the next link that the demo prints.
func (n *newcomer) link() string {
	n.t.Helper()
	line, err := n.printed.ReadString('\n')
	if err != nil {
		n.t.Fatal(err)
	}
	return parseLink(n.t, line).link()
}

// patience is for busy machines.
const patience = 5 * time.Minute

func (n *newcomer) act(what func()) {
	n.actions++
	what()
}

func (n *newcomer) reached(what string) {
	n.t.Logf("%-16s %2d actions, %5.1f s after the start", what, n.actions, time.Since(n.began).Seconds())
}

func (n *newcomer) mostActions(most int, what string) {
	n.t.Helper()
	n.reached(what)
	if n.actions > most {
		n.t.Errorf("%s takes %d actions, want at most %d", what, n.actions, most)
	}
}

// TestFirstHourOfADemo goes from the link to the first result with what the pages say, is
// away for an hour and then for a night. Run with -v it prints the actions and seconds.
func TestFirstHourOfADemo(t *testing.T) {
	n := startDemo(t)
	link := n.link()
	n.reached("link")
	n.Browser = browsertest.Start(t)
	n.act(func() { n.Open(link) })
	n.WaitText("#guide-title", "Three steps to a release")
	n.Axe()
	n.Shots("demo-greeting")
	n.Size(1280, 800)
	n.act(func() { n.Click(".guide-steps .button.primary") })
	n.WaitFor("a suggestion", `document.querySelector("#note-text mark[data-suggested]") && !document.getElementById("note-options").hidden`, patience)
	n.reached("first suggestion")
	n.act(func() { n.Press("n") })
	n.act(func() { n.Press("a") })
	n.WaitFor("the first tag", `document.querySelector("#note-text mark:not([data-suggested])")`, patience)
	n.mostActions(4, "first tag")
	n.act(func() { n.Click(`.tabs a[href$="/sanitize"]`) })
	n.act(func() { n.Click(".start button.primary") })
	n.WaitText("#sanitize-progress", "Run 1 ")
	n.mostActions(6, "run")
	if testsize.Of(0, 1) > 0 {
		n.finishRun()
	}
	n.isAway()
}

// finishRun waits for the first result, and publishes.
func (n *newcomer) finishRun() {
	n.WaitFor("the first result", `document.getElementById("sanitize-lead").innerText.includes("would stay readable")`, patience)
	n.mostActions(6, "first result")
	n.WaitFor("the end of the run", `[...document.querySelectorAll(".use button")].some((b) => b.checkVisibility())`, patience)
	n.reached("end of the run")
	n.act(func() { n.Click(".sanitize-lead > section:not([hidden]) .use button") })
	n.Wait("the page for publishing", `document.querySelector('input[name="confirm"]')`)
	n.act(func() { n.Click(`input[name="confirm"]`) })
	n.act(func() { n.Click("form.confirm button") })
	n.WaitFor("the release", `document.querySelector("#release-1")`, patience)
	n.reached("release")
	n.Open(n.origin() + "/")
	n.Wait("the finished example", `document.querySelector(".guide-example a")`)
	n.Click(".guide-example a")
	n.WaitFor("its release", `document.getElementById("steps").innerText.includes("1 release.")`, patience)
	n.reached("finished example")
	n.Open(n.origin() + "/p/p1/sanitize") // where the short test is, too
}

// isAway is away for an hour, which changes nothing, and for a night, after which the
// sign-in page says where to get a new link.
func (n *newcomer) isAway() {
	n.ahead.Add(int64(time.Hour))
	n.Click(`.tabs a[href^="/p/p1"]`)
	n.WaitText("h1", demo.Name)
	n.Wait("the live connection", `document.getElementById("live-state").dataset.connected === "true"`)
	n.Open(n.origin() + "/people") // a page without a live connection
	n.ahead.Add(int64(9 * time.Hour))
	n.Open(n.origin() + "/")
	n.WaitText("#new-link", "For a new sign-in link, "+(&runningDemo{env: &env{}}).newLinkHint())
	n.Axe()
	n.Shots("demo-signed-out")
	if _, err := io.WriteString(n.enter, "\n"); err != nil {
		n.t.Fatal(err)
	}
	n.Open(n.link())
	n.WaitText("#guide-title", "Three steps to a release")
	n.Click(".guide .quiet")
	n.WaitText(".guide-again", "Show the steps again")
	n.WaitText("h1", "Projects")
}

func (n *newcomer) origin() string {
	var origin string
	n.Eval("location.origin", &origin)
	return origin
}
