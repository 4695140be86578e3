// SPDX-License-Identifier: Apache-2.0

package draft

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"hide/internal/account"
	"hide/internal/annotate"
	"hide/internal/project"
	"hide/internal/publish/policy"
)

// sent posts a form and wants a status and words on the page that answers.
func sent(t *testing.T, f *fakeDraft, path string, form url.Values, status int, words string) {
	t.Helper()
	w := newServer(t, f).Post(account.Broker, "/p/p1/draft"+path, form)
	if w.Code != status || !strings.Contains(w.Body.String(), words) {
		t.Errorf("%s %v: status %d, want %d with %q", path, form, w.Code, status, words)
	}
}

func TestFormsThatCannotBeFulfilledSayWhy(t *testing.T) {
	const unprocessable = http.StatusUnprocessableEntity
	for _, c := range []struct {
		path string
		form url.Values
		want string
	}{
		{"", url.Values{"policy": {"safe-harbor"}, "notes": {"cohort"}}, "The cohort is empty."},
		{"", url.Values{"policy": {"safe-harbor"}, "notes": {"since"}}, "No release was chosen."},
		{"", url.Values{"policy": {"safe-harbor"}, "rule-DATE": {"shift"}}, "a shifted date is a date"},
		{"", url.Values{"policy": {"safe-harbor"}, "rule-PATIENT": {"keep"}}, "164.514(b)(2)(i)(A)"},
		{"", url.Values{"policy": {"surrogates"}, "days": {"a year"}}, "The largest shift of dates is not a number."},
		{"", url.Values{"policy": {"safe-harbor"}, "file": {`{"schema":"hide policy 1"`}}, "The policy file cannot be used."},
		{"/decide", url.Values{"choice": {"placeholder"}, "do": {"ticked"}}, "No place was ticked."},
		{"/decide", url.Values{"place": {"4-8-18"}, "do": {"ticked"}}, "Nothing was chosen."},
		{"/decide", url.Values{"place": {"4-x-18"}, "choice": {"placeholder"}}, "A ticked place is not known."},
		{"/people", url.Values{"patient": {"a-000004"}, "place": {"4-8-18"}, "person": {"none"}}, "This is not the number of a person."},
		{"/publish", url.Values{}, "No button was pressed."},
	} {
		sent(t, madeDraft(t), c.path, c.form, unprocessable, c.want)
	}
	f := madeDraft(t)
	f.refuse = &project.Error{Kind: project.Stale, Message: "the draft has changed since you saw it", Hint: "look at it again"}
	sent(t, f, "/decide", url.Values{"place": {"4-8-18"}, "choice": {"placeholder"}}, http.StatusConflict, "changed since you saw it")
	sent(t, madeDraft(t), "/keys/1/destroy", url.Values{"confirm": {"release-2"}}, unprocessable, "The key was not destroyed")
}

func TestTheFormPreparesWhatItSays(t *testing.T) {
	f := madeDraft(t)
	sent(t, f, "", url.Values{
		"policy": {"surrogates"}, "bundle": {"2"}, "notes": {"cohort"}, "cohort": {"a-1\n\n b-2 "}, "locale": {"es"}, "like": {"1"}, "repeat": {"markov"},
		"days": {"90"}, "weeks": {"1"}, "rule-CITY": {"placeholder"}, "as-COLOUR": {"OTHER"},
	}, http.StatusSeeOther, "")
	if len(f.prepared) != 1 {
		t.Fatalf("prepared %d times", len(f.prepared))
	}
	s := f.prepared[0]
	city, _ := s.Policy.Rule("CITY")
	if s.Bundle != 2 || s.Like != 1 || s.Locale != "es" || !s.KeepKnown || strings.Join(s.Subset.Cohort, "|") != "a-1|b-2" ||
		city.Action != policy.Placeholder || s.Policy.Repeat != policy.Markov || s.Policy.Shift != (policy.Shift{Days: 90, Weeks: true}) || s.Policy.Name != "own-surrogates" {
		t.Errorf("prepared %+v", s)
	}
	sent(t, f, "", url.Values{"policy": {"safe-harbor"}, "notes": {"finished"}, "known": {"1"}}, http.StatusSeeOther, "")
	if s := f.prepared[1]; s.Policy.Name != "safe-harbor" || !s.Subset.Finished || s.KeepKnown {
		t.Errorf("prepared %+v", s)
	}
}

// Every label of the default set has only actions that the basis allows, and its own rule.
func TestChoicesKeepToTheBasis(t *testing.T) {
	for _, p := range policy.Builtin() {
		for _, l := range annotate.I2B2().Labels() {
			rule, _ := p.Rule(l)
			own := false
			for _, c := range choicesFor(p.Basis, l) {
				action, to := readRule(c.Value)
				if err := p.Basis.Allows(policy.Rule{Label: l, Action: action, To: to}); err != nil {
					t.Errorf("%s offers %s for %s: %v", p.Name, c.Value, l, err)
				}
				own = own || c.Value == ruleValue(rule.Action, rule.To)
			}
			if !own {
				t.Errorf("%s does not offer its own rule for %s", p.Name, l)
			}
		}
	}
}
