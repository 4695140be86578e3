// SPDX-License-Identifier: Apache-2.0

// Package policy says what becomes of identifiers in released text, as data.
//
// A [Policy] has one [Rule] per label: keep the words, write a placeholder, generalize them,
// shift a date, write a surrogate, or drop the sentence. Rules are written for the labels of
// the default set, [annotate.I2B2]; [Policy.Resolve] applies them to the labels of a project.
//
// A policy rests on a [Basis]. Safe Harbor and the limited data set forbid some actions, so
// [Policy.Check] refuses a policy that claims a basis and does not keep to it:
//
//	p, _ := policy.Find("safe-harbor")
//	p.Check() // nil: it is one of the policies of the program
//
// What a basis requires besides, such as a signed statement, is in [Basis.Needs].
package policy

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"hide/internal/annotate"
)

// Schema is the "schema" of a policy file.
const Schema = "hide policy 1"

// Policy says what becomes of each label. The zero value is not a policy.
type Policy struct {
	Schema  string   `json:"schema"`
	Name    string   `json:"name"`    // lower-case letters, digits and hyphens
	Version int      `json:"version"` // from 1; a changed policy has a new version
	Basis   Basis    `json:"basis"`
	Title   string   `json:"title"`
	About   []string `json:"about"` // sentences for people

	// Placeholder is the form of placeholders, with LABEL for the label: "[LABEL]". A
	// numbered placeholder has the number behind the label: "[DOCTOR 2]".
	Placeholder string `json:"placeholder"`
	// Repeat says which surrogate a value gets that occurs again.
	Repeat Repeat `json:"repeat"`
	// Shift limits the shift of dates; without a rule that shifts it is zero.
	Shift Shift `json:"shift,omitzero"`
	// Rules are by label of the default set.
	Rules []Rule `json:"rules"`
}

// Rule is what becomes of one label.
type Rule struct {
	Label  annotate.Label `json:"label"`
	Action Action         `json:"action"`
	To     Level          `json:"to,omitempty"` // of Generalize
	Why    string         `json:"why,omitempty"`
}

// Action is what becomes of the words of a span. The names are stored: do not change them.
type Action string

// The actions.
const (
	Keep         Action = "keep"
	Placeholder  Action = "placeholder"
	Numbered     Action = "numbered"      // a placeholder with a number per person or value, stable within a patient
	Generalize   Action = "generalize"    // to a [Level]
	ShiftDate    Action = "shift"         // by the days of the patient
	Surrogate    Action = "surrogate"     // an invented value of the same kind and form
	DropSentence Action = "drop-sentence" // the sentence goes, and a placeholder says so
)

// Actions lists all actions in the order of pages.
func Actions() []Action {
	return []Action{Keep, Placeholder, Numbered, Generalize, ShiftDate, Surrogate, DropSentence}
}

// Hidden reports whether a reader of the release cannot tell the replacement from original
// text. The release does not list such places.
func (a Action) Hidden() bool { return a == Surrogate || a == ShiftDate }

// Blank reports whether the replacement tells no more than the label.
func (a Action) Blank() bool { return a == Placeholder || a == Numbered || a == DropSentence }

// Level is what a value is generalized to.
type Level string

// The levels.
const (
	Year    Level = "year"
	Quarter Level = "quarter"
	Month   Level = "month"
	Age90   Level = "age-90" // ages over 89 become 90+, others stay
	Age5    Level = "age-5"  // bands of five years, 90+
	Age10   Level = "age-10"
	ZIP3    Level = "zip-3" // three digits, or 000 where they hold at most 20,000 people
	State   Level = "state" // of a city
)

// LevelsOf lists the levels that values of a label can be generalized to, the usual one first.
func LevelsOf(l annotate.Label) []Level {
	switch l {
	case "DATE":
		return []Level{Year, Quarter, Month}
	case "AGE":
		return []Level{Age90, Age5, Age10}
	case "ZIP":
		return []Level{ZIP3}
	case "CITY":
		return []Level{State}
	}
	return nil
}

// Repeat says which surrogate a value gets that occurs several times for one patient. The names
// are stored: do not change them.
type Repeat string

// The ways.
const (
	Consistent Repeat = "consistent" // the same as before
	Random     Repeat = "random"     // a new one
	// Markov keeps the last one or takes a new one, by chance (Osborne 2025). A value that was
	// missed once then stands out less.
	Markov Repeat = "markov"
)

// Repeats lists the ways.
func Repeats() []Repeat { return []Repeat{Consistent, Random, Markov} }

// Shift limits by how many days the dates of a patient move, either way.
type Shift struct {
	Days int `json:"days"` // 1 to 3,650
	// Weeks keeps weekdays: shifts are whole weeks, so there are seven times fewer of them.
	Weeks bool `json:"weeks,omitempty"`
}

const (
	mostShift       = 3650
	mostText        = 500 // bytes of a title, sentence or reason
	mostSentences   = 20
	mostPlaceholder = 32
)

// Rule is the rule for a label of the default set.
func (p Policy) Rule(l annotate.Label) (Rule, bool) {
	i := slices.IndexFunc(p.Rules, func(r Rule) bool { return r.Label == l })
	if i < 0 {
		return Rule{}, false
	}
	return p.Rules[i], true
}

// Has reports whether a rule has the action.
func (p Policy) Has(a Action) bool {
	return slices.ContainsFunc(p.Rules, func(r Rule) bool { return r.Action == a })
}

// Hides reports whether a release by the policy has invented text that it does not list.
func (p Policy) Hides() bool { return p.Has(Surrogate) || p.Has(ShiftDate) }

// ID names a policy with its version: "safe-harbor 1".
func (p Policy) ID() string { return fmt.Sprintf("%s %d", p.Name, p.Version) }

// Check reports why the policy cannot be used: a field, a rule, or an action that its basis
// forbids. Every label of the default set needs a rule.
func (p Policy) Check() error {
	if p.Schema != Schema {
		return fmt.Errorf("the schema is %q, not %q", p.Schema, Schema)
	}
	if !validName(p.Name) {
		return fmt.Errorf("the name of the policy must be 1 to 40 lower-case letters, digits and hyphens")
	}
	if p.Version < 1 {
		return fmt.Errorf("the version of policy %s must be at least 1", p.Name)
	}
	if !slices.Contains(Bases(), p.Basis) {
		return fmt.Errorf("policy %s: unknown basis %q; there are %s", p.Name, p.Basis, list(Bases()))
	}
	if err := p.checkWords(); err != nil {
		return fmt.Errorf("policy %s: %w", p.Name, err)
	}
	if err := p.checkRules(); err != nil {
		return fmt.Errorf("policy %s: %w", p.Name, err)
	}
	return nil
}

func (p Policy) checkWords() error {
	if p.Title == "" || len(p.Title) > mostText || !utf8.ValidString(p.Title) {
		return fmt.Errorf("the title must have 1 to %d bytes", mostText)
	}
	if len(p.About) > mostSentences || slices.ContainsFunc(p.About, func(s string) bool { return len(s) > mostText }) {
		return fmt.Errorf("the description has more than %d sentences, or one of more than %d bytes", mostSentences, mostText)
	}
	if err := CheckForm(p.Placeholder); err != nil {
		return err
	}
	if !slices.Contains(Repeats(), p.Repeat) {
		return fmt.Errorf("unknown way to repeat %q; there are %s", p.Repeat, list(Repeats()))
	}
	return nil
}

// CheckForm reports why placeholders cannot have a form. LABEL must stand in it, between
// visible characters that are not part of a word.
func CheckForm(form string) error {
	before, after, found := strings.Cut(form, "LABEL")
	if !found || len(form) > mostPlaceholder || !fence(before) || !fence(after) {
		return fmt.Errorf("the form of placeholders, %q, must be LABEL between visible characters other than letters and digits", form)
	}
	return nil
}

// Fill is the placeholder of a form for a label, or for a label with its number.
func Fill(form, label string) string { return strings.Replace(form, "LABEL", label, 1) }

// fence reports whether s is visible and contains no part of a word, so that a placeholder
// never merges with its neighbours.
func fence(s string) bool {
	for _, r := range s {
		if r == '_' || r == utf8.RuneError || !(unicode.IsPunct(r) || unicode.IsSymbol(r)) {
			return false
		}
	}
	return s != ""
}

func (p Policy) checkRules() error {
	known := annotate.I2B2().Labels()
	for i, r := range p.Rules {
		if !slices.Contains(known, r.Label) {
			return fmt.Errorf("rule %d is for the unknown label %q; rules are for the labels of the set i2b2-2014", i+1, r.Label)
		}
		if slices.ContainsFunc(p.Rules[:i], func(other Rule) bool { return other.Label == r.Label }) {
			return fmt.Errorf("there are two rules for %s", r.Label)
		}
		if err := r.check(); err != nil {
			return err
		}
		if err := p.Basis.Allows(r); err != nil {
			return err
		}
	}
	for _, l := range known {
		if _, found := p.Rule(l); !found {
			return fmt.Errorf("there is no rule for %s", l)
		}
	}
	if shifts := p.Has(ShiftDate); shifts != (p.Shift != Shift{}) {
		return fmt.Errorf(`"shift" and a rule that shifts dates go together`)
	} else if shifts && (p.Shift.Days < 1 || p.Shift.Days > mostShift || p.Shift.Weeks && p.Shift.Days < 7) {
		return fmt.Errorf("dates can be shifted by 1 to %d days, by whole weeks from 7", mostShift)
	}
	return nil
}

func (r Rule) check() error {
	if len(r.Why) > mostText {
		return fmt.Errorf("the reason for %s has more than %d bytes", r.Label, mostText)
	}
	return CheckAction(r.Label, r.Action, r.To)
}

// CheckAction reports why values of a label of the default set cannot be treated so.
func CheckAction(l annotate.Label, a Action, to Level) error {
	switch {
	case !slices.Contains(Actions(), a):
		return fmt.Errorf("unknown action %q for %s; there are %s", a, l, list(Actions()))
	case a != Generalize && to != "":
		return fmt.Errorf("%s: only the action generalize has a level", l)
	case a == Generalize && !slices.Contains(LevelsOf(l), to):
		if levels := LevelsOf(l); len(levels) > 0 {
			return fmt.Errorf("%s cannot be generalized to %q; possible are %s", l, to, list(levels))
		}
		return fmt.Errorf("%s cannot be generalized: use a placeholder or a surrogate", l)
	case a == ShiftDate && l != "DATE":
		return fmt.Errorf("%s cannot be shifted: only dates can", l)
	case a == Surrogate && l == "AGE":
		return fmt.Errorf("an age has no surrogate: keep or generalize it")
	case a == Surrogate && l == "DATE":
		return fmt.Errorf("a date has no surrogate: shift or generalize it")
	}
	return nil
}

func validName(s string) bool {
	return s != "" && len(s) <= 40 && strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789-") == ""
}

func list[S ~string](all []S) string {
	words := make([]string, len(all))
	for i, s := range all {
		words[i] = string(s)
	}
	return strings.Join(words, ", ")
}
