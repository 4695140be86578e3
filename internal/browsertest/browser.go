// SPDX-License-Identifier: Apache-2.0

// Package browsertest drives a real Chromium for tests of pages. Nothing but
// tests imports it.
//
//	b := browsertest.Start(t)
//	b.Open("http://127.0.0.1:8080/")
//	b.Type("#name", "Ada")
//	b.Press("Enter")
//	b.WaitText("h1", "Projects")
//	b.Axe()
//	b.Screenshot("projects.png")
//
// All tests of a package share one Chromium; each has a tab with cookies, storage
// and cache of its own. They run beside each other: Start calls t.Parallel.
//
// Every method fails the test when what it needs does not come within thirty
// seconds, and names it. When the test ends, three things are checked: no page
// wrote an error or a policy violation to the console, no exception went uncaught,
// and nothing asked for a host other than this machine. For the last, each tab gets
// a proxy that refuses and records; only loopback addresses go around it. (What
// Chromium asks on its own account goes to another refusing proxy.) A message that
// a test provokes on purpose is announced with [Browser.Expect].
//
// Chromium is the one that stands in the path as chromium, chromium-browser or
// google-chrome. Without one the test fails, with a hint; it is not skipped.
//
// axe/ holds axe-core, under its own licence (Mozilla Public License 2.0, see
// axe/LICENSE), which is given to pages under test and never served.
package browsertest

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"
)

// Browser is one tab with cookies, storage and cache of its own, in the Chromium
// that all tests of a package share. Use it from one goroutine.
type Browser struct {
	t     testing.TB
	ctx   context.Context
	proxy *refusingProxy
	size  [2]int // of the window's inside
	dark  bool

	watchers sync.WaitGroup
	mu       sync.Mutex // guards what follows
	console  []string   // errors and warnings, in order
	outbound []string   // what pages asked of other hosts
	expected []string   // parts of messages that are provoked on purpose
}

// within is how long a method waits before it fails the test: long, since a busy
// machine is no fault of a page.
const within = 30 * time.Second

// Start opens a tab, 1280 by 800 and in light colours, and closes it with the
// test. A test that has a tab runs beside other tests (see [testing.T.Parallel]), and
// with -short not at all.
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

// besides holds the tests that run beside others already: a test may open two tabs.
var besides sync.Map

func runBeside(t testing.TB) {
	p, ok := t.(interface{ Parallel() })
	if _, already := besides.LoadOrStore(t, true); already || !ok {
		return
	}
	t.Cleanup(func() { besides.Delete(t) })
	p.Parallel()
}

// prepare lets requests be watched, and gives the tab the focus for good: only one
// tab of a browser has it otherwise, and tests run beside each other.
func prepare(ctx context.Context, _ *chromedp.Target) error {
	if _, err := chromedp.Call(ctx, network.Enable, network.EnableParams{}); err != nil {
		return err
	}
	_, err := chromedp.Call(ctx, emulation.SetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{Enabled: true})
	return err
}

// do runs steps and fails the test with what was being done.
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

// fail adds what the page shows, without which the reason is a riddle.
func (b *Browser) fail(doing string, err error) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, 2*time.Second)
	defer cancel()
	text, _ := chromedp.Run(ctx, chromedp.Evaluate[string](`location.pathname + "\n" + document.body.innerText.slice(0, 1500)`))
	b.t.Fatalf("%s: %v\nconsole: %s\npage: %s", doing, err, strings.Join(b.Console(), "; "), text)
}

// Size sets the size of the window's inside.
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

// Print shows pages as they would be printed, or again as on a screen, in light
// colours.
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

// chromium is the one process that all tests of a package share. The first test
// that needs it starts it.
var chromium = sync.OnceValues(startChromium)

// process is a Chromium that ends with this process, however that ends: it hangs on
// a pipe, and leaves when the other end is gone.
type process struct {
	ctx     context.Context // of the browser; every test makes its own context below it
	remover *os.File        // see removeAfter
}

func startChromium() (*process, error) {
	path, err := find()
	if err != nil {
		return nil, err
	}
	// What Chromium asks on its own account ends here. What pages ask ends at
	// the proxy of their test.
	proxy, err := newRefusingProxy()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "hide-chromium-")
	if err != nil {
		return nil, err
	}
	remover, err := removeAfter(dir)
	if err != nil {
		return nil, fmt.Errorf("prepare to remove %s: %w", dir, err)
	}
	options := append(flags(path, dir, proxy.address()), chromedp.ModifyCmdFunc(func(cmd *exec.Cmd) {
		cmd.ExtraFiles = append(cmd.ExtraFiles, remover)
	}))
	allocator, _ := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, _ := chromedp.NewContext(allocator)
	return &process{ctx, remover}, chromedp.Do(ctx)
}

// removeAfter removes dir once no process has the returned file any more: neither
// this one nor Chromium, which writes to dir to its end. xargs waits for the end of
// its input before it calls rm.
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

// flags switch off what Chromium asks other hosts on its own account.
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
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", fmt.Errorf("no chromium in the path: install it (on Debian: apt-get install chromium), or run ./test, which does")
}
