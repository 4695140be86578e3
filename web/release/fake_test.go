// SPDX-License-Identifier: Apache-2.0

package release

import (
	greedyaudit "hide/internal/greedy/audit"
	"hide/internal/project/audit"
	"hide/web/webtest"
)

// fakeRelease has made-up runs, bundles, audits and releases.
type fakeRelease struct {
	*webtest.Frame
	*webtest.Published
	unasked
}

// madePublish is a project with a bundle and a release.
func madePublish() *fakeRelease {
	frame, published := webtest.MadePublished()
	return &fakeRelease{Frame: frame, Published: published}
}

// madeAudited is [madePublish] with an audit of three notes, all read.
func madeAudited() *fakeRelease {
	f := madePublish()
	f.AuditList = []audit.Audit{{
		Number: 4, Bundle: 2, Run: 3, LC: 10, Created: webtest.MadeAt, By: "Some broker", Documents: 264, Notes: make([]audit.Note, 3),
		Read: 3, Result: new(greedyaudit.Count(264, []int{2, 0}, []int{1}, 1)),
	}}
	return f
}
