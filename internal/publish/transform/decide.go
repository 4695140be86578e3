// SPDX-License-Identifier: Apache-2.0

package transform

import (
	"slices"
	"strconv"
	"strings"

	"hide/internal/annotate"
	"hide/internal/publish/policy"
	"hide/internal/publish/value"
)

// result is what a rule makes of a value.
type result struct {
	text    string
	hide    bool    // the placeholder stands instead, and nobody needs to decide
	problem Problem // a person must decide; the placeholder is the proposal
}

// decide fills in the decision about a site.
func (w *work) decide(s *site) error {
	s.d.Action, s.d.To = s.rule.Action, s.rule.To
	if isPersonLabel(s.as) || s.rule.Action == policy.Numbered {
		s.d.Person = s.number
	}
	var r result
	var err error
	switch {
	case s.rule.Action == policy.Keep:
	case s.choice.Text != "":
		r = w.typed(s)
	default:
		r, err = w.make(s)
	}
	if err != nil {
		return err
	}
	w.settle(s, r)
	return nil
}

// make makes the replacement that the rule of a site asks for.
func (w *work) make(s *site) (result, error) {
	switch s.rule.Action {
	case policy.Numbered:
		return result{text: w.placeholder(s.span.Label, s.number), hide: s.number == 0}, nil // an unmarked year has none
	case policy.Generalize:
		return w.generalize(s), nil
	case policy.ShiftDate:
		return w.shift(s), nil
	case policy.Surrogate:
		return w.surrogate(s)
	}
	return result{text: w.placeholder(s.span.Label, 0)}, nil
}

// settle turns a result into the decision.
func (w *work) settle(s *site, r result) {
	s.d.Replacement, s.d.Problem = r.text, r.problem
	if r.hide {
		s.d.Action, s.d.To = policy.Placeholder, ""
	}
	if s.wrong {
		s.d.Problem = ChoiceRefused
	}
	if r.hide || r.problem != "" {
		s.d.Replacement = w.placeholder(s.span.Label, 0)
	}
}

// placeholder is the placeholder of a label, with a number if it is not 0.
func (w *work) placeholder(l annotate.Label, number int) string {
	text := string(l)
	if number > 0 {
		text += " " + strconv.Itoa(number)
	}
	return policy.Fill(w.o.Policy.Policy.Placeholder, text)
}

// typed checks the text that a person typed. The level of a typed generalization is right
// already, see [CheckChoice].
func (w *work) typed(s *site) result {
	switch {
	case s.rule.Action == policy.Surrogate && holdsOriginal(s, s.choice.Text):
		return result{problem: RepeatsOriginal}
	case s.rule.Action == policy.Surrogate && w.isReal(s, s.choice.Text):
		return result{problem: ChoiceRefused}
	case s.as == "DATE" && w.capsAge && w.dates.revealAny(s.choice.Text):
		return result{problem: ChoiceRefused}
	}
	return result{text: s.choice.Text}
}

// generalize generalizes a value to the level of its rule.
func (w *work) generalize(s *site) result {
	switch s.rule.To {
	case policy.Year, policy.Quarter, policy.Month:
		return w.generalizeDate(s)
	case policy.ZIP3:
		return w.generalizeZIP(s)
	case policy.State:
		return w.stateOf(s)
	}
	return generalizeAge(s)
}

func generalizeAge(s *site) result {
	age, err := value.ReadAge(s.text)
	if err != nil {
		return result{problem: AgeUnread}
	}
	switch s.rule.To {
	case policy.Age5:
		return result{text: age.Band(5)}
	case policy.Age10:
		return result{text: age.Band(10)}
	}
	return result{text: age.Cap(s.text)}
}

// stateOf writes the state of a city. Where the note names the state behind the city, as in
// "Boston, MA", the placeholder of the city reads better and says the same.
func (w *work) stateOf(s *site) result {
	if next := s.place + 1; s.span.By != ByRepeat && next < len(w.sites) {
		t := w.sites[next]
		if t.note == s.note && t.as == "STATE" && strings.Trim(w.patient.Notes[s.note].Text[s.span.End:t.span.Start], " ,(\n") == "" {
			return result{hide: true}
		}
	}
	if _, name, ok := value.StateOf(s.text); ok {
		return result{text: name}
	}
	return result{problem: StateUnknown}
}

// isState reports whether text is the name or the code of a state.
func isState(text string) bool {
	return slices.ContainsFunc(value.States(), func(s value.State) bool { return s.Code == text || s.Name == text })
}
