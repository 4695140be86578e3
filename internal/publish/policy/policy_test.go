// SPDX-License-Identifier: Apache-2.0

package policy_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"hide/internal/annotate"
	"hide/internal/publish/policy"
)

func TestThePoliciesOfTheProgramKeepToTheirBasis(t *testing.T) {
	for _, p := range policy.Builtin() {
		if err := p.Check(); err != nil {
			t.Errorf("%s: %v", p.ID(), err)
		}
		back, err := policy.Read(bytes.NewReader(p.Encode()))
		if err != nil || back.SHA256() != p.SHA256() {
			t.Errorf("%s does not come back from its file: %v", p.ID(), err)
		}
	}
}

// change is a policy of the program with one rule changed.
func change(t *testing.T, name string, r policy.Rule) error {
	t.Helper()
	p, err := policy.Find(name)
	if err != nil {
		t.Fatal(err)
	}
	p.Rules = slices.Clone(p.Rules)
	for i := range p.Rules {
		if p.Rules[i].Label == r.Label {
			p.Rules[i] = r
		}
	}
	if r.Action == policy.ShiftDate {
		p.Shift = policy.Shift{Days: 100}
	}
	return p.Check()
}

func TestSafeHarborRefusesWhatHIPAAForbids(t *testing.T) {
	for _, l := range annotate.I2B2().Labels() {
		_, listed := policy.ItemOf(l)
		err := change(t, "safe-harbor", policy.Rule{Label: l, Action: policy.Keep})
		if (err != nil) != listed {
			t.Errorf("keeping %s, listed %v: %v", l, listed, err)
		}
	}
	for _, c := range []struct {
		rule policy.Rule
		want string
	}{
		{policy.Rule{Label: "DATE", Action: policy.ShiftDate}, "a shifted date is a date"},
		{policy.Rule{Label: "DATE", Action: policy.Generalize, To: policy.Quarter}, "no dates but years"},
		{policy.Rule{Label: "DATE", Action: policy.Generalize, To: policy.Month}, "no dates but years"},
		{policy.Rule{Label: "DATE", Action: policy.Generalize, To: policy.Year}, ""},
		{policy.Rule{Label: "DATE", Action: policy.DropSentence}, ""},
		{policy.Rule{Label: "AGE", Action: policy.Generalize, To: policy.Age10}, ""},
		{policy.Rule{Label: "ZIP", Action: policy.Generalize, To: policy.ZIP3}, ""},
		{policy.Rule{Label: "ZIP", Action: policy.Surrogate}, ""},
		{policy.Rule{Label: "PATIENT", Action: policy.Surrogate}, ""},
		{policy.Rule{Label: "DOCTOR", Action: policy.Keep}, ""},
	} {
		if err := change(t, "safe-harbor", c.rule); (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %s %s: %v, want %q", c.rule.Label, c.rule.Action, c.rule.To, err, c.want)
		}
	}
}

// limited are the labels of 164.514(e)(2), which a limited data set has not.
var limited = []annotate.Label{"PATIENT", "STREET", "PHONE", "FAX", "EMAIL", "SSN", "MEDICALRECORD", "HEALTHPLAN", "ACCOUNT", "LICENSE", "VEHICLE", "DEVICE", "URL", "IPADDR", "BIOID"}

func TestALimitedDataSetKeepsDatesAndTownsAndNoNames(t *testing.T) {
	for _, l := range limited {
		if err := change(t, "limited-data-set", policy.Rule{Label: l, Action: policy.Keep}); err == nil {
			t.Errorf("%s may stay", l)
		}
	}
	for _, l := range []annotate.Label{"DATE", "AGE", "CITY", "STATE", "ZIP"} {
		if err := change(t, "limited-data-set", policy.Rule{Label: l, Action: policy.Keep}); err != nil {
			t.Error(err)
		}
	}
}

func TestActionsMustFitTheirLabel(t *testing.T) {
	for _, c := range []struct {
		label  annotate.Label
		action policy.Action
		to     policy.Level
	}{
		{"PATIENT", policy.Generalize, policy.Year}, {"PATIENT", policy.ShiftDate, ""}, {"AGE", policy.Generalize, policy.Year},
		{"AGE", policy.Surrogate, ""}, {"DATE", policy.Surrogate, ""}, {"ZIP", policy.Generalize, ""},
		{"CITY", policy.Keep, policy.State}, {"DATE", "blur", ""},
	} {
		if err := policy.CheckAction(c.label, c.action, c.to); err == nil {
			t.Errorf("%s %s %s is accepted", c.label, c.action, c.to)
		}
	}
}

func TestUnusablePolicyFilesAreRefused(t *testing.T) {
	p, _ := policy.Find("safe-harbor")
	good := string(p.Encode())
	for name, c := range map[string][3]string{
		"unknown label":    {`"label": "USERNAME"`, `"label": "NICKNAME"`, `unknown label "NICKNAME"`},
		"unknown action":   {`"action": "numbered"`, `"action": "hidden"`, `unknown action "hidden" for PATIENT; there are keep,`},
		"unknown basis":    {`"basis": "safe-harbor"`, `"basis": "gdpr"`, `unknown basis "gdpr"; there are`},
		"unknown field":    {`"version": 1`, `"version": 1, "colour": 2`, `line 4, byte 72: unknown field "colour"`},
		"misspelled field": {`"rules"`, `"ruls"`, `unknown field "ruls"; did you mean "rules"?; start from one that hide policy show`},
		"text as version":  {`"version": 1`, `"version": "1"`, `field "version": expected a whole number, not text`},
		"no comma":         {`"version": 1,`, `"version": 1`, "line 5, byte 73: this is not JSON: a comma or a closing brace is missing"},
		"no schema":        {`"schema": "hide policy 1",`, ``, `the field "schema" is missing`},
		"no version":       {`"version": 1`, `"version": 0`, "at least 1"},
		"two rules":        {`"label": "USERNAME"`, `"label": "PATIENT"`, "two rules for PATIENT"},
		"bad placeholders": {`"[LABEL]"`, `"xLABELx"`, "the form of placeholders"},
		"bad name":         {`"name": "safe-harbor"`, `"name": "Safe Harbor"`, "the name of the policy"},
		"unknown repeat":   {`"repeat": "consistent"`, `"repeat": "always"`, `unknown way to repeat "always"`},
		"shift unused":     {`"repeat": "consistent"`, `"repeat": "consistent", "shift": {"days": 3}`, "go together"},
	} {
		text := strings.Replace(good, c[0], c[1], 1)
		if text == good {
			t.Fatalf("%s: nothing was changed", name)
		}
		if _, err := policy.Read(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), c[2]) {
			t.Errorf("%s: got %v, want %q", name, err, c[2])
		}
	}
}

func TestLabelsOfAProjectFindTheirRule(t *testing.T) {
	p, _ := policy.Find("safe-harbor")
	r := p.Resolve([]annotate.Label{"DATE", "NAME", "FECHAS", "COLOUR"}, map[annotate.Label]annotate.Label{"FECHAS": "DATE"})
	for label, want := range map[annotate.Label][2]string{
		"DATE": {"DATE", "generalize"}, "NAME": {"PATIENT", "numbered"}, "FECHAS": {"DATE", "generalize"}, "COLOUR": {"", "placeholder"}, "ABSENT": {"", "placeholder"},
	} {
		if got := r.Of(label); string(got.As) != want[0] || string(got.Rule.Action) != want[1] || got.Rule.Label != label {
			t.Errorf("%s: as %q, %s %s", label, got.As, got.Rule.Label, got.Rule.Action)
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, p := range policy.Builtin() {
		f.Add(string(p.Encode()))
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, err := policy.Read(strings.NewReader(text))
		if err != nil {
			return
		}
		if back, err := policy.Read(bytes.NewReader(p.Encode())); err != nil || back.SHA256() != p.SHA256() {
			t.Fatalf("an accepted policy does not come back: %v", err)
		}
	})
}
