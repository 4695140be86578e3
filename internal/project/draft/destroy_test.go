// SPDX-License-Identifier: Apache-2.0

package draft_test

import (
	"context"
	"strings"
	"testing"

	"hide/internal/project"
	"hide/internal/project/draft"
	"hide/internal/project/projecttest"
	"hide/internal/project/release"
	"hide/internal/publish/policy"
	"hide/internal/publish/transform"
)

func TestADestroyedKeyCannotBeUsedAgain(t *testing.T) {
	d := newDesk(t)
	d.prepare(surrogates(t))
	d.settle()
	r := d.publish(release.Publish, draft.Answers{})
	s := surrogates(t)
	s.Like = r.Number
	d.prepare(s)
	projecttest.WantKind(t, d.DestroySurrogateKey(t.Context(), projecttest.Reviewer, d.id, r.Number), project.Forbidden)
	d.must(d.DestroySurrogateKey(t.Context(), projecttest.Broker, d.id, r.Number))
	if now := d.now(); !strings.Contains(now.Stale, "destroyed") {
		t.Errorf("the draft says it is stale because %q", now.Stale)
	}
	place := d.rows(draft.Filter{Label: "DATE"})[0].Place
	_, err := d.Decide(t.Context(), projecttest.Broker, d.id, draft.Which{Places: []transform.Place{place}}, transform.Choice{Action: policy.Placeholder})
	projecttest.WantKind(t, err, project.Invalid) // no key to plan with
	projecttest.WantKind(t, d.PrepareDraft(t.Context(), projecttest.Broker, d.id, s), project.Invalid)
	projecttest.WantKind(t, d.DestroySurrogateKey(t.Context(), projecttest.Broker, d.id, r.Number), project.Invalid)
	if keys, err := d.SurrogateKeys(t.Context(), projecttest.Broker, d.id); err != nil || len(keys) != 0 {
		t.Errorf("keys: %v, %v", keys, err)
	}
}

func TestADestroyedKeyLeavesTheDraftOfItsRelease(t *testing.T) {
	d := newDesk(t)
	d.prepare(surrogates(t))
	d.settle()
	r := d.publish(release.Publish, draft.Answers{})
	d.must(d.DestroySurrogateKey(t.Context(), projecttest.Broker, d.id, r.Number))
	place := d.rows(draft.Filter{Label: "DATE"})[0].Place
	_, err := d.Decide(t.Context(), projecttest.Broker, d.id, draft.Which{Places: []transform.Place{place}}, transform.Choice{Action: policy.Placeholder})
	projecttest.WantKind(t, err, project.Invalid) // no key to plan with
}

func TestAKeyIsNotDestroyedWhileAReleaseIsWritten(t *testing.T) {
	d := newDesk(t)
	d.prepare(surrogates(t))
	d.settle()
	r := d.publish(release.Publish, draft.Answers{})
	end := make(chan struct{})
	d.must(d.Publisher.Start(d.MustWorkspace(d.id), release.Publish, release.Status{}, func(context.Context) error { <-end; return nil }))
	err := d.DestroySurrogateKey(t.Context(), projecttest.Broker, d.id, r.Number)
	projecttest.WantKind(t, err, project.Stale)
	close(end)
	d.Published(d.id)
	d.must(d.DestroySurrogateKey(t.Context(), projecttest.Broker, d.id, r.Number))
}

func TestADestroyedKeyLeavesCandidates(t *testing.T) {
	d := newDesk(t)
	d.prepare(surrogates(t))
	d.settle()
	freeze := func() release.Candidate {
		return d.Froze(d.id, func() error {
			return d.PublishDraft(t.Context(), projecttest.Broker, d.id, release.Freeze, draft.Answers{})
		})
	}
	candidates := []release.Candidate{freeze()}
	first := d.publish(release.Publish, draft.Answers{})
	s := surrogates(t)
	s.Like = first.Number
	d.prepare(s)
	d.settle()
	candidates = append(candidates, freeze())
	d.prepare(surrogates(t))
	d.settle()
	other := d.publish(release.Publish, draft.Answers{})
	d.must(d.DestroySurrogateKey(t.Context(), projecttest.Broker, d.id, first.Number))
	for _, c := range candidates {
		d.must(d.StartPublishCandidate(t.Context(), projecttest.Broker, d.id, c.Number, nil, release.Despite{Uncertified: "a test"}))
		if _, st := d.Published(d.id); st.Error != "" || st.Made != c.Number {
			t.Errorf("candidate %d without its key: %+v", c.Number, st)
		}
	}
	if keys, err := d.SurrogateKeys(t.Context(), projecttest.Broker, d.id); err != nil || len(keys) != 1 || keys[0].Release != other.Number || len(keys[0].Shared) != 0 {
		t.Errorf("keys: %+v, %v", keys, err)
	}
}

func TestRemovedPatientsLeaveNothingInDraftsAndKeys(t *testing.T) {
	d := newDesk(t)
	d.prepare(surrogates(t))
	d.settle()
	r := d.publish(release.Publish, draft.Answers{})
	_, err := d.RemovePatient(t.Context(), projecttest.Broker, d.id, "pc", "pc")
	d.must(err)
	if rows := d.rows(draft.Filter{}); len(rows) != 8 {
		t.Errorf("%d rows are left", len(rows))
	}
	if now := d.now(); now.Stale == "" {
		t.Error("the draft is not stale")
	}
	_, err = d.DraftPeople(t.Context(), projecttest.Broker, d.id, "pc")
	projecttest.WantKind(t, err, project.NotFound)
	keys, err := d.SurrogateKeys(t.Context(), projecttest.Broker, d.id)
	if err != nil || len(keys) != 1 || keys[0].Patients != 1 {
		t.Errorf("keys: %+v, %v", keys, err)
	}
	_, err = d.RemovePatient(t.Context(), projecttest.Broker, d.id, "pa", "pa")
	d.must(err)
	if keys, err := d.SurrogateKeys(t.Context(), projecttest.Broker, d.id); err != nil || len(keys) != 0 {
		t.Errorf("the key of %s outlives its patients: %v, %v", r.Name, keys, err)
	}
}
