// SPDX-License-Identifier: Apache-2.0

package browsertest

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"sync"

	"github.com/chromedp/chromedp"
)

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
