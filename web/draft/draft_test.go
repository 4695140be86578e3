// SPDX-License-Identifier: Apache-2.0

package draft

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"hide/internal/account"
	"hide/internal/annotate"
	"hide/internal/project"
	"hide/internal/project/audit"
	"hide/internal/project/draft"
	"hide/internal/project/links"
	"hide/internal/publish/policy"
	"hide/web/publishing"
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

// page200 is the body of a page that a broker sees.
func page200(t *testing.T, f *fakeDraft, path string) string {
	t.Helper()
	w := newServer(t, f).Get(account.Broker, "/p/p1/draft"+path)
	if w.Code != http.StatusOK {
		t.Fatalf("%s: status %d", path, w.Code)
	}
	return w.Body.String()
}

// wants reports words that a page does not have.
func wants(t *testing.T, body string, all ...string) {
	t.Helper()
	for _, want := range all {
		if !strings.Contains(body, want) {
			t.Errorf("the page has no %s", want)
		}
	}
}

// chosenRule is the chosen rule of a label on a page.
func chosenRule(body, label string) string {
	_, behind, _ := strings.Cut(body, `name="rule-`+label+`"`)
	field, _, _ := strings.Cut(behind, "</select>")
	options, _, _ := strings.Cut(field, `" selected`)
	return options[strings.LastIndex(options, `"`)+1:]
}

func TestARefusedFormCanBeSentAgain(t *testing.T) {
	f := madeDraft(t)
	f.draft = nil
	f.refuse = project.Invalidf("write names of the project", "name 2 of the cohort is not in the project")
	form := url.Values{"policy": {"surrogates"}, "notes": {"cohort"}, "cohort": {"a-1"}, "rule-CITY": {"placeholder"}, "bundle": {"2"}}
	body := newServer(t, f).Post(account.Broker, "/p/p1/draft", form).Body.String()
	wants(t, body, "of the cohort is not in the project", `name="policy" value="surrogates"`)
	if got := chosenRule(body, "CITY"); got != "placeholder" {
		t.Errorf("the rule for CITY is %q on the refused form", got)
	}
	f.refuse = nil
	sent(t, f, "", form, http.StatusSeeOther, "")
	if s := f.prepared[1]; s.Policy.Name != "own-surrogates" || strings.Join(s.Subset.Cohort, "|") != "a-1" {
		t.Errorf("prepared %+v", s)
	}
}

// Rules that cannot be used are shown as they were chosen.
func TestRefusedRulesStay(t *testing.T) {
	form := url.Values{"policy": {"surrogates"}, "rule-CITY": {"placeholder"}, "days": {"-4"}}
	w := newServer(t, madeDraft(t)).Post(account.Broker, "/p/p1/draft", form)
	if w.Code != http.StatusUnprocessableEntity {
		t.Fatalf("status %d", w.Code)
	}
	wants(t, w.Body.String(), "The rules cannot be used.", `value="-4"`)
	if got := chosenRule(w.Body.String(), "CITY"); got != "placeholder" {
		t.Errorf("the rule for CITY is %q on the refused form", got)
	}
}

func TestATableIsPreparedAgainWithItsSettings(t *testing.T) {
	changed, _ := policy.Find("surrogates")
	changed.Name, changed.Rules = "own-surrogates", slices.Clone(changed.Rules)
	for i, r := range changed.Rules {
		if r.Label == "CITY" {
			changed.Rules[i] = policy.Rule{Label: "CITY", Action: policy.Placeholder}
		}
	}
	file := changed
	file.Name = "ward-7"
	builtin, _ := policy.Find("limited-data-set")
	for name, p := range map[string]policy.Policy{"surrogates": changed, "safe-harbor": file, "limited-data-set": builtin} {
		f := madeDraft(t)
		f.draft.Settings = draft.Settings{
			Policy: p, Pairs: map[annotate.Label]annotate.Label{"COLOUR": "IDNUM"}, Bundle: 1, Like: 1, Locale: "de", KeepKnown: true,
			Subset: draft.Subset{Cohort: []string{"a-1", "b-2"}},
		}
		f.Overview.Labels = append(slices.Clone(f.Overview.Labels), annotate.LabelInfo{Label: "COLOUR"})
		again := "?again=1&amp;policy=" + name
		if !strings.Contains(page200(t, f, ""), again) {
			t.Errorf("%s: the table has no link %s", p.Name, again)
		}
		body := page200(t, f, "?again=1&policy="+name)
		wants(t, body, "a-1\nb-2", `name="again"`, `value="IDNUM" selected`)
		if got := chosenRule(body, "CITY"); p.Name == "own-surrogates" && got != "placeholder" {
			t.Errorf("the rule for CITY is %q", got)
		}
		if got := strings.Contains(body, "&#34;ward-7&#34;"); got != (p.Name == "ward-7") {
			t.Errorf("%s: a policy file on the page: %v", p.Name, got)
		}
		sent(t, f, "", url.Values{"policy": {name}, "again": {"1"}, "notes": {"finished"}}, http.StatusSeeOther, "")
		if got := f.prepared[0].Policy; p.Name != "ward-7" && got.SHA256() != p.SHA256() {
			t.Errorf("%s prepared again is %s", p.Name, got.ID())
		}
	}
}

func TestOpenFindingsAreConfirmed(t *testing.T) {
	f := madeDraft(t)
	f.draft.Problems = 0
	if body := page200(t, f, ""); strings.Contains(body, `name="found"`) {
		t.Error("findings that do not exist are to be confirmed")
	}
	f.Open = audit.OpenFindings{Audit: 2, Found: 3}
	wants(t, page200(t, f, ""), `name="found" value="3" required`, "/p/p1/audits?audit=2")
	sent(t, f, "/publish", url.Values{publishing.EndingField: {publishing.FreezeValue}, "found": {"3"}, "uncertified": {"a test"}}, http.StatusSeeOther, "")
	if len(f.answers) != 1 || f.answers[0].Found != 3 || f.answers[0].Uncertified != "a test" {
		t.Errorf("answered %+v", f.answers)
	}
}

func TestSharedKeysAreNamed(t *testing.T) {
	f := madeDraft(t)
	f.keys = []draft.Key{{Release: 3, Name: "release-3", Shared: []int{1}}, {Release: 1, Name: "release-1", Shared: []int{3}}, {Release: 2, Name: "release-2"}}
	body := page200(t, f, "?policy=safe-harbor")
	if n := strings.Count(body, "The same key is stored with release-"); n != 2 {
		t.Errorf("%d keys are shared, want 2", n)
	}
}

// A person links records before decisions about the table are made: they may change with it.
func TestTheChoiceOfAPolicyWarnsOfUnlinkedRecords(t *testing.T) {
	f := madeDraft(t)
	f.draft = nil
	page := func() string { return newServer(t, f).Get(account.Broker, "/p/p1/draft").Body.String() }
	if body := page(); strings.Contains(body, `id="counted"`) {
		t.Error("the page warns of records that nothing is known of")
	}
	f.Records.Agreement = links.Agreement{Of: 40, Records: 12, Groups: 1}
	if body := page(); !strings.Contains(body, "12 of 40 records look like only 1 person") || !strings.Contains(body, `href="/p/p1/links"`) {
		t.Error("the page does not warn of records that look like one person")
	}
}
