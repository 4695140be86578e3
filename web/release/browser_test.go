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
	f.ReleaseList[0].Attack = webtest.MadeAttacked()
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

// A release of a review offers its evidence; a withdrawn one says so first, and no download.
func TestReleasePageWithRecipientsAndWithdrawal(t *testing.T) {
	f := madePublish()
	r := &f.ReleaseList[0]
	r.Review, r.Recipients = 3, []string{"Dr. Weiss, Institute of Epidemiology"}
	v := openBrowser(t, account.Broker, f)
	v.Expect("status of 422") // what a refused form is answered with
	v.Open(v.Base + "/p/p1/releases/1")
	v.Eval(`document.querySelectorAll(".out details").forEach(d => { d.open = true })`, nil)
	v.Axe()
	v.Shots("release-out")
	v.Type(`[name="reason"]`, "a name was found")
	v.Type(`[name="confirm"]`, "release-2")
	v.Press("Enter")
	v.WaitText(".out [role=alert]", "Nothing was changed")
	if r.Withdrawn != nil {
		t.Fatal("withdrawn after another name was typed")
	}
	v.Type(`[name="confirm"]`, "release-1")
	v.Press("Enter")
	v.WaitText(".notice.error", "nobody may use this release any more")
	v.Wait("no download is offered", `document.querySelector("a[href$='/zip']") === null`)
	v.Axe()
	v.Shots("release-withdrawn")
}

func TestEmptyPublishPageIsAccessible(t *testing.T) {
	frame, published := webtest.MadeUnpublished()
	v := openBrowser(t, account.Broker, &fakeRelease{Frame: frame, Published: published})
	v.Open(v.Base + "/p/p1/publish")
	v.Axe()
	v.Shots("publish-empty")
}

// The field for the reason is where it belongs, and keeps the release back.
func TestPublishingWithoutACertificateAsksForAReason(t *testing.T) {
	f := madeAudited()
	f.AuditList[0].Changed, f.ReleaseList = true, nil
	f.RunList[0].Random, f.RunList[0].Measured = 3, f.RunList[0].Documents
	v := openBrowser(t, account.Broker, f)
	v.Open(v.Base + "/p/p1/publish")
	v.WaitText(".publish-bundle", "Let people read a sample before you publish.")
	v.Axe()
	v.Shots("publish-uncertified")
	v.Size(1280, 800)
	v.TabTo(`input[name="confirm"]`)
	v.Press("Space", "Enter")
	v.Wait("the browser asks for the reason", `document.activeElement.id === "uncertified"`)
}
