// SPDX-License-Identifier: Apache-2.0

package draft_test

import (
	"slices"
	"strings"
	"testing"

	"hide/internal/annotate"
	"hide/internal/project"
	"hide/internal/project/draft"
	"hide/internal/project/projecttest"
	"hide/internal/project/release"
)

func TestSubsets(t *testing.T) {
	d := newDesk(t)
	first := draft.Settings{Policy: named(t, "placeholders"), Subset: draft.Subset{Cohort: []string{"pa"}}}
	if now := d.prepare(first); now.Notes != 2 {
		t.Errorf("the cohort has %d notes", now.Notes)
	}
	d.settle()
	r := d.publish(release.Publish, draft.Answers{})
	if r.Documents != 2 || r.Subset != "all notes of a cohort of 1 name" {
		t.Errorf("%+v", r)
	}
	like := first
	like.Like = r.Number
	d.prepare(like)
	d.settle()
	if again := d.publish(release.Publish, draft.Answers{}); !slices.Contains(again.Warnings, "Numbers of notes are those of release 1: a person with both releases can join them.") {
		t.Errorf("like %s, without invented values: %q", r.Name, again.Warnings)
	}
	now := d.prepare(draft.Settings{Policy: named(t, "placeholders"), Subset: draft.Subset{Since: r.Number}})
	if now.Notes != 1 || len(d.rows(draft.Filter{Patient: "pc"})) == 0 {
		t.Errorf("since the release there are %d notes", now.Notes)
	}
	err := d.PrepareDraft(t.Context(), projecttest.Broker, d.id, draft.Settings{Policy: named(t, "placeholders"), Subset: draft.Subset{Cohort: []string{"pa", "Nobody"}}})
	if err == nil || !strings.Contains(err.Error(), "name 2") || strings.Contains(err.Error(), "Nobody") {
		t.Errorf("an unknown name: %v", err)
	}
	d.MustImport(d.id, projecttest.Plain("Nothing here."), false)
	err = d.PrepareDraft(t.Context(), projecttest.Broker, d.id, draft.Settings{Policy: named(t, "placeholders")})
	projecttest.WantKind(t, err, project.Invalid) // an open note, and no model
	if now := d.prepare(draft.Settings{Policy: named(t, "placeholders"), Subset: draft.Subset{Finished: true}}); now.Notes != 3 {
		t.Errorf("finished notes: %d", now.Notes)
	}
}

func TestPairsThatCannotBeAreRefused(t *testing.T) {
	d := newDesk(t)
	for name, pairs := range map[string]map[annotate.Label]annotate.Label{
		"an unknown label": {"COLOUR": "DATE"}, "an unknown meaning": {"DOCTOR": "COLOUR"}, "a label that means itself": {"PATIENT": "STATE"},
	} {
		err := d.PrepareDraft(t.Context(), projecttest.Broker, d.id, draft.Settings{Policy: named(t, "safe-harbor"), Pairs: pairs})
		if project.KindOf(err) != project.Invalid || !strings.Contains(err.Error(), "paired") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
