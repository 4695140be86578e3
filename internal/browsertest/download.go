// SPDX-License-Identifier: Apache-2.0

package browsertest

import (
	"context"
	"os"
	"path/filepath"
	"time"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/chromedp"
)

// downloadWithin is how long a download may take.
const downloadWithin = 10 * time.Second

// SaveTo makes downloads land in folder without asking.
func (b *Browser) SaveTo(folder string) {
	b.t.Helper()
	b.do("set the folder for downloads", chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		_, err := chromedp.Call(ctx, browser.SetDownloadBehavior, browser.SetDownloadBehaviorParams{
			Behavior: browser.SetDownloadBehaviorBehaviorAllow, DownloadPath: folder,
			BrowserContextID: chromedp.FromContext(b.ctx).BrowserContextID,
		})
		return err
	}))
}

// Saved waits for a finished download in folder whose name matches pattern, as
// [filepath.Glob] does, and returns its path.
func (b *Browser) Saved(folder, pattern string) string {
	b.t.Helper()
	for deadline := time.Now().Add(downloadWithin); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		found, err := filepath.Glob(filepath.Join(folder, pattern))
		if err != nil {
			b.t.Fatal(err)
		}
		unfinished, _ := filepath.Glob(filepath.Join(folder, "*.crdownload"))
		if len(found) == 1 && len(unfinished) == 0 {
			if info, err := os.Stat(found[0]); err == nil && info.Size() > 0 {
				return found[0]
			}
		}
	}
	b.t.Fatalf("nothing like %s was downloaded", pattern)
	return ""
}

// TabTo presses Tab, as a person without a mouse does, until what selector finds
// has the focus.
func (b *Browser) TabTo(selector string) {
	b.t.Helper()
	const most = 200
	for range most {
		var there bool
		b.Eval(`document.activeElement !== null && document.activeElement.matches(`+quote(selector)+`)`, &there)
		if there {
			return
		}
		b.Press("Tab")
	}
	b.t.Fatalf("%d presses of Tab did not reach %s", most, selector)
}
