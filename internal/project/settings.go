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

// Sampling is which words of the finished notes a training leaves out.
type Sampling = crf.Sampling

// Settings say how a project's model learns, and what the people who annotate get
// to see of it.
type Settings struct {
	Preset   string   `json:"preset"`             // of feature families: "default", "thorough" or "hide"
	Without  []string `json:"without,omitempty"`  // names of families that are left out; see Families
	C2       float64  `json:"c2,omitempty"`       // weight of the penalty; 0 means the engine's default
	Sampling Sampling `json:"sampling,omitempty"` // the zero value leaves nothing out

	// Rules has rules suggest while no model may.
	Rules bool `json:"rules"`
	// MinRecall is the recall that suggestions must have been measured to reach
	// before anybody is shown them; 0 shows them at once.
	MinRecall float64 `json:"min_recall"`
	// Blind is the share of notes that are annotated without suggestions.
	Blind float64 `json:"blind"`
}

// DefaultSettings are those of a project that nobody has set up.
//
// Suggestions wait for a recall of 80 %. People search less where something is
// marked already, and what was not proposed they overlook more; a model that
// misses every fifth word invites that for little work saved, and the first models
// are worse. It is below the 92 to 95 % that people reach alone, because somebody
// reads each note to the end. One note in ten stays without suggestions, so that
// what they do to people can be told.
func DefaultSettings() Settings {
	return Settings{Preset: "default", Rules: true, MinRecall: 0.8, Blind: 0.1}
}

// Limits of settings.
const (
	maxC2     = 1000
	maxBlind  = 0.5
	maxWindow = 1000
)

// Family is a kind of clue that a model may look at.
type Family struct{ Name, About string }

// Families lists the feature families that settings may leave out.
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

// Features are those of the preset that are not left out.
func (s Settings) Features() crf.Families {
	f, _ := crf.Preset(s.Preset)
	for _, row := range crf.FamilyTable() {
		if slices.Contains(s.Without, row.Name) {
			f &^= row.Families
		}
	}
	return f
}

// SettingsError is returned for settings that cannot be. Problems says what is
// wrong with which field: "preset", "without", "c2", "o", "window", "cost",
// "min_recall", "blind".
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

// check finds what is wrong.
func (s Settings) check(labels annotate.LabelSet) error {
	problems := map[string]string{}
	refuse := func(field string, wrong bool, format string, args ...any) {
		if wrong {
			problems[field] = fmt.Sprintf(format, args...)
		}
	}
	_, known := crf.Preset(s.Preset)
	refuse("preset", !known, "there are the presets %s", strings.Join(crf.Presets(), ", "))
	for _, name := range s.Without {
		listed := slices.ContainsFunc(Families(), func(f Family) bool { return f.Name == name })
		refuse("without", !listed, "there is no family %q of features", name)
		refuse("without", listed && known && !s.has(name), "the preset %s has no %s to leave out", s.Preset, name)
	}
	refuse("without", known && s.Features() == 0, "something must be left to look at")
	refuse("c2", !(s.C2 >= 0 && s.C2 <= maxC2), "the penalty is a number from 0 to %d", maxC2)
	refuse("min_recall", !(s.MinRecall >= 0 && s.MinRecall <= 1), "the level is a share from 0 to 100 %%")
	refuse("blind", !(s.Blind >= 0 && s.Blind <= maxBlind), "the share of notes without suggestions is from 0 to %g %%", 100*maxBlind)
	refuse("o", !(s.Sampling.O >= 0 && s.Sampling.O <= 1), "the share of other words that stay is from 0 to 100 %%, where 0 keeps all")
	refuse("window", s.Sampling.Window < 0 || s.Sampling.Window > maxWindow, "the number of words is from 0 to %d, where 0 keeps all", maxWindow)
	for l, c := range s.Sampling.Cost {
		refuse("cost", l != "" && !labels.Has(l), "one of the labels is none of this project's")
		refuse("cost", !(c > 0 && c <= maxCost), "a cost is a number above 0 and up to %d", maxCost)
	}
	if len(problems) > 0 {
		return &SettingsError{problems}
	}
	return nil
}

// maxCost bounds what missing a label may be said to cost.
const maxCost = 1000

var settingsKey = []byte("settings")

// readSettings loads what was set, or the defaults.
func (ws *Workspace) readSettings(tx *store.Tx) error {
	set, err := store.GetJSON[Settings](tx, bucketProject, settingsKey)
	if errors.Is(err, store.ErrNotFound) {
		ws.settings = DefaultSettings()
		return nil
	}
	ws.settings = set
	return err
}

// Settings are the project's settings as they are now.
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

// SetSettings changes the project's settings. Where the model would learn
// otherwise by them, it learns anew. A [*SettingsError] says what cannot be.
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

// storeSettings puts settings in force and returns those that were.
func (s *Service) storeSettings(ws *Workspace, by account.User, set Settings) (old Settings, err error) {
	ws.edits.Lock() // no note is finished under one setting and stored under another
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

// LookUp reports whether models that are trained with these settings look into
// dictionaries.
func (s Settings) LookUp() bool { return s.Features()&(crf.Dictionary|crf.Member) != 0 }

// changes names what differs in the settings to, for the audit trail.
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
