// SPDX-License-Identifier: Apache-2.0

package audit

import (
	"context"
	"slices"
	"sync"

	"hide/internal/account"
	"hide/internal/annotate"
	greedyaudit "hide/internal/greedy/audit"
	"hide/internal/project"
	"hide/internal/project/audit"
	"hide/web/webtest"
)

// fakeAudit is an audit of three notes in which people marked words.
type fakeAudit struct {
	*webtest.Frame
	*webtest.Published

	mu     sync.Mutex // guards what follows
	marks  map[int][]int
	added  []audit.LabelledFinding
	passes []annotate.Label // labels on every finding that the redaction model leaves readable
}

const auditedNote = "Seen by [DOCTOR] on [DATE] at the\n  lake clinic.\nMr. Abel & son <b>came</b> along.\n"

func newFakeAudit() *fakeAudit {
	frame, published := webtest.MadePublished()
	f := &fakeAudit{Frame: frame, Published: published, marks: map[int][]int{1: {14}}}
	f.AuditList = []audit.Audit{{
		Number: 4, Bundle: 2, Run: 3, LC: 10, Created: webtest.MadeAt, By: "Some broker", Documents: 264, Notes: make([]audit.Note, 3), Read: 3,
		Result: new(greedyaudit.Count(264, []int{2, 0}, []int{1}, 1)),
	}}
	return f
}

// SampleAuditFindings has one finding for every marked token.
func (f *fakeAudit) SampleAuditFindings(context.Context, account.User, project.ID, int) (audit.Findings, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	out := audit.Findings{Audit: 4, Labels: []annotate.Label{"DOCTOR", "HOSPITAL", "PATIENT"}}
	tokens := annotate.Tokenize(auditedNote)
	for index := 1; index <= 3; index++ {
		for _, m := range f.marks[index] {
			is := func(l audit.LabelledFinding) bool { return l.Index == index && l.From == m }
			out.All = append(out.All, audit.Finding{Index: index, From: m, Added: slices.ContainsFunc(f.added, is), Passing: f.passes, Excerpt: project.Excerpt{
				Document: 7, Start: annotate.RuneOff(tokens[m].Start), End: annotate.RuneOff(tokens[m].End), Label: "PATIENT",
				Text: auditedNote[tokens[m].Start:tokens[m].End], Before: auditedNote[:tokens[m].Start], After: auditedNote[tokens[m].End:],
			}})
		}
	}
	return out, nil
}

func (f *fakeAudit) AddAuditFindings(_ context.Context, _ account.User, _ project.ID, number int, chosen []audit.LabelledFinding) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if number != 4 {
		return 0, &project.Error{Kind: project.NotFound, Message: "there is no such audit"}
	}
	f.added = append(f.added, chosen...)
	return len(chosen), nil
}
