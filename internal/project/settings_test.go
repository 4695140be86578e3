// SPDX-License-Identifier: Apache-2.0

package project

import (
	"errors"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"hide/internal/annotate"
	"hide/internal/crf"
)

// set changes one thing in the settings.
func (b *bench) set(id ID, change func(*Settings)) {
	b.t.Helper()
	s, err := b.Settings(b.t.Context(), broker, id)
	if err != nil {
		b.t.Fatal(err)
	}
	change(&s)
	if err := b.SetSettings(b.t.Context(), broker, id, s); err != nil {
		b.t.Fatal(err)
	}
}

func TestSettingsStayAndAreAudited(t *testing.T) {
	b := newBench(t)
	id := b.project(plain("text"), false)
	if s, err := b.Settings(t.Context(), annotator, id); err != nil || s.MinRecall != 0.8 || s.Blind != 0.1 || !s.Rules || s.Preset != "default" {
		t.Errorf("at first: %+v, %v", s, err)
	}
	b.set(id, func(s *Settings) {
		s.MinRecall, s.Sampling = 0.9, crf.Sampling{O: 0.5, Cost: map[annotate.Label]float64{"DATE": 2}}
	})
	b.reopen()
	s, err := b.Settings(t.Context(), broker, id)
	if err != nil || s.MinRecall != 0.9 || s.Sampling.O != 0.5 || s.Sampling.Cost["DATE"] != 2 || s.Blind != 0.1 {
		t.Errorf("after reopening: %+v, %v", s, err)
	}
	rows, err := b.Audit(t.Context(), broker, id, 0, 50)
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(rows, func(r AuditRow) bool { return r.Action == "settings" })
	if i < 0 || rows[i].Detail != "sampling none to o=0.5+cost=DATE:2, min recall 0.8 to 0.9" {
		t.Errorf("audit rows %+v lack the change", rows)
	}
}

func TestSettingsAreNobodyElsesMemory(t *testing.T) {
	b := newBench(t)
	id := b.project(plain("text"), false)
	mine := DefaultSettings()
	mine.Without, mine.Sampling.Cost = []string{"shape"}, map[annotate.Label]float64{"DATE": 2}
	if err := b.SetSettings(t.Context(), broker, id, mine); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		mine.Without[0], mine.Sampling.Cost["DATE"] = "context", 9
		var err error
		if mine, err = b.Settings(t.Context(), broker, id); err != nil || mine.Without[0] != "shape" || mine.Sampling.Cost["DATE"] != 2 {
			t.Fatalf("the settings changed without being set: %+v, %v", mine, err)
		}
	}
}

func TestOnlyWhoManagesTheProjectChangesItsSettings(t *testing.T) {
	b := newBench(t)
	id := b.project(plain("text"), false)
	wantKind(t, b.SetSettings(t.Context(), annotator, id, DefaultSettings()), Forbidden)
	wantKind(t, b.SetSettings(t.Context(), reviewer, id, DefaultSettings()), Forbidden)
	_, err := b.Settings(t.Context(), reviewer, id)
	wantKind(t, err, Forbidden)
	wantKind(t, b.SetSettings(t.Context(), broker, "p9", DefaultSettings()), NotFound)
}

func TestSettingsThatCannotBeNameTheirField(t *testing.T) {
	b := newBench(t)
	id := b.project(plain("text"), false)
	for field, change := range map[string]func(*Settings){
		"preset":     func(s *Settings) { s.Preset = "best" },
		"without":    func(s *Settings) { s.Without = []string{"nonsense"} },
		"c2":         func(s *Settings) { s.C2 = -1 },
		"min_recall": func(s *Settings) { s.MinRecall = 1.1 },
		"blind":      func(s *Settings) { s.Blind = 0.6 },
		"o":          func(s *Settings) { s.Sampling.O = math.NaN() },
		"window":     func(s *Settings) { s.Sampling.Window = -1 },
		"cost":       func(s *Settings) { s.Sampling.Cost = map[annotate.Label]float64{"NONSENSE": 2} },
	} {
		s := DefaultSettings()
		change(&s)
		err := b.SetSettings(t.Context(), broker, id, s)
		wantKind(t, err, Invalid)
		var wrong *SettingsError
		if !errors.As(err, &wrong) || !slices.Equal(slices.Collect(maps.Keys(wrong.Problems)), []string{field}) {
			t.Errorf("%s: %v", field, err)
		}
	}
	lacking := DefaultSettings()
	lacking.Without = []string{"affix"} // which only the preset hide has
	var wrong *SettingsError
	if err := b.SetSettings(t.Context(), broker, id, lacking); !errors.As(err, &wrong) || wrong.Problems["without"] != "the preset default has no affix to leave out" {
		t.Errorf("a family that the preset lacks: %v", err)
	}
	all := DefaultSettings()
	for _, f := range Families() {
		all.Without = append(all.Without, f.Name)
	}
	wantKind(t, b.SetSettings(t.Context(), broker, id, all), Invalid)
	if s, _ := b.Settings(t.Context(), broker, id); s.MinRecall != 0.8 || s.Preset != "default" {
		t.Errorf("a refused change left %+v", s)
	}
}

func TestSettingsOfTrainingMakeAnotherModel(t *testing.T) {
	b := newBench(t)
	id := b.project(notes(6), true)
	first := b.trained(id).Model
	b.set(id, func(s *Settings) { s.Blind = 0.2 })
	if again := b.trained(id).Model; again != first {
		t.Errorf("model %d after another share of blind notes, was %d", again, first)
	}
	b.set(id, func(s *Settings) { s.Preset, s.Without = "hide", []string{"affix"} })
	b.wait("another model", func() bool { return b.trained(id).Model > first })
	ws, err := b.Workspace(id)
	if err != nil {
		t.Fatal(err)
	}
	if f := ws.model.model.Features(); f != crf.HIDE&^crf.Affix {
		t.Errorf("the new model has the features %#x", f)
	}
}

// markedAtRandom have words that nothing sets apart, half of them marked, so that no
// model can find all of them, and a date.
func markedAtRandom(n int) []annotate.Annotated {
	docs := notes(n)
	for i := range docs {
		var b markup
		b.text("On ").span("3/4/2019", "DATE").text(" we saw")
		for k := range 8 {
			word := strings.Repeat(string(rune('a'+(i*7+k*3)%26)), 2) + strings.Repeat(string(rune('a'+(i*5+k)%26)), 3)
			if (i*3+k*k)%7 < 3 {
				b.text(" ").span(word, "PATIENT")
			} else {
				b.text(" " + word)
			}
		}
		docs[i].Text, docs[i].Spans = b.String()+".\n", b.spans
	}
	return docs
}
