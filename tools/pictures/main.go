// SPDX-License-Identifier: Apache-2.0

// Pictures makes the pictures of the README: it starts the demo, operates it in a real
// Chromium, and writes docs/pictures/annotate.png, sanitize.png and release.png.
//
//	go -C tools run ./pictures
package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/chromedp/chromedp"
)

const (
	width, height = 1280, 860
	largest       = 300_000 // bytes of one picture
	patience      = 5 * time.Minute
)

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), 3*patience)
	defer cancel()
	if err := run(ctx, filepath.Join("..", "docs", "pictures")); err != nil {
		fmt.Fprintln(os.Stderr, "pictures:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, folder string) (err error) {
	link, stop, err := startDemo(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stop()) }()
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.NoSandbox, chromedp.DisableGPU)
	allocator, end := chromedp.NewExecAllocator(ctx, options...)
	defer end()
	tab, closeTab := chromedp.NewContext(allocator)
	defer closeTab()
	if err := chromedp.Do(tab); err != nil {
		return fmt.Errorf("start Chromium: %w", err)
	}
	p := &photographer{ctx: tab, folder: folder, base: link[:strings.Index(link, "/welcome")]}
	p.do("set the size", chromedp.EmulateViewport(width, height))
	p.signIn(link)
	p.annotate()
	p.sanitize()
	p.release()
	return p.err
}

// startDemo builds hide and starts its demo in a temporary folder. It returns the sign-in
// link and a function that ends the demo.
func startDemo(ctx context.Context) (link string, stop func() error, err error) {
	dir, err := os.MkdirTemp("", "hide-pictures-")
	if err != nil {
		return "", nil, err
	}
	binary := filepath.Join(dir, "hide")
	build := exec.CommandContext(ctx, "go", "build", "-o", binary, "./cmd/hide")
	build.Dir, build.Stderr = "..", os.Stderr
	if err := build.Run(); err != nil {
		return "", nil, errors.Join(fmt.Errorf("build hide: %w", err), os.RemoveAll(dir))
	}
	demo := exec.CommandContext(ctx, binary, "demo", "--no-open", "--data", filepath.Join(dir, "data"))
	demo.Stderr = os.Stderr
	out, err := demo.StdoutPipe()
	if err != nil {
		return "", nil, err
	}
	if err := demo.Start(); err != nil {
		return "", nil, err
	}
	stop = func() error {
		_ = demo.Process.Signal(os.Interrupt)
		_ = demo.Wait() // the error only reports the interrupt
		return os.RemoveAll(dir)
	}
	link, err = bufio.NewReader(out).ReadString('\n')
	if err != nil {
		return "", nil, errors.Join(fmt.Errorf("read the demo's link: %w", err), stop())
	}
	return strings.TrimSpace(link), stop, nil
}

// photographer works in a browser and keeps the first error; later steps then do nothing.
type photographer struct {
	ctx          context.Context
	folder, base string
	err          error
}

func (p *photographer) do(doing string, steps ...chromedp.Action[chromedp.Void]) {
	if p.err != nil {
		return
	}
	ctx, cancel := context.WithTimeout(p.ctx, time.Minute)
	defer cancel()
	if err := chromedp.Do(ctx, steps...); err != nil {
		where, _ := chromedp.Run(p.ctx, chromedp.Evaluate[string](`location.pathname + ": " + document.body.innerText.slice(0, 800)`))
		p.err = fmt.Errorf("%s: %w\n%s", doing, err, where)
	}
}

func (p *photographer) open(path string) { p.do("open "+path, chromedp.Navigate(p.base+path)) }

func (p *photographer) click(selector string) {
	p.do("click "+selector, chromedp.Click(chromedp.CSS(selector), chromedp.NodeVisible))
}

// wait waits until a JavaScript expression is true, on whatever page is then loaded.
func (p *photographer) wait(what, expression string) {
	for end := time.Now().Add(patience); p.err == nil; time.Sleep(200 * time.Millisecond) {
		if is, err := chromedp.Run(p.ctx, chromedp.Evaluate[bool]("Boolean("+expression+")")); err == nil && is {
			return
		}
		if time.Now().After(end) {
			p.do(what, func(context.Context, *chromedp.Target) (chromedp.Void, error) {
				return chromedp.Void{}, errors.New("it did not happen")
			})
		}
	}
}

// take captures the window, scrolled to the first element that the selector finds.
func (p *photographer) take(name, from string) {
	p.do("scroll to "+from, chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		_, err := chromedp.Run(ctx, chromedp.Evaluate[bool](fmt.Sprintf(`document.querySelector(%q).scrollIntoView(), document.activeElement.blur(), true`, from)))
		return err
	}), chromedp.Sleep(500*time.Millisecond))
	if p.err != nil {
		return
	}
	png, err := chromedp.Run(p.ctx, chromedp.CaptureScreenshot())
	if err == nil && len(png) > largest {
		err = fmt.Errorf("it has %d bytes, more than %d", len(png), largest)
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(p.folder, name), png, 0o644)
	}
	if err != nil {
		p.err = fmt.Errorf("take %s: %w", name, err)
		return
	}
	fmt.Printf("%s: %d bytes\n", name, len(png))
}

func (p *photographer) signIn(link string) {
	p.do("open the link", chromedp.Navigate(link))
	p.wait("the projects", `document.querySelector('a[href="/p/p1"]')`)
}

// annotate captures a note with suggestions of the first model, not only of rules.
func (p *photographer) annotate() {
	p.open("/p/p1/annotate")
	p.wait("suggestions", `document.querySelectorAll("#note-text mark[data-suggested]:not([data-rule])").length > 2`)
	p.take("annotate.png", "body")
}

func (p *photographer) sanitize() {
	p.open("/p/p1/sanitize")
	p.click(`form[action$="/sanitize"] button.primary`)
	p.wait("the end of the run", `document.querySelector('form[action$="/choose"] button.primary') && !document.querySelector("#sanitize-progress progress")`)
	p.do("make room for the chart", chromedp.EmulateViewport(width, 1160))
	p.take("sanitize.png", "body")
	p.do("make the window as before", chromedp.EmulateViewport(width, height))
}

// release publishes with the L/C that the run suggests, and captures the release.
func (p *photographer) release() {
	p.do("take the L/C", chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		_, err := chromedp.Run(ctx, chromedp.Evaluate[bool](`[...document.querySelectorAll('form[action$="/choose"] button')].find((b) => b.checkVisibility()).click(), true`))
		return err
	}))
	p.wait("the page for publishing", `document.querySelector('input[name="confirm"]')`)
	p.click(`input[name="confirm"]`)
	p.click("form.confirm button")
	p.wait("the release", `document.querySelector("#release-1 a")`)
	p.click("#release-1 a")
	p.wait("its page", `location.pathname.includes("/releases/") && document.readyState === "complete"`)
	p.take("release.png", "body")
}
