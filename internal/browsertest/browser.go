// SPDX-License-Identifier: Apache-2.0

// Package browsertest drives a real Chromium for tests of pages. Only tests import it.
//
//	b := browsertest.Start(t)
//	b.Open("http://127.0.0.1:8080/")
//	b.Type("#name", "Ada")
//	b.Press("Enter")
//	b.WaitText("h1", "Projects")
//	b.Axe()
//	b.Screenshot("projects.png")
//
// All tests of a package share one Chromium; each has its own tab with its own cookies,
// storage and cache. They run in parallel: Start calls t.Parallel.
//
// Every method waits up to thirty seconds, then fails the test and says what it waited
// for. At the end of a test three things are checked: no page wrote an error or a
// policy violation to the console, no exception was uncaught, and no request went to a
// host other than this machine. For the last check each tab has a proxy that refuses
// and records requests; only loopback addresses bypass it. (Chromium's own requests go
// to another refusing proxy.) If a test provokes a message on purpose, it announces
// that with [Browser.Expect].
//
// Chromium is found in the path as chromium-headless-shell, which takes a quarter less of the
// processor, chromium, chromium-browser or google-chrome. Without it the test fails, with a
// hint; it is not skipped.
//
// axe/ holds axe-core under its own licence (Mozilla Public License 2.0, see
// axe/LICENSE). It is loaded into pages under test and never served.
package browsertest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"
)

// Browser is one tab with its own cookies, storage and cache, in the Chromium that all
// tests of a package share. Use it from one goroutine.
type Browser struct {
	t     testing.TB
	ctx   context.Context
	proxy *refusingProxy
	size  [2]int // inner size of the window
	dark  bool

	watchers sync.WaitGroup
	mu       sync.Mutex // guards the fields below
	console  []string   // errors and warnings, in order
	outbound []string   // requests of pages to other hosts
	expected []string   // parts of messages provoked on purpose
}

// within is how long a method waits before it fails the test. It is long, because a
// busy machine is not a fault of the page.
const within = 30 * time.Second

// Start opens a tab, 1280 by 800 and in light colours, and closes it with the test.
// Such a test runs in parallel with others (see [testing.T.Parallel]); with -short it
// is skipped.
func Start(t testing.TB) *Browser {
	t.Helper()
	if testing.Short() {
		t.Skip("no browser with -short")
	}
	runBeside(t)
	shared, err := chromium()
	if err != nil {
		t.Fatalf("start chromium: %v", err)
	}
	proxy, err := newRefusingProxy()
	if err != nil {
		t.Fatalf("start the proxy of the test: %v", err)
	}
	ctx, closeTab := chromedp.NewContext(shared.ctx, chromedp.WithNewBrowserContext(func(p *target.CreateBrowserContextParams) {
		p.ProxyServer = proxy.address()
	}))
	b := &Browser{t: t, ctx: ctx, proxy: proxy}
	t.Cleanup(func() {
		b.drain()
		closeTab()
		b.watchers.Wait()
		proxy.close()
		b.check()
	})
	if err := chromedp.Do(ctx); err != nil {
		t.Fatalf("open a tab: %v", err)
	}
	b.watchConsole()
	b.watchRequests()
	b.do("prepare the tab", chromedp.Func(prepare))
	b.Size(1280, 800)
	return b
}

// besides holds the tests that already called Parallel: a test may open two tabs.
var besides sync.Map

func runBeside(t testing.TB) {
	p, ok := t.(interface{ Parallel() })
	if _, already := besides.LoadOrStore(t, true); already || !ok {
		return
	}
	t.Cleanup(func() { besides.Delete(t) })
	p.Parallel()
}

// prepare enables watching of requests and of live parts, and gives the tab the focus
// permanently: otherwise only one tab of a browser has it, and tests run in parallel.
func prepare(ctx context.Context, _ *chromedp.Target) error {
	if _, err := chromedp.Call(ctx, network.Enable, network.EnableParams{}); err != nil {
		return err
	}
	if _, err := chromedp.Call(ctx, cdppage.Enable, cdppage.EnableParams{}); err != nil {
		return err
	}
	if _, err := chromedp.Call(ctx, cdppage.AddScriptToEvaluateOnNewDocument, cdppage.AddScriptToEvaluateOnNewDocumentParams{Source: watchParts}); err != nil {
		return err
	}
	_, err := chromedp.Call(ctx, emulation.SetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{Enabled: true})
	return err
}

// do runs steps; if one fails, it fails the test and names the action.
func (b *Browser) do(doing string, steps ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, within)
	defer cancel()
	if err := chromedp.Do(ctx, steps...); err != nil {
		b.fail(doing, err)
	}
}

// run is do for an action with a value.
func run[T any](b *Browser, doing string, action chromedp.Action[T]) T {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, within)
	defer cancel()
	v, err := chromedp.Run(ctx, action)
	if err != nil {
		b.fail(doing, err)
	}
	return v
}

// fail adds the page's text and console, to explain the failure.
func (b *Browser) fail(doing string, err error) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, 2*time.Second)
	defer cancel()
	text, _ := chromedp.Run(ctx, chromedp.Evaluate[string](`location.pathname + "\n" + document.body.innerText.slice(0, 1500)`))
	b.t.Fatalf("%s: %v\nconsole: %s\npage: %s", doing, err, strings.Join(b.Console(), "; "), text)
}

// Size sets the inner size of the window.
func (b *Browser) Size(width, height int) {
	b.t.Helper()
	if size := [2]int{width, height}; size != b.size {
		b.do("set size", chromedp.EmulateViewport(int64(width), int64(height)))
		b.size = size
	}
}

// Dark chooses dark or light colours.
func (b *Browser) Dark(dark bool) {
	b.t.Helper()
	if dark == b.dark {
		return
	}
	scheme := "light"
	if dark {
		scheme = "dark"
	}
	b.media(emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}})
	b.dark = dark
}

// Print shows pages as printed or, again, as on a screen, in light colours.
func (b *Browser) Print(print bool) {
	b.t.Helper()
	media := ""
	if print {
		media = "print"
	}
	b.media(emulation.SetEmulatedMediaParams{Media: media})
	b.dark = false
}

func (b *Browser) media(p emulation.SetEmulatedMediaParams) {
	b.t.Helper()
	b.do("emulate media", chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		_, err := chromedp.Call(ctx, emulation.SetEmulatedMedia, p)
		return err
	}))
}

// chromium is the one process shared by all tests of a package. The first test that
// needs it starts it.
var chromium = sync.OnceValues(startChromium)

// process is a Chromium that ends with this process, for whatever reason that ends: it
// is connected by a pipe, and exits when the other end is closed.
type process struct {
	ctx     context.Context // of the browser; every test derives its own context from it
	remover *os.File        // see removeAfter
}

// starts is how often Chromium is started before the tests of a package fail. Under
// load it now and then exits before it has answered once.
const starts = 3

func startChromium() (*process, error) {
	path, err := find()
	if err != nil {
		return nil, err
	}
	// Chromium's own requests end here. Requests of pages end at the proxy of their
	// test.
	proxy, err := newRefusingProxy()
	if err != nil {
		return nil, err
	}
	for range starts {
		var p *process
		if p, err = start(path, proxy.address()); err == nil {
			return p, nil
		}
	}
	return nil, err
}

func start(path, proxy string) (*process, error) {
	dir, err := os.MkdirTemp("", "hide-chromium-")
	if err != nil {
		return nil, err
	}
	remover, err := removeAfter(dir)
	if err != nil {
		return nil, fmt.Errorf("prepare to remove %s: %w", dir, err)
	}
	options := append(flags(path, dir, proxy), chromedp.ModifyCmdFunc(func(cmd *exec.Cmd) {
		cmd.ExtraFiles = append(cmd.ExtraFiles, remover)
	}))
	allocator, end := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, _ := chromedp.NewContext(allocator)
	if err := chromedp.Do(ctx); err != nil {
		end()
		return nil, errors.Join(err, remover.Close())
	}
	return &process{ctx, remover}, nil
}

// removeAfter removes dir once no process has the returned file open: neither this one
// nor Chromium, which writes to dir until it exits. xargs waits for the end of its
// input before it calls rm.
func removeAfter(dir string) (*os.File, error) {
	read, write, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer read.Close()
	rm := exec.Command("xargs", "-0", "rm", "-rf", "--")
	rm.Stdin = read
	if err := rm.Start(); err != nil {
		return nil, err
	}
	_, err = write.WriteString(dir)
	return write, err
}

// flags disable Chromium's own requests to other hosts.
func flags(path, dir, proxy string) []chromedp.ExecAllocatorOption {
	return append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(path), chromedp.UserDataDir(dir),
		chromedp.NoSandbox, chromedp.DisableGPU, chromedp.Flag("remote-debugging-pipe", true),
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true),
		chromedp.Flag("disable-domain-reliability", true), chromedp.Flag("no-pings", true),
		chromedp.Flag("disable-features", "Translate,BlinkGenPropertyTrees,OptimizationHints,PasswordLeakDetection,MediaRouter,AutofillServerCommunication,CertificateTransparencyComponentUpdater,InterestFeedContentSuggestions"),
		chromedp.ProxyServer(proxy),
	)
}

func find() (string, error) {
	for _, name := range []string{"chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", fmt.Errorf("no chromium in the path: install it (on Debian: apt-get install chromium-headless-shell), or run ./test, which does")
}
