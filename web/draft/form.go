// SPDX-License-Identifier: Apache-2.0

package draft

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"hide/internal/annotate"
	"hide/internal/project"
	"hide/internal/project/draft"
	"hide/internal/project/sanitize"
	"hide/internal/publish/policy"
	"hide/internal/publish/surrogate"
	"hide/web/publishing"
	"hide/web/ui"
)

// form is the form that prepares a draft.
type form struct {
	Base    string // name of the policy of the program on which Policy rests
	Policy  policy.Policy
	Pairs   map[annotate.Label]annotate.Label // what labels of the project mean, by a person
	Labels  []policy.ResolvedLabel            // of the project
	Bundle  int
	Notes   string // "all", "finished", "since" or "cohort"
	Since   int
	Cohort  string
	Like    int
	Locale  string
	Known   bool
	Changed bool   // the rules are not those of the base
	Again   bool   // it began with the settings of the draft
	File    string // a policy file that was pasted
}

// newForm is the form for a policy of the program; "" is Safe Harbor.
func newForm(p project.Overview, name string, bundles []sanitize.Bundle) (form, error) {
	chosen, err := policy.Find(cmp.Or(name, "safe-harbor"))
	if err != nil {
		return form{}, ui.Refuse(ui.Sentence(err.Error()), "Choose a policy of the list.")
	}
	f := form{Base: chosen.Name, Policy: chosen, Notes: "all", Locale: string(surrogate.En), Known: true}
	if len(bundles) > 0 {
		f.Bundle = bundles[0].Number
	} else {
		f.Notes = "finished"
	}
	f.Labels = chosen.Resolve(labelsOf(p), nil).Labels
	return f, nil
}

// again fills the form with the settings of a draft, to prepare it again.
func (f *form) again(s draft.Settings) {
	f.Again = true
	switch _, err := policy.Find(s.Policy.Name); {
	case err == nil:
	case s.Policy.Name == changedName(f.Base):
		f.Policy, f.Changed = s.Policy, true
	default:
		f.File = string(s.Policy.Encode())
	}
	f.Pairs, f.Bundle, f.Like, f.Known = s.Pairs, s.Bundle, s.Like, !s.KeepKnown
	f.Locale = cmp.Or(string(s.Locale), f.Locale)
	switch {
	case s.Subset.Finished:
		f.Notes = "finished"
	case s.Subset.Since > 0:
		f.Notes, f.Since = "since", s.Subset.Since
	case len(s.Subset.Cohort) > 0:
		f.Notes, f.Cohort = "cohort", strings.Join(s.Subset.Cohort, "\n")
	default:
		f.Notes = "all"
	}
}

// changedName is the name of a policy of the program with other rules.
func changedName(base string) string { return "own-" + base }

// baseOf is the policy of the program on which a policy rests, Safe Harbor if there is none.
func baseOf(p policy.Policy) string {
	for _, name := range []string{p.Name, strings.TrimPrefix(p.Name, changedName(""))} {
		if _, err := policy.Find(name); err == nil {
			return name
		}
	}
	return "safe-harbor"
}

func labelsOf(p project.Overview) []annotate.Label { return p.Labels.Labels() }

// meaningless reports whether some label of the project corresponds to none of the default
// set, so that a person must say what it means.
func (f form) meaningless() bool {
	return slices.ContainsFunc(f.Labels, func(l policy.ResolvedLabel) bool { return l.As == "" })
}

// ruleValue is a rule as the value of a field.
func ruleValue(a policy.Action, to policy.Level) string {
	if to == "" {
		return string(a)
	}
	return string(a) + ":" + string(to)
}

// readRule is the inverse of [ruleValue].
func readRule(value string) (policy.Action, policy.Level) {
	action, to, _ := strings.Cut(value, ":")
	return policy.Action(action), policy.Level(to)
}

// choicesFor lists what may become of a label of the default set under a basis.
func choicesFor(b policy.Basis, l annotate.Label) []publishing.Choice {
	var out []publishing.Choice
	for _, a := range policy.Actions() {
		levels := []policy.Level{""}
		if a == policy.Generalize {
			levels = policy.LevelsOf(l)
		}
		for _, to := range levels {
			r := policy.Rule{Label: l, Action: a, To: to}
			if policy.CheckAction(l, a, to) == nil && b.Allows(r) == nil {
				out = append(out, publishing.Choice{Value: ruleValue(a, to), Says: ui.Capitalized(r.Words())})
			}
		}
	}
	return out
}

// anyChoices lists everything that may become of some label.
func anyChoices(b policy.Basis) []publishing.Choice {
	var out []publishing.Choice
	for _, l := range annotate.I2B2().Labels() {
		for _, c := range choicesFor(b, l) {
			if !slices.Contains(out, c) {
				out = append(out, c)
			}
		}
	}
	slices.SortStableFunc(out, func(a, b publishing.Choice) int { return cmp.Compare(rank(a), rank(b)) })
	return out
}

func rank(c publishing.Choice) int {
	action, _ := readRule(c.Value)
	return slices.Index(policy.Actions(), action)
}

// read fills the form with what was sent and gives the settings.
func (f *form) read(q url.Values) (draft.Settings, error) {
	f.Notes, f.Cohort, f.Locale, f.Known = q.Get("notes"), q.Get("cohort"), q.Get("locale"), q.Get("known") != ""
	f.File = strings.TrimSpace(q.Get("file"))
	f.Bundle, f.Since, f.Like = number(q, "bundle"), number(q, "since"), number(q, "like")
	f.readPairs(q)
	var err error
	if f.File != "" {
		if f.Policy, err = policy.Read(strings.NewReader(f.File)); err != nil {
			return draft.Settings{}, ui.Refuse("The policy file cannot be used.", ui.Sentence(err.Error()))
		}
	} else if err := f.readRules(q); err != nil {
		return draft.Settings{}, err
	}
	out := draft.Settings{Policy: f.Policy, Pairs: f.Pairs, Bundle: f.Bundle, Like: f.Like, Locale: surrogate.Locale(f.Locale), KeepKnown: !f.Known}
	switch f.Notes {
	case "finished":
		out.Subset.Finished = true
	case "since":
		if out.Subset.Since = f.Since; f.Since == 0 {
			return out, ui.Refuse("No release was chosen.", "Choose the release since which notes are new.")
		}
	case "cohort":
		out.Subset.Cohort = publishing.Lines(f.Cohort)
		if len(out.Subset.Cohort) == 0 {
			return out, ui.Refuse("The cohort is empty.", "Write names of notes or patients, one on each line.")
		}
	}
	return out, nil
}

// readRules changes the rules of the policy as the form says. A changed policy has a name of
// its own, so that nobody takes it for one of the program.
func (f *form) readRules(q url.Values) error {
	p := f.Policy
	p.Rules = slices.Clone(p.Rules)
	for i, r := range p.Rules {
		value := q.Get("rule-" + string(r.Label))
		if value == "" || value == ruleValue(r.Action, r.To) {
			continue
		}
		p.Rules[i].Action, p.Rules[i].To = readRule(value)
		p.Rules[i].Why = ""
		f.Changed = true
	}
	if repeat := policy.Repeat(q.Get("repeat")); repeat != "" && repeat != p.Repeat {
		p.Repeat, f.Changed = repeat, true
	}
	shift := policy.Shift{}
	if p.Has(policy.ShiftDate) {
		days, err := readDays(q)
		if err != nil {
			return err
		}
		shift = policy.Shift{Days: days, Weeks: q.Get("weeks") != ""}
	}
	if shift != p.Shift {
		p.Shift, f.Changed = shift, true
	}
	if name := changedName(f.Base); f.Changed && p.Name != name {
		p.Name, p.Title = name, p.Title+", changed"
	}
	f.Policy = p // the page shows it if it is refused
	if err := p.Check(); err != nil {
		return ui.Refuse("The rules cannot be used.", ui.Sentence(err.Error()))
	}
	return nil
}

// defaultDays is the largest shift of dates if the form has none.
const defaultDays = 365

// readDays reads the largest shift of dates. A mistyped number is refused: another shift than
// the one that somebody typed would go unnoticed.
func readDays(q url.Values) (int, error) {
	typed := strings.TrimSpace(q.Get("days"))
	if typed == "" {
		return defaultDays, nil
	}
	days, err := strconv.Atoi(typed)
	if err != nil {
		return 0, ui.Refuse("The largest shift of dates is not a number.", "Type a whole number of days, such as 365.")
	}
	return days, nil
}

// readPairs reads what labels of the project mean.
func (f *form) readPairs(q url.Values) {
	f.Pairs = nil
	for _, l := range f.Labels {
		if !q.Has("as-" + string(l.Label)) {
			continue
		}
		if f.Pairs == nil {
			f.Pairs = map[annotate.Label]annotate.Label{}
		}
		f.Pairs[l.Label] = annotate.Label(q.Get("as-" + string(l.Label)))
	}
}

// number is a whole number of a field, 0 if there is none.
func number(q url.Values, name string) int {
	n, err := strconv.Atoi(strings.TrimSpace(q.Get(name)))
	if err != nil {
		return 0
	}
	return n
}

// prepare starts to prepare a draft.
func (h *Handlers) prepare(c ui.Context) error {
	q, err := c.FormParams()
	if err != nil {
		return err
	}
	shown := url.Values{"policy": {q.Get("policy")}}
	if q.Get("again") != "" {
		shown.Set("again", "1")
	}
	v, err := h.load(c, shown)
	if err != nil {
		return err
	}
	f := v.Form
	s, err := f.read(q)
	if err == nil {
		err = h.projects.PrepareDraft(c.Request().Context(), ui.User(c), v.Project.ID, s)
	}
	if err != nil {
		return h.refused(c, err, shown, func(v *view) { v.Form = f })
	}
	return back(c, "")
}

// bundleChoices are the redaction models to choose from.
func (v view) bundleChoices() []publishing.Choice {
	var out []publishing.Choice
	for _, b := range v.Bundles {
		out = append(out, publishing.Choice{Value: strconv.Itoa(b.Number), Says: fmt.Sprintf("Redaction model %d, L/C %s", b.Number, ui.Ratio(b.LC))})
	}
	return append(out, publishing.Choice{Value: "0", Says: "None: only what people marked, in finished notes"})
}

// sinceChoices are the releases of text, newest first.
func (v view) sinceChoices() []publishing.Choice {
	var out []publishing.Choice
	for _, r := range v.Releases {
		out = append(out, publishing.Choice{Value: strconv.Itoa(r.Number), Says: r.Name})
	}
	return out
}

// likeChoices are the releases whose surrogates can be used again.
func (v view) likeChoices() []publishing.Choice {
	out := []publishing.Choice{{Value: "0", Says: "New numbers and new surrogates"}}
	for _, k := range v.Keys {
		out = append(out, publishing.Choice{Value: strconv.Itoa(k.Release), Says: "As in " + k.Name})
	}
	return out
}

// localeChoices are the languages of invented values.
func localeChoices() []publishing.Choice {
	return []publishing.Choice{{Value: "en", Says: "English, places of the USA"}, {Value: "es", Says: "Spanish"}, {Value: "fr", Says: "French"}, {Value: "de", Says: "German"}}
}
