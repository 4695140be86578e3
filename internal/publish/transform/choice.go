// SPDX-License-Identifier: Apache-2.0

package transform

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"hide/internal/annotate"
	"hide/internal/publish/policy"
	"hide/internal/publish/value"
)

// Choice is a person's decision about one place. It wins over the policy, within the limits
// of the policy's basis, see [CheckChoice]. A field that is empty leaves the policy's way.
type Choice struct {
	Action policy.Action `json:"action,omitempty"`
	To     policy.Level  `json:"to,omitempty"`     // of Generalize
	Text   string        `json:"text,omitempty"`   // a typed replacement, for Generalize and Surrogate
	Person int           `json:"person,omitempty"` // the number of the person or value that this is; a new number is a person of its own
}

// String describes a choice without its text.
func (c Choice) String() string { return fmt.Sprintf("%s %s person %d", c.Action, c.To, c.Person) }

// GoString is String.
func (c Choice) GoString() string { return c.String() }

const (
	mostTyped  = 200 // bytes of a typed replacement
	mostPerson = 9999
)

// CheckChoice reports why a person cannot choose c for an identifier with label l of the
// project. An unmarked repeat may also be kept, see [Decision.CheckChoice].
func CheckChoice(r policy.Resolved, l annotate.Label, c Choice) error {
	label := r.Of(l)
	rule := label.Rule
	rule.Label = label.Treated()
	rule = chosen(rule, c)
	if err := policy.CheckAction(rule.Label, rule.Action, rule.To); err != nil {
		return err
	}
	if err := r.Policy.Basis.Allows(rule); err != nil {
		return err
	}
	if rule.Action.Hidden() && !r.Policy.Has(rule.Action) {
		return fmt.Errorf("policy %s has no rule with the action %q, so its releases list every replacement; choose another action, or a policy with such a rule", r.Policy.Name, rule.Action.Words())
	}
	if c.Person < 0 || c.Person > mostPerson {
		return fmt.Errorf("the number of a person is 1 to %d, not %d", mostPerson, c.Person)
	}
	if c.Text == "" {
		return nil
	}
	return checkTyped(rule, c.Text)
}

// CheckChoice reports why a person cannot choose c for the place of d. An unmarked repeat may
// be kept under every basis: then the person says that it is no identifier.
func (d Decision) CheckChoice(r policy.Resolved, c Choice) error {
	if d.By == ByRepeat && c == (Choice{Action: policy.Keep}) {
		return nil
	}
	return CheckChoice(r, d.Label, c)
}

// chosen is the rule that a choice makes of the policy's.
func chosen(rule policy.Rule, c Choice) policy.Rule {
	if c.Action != "" && c.Action != rule.Action {
		rule.Action, rule.To = c.Action, ""
	}
	if c.To != "" {
		rule.To = c.To
	}
	if rule.Action == policy.Generalize && rule.To == "" {
		if levels := policy.LevelsOf(rule.Label); len(levels) > 0 {
			rule.To = levels[0]
		}
	}
	return rule
}

// checkTyped reports why text cannot replace an identifier. What is typed at a level must be
// of this level, so that typing never shows more than the policy does.
func checkTyped(rule policy.Rule, text string) error {
	switch {
	case rule.Action != policy.Generalize && rule.Action != policy.Surrogate:
		return fmt.Errorf("the action %q takes no typed text; choose generalize or surrogate", rule.Action.Words())
	case len(text) > mostTyped || !utf8.ValidString(text) || strings.TrimSpace(text) != text || strings.ContainsFunc(text, unicode.IsControl):
		return fmt.Errorf("a typed replacement is one line of at most %d bytes, without blanks at its ends", mostTyped)
	case rule.Action == policy.Generalize && !typedForm(rule.To, text):
		return fmt.Errorf("the typed text is not of the level %q; write it like %s", rule.To.Words(), typedForms[rule.To].example)
	case rule.Action == policy.Surrogate && !strings.ContainsFunc(text, annotate.WordRune):
		return errors.New("a typed surrogate needs a letter or a digit")
	}
	return nil
}

// typedForms are the forms of typed text at each level. ZIP3 and State are lists besides.
var typedForms = map[policy.Level]struct {
	form    *regexp.Regexp
	example string
}{
	policy.Year:    {regexp.MustCompile(`^(?:1[89]|20|21)\d\d(?:-(?:1[89]|20|21)\d\d)?$`), `"2019" or "2018-2019"`},
	policy.Quarter: {regexp.MustCompile(`^(?:1[89]|20|21)\d\d(?:-Q[1-4])?$`), `"2019-Q1"`},
	policy.Month:   {regexp.MustCompile(`^(?:1[89]|20|21)\d\d(?:-(?:0[1-9]|1[0-2]))?$`), `"2019-03"`},
	policy.Age90:   {regexp.MustCompile(`^(?:[1-8]?[0-9]|90\+)$`), `"89" or "90+"`},
	policy.Age5:    {regexp.MustCompile(`^(?:[1-8]?[05]-[1-8]?[49]|90\+)$`), `"40-44" or "90+"`},
	policy.Age10:   {regexp.MustCompile(`^(?:[1-8]?0-[1-8]?9|90\+)$`), `"40-49" or "90+"`},
	policy.ZIP3:    {regexp.MustCompile(`^\d\d\d$`), `"021" or "000"`},
	policy.State:   {regexp.MustCompile(`^\pL[\pL .-]+$`), `"Massachusetts" or "MA"`},
}

func typedForm(to policy.Level, text string) bool {
	if !typedForms[to].form.MatchString(text) {
		return false
	}
	switch to {
	case policy.ZIP3:
		three, err := value.ZIP3(text + "01")
		return text == "000" || err == nil && three == text
	case policy.State:
		return isState(text)
	}
	return true
}
