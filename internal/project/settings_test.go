// SPDX-License-Identifier: Apache-2.0

package project_test

import (
	"errors"
	"maps"
	"math"
	"slices"
	"testing"

	"hide/internal/annotate"
	"hide/internal/crf"
	"hide/internal/project"
	"hide/internal/project/projecttest"
	"hide/internal/testsize"
)

func TestSettingsStayAndAreAudited(t *testing.T) {
	b := newBench(t)
	id := b.NewProject(projecttest.Plain("text"), false)
	if s, err := b.Settings(t.Context(), projecttest.Annotator, id); err != nil || s.MinRecall != 0.8 || s.Blind != 0.1 || !s.Rules || s.Preset != "default" {
		t.Errorf("at first: %+v, %v", s, err)
	}
	b.Set(id, func(s *project.Settings) {
		s.MinRecall, s.Sampling = 0.9, crf.Sampling{O: 0.5, Cost: map[annotate.Label]float64{"DATE": 2}}
	})
	b.Reopen()
	s, err := b.Settings(t.Context(), projecttest.Broker, id)
	if err != nil || s.MinRecall != 0.9 || s.Sampling.O != 0.5 || s.Sampling.Cost["DATE"] != 2 || s.Blind != 0.1 {
		t.Errorf("after reopening: %+v, %v", s, err)
	}
	rows, err := b.Audit(t.Context(), projecttest.Broker, id, 0, 50)
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(rows, func(r project.AuditRow) bool { return r.Action == "settings" })
	if i < 0 || rows[i].Detail != "sampling none to o=0.5+cost=DATE:2, min recall 0.8 to 0.9" {
		t.Errorf("audit rows %+v lack the change", rows)
	}
}

func TestSettingsAreNobodyElsesMemory(t *testing.T) {
	b := newBench(t)
	id := b.NewProject(projecttest.Plain("text"), false)
	mine := project.DefaultSettings()
	mine.Without, mine.Sampling.Cost = []string{"shape"}, map[annotate.Label]float64{"DATE": 2}
	if err := b.SetSettings(t.Context(), projecttest.Broker, id, mine); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		mine.Without[0], mine.Sampling.Cost["DATE"] = "context", 9
		var err error
		if mine, err = b.Settings(t.Context(), projecttest.Broker, id); err != nil || mine.Without[0] != "shape" || mine.Sampling.Cost["DATE"] != 2 {
			t.Fatalf("the settings changed without being set: %+v, %v", mine, err)
		}
	}
}

func TestOnlyWhoManagesTheProjectChangesItsSettings(t *testing.T) {
	b := newBench(t)
	id := b.NewProject(projecttest.Plain("text"), false)
	projecttest.WantKind(t, b.SetSettings(t.Context(), projecttest.Annotator, id, project.DefaultSettings()), project.Forbidden)
	projecttest.WantKind(t, b.SetSettings(t.Context(), projecttest.Reviewer, id, project.DefaultSettings()), project.Forbidden)
	_, err := b.Settings(t.Context(), projecttest.Reviewer, id)
	projecttest.WantKind(t, err, project.Forbidden)
	projecttest.WantKind(t, b.SetSettings(t.Context(), projecttest.Broker, "p9", project.DefaultSettings()), project.NotFound)
}

func TestSettingsThatCannotBeNameTheirField(t *testing.T) {
	b := newBench(t)
	id := b.NewProject(projecttest.Plain("text"), false)
	for field, change := range map[string]func(*project.Settings){
		"preset":     func(s *project.Settings) { s.Preset = "best" },
		"without":    func(s *project.Settings) { s.Without = []string{"nonsense"} },
		"c2":         func(s *project.Settings) { s.C2 = -1 },
		"min_recall": func(s *project.Settings) { s.MinRecall = 1.1 },
		"blind":      func(s *project.Settings) { s.Blind = 0.6 },
		"o":          func(s *project.Settings) { s.Sampling.O = math.NaN() },
		"window":     func(s *project.Settings) { s.Sampling.Window = -1 },
		"cost":       func(s *project.Settings) { s.Sampling.Cost = map[annotate.Label]float64{"NONSENSE": 2} },
	} {
		s := project.DefaultSettings()
		change(&s)
		err := b.SetSettings(t.Context(), projecttest.Broker, id, s)
		projecttest.WantKind(t, err, project.Invalid)
		var wrong *project.SettingsError
		if !errors.As(err, &wrong) || !slices.Equal(slices.Collect(maps.Keys(wrong.Problems)), []string{field}) {
			t.Errorf("%s: %v", field, err)
		}
	}
	lacking := project.DefaultSettings()
	lacking.Without = []string{"affix"} // which only the preset hide has
	var wrong *project.SettingsError
	if err := b.SetSettings(t.Context(), projecttest.Broker, id, lacking); !errors.As(err, &wrong) || wrong.Problems["without"] != "the preset default does not contain affix" {
		t.Errorf("a family that the preset lacks: %v", err)
	}
	all := project.DefaultSettings()
	for _, f := range project.Families() {
		all.Without = append(all.Without, f.Name)
	}
	projecttest.WantKind(t, b.SetSettings(t.Context(), projecttest.Broker, id, all), project.Invalid)
	if s, _ := b.Settings(t.Context(), projecttest.Broker, id); s.MinRecall != 0.8 || s.Preset != "default" {
		t.Errorf("a refused change left %+v", s)
	}
}

func TestSettingsOfTrainingMakeAnotherModel(t *testing.T) {
	testsize.Slow(t)
	b := newBench(t)
	id := b.NewProject(projecttest.Notes(6), true)
	first := b.Trained(id).Model
	b.Set(id, func(s *project.Settings) { s.Blind = 0.2 })
	if again := b.Trained(id).Model; again != first {
		t.Errorf("model %d after another share of blind notes, was %d", again, first)
	}
	b.Set(id, func(s *project.Settings) { s.Preset, s.Without = "hide", []string{"affix"} })
	b.Wait("another model", func() bool { return b.Trained(id).Model > first })
	card, err := b.ModelCard(t.Context(), projecttest.Broker, id)
	if err != nil || card.Preset != "hide" || !slices.Equal(card.Without, []string{"affix"}) {
		t.Errorf("the new model has the features %q, %v", card.Card.Features.Families, err)
	}
}
