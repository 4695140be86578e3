// SPDX-License-Identifier: Apache-2.0

package site

import (
	"context"
	"testing"

	"hide/internal/account"
	"hide/internal/annotate"
	greedyaudit "hide/internal/greedy/audit"
	"hide/internal/project"
	"hide/internal/project/audit"
	"hide/web/webtest"
)

// fakeFindings has an audit of three notes, all read, which found an identifier.
type fakeFindings struct{ fake }

func (fakeFindings) SampleAuditFindings(context.Context, account.User, project.ID, int) (audit.Findings, error) {
	return audit.Findings{Audit: 4, Labels: []annotate.Label{"DOCTOR", "PATIENT"}, All: []audit.Finding{{Index: 1, From: 6, Excerpt: project.Excerpt{
		Document: 7, Start: 22, End: 26, Label: "PATIENT", Text: "Abel", Before: "Seen by [DOCTOR]. Mr. ", After: " came along.",
	}}}}, nil
}

// What an audit found stands before the confirmation, and leads to the audit.
func TestFindingsBeforePublishingByKeyboard(t *testing.T) {
	f := fakeFindings{newFake()}
	r := greedyaudit.Count(264, []int{2, 0}, []int{1}, 1)
	f.AuditList = []audit.Audit{{Number: 4, Bundle: 2, Run: 3, LC: 10, Created: webtest.MadeAt, By: "Some broker", Documents: 264, Notes: make([]audit.Note, 3), Read: 3, Result: &r}}
	f.Open = audit.OpenFindings{Found: 1, Audit: 4}
	f.ReleaseList[0].Audit, f.ReleaseList[0].Warnings = &r, []string{"Only 48 finished notes: a test."}
	v := openBrowser(t, account.Broker, f)
	v.Open(v.Base + "/p/p1/releases/1")
	v.WaitText(".trust", "Only 48 finished notes")
	v.Axe()
	v.Shots("release-warned")
	v.Open(v.Base + "/p/p1/publish")
	v.Axe()
	v.Shots("publish-found")
	v.Focus(`.publish-what .notice a`)
	v.Press("Enter")
	v.WaitText("#audit-title", "Audit 4")
}
