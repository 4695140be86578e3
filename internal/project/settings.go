// SPDX-License-Identifier: Apache-2.0

package project

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"hide/internal/account"
	"hide/internal/annotate"
	"hide/internal/crf"
	"hide/internal/store"
)

// Sampling says which words of the finished notes a training leaves out.
type Sampling = crf.Sampling

// Settings say how a project's model is trained and what annotators see of it.
type Settings struct {
	Preset   string   `json:"preset"`             // of feature families: "default", "thorough" or "hide"
	Without  []string `json:"without,omitempty"`  // names of left-out families; see Families
	C2       float64  `json:"c2,omitempty"`       // weight of the penalty; 0 means the engine's default
	Sampling Sampling `json:"sampling,omitempty"` // the zero value leaves nothing out

	// Rules lets rules suggest while no model may.
	Rules bool `json:"rules"`
	// MinRecall is the measured recall from which on suggestions are shown; 0 shows them
	// at once.
	MinRecall float64 `json:"min_recall"`
	// Blind is the share of notes that are annotated without suggestions.
	Blind float64 `json:"blind"`
}

// DefaultSettings are those of a new project.
//
// Suggestions wait for a recall of 80 %. People search less where something is already
// marked, and overlook more of what was not suggested. A model that misses every fifth
// word has this effect and saves little work, and the first models are worse. The level
// is below the 92 to 95 % that people reach alone, because a person reads each note to
// the end. One note in ten stays without suggestions, to measure their effect on people.
func DefaultSettings() Settings {
	return Settings{Preset: "default", Rules: true, MinRecall: 0.8, Blind: 0.1}
}

// Limits of settings.
const (
	maxC2     = 1000
	maxBlind  = 0.5
	maxWindow = 1000
)

// Family is a group of features that a model can use.
type Family struct{ Name, About string }

// Families lists the feature families that settings can leave out.
func Families() []Family {
	var all []Family
	for _, row := range crf.FamilyTable() {
		all = append(all, Family{row.Name, row.About})
	}
	return all
}

// has reports whether the preset has a family of that name.
func (s Settings) has(name string) bool {
	f, _ := crf.Preset(s.Preset)
	return slices.ContainsFunc(crf.FamilyTable(), func(row crf.Family) bool { return row.Name == name && f&row.Families != 0 })
}

// Features lists the families of the preset that are not left out.
func (s Settings) Features() crf.Families {
	f, _ := crf.Preset(s.Preset)
	for _, row := range crf.FamilyTable() {
		if slices.Contains(s.Without, row.Name) {
			f &^= row.Families
		}
	}
	return f
}

// SettingsError is returned for invalid settings. Problems says what is wrong with which
// field: "preset", "without", "c2", "o", "window", "cost", "min_recall", "blind".
type SettingsError struct{ Problems map[string]string }

func (e *SettingsError) Error() string {
	var all []string
	for _, field := range slices.Sorted(maps.Keys(e.Problems)) {
		all = append(all, e.Problems[field])
	}
	return strings.Join(all, "; ")
}

// Unwrap makes it an [*Error] of the kind Invalid.
func (e *SettingsError) Unwrap() error { return &Error{Kind: Invalid, Message: e.Error()} }

// check lists the problems.
func (s Settings) check(labels annotate.LabelSet) error {
	problems := map[string]string{}
	refuse := func(field string, wrong bool, format string, args ...any) {
		if wrong {
			problems[field] = fmt.Sprintf(format, args...)
		}
	}
	_, known := crf.Preset(s.Preset)
	refuse("preset", !known, "unknown preset; choose one of %s", strings.Join(crf.Presets(), ", "))
	for _, name := range s.Without {
		listed := slices.ContainsFunc(Families(), func(f Family) bool { return f.Name == name })
		refuse("without", !listed, "unknown feature family %q", name)
		refuse("without", listed && known && !s.has(name), "the preset %s does not contain %s", s.Preset, name)
	}
	refuse("without", known && s.Features() == 0, "the model needs at least one feature family")
	refuse("c2", !(s.C2 >= 0 && s.C2 <= maxC2), "enter a number from 0 to %d", maxC2)
	refuse("min_recall", !(s.MinRecall >= 0 && s.MinRecall <= 1), "enter a share from 0 to 100 %%")
	refuse("blind", !(s.Blind >= 0 && s.Blind <= maxBlind), "enter a share from 0 to %g %%", 100*maxBlind)
	refuse("o", !(s.Sampling.O >= 0 && s.Sampling.O <= 1), "enter a share of non-PHI words from 0 to 100 %%; 0 keeps all")
	refuse("window", s.Sampling.Window < 0 || s.Sampling.Window > maxWindow, "enter a number of words from 0 to %d; 0 keeps all", maxWindow)
	for l, c := range s.Sampling.Cost {
		refuse("cost", l != "" && !labels.Has(l), "one of the labels is not a label of this project")
		refuse("cost", !(c > 0 && c <= maxCost), "enter a cost above 0 and at most %d", maxCost)
	}
	if len(problems) > 0 {
		return &SettingsError{problems}
	}
	return nil
}

// maxCost is the largest cost of missing a label.
const maxCost = 1000

var settingsKey = []byte("settings")

// readSettings loads the stored settings, or the defaults.
func (ws *Workspace) readSettings(tx *store.Tx) error {
	set, err := store.GetJSON[Settings](tx, bucketProject, settingsKey)
	if errors.Is(err, store.ErrNotFound) {
		ws.settings = DefaultSettings()
		return nil
	}
	ws.settings = set
	return err
}

// Settings returns the project's current settings.
func (s *Service) Settings(ctx context.Context, by account.User, id ID) (Settings, error) {
	ws, err := s.EnterAny(by, id, account.ManageWork, account.ReadNotes)
	if err != nil {
		return Settings{}, err
	}
	return ws.Settings(), nil
}

func (ws *Workspace) Settings() Settings {
	ws.mu.RLock()
	defer ws.mu.RUnlock()
	return ws.settings.clone()
}

// clone shares nothing with s.
func (s Settings) clone() Settings {
	s.Without, s.Sampling.Cost = slices.Clone(s.Without), maps.Clone(s.Sampling.Cost)
	return s
}

// SetSettings changes the project's settings. If the change affects training, the model
// is trained again. A [*SettingsError] says what is invalid.
func (s *Service) SetSettings(ctx context.Context, by account.User, id ID, set Settings) error {
	ws, err := s.Enter(by, account.ManageWork, id)
	if err != nil {
		return err
	}
	set = set.clone()
	if err := set.check(ws.Labels()); err != nil {
		return err
	}
	old, err := s.storeSettings(ws, by, set)
	if err != nil {
		return err
	}
	ws.model.SettingsChanged(old, set)
	s.Tell(id, TopicTraining)
	s.Tell(id, TopicQueue)
	s.TellDocument(id, 0)
	return nil
}

// storeSettings stores settings and returns the previous ones.
func (s *Service) storeSettings(ws *Workspace, by account.User, set Settings) (old Settings, err error) {
	ws.edits.Lock() // so that no note is finished under one setting and stored under another
	defer ws.edits.Unlock()
	old = ws.Settings()
	err = s.Update(ws.ID, EventBy(by, "settings", ws.ID.Object(), old.changes(set)), func(tx *store.Tx) error {
		return store.PutJSON(tx, bucketProject, settingsKey, set)
	})
	if err != nil {
		return old, err
	}
	ws.mu.Lock()
	defer ws.mu.Unlock()
	ws.settings = set
	return old, nil
}

// LookUp reports whether models with these settings use dictionaries.
func (s Settings) LookUp() bool { return s.Features()&(crf.Dictionary|crf.Member) != 0 }

// changes names the settings that differ, for the audit trail.
func (s Settings) changes(to Settings) string {
	var all []string
	add := func(name string, was, is any) {
		if fmt.Sprint(was) != fmt.Sprint(is) {
			all = append(all, fmt.Sprintf("%s %v to %v", name, was, is))
		}
	}
	add("preset", s.Preset, to.Preset)
	add("left out", cmp.Or(strings.Join(s.Without, "+"), "nothing"), cmp.Or(strings.Join(to.Without, "+"), "nothing"))
	add("c2", s.C2, to.C2)
	add("sampling", cmp.Or(s.Sampling.String(), "none"), cmp.Or(to.Sampling.String(), "none"))
	add("rules", s.Rules, to.Rules)
	add("min recall", s.MinRecall, to.MinRecall)
	add("blind share", s.Blind, to.Blind)
	return cmp.Or(strings.Join(all, ", "), "nothing changed")
}
