// SPDX-License-Identifier: Apache-2.0

package release

import (
	"testing"

	"hide/internal/account"
	"hide/web/webtest"
)

func TestPublishPagesAreAccessible(t *testing.T) {
	f := madePublish()
	f.Status.Made = 1
	v := openBrowser(t, account.Broker, f)
	for _, page := range []struct{ name, path string }{
		{"publish", "/p/p1/publish"},
		{"release", "/p/p1/releases/1"},
	} {
		v.Open(v.Base + page.path)
		v.Axe()
		v.Shots(page.name)
		for _, size := range [][2]int{{1280, 800}, {390, 844}} {
			v.Size(size[0], size[1])
			v.Wait("the download in view", `document.querySelector("a.primary[download]").getBoundingClientRect().bottom <= innerHeight`)
		}
	}
}

func TestEmptyPublishPageIsAccessible(t *testing.T) {
	frame, published := webtest.MadeUnpublished()
	v := openBrowser(t, account.Broker, &fakeRelease{Frame: frame, Published: published})
	v.Open(v.Base + "/p/p1/publish")
	v.Axe()
	v.Shots("publish-empty")
}

// The field for the reason is where it belongs, and keeps the release back.
func TestPublishingWithoutAnAuditAsksForAReason(t *testing.T) {
	f := madeAudited()
	f.AuditList[0].Changed, f.ReleaseList = true, nil
	f.RunList[0].Random, f.RunList[0].Measured = 3, f.RunList[0].Documents
	v := openBrowser(t, account.Broker, f)
	v.Open(v.Base + "/p/p1/publish")
	v.WaitText(".publish-bundle", "Audit before you publish.")
	v.Axe()
	v.Shots("publish-unaudited")
	v.Size(1280, 800)
	v.TabTo(`input[name="confirm"]`)
	v.Press("Space", "Enter")
	v.Wait("the browser asks for the reason", `document.activeElement.id === "unaudited"`)
}
