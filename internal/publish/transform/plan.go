// SPDX-License-Identifier: Apache-2.0

package transform

import (
	"errors"
	"fmt"
	"time"
	"unicode/utf8"

	"hide/internal/annotate"
	"hide/internal/publish/policy"
	"hide/internal/publish/surrogate"
	"hide/internal/publish/value"
)

// Options configure a planner.
type Options struct {
	Policy policy.Resolved
	Maker  *surrogate.Maker // required if the policy has surrogates or shifts dates
	Order  value.Order      // of numeric dates in the corpus, for patients whose notes do not show it
	// Reference is a date of the corpus. It tells the century of two-digit years in notes of
	// patients that have no date with four digits. Zero: such dates are ambiguous.
	Reference time.Time
	// Locale is the language of notes whose dates do not show it, "" for English. It tells the
	// words of months that languages share, and whether five digits are a ZIP code of the United
	// States.
	Locale surrogate.Locale
}

// Planner plans notes by one policy. Any number of goroutines can share it.
type Planner struct {
	o       Options
	capsAge bool // dates that reveal an age over 89 go
}

// NewMaker makes what invents text for a policy, nil if the policy invents none. real has the
// real values of all notes; an empty locale means English.
func NewMaker(p policy.Policy, key surrogate.Key, locale surrogate.Locale, real *surrogate.Corpus) (*surrogate.Maker, error) {
	if !p.Hides() {
		return nil, nil
	}
	state, _ := p.Rule("STATE")
	maker, err := surrogate.New(surrogate.Options{
		Key: key, Locale: locale, Repeat: p.Repeat, Days: p.Shift.Days, Weekday: p.Shift.Weeks,
		States: state.Action == policy.Surrogate, Real: real,
	})
	if err != nil {
		return nil, fmt.Errorf("the surrogates cannot be made: %w", err)
	}
	return maker, nil
}

// New makes a planner.
func New(o Options) (*Planner, error) {
	p := o.Policy.Policy
	if err := p.Check(); err != nil {
		return nil, err
	}
	if p.Hides() && o.Maker == nil {
		return nil, fmt.Errorf("policy %s invents text, which needs a key for surrogates", p.Name)
	}
	age, _ := p.Rule("AGE")
	return &Planner{o, p.Basis == policy.SafeHarbor || age.Action == policy.Generalize}, nil
}

// site is an identifier while it is planned.
type site struct {
	note   int // index
	span   Span
	place  int // number of the identifier in the notes of the patient, from 0
	text   string
	as     annotate.Label // of the default set, "OTHER" for none
	rule   policy.Rule
	choice Choice
	chosen bool
	wrong  bool // the choice does not fit the policy
	number int  // of the person or value
	person int  // index in work.people, -1 for values
	d      Decision
}

// work is the state of a plan.
type work struct {
	*Planner
	patient Patient
	sites   []*site
	people  []*person
	french  bool // "M." before a name is Monsieur
	dates   dates
	made    *surrogate.Patient
}

// Plan decides about all identifiers of a patient. It refuses spans that are not in order,
// overlap, or lie outside of their note.
func (p *Planner) Plan(patient Patient) (Plan, error) {
	w := &work{Planner: p, patient: patient}
	if err := w.readSpans(); err != nil {
		return Plan{}, err
	}
	if p.o.Maker != nil {
		w.startSurrogates()
	}
	w.readDates()
	w.numberPeople()
	w.numberValues()
	if err := w.decideAll(); err != nil {
		return Plan{}, err
	}
	repeats, err := w.repeats()
	if err != nil {
		return Plan{}, err
	}
	marked := make([][]*site, len(patient.Notes))
	for _, s := range w.sites {
		marked[s.note] = append(marked[s.note], s)
	}
	out := Plan{Book: patient.Book}
	for i := range patient.Notes {
		out.Notes = append(out.Notes, w.compose(i, append(marked[i], repeats[i]...)))
	}
	out.People = w.tellPeople()
	if w.made != nil {
		out.Book = w.made.Book()
	}
	if p.o.Policy.Policy.Has(policy.ShiftDate) {
		out.Shift = w.made.Shift()
	}
	return out, nil
}

// decideAll decides about names first, so that e-mail addresses and user names follow the
// invented names.
func (w *work) decideAll() error {
	for _, names := range []bool{true, false} {
		for _, s := range w.sites {
			if isPersonLabel(s.as) != names {
				continue
			}
			if err := w.decide(s); err != nil {
				return fmt.Errorf("note %d, byte %d, %s: %w", w.patient.Notes[s.note].ID, s.span.Start, s.span.Label, err)
			}
		}
	}
	return nil
}

// readSpans makes the sites of all spans.
func (w *work) readSpans() error {
	for i, n := range w.patient.Notes {
		done := annotate.ByteOff(0)
		for _, s := range n.Spans {
			if err := checkSpan(n.Text, s, done); err != nil {
				return fmt.Errorf("note %d, byte %d, %s: %w", n.ID, s.Start, s.Label, err)
			}
			done = s.End
			w.sites = append(w.sites, w.newSite(i, s, len(w.sites)))
		}
	}
	return nil
}

func checkSpan(text string, s Span, done annotate.ByteOff) error {
	switch {
	case s.Start < 0 || s.End <= s.Start || int(s.End) > len(text):
		return errors.New("the span is empty or leaves the note; check the spans against the note")
	case s.Start < done:
		return errors.New("the span overlaps the one before it; sort the spans and resolve overlaps first")
	case !utf8.RuneStart(text[s.Start]) || int(s.End) < len(text) && !utf8.RuneStart(text[s.End]):
		return errors.New("the span begins or ends within a character; count bytes of UTF-8")
	}
	return nil
}

// newSite applies the policy and the choice of a person to a span.
func (w *work) newSite(note int, span Span, place int) *site {
	n, label := w.patient.Notes[note], w.o.Policy.Of(span.Label)
	s := &site{note: note, span: span, place: place, text: n.Text[span.Start:span.End], as: label.Treated(), rule: label.Rule, person: -1}
	s.rule.Label = s.as
	s.choice, s.chosen = w.patient.Choices[Place{n.ID, span.Start, span.End}]
	s.d = Decision{Span: span, As: label.As, Chosen: s.chosen}
	if s.chosen && s.d.CheckChoice(w.o.Policy, s.choice) != nil {
		s.choice, s.chosen, s.wrong, s.d.Chosen = Choice{}, false, true, false
	}
	if s.chosen {
		s.rule = chosen(s.rule, s.choice)
	}
	return s
}
