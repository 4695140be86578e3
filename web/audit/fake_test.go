// SPDX-License-Identifier: Apache-2.0

package audit

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"hide/internal/account"
	"hide/internal/annotate"
	greedyaudit "hide/internal/greedy/audit"
	"hide/internal/project"
	"hide/internal/project/audit"
	"hide/web/webtest"
)

// fakeSample is an audit of three notes in which people mark words.
type fakeSample struct {
	*webtest.Frame
	*webtest.Published

	mu     sync.Mutex // guards what follows
	text   string     // of every note, with two placeholders
	hasty  int        // answers that came too early
	marks  map[int][]int
	drawn  [][3]int
	added  []audit.LabelledFinding
	passes []annotate.Label // labels on every finding that the redaction model leaves readable
}

const auditedNote = "Seen by [DOCTOR] on [DATE] at the\n  lake clinic.\nMr. Abel & son <b>came</b> along.\n"

func newFakeSample() *fakeSample {
	frame, published := webtest.MadePublished()
	f := &fakeSample{Frame: frame, Published: published, marks: map[int][]int{}, text: auditedNote}
	f.AuditList = []audit.Audit{{Number: 4, Bundle: 2, Run: 3, LC: 10, Created: webtest.MadeAt, By: "Some broker", Documents: 264, Notes: make([]audit.Note, 3)}}
	return f
}

func (f *fakeSample) SampleAudits(context.Context, account.User, project.ID) ([]audit.Audit, audit.Drawing, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	a := slices.Clone(f.AuditList)
	if len(a) > 0 {
		if a[0].Read = len(f.marks); a[0].Read == 3 {
			a[0].Result = new(greedyaudit.Count(264, []int{2, 0}, []int{1}, 1))
		}
	}
	return a, audit.Drawing{}, nil
}

func (f *fakeSample) SampleAuditNote(_ context.Context, _ account.User, _ project.ID, number, index int) (audit.Text, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if index == 0 {
		index = min(len(f.marks)+1, 3)
	}
	if number > 4 || index > 3 {
		return audit.Text{}, &project.Error{Kind: project.NotFound, Message: "there is no such note"}
	}
	text := audit.ReleasedText{Text: f.text, Redactions: []audit.ReleasedAt{{Start: 8, End: 16, Label: "DOCTOR"}, {Start: 20, End: 26, Label: "DATE"}}}
	marks, seen := f.marks[index]
	reading := ""
	if seen {
		reading = readingOf(marks)
	}
	return audit.Text{Audit: cmp.Or(number, 4), Index: index, Notes: 3, Read: len(f.marks), Text: text, Marks: marks, Seen: seen, By: "Some annotator", Reading: reading}, nil
}

func readingOf(marks []int) string { return fmt.Sprint("read", marks) }

// SampleAuditFindings has one finding for every marked token when all notes are read.
func (f *fakeSample) SampleAuditFindings(context.Context, account.User, project.ID, int) (audit.Findings, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	out := audit.Findings{Audit: 4, Labels: []annotate.Label{"DOCTOR", "HOSPITAL", "PATIENT"}}
	tokens := annotate.Tokenize(auditedNote)
	for index := 1; index <= 3 && len(f.marks) == 3; index++ {
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

func (f *fakeSample) AddAuditFindings(_ context.Context, _ account.User, _ project.ID, number int, chosen []audit.LabelledFinding) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if number != 4 {
		return 0, &project.Error{Kind: project.NotFound, Message: "there is no such audit"}
	}
	f.added = append(f.added, chosen...)
	return len(chosen), nil
}

func (f *fakeSample) MarkSampleAudit(_ context.Context, _ account.User, _ project.ID, _, index int, said audit.Answer) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if there, seen := f.marks[index]; seen && said.Over != readingOf(there) && !slices.Equal(there, said.Marks) {
		return &project.Error{Kind: project.Stale, Message: "somebody was faster"}
	}
	f.marks[index] = said.Marks
	if said.Glanced {
		f.hasty++
	}
	return nil
}

// answers counts the answered notes, and the answers that came too early.
func (f *fakeSample) answers() (saved, hasty int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.marks), f.hasty
}

func (f *fakeSample) StartSampleAudit(_ context.Context, _ account.User, _ project.ID, bundle, random, picked int) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.drawn = append(f.drawn, [3]int{bundle, random, picked})
	return nil
}

// words are the marked words of a note.
func (f *fakeSample) words(index int) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	var out []string
	tokens := annotate.Tokenize(auditedNote)
	for _, m := range f.marks[index] {
		out = append(out, auditedNote[tokens[m].Start:tokens[m].End])
	}
	return strings.Join(out, " ")
}
