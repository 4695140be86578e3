// SPDX-License-Identifier: Apache-2.0

package release

import (
	"context"
	"io"

	"hide/internal/account"
	greedyaudit "hide/internal/greedy/audit"
	"hide/internal/project"
	"hide/internal/project/audit"
	"hide/internal/project/release"
	"hide/web/webtest"
)

// fakeRelease has made-up runs, bundles, audits and releases.
type fakeRelease struct {
	*webtest.Frame
	*webtest.Published
	unasked
}

// SigningKey is a made-up key.
func (f *fakeRelease) SigningKey(context.Context, account.User) (public, fingerprint string, err error) {
	return "AJxIM0mkrHP0cqXjP0GbgGkvBgGYLllo4yXN5w5vNYA=", "ab", nil
}

// AddRecipient notes the recipient.
func (f *fakeRelease) AddRecipient(_ context.Context, _ account.User, _ project.ID, _ int, name string) error {
	f.ReleaseList[0].Recipients = append(f.ReleaseList[0].Recipients, name)
	return nil
}

// WithdrawRelease withdraws the first release of the list.
func (f *fakeRelease) WithdrawRelease(_ context.Context, _ account.User, _ project.ID, _ int, reason string) error {
	f.ReleaseList[0].Withdrawn = &release.Withdrawal{Reason: reason, At: webtest.MadeAt, By: "Some broker"}
	return nil
}

// SupersedeRelease supersedes the first release of the list.
func (f *fakeRelease) SupersedeRelease(_ context.Context, _ account.User, _ project.ID, _, newer int, reason string) error {
	f.ReleaseList[0].Withdrawn = &release.Withdrawal{Reason: reason, At: webtest.MadeAt, By: "Some broker", Newer: newer}
	return nil
}

// WriteStatus writes a few bytes in place of a status.
func (f *fakeRelease) WriteStatus(_ context.Context, _ account.User, _ project.ID, w io.Writer) error {
	_, err := io.WriteString(w, "{}")
	return err
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
