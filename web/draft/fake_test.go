// SPDX-License-Identifier: Apache-2.0

package draft

import (
	"context"
	"io"
	"slices"
	"testing"

	"hide/internal/account"
	"hide/internal/annotate"
	"hide/internal/greedy/attack/retrieve"
	"hide/internal/project"
	"hide/internal/project/draft"
	"hide/internal/project/release"
	"hide/internal/publish/policy"
	"hide/internal/publish/transform"
	"hide/web"
	"hide/web/webtest"
)

// pages is what a server with these pages asks.
type pages interface {
	web.Projects
	Projects
}

// unasked is for fakes that know only what their test asks: the rest panics.
type unasked struct{ pages }

// fakeDraft has a made-up draft and remembers what it was asked.
type fakeDraft struct {
	*webtest.Frame
	*webtest.Published
	unasked

	prepared []draft.Settings
	status   draft.Status
	draft    *draft.Draft
	rows     []draft.Row
	decided  []draft.Which
	choices  []transform.Choice
	answers  []draft.Answers
	keys     []draft.Key
	refuse   error // of the next decision or publication
}

func (f *fakeDraft) PrepareDraft(_ context.Context, _ account.User, _ project.ID, s draft.Settings) error {
	f.prepared = append(f.prepared, s)
	return f.refuse
}

func (f *fakeDraft) Preparing(context.Context, account.User, project.ID) (draft.Status, error) {
	return f.status, nil
}

func (f *fakeDraft) CancelPreparing(context.Context, account.User, project.ID) error {
	f.status = draft.Status{Error: "the preparation was cancelled"}
	return nil
}

func (f *fakeDraft) Draft(context.Context, account.User, project.ID) (draft.Draft, error) {
	if f.draft == nil {
		return draft.Draft{}, project.NotFoundf("there is no draft")
	}
	return *f.draft, nil
}

func (f *fakeDraft) DiscardDraft(context.Context, account.User, project.ID) error {
	f.draft = nil
	return nil
}

func (f *fakeDraft) DraftRows(_ context.Context, _ account.User, _ project.ID, by draft.Filter, from, n int) ([]draft.Row, int, error) {
	rows := slices.DeleteFunc(slices.Clone(f.rows), func(r draft.Row) bool {
		return by.Problems && r.Decision.Problem == "" || by.Label != "" && r.Decision.Label != by.Label
	})
	return rows[min(from, len(rows)):min(from+n, len(rows))], len(rows), nil
}

func (f *fakeDraft) Decide(_ context.Context, _ account.User, _ project.ID, w draft.Which, c transform.Choice) (draft.Changed, error) {
	if f.refuse != nil {
		return draft.Changed{}, f.refuse
	}
	f.decided, f.choices = append(f.decided, w), append(f.choices, c)
	for i := range f.rows {
		if len(w.Places) == 0 || slices.Contains(w.Places, f.rows[i].Place) {
			f.rows[i].Decision.Problem, f.rows[i].Decision.Chosen = "", true
		}
	}
	f.draft.Problems, f.draft.Undo = 0, 1
	return draft.Changed{Places: max(1, len(w.Places))}, nil
}

func (f *fakeDraft) UndoDecision(context.Context, account.User, project.ID) (draft.Changed, error) {
	f.draft.Undo = 0
	return draft.Changed{Places: 1}, nil
}

func (f *fakeDraft) DraftPeople(context.Context, account.User, project.ID, string) ([]transform.Person, error) {
	return []transform.Person{
		{Number: 1, Group: "PATIENT", Self: true, Names: []string{"Rose Payne", "Mrs. Payne"}, Written: "[PATIENT 1]", Places: []transform.Place{{Note: 4, Start: 8, End: 18}}},
		{Number: 1, Group: "DOCTOR", Names: []string{"Will Long"}, Written: "[DOCTOR 1]", Places: []transform.Place{{Note: 4, Start: 30, End: 39}}},
	}, nil
}

func (f *fakeDraft) WriteDraftTable(_ context.Context, _ account.User, _ project.ID, w io.Writer) error {
	_, err := io.WriteString(w, "note,words\n")
	return err
}

func (f *fakeDraft) PublishDraft(_ context.Context, _ account.User, _ project.ID, _ release.Ending, a draft.Answers) error {
	if f.refuse != nil {
		return f.refuse
	}
	f.answers = append(f.answers, a)
	return nil
}

func (f *fakeDraft) SurrogateKeys(context.Context, account.User, project.ID) ([]draft.Key, error) {
	return f.keys, nil
}

// madeRow is a place in the first note.
func madeRow(start annotate.ByteOff, label annotate.Label, words string, d transform.Decision) draft.Row {
	end := start + annotate.ByteOff(len(words))
	d.Span = transform.Span{Start: start, End: end, Label: label, By: transform.ByPerson}
	d.As = label
	return draft.Row{Place: transform.Place{Note: 4, Start: start, End: end}, Name: "a-000004-01", Patient: "a-000004", Before: "seen ", Words: words, After: " at the clinic", Decision: d}
}

// madeDraft is a project with a draft by Safe Harbor of three places, one of them undecided.
func madeDraft(t *testing.T) *fakeDraft {
	t.Helper()
	frame, published := webtest.MadePublished()
	p, err := policy.Find("safe-harbor")
	if err != nil {
		t.Fatal(err)
	}
	rate := func(hits float64) retrieve.Rate {
		return retrieve.Rate{Hits: hits, Of: 480, Share: hits / 480, Low: hits/480 - .02, High: hits/480 + .03}
	}
	return &fakeDraft{Frame: frame, Published: published, keys: []draft.Key{{Release: 1, Name: "release-1"}},
		draft: &draft.Draft{
			Settings: draft.Settings{Policy: p, Bundle: 2}, Version: "7", Created: webtest.MadeAt, By: "Ada Okonjo",
			Notes: 480, Patients: 130, Places: 3, Problems: 1, Chosen: 0,
			ByLabel: []draft.Count{{Label: "PATIENT", Action: policy.Numbered, N: 1}, {Label: "DATE", Action: policy.Generalize, N: 2, Problems: 1}},
			Attack: &draft.Attack{Result: retrieve.Result{Patients: 130, Notes: 480, Chance1: 1. / 130, Chance10: 10. / 130, Rows: []retrieve.Row{
				{Knowledge: retrieve.Table, Ranker: retrieve.BM25, Known: 480, Top1: rate(40), Top10: rate(120), Linked: rate(60)},
				{Knowledge: retrieve.Siblings, Ranker: retrieve.Bayes, Known: 480, Top1: rate(90), Top10: rate(200), Linked: rate(100)},
			}}},
		},
		rows: []draft.Row{
			madeRow(8, "PATIENT", "Rose Payne", transform.Decision{Action: policy.Numbered, Replacement: "[PATIENT 1]", Person: 1}),
			madeRow(40, "DATE", "3/4/2019", transform.Decision{Action: policy.Generalize, To: policy.Year, Replacement: "2019"}),
			madeRow(60, "DATE", "the 4th", transform.Decision{Action: policy.Generalize, To: policy.Year, Replacement: "[DATE]", Problem: transform.DateUnread}),
		},
	}
}

func newServer(t testing.TB, p pages) *webtest.Server {
	t.Helper()
	return webtest.New(t, p, New(p))
}

func openBrowser(t *testing.T, role account.Role, p pages) *webtest.Browser {
	t.Helper()
	return webtest.Open(t, role, p, New(p))
}
