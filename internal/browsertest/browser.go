// SPDX-License-Identifier: Apache-2.0

package browsertest

import (
	"context"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
)

// Browser is one Chromium with one tab. Use it from one goroutine.
type Browser struct {
	t     testing.TB
	ctx   context.Context
	proxy *refusingProxy

	mu       sync.Mutex // guards what follows
	console  []string   // errors and warnings, in order
	outbound []string   // what pages asked of other hosts
	expected []string   // parts of messages that are provoked on purpose
}

// within is how long a method waits before it fails the test: long, since a busy
// machine is no fault of a page.
const within = 30 * time.Second

// Start starts Chromium, 1280 by 800 and in light colours, and ends it with the
// test.
func Start(t testing.TB) *Browser {
	t.Helper()
	proxy := newRefusingProxy(t)
	dir := t.TempDir()
	allocator, stop := chromedp.NewExecAllocator(context.Background(), flags(t, dir, proxy.address())...)
	ctx, cancel := chromedp.NewContext(allocator)
	b := &Browser{t: t, ctx: ctx, proxy: proxy}
	t.Cleanup(func() {
		// Ends the process and waits for it, so that its folder can go.
		_ = chromedp.Cancel(ctx)
		cancel()
		stop()
		b.check()
	})
	if err := chromedp.Do(ctx); err != nil {
		t.Fatalf("start chromium: %v", err)
	}
	b.watchConsole()
	b.watchRequests()
	b.do("watch requests", chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		_, err := chromedp.Call(ctx, network.Enable, network.EnableParams{})
		return err
	}))
	b.Size(1280, 800)
	return b
}

// flags switch off what Chromium asks other hosts on its own account, so that
// what the proxy records was asked by a page.
func flags(t testing.TB, dir, proxy string) []chromedp.ExecAllocatorOption {
	t.Helper()
	return append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(find(t)), chromedp.UserDataDir(dir),
		chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true),
		chromedp.Flag("disable-domain-reliability", true), chromedp.Flag("no-pings", true),
		chromedp.Flag("disable-features", "Translate,BlinkGenPropertyTrees,OptimizationHints,PasswordLeakDetection,MediaRouter,AutofillServerCommunication,CertificateTransparencyComponentUpdater,InterestFeedContentSuggestions"),
		chromedp.ProxyServer(proxy),
	)
}

func find(t testing.TB) string {
	t.Helper()
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Fatal("no chromium in the path: install it (on Debian: apt-get install chromium), or run ./test, which does")
	return ""
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
	b.do("set size", chromedp.EmulateViewport(int64(width), int64(height)))
}

// Dark chooses dark or light colours.
func (b *Browser) Dark(dark bool) {
	b.t.Helper()
	scheme := "light"
	if dark {
		scheme = "dark"
	}
	b.media(emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}})
}

// Print shows pages as they would be printed, or again as on a screen.
func (b *Browser) Print(print bool) {
	b.t.Helper()
	media := ""
	if print {
		media = "print"
	}
	b.media(emulation.SetEmulatedMediaParams{Media: media})
}

func (b *Browser) media(p emulation.SetEmulatedMediaParams) {
	b.t.Helper()
	b.do("emulate media", chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		_, err := chromedp.Call(ctx, emulation.SetEmulatedMedia, p)
		return err
	}))
}
