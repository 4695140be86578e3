// SPDX-License-Identifier: Apache-2.0

package verify_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

func TestReleasesByPolicyAreAccepted(t *testing.T) {
	for name, r := range map[string]policyRelease{"safe-harbor": safeHarborRelease(), "surrogates": surrogateRelease(), "limited": limitedRelease()} {
		if found := r.against(t); !found.OK || found.Compared != len(r.notes) {
			t.Errorf("%s: %v", name, found.Problems)
		}
	}
	found := safeHarborRelease().against(t)
	if p := found.Policy; p == nil || p.ID() != "test 1" || p.Basis != "safe-harbor" || p.Signed.By != "Ada" || found.Attack[0] != "Nobody was linked." || p.Means["FECHAS"] != "DATE" {
		t.Errorf("policy %+v", found.Policy)
	}
	if want := map[string]int{"STATE": 1, "PATIENT": 1}; !maps.Equal(found.Kept, want) {
		t.Errorf("kept %v, want %v", found.Kept, want)
	}
	if found.Elsewhere != 1 || found.ElsewhereBy["PATIENT"] != 1 {
		t.Errorf("elsewhere %v", found.ElsewhereBy)
	}
	found = surrogateRelease().against(t)
	if want := map[string]int{"PATIENT": 2, "DOCTOR": 1, "DATE": 6}; !maps.Equal(found.Hidden, want) || found.Shifted != 5 || len(found.Redactions) != 0 {
		t.Errorf("hidden %v, %d shifts recomputed, redactions %v", found.Hidden, found.Shifted, found.Redactions)
	}
}

// replaceIn changes the marked text of a note.
func replaceIn(note int, old, with string) func(*policyRelease) {
	return func(r *policyRelease) {
		if !strings.Contains(r.notes[note].marked, old) {
			panic("there is no " + old)
		}
		r.notes[note].marked = strings.Replace(r.notes[note].marked, old, with, 1)
	}
}

// rule changes a rule of the policy.
func rule(label, action string) func(*policyRelease) {
	return func(r *policyRelease) { r.rules[label] = action }
}

// forged is a release in which one thing is wrong.
type forged struct {
	name   string
	base   func() policyRelease
	change func(*policyRelease)
	want   string
}

func checkForged(t *testing.T, all []forged) {
	t.Helper()
	for _, c := range all {
		t.Run(c.name, func(t *testing.T) {
			r := c.base()
			c.change(&r)
			found := r.against(t)
			if found.OK || !strings.Contains(fmt.Sprint(found.Problems), c.want) {
				t.Errorf("got %v, want %q", found.Problems, c.want)
			}
			for _, secret := range []string{"Weiß", "Khan", "Berg", "May Day"} {
				if strings.Contains(fmt.Sprint(found.Problems), secret) {
					t.Errorf("the problems quote %q", secret)
				}
			}
		})
	}
}

func TestForgedPoliciesAreFound(t *testing.T) {
	edit := func(old, with string) func(*policyRelease) {
		return func(r *policyRelease) {
			r.policy = func(text string) string { return strings.Replace(text, old, with, 1) }
		}
	}
	checkForged(t, []forged{
		{"another file", safeHarborRelease, edit(`"version": 1`, `"version": 2`), "does not have the SHA-256 that is claimed"},
		{"another layout", safeHarborRelease, edit(`"version": 1`, `"version":  1`), "not written as it should be"},
		{"unknown field", safeHarborRelease, edit(`"version": 1`, `"version": 1, "more": 2`), "policy.json: not as expected"},
		{"another schema", safeHarborRelease, edit(`hide policy 1`, `hide policy 2`), "another schema"},
		{"another name", safeHarborRelease, edit(`"name": "test"`, `"name": "best"`), "another policy than the one"},
		{"unknown basis", func() policyRelease { r := safeHarborRelease(); r.basis = "gdpr"; return r }, func(*policyRelease) {}, "known basis"},
		{"no rule", safeHarborRelease, func(r *policyRelease) { delete(r.rules, "FAX") }, "no rule for FAX"},
		{"unknown action", safeHarborRelease, rule("FAX", "blur"), "or one that is none"},
		{"names stay", safeHarborRelease, rule("PATIENT", "keep"), "(b)(2)(i)(A) removes it"},
		{"record numbers stay", safeHarborRelease, rule("MEDICALRECORD", "keep"), "(b)(2)(i)(H) removes it"},
		{"quarters", safeHarborRelease, rule("DATE", "generalize quarter"), "allows years only"},
		{"shifted dates", safeHarborRelease, func(r *policyRelease) { r.rules["DATE"], r.shift = "shift", `{"days":9}` }, "allows years only"},
		{"shift without a limit", surrogateRelease, func(r *policyRelease) { r.shift = "" }, "without a limit"},
		{"limited data set with names", limitedRelease, rule("PATIENT", "keep"), "164.514(e)(2) removes it"},
		{"limited data set with phones", limitedRelease, rule("PHONE", "keep"), "164.514(e)(2) removes it"},
	})
}

func TestForgedClaimsOfABasisAreFound(t *testing.T) {
	checkForged(t, []forged{
		{"another statement", safeHarborRelease, func(r *policyRelease) { r.statement = "It is anonymous." }, "statement is not that of the basis"},
		{"names that mean states", safeHarborRelease, func(r *policyRelease) { r.claims["means"].(map[string]string)["PATIENT"] = "STATE" }, "claims that PATIENT means another label"},
		{"not signed", safeHarborRelease, func(r *policyRelease) { delete(r.claims, "signed") }, "nobody signed"},
		{"signed by nobody", safeHarborRelease, func(r *policyRelease) { r.claims["signed"].(map[string]any)["by"] = "" }, "nobody signed"},
		{"signed something else", safeHarborRelease, func(r *policyRelease) { r.claims["signed"].(map[string]any)["text"] = "Yes." }, "nobody signed"},
		{"signed at no time", safeHarborRelease, func(r *policyRelease) { r.claims["signed"].(map[string]any)["at"] = "now" }, "nobody signed"},
		{"an item missing", limitedRelease, func(r *policyRelease) { r.claims["agreed"] = []string{"a", "b", "c", "d", "e", "f"} }, "not every item"},
		{"an item twice", limitedRelease, func(r *policyRelease) { r.claims["agreed"] = []string{"a", "b", "c", "d", "e", "f", "a"} }, "not every item"},
		{"calls itself de-identified", limitedRelease, func(r *policyRelease) { r.warnings = []string{"This text is De-Identified."} }, "calls itself so"},
		{"its title does", limitedRelease, func(r *policyRelease) { r.title = "Deidentified notes" }, "calls itself so"},
		{"a gap in the numbers", safeHarborRelease, func(r *policyRelease) { r.notes[2].id = "000004" }, "line 3 does not have the id 000003"},
		{"numbers out of order", safeHarborRelease, func(r *policyRelease) { r.claims["like"] = "release-0"; r.notes[1].id = "000007" }, "line 3 does not have a number"},
		{"a short number", safeHarborRelease, func(r *policyRelease) { r.claims["like"] = "release-0"; r.notes[2].id = "7" }, "line 3 does not have a number"},
	})
	r := safeHarborRelease()
	r.claims["like"], r.notes[0].id, r.notes[2].id = "release-0", "000002", "0000009"
	r.notes[1].id = "000005"
	if found := r.against(t); !found.OK || found.Policy.Like != "release-0" {
		t.Errorf("numbers like an earlier release: %v", found.Problems)
	}
}

func TestForgedPlacesAreFound(t *testing.T) {
	checkForged(t, []forged{
		{"number 0", safeHarborRelease, replaceIn(0, "[DOCTOR 2]", "[DOCTOR 0]"), "does not hold a numbered placeholder"},
		{"number 02", safeHarborRelease, replaceIn(0, "[DOCTOR 2]", "[DOCTOR 02]"), "does not hold a numbered placeholder"},
		{"no number", safeHarborRelease, replaceIn(0, "[DOCTOR 2]", "[DOCTOR]"), "does not hold a numbered placeholder"},
		{"number of another label", safeHarborRelease, replaceIn(0, "[DOCTOR 2]", "[PATIENT 2]"), "does not hold a numbered placeholder"},
		{"plain where numbered", safeHarborRelease, replaceIn(2, "blau:[COLOUR]", "blau:[COLOUR 1]"), "does not hold its placeholder"},
		{"a whole date", safeHarborRelease, replaceIn(0, ":2019}}", ":3/2019}}"), "another date than a year"},
		{"the date itself", safeHarborRelease, replaceIn(0, ":2019}}", ":3/4/2019}}"), "another date than a year"},
		{"a date of a renamed label", safeHarborRelease, replaceIn(2, ":2019}}", ":3.4.2019}}"), "another date than a year"},
		{"a day", surrogateRelease, replaceIn(0, "DATE:shift:2019-03-04:2019-03-14", "DATE:generalize:2019-03-04:4 March 2019"), "another date than a year, quarter or month"},
		{"a name for a month", surrogateRelease, replaceIn(0, "DATE:shift:2019-03-04:2019-03-14", "DATE:generalize:2019-03-04:Berg 2019"), "another date than a year, quarter or month"},
		{"over 89", safeHarborRelease, replaceIn(0, "90+", "93"), "an age over 89"},
		{"over 89 in words", safeHarborRelease, replaceIn(0, "90+", "nonagenarian"), "an age over 89"},
		{"over 89 in months", safeHarborRelease, replaceIn(0, "90+", "1100 months"), "an age over 89"},
		{"small ZIP", safeHarborRelease, replaceIn(1, ":100}}", ":036}}"), "another ZIP code"},
		{"whole ZIP", safeHarborRelease, replaceIn(1, ":100}}", ":10001}}"), "another ZIP code"},
		{"military ZIP", safeHarborRelease, replaceIn(1, ":100}}", ":090}}"), "another ZIP code"},
		{"no state", safeHarborRelease, replaceIn(1, "Massachusetts", "Cambridge"), "does not hold a state"},
		{"a name generalized", safeHarborRelease, replaceIn(1, "PATIENT:numbered:Ann Khan:[PATIENT 1]", "PATIENT:generalize:Ann Khan:A. K."), "values of its label cannot be"},
		{"unknown action", safeHarborRelease, replaceIn(0, "DOCTOR:numbered", "DOCTOR:blur"), "whose places are not listed"},
		{"a name left of a sentence", safeHarborRelease, replaceIn(1, ":[OTHER]", ":He is mayor."), "does not hold its placeholder"},
	})
}

func TestForgedMapsAndOriginalsAreFound(t *testing.T) {
	moved := func(old, with string) func(*policyRelease) {
		return func(r *policyRelease) {
			r.mapping = func(text string) string { return strings.Replace(text, old, with, 1) }
		}
	}
	checkForged(t, []forged{
		{"a surrogate that is the original", surrogateRelease, replaceIn(0, "Eva Berg", "Ann Khan"), "still in its place"},
		{"a surrogate that is somebody", surrogateRelease, replaceIn(2, "Dr. Sauer", "ANN  khan"), "a real value in the originals"},
		{"a shifted date under Safe Harbor", safeHarborRelease, replaceIn(0, "DATE:generalize:3/4/2019:2019", "DATE:shift:3/4/2019:3/9/2019"), "allows years only"},
		{"an invented age under Safe Harbor", safeHarborRelease, replaceIn(0, "AGE:generalize:93:90+", "AGE:surrogate:93:81"), "an invented age"},
		{"a date not shifted", surrogateRelease, replaceIn(2, "2019-01-01", "2019-01-10"), "did not move within the limit"},
		{"a date shifted too far", surrogateRelease, replaceIn(2, "2019-01-01", "2018-01-01"), "did not move within the limit"},
		{"not by weeks", surrogateRelease, func(r *policyRelease) { r.shift = `{"days":100,"weeks":true}` }, "did not move within the limit"},
		{"another interval", surrogateRelease, replaceIn(0, "3/30/2019", "3/29/2019"), "by other days than other dates"},
		{"another interval in another note", surrogateRelease, replaceIn(1, "14.4.2019", "15.4.2019"), "by other days than other dates"},
		{"a date in another form", surrogateRelease, replaceIn(0, "3/30/2019", "30 March"), "in the form that they had"},
		{"a name stands elsewhere", safeHarborRelease, replaceIn(1, "He is the mayor.:[OTHER]}}", "He is the mayor.:[OTHER]}} Ann Khan left."), "redaction 1 stand elsewhere"},
		{"a number stands elsewhere", safeHarborRelease, replaceIn(2, "and {{", "0012345 and {{"), "stand elsewhere in the note"},
		{"a date stands elsewhere", safeHarborRelease, replaceIn(0, "aspirin", "aspirin since 3/4/2019"), "stand elsewhere in the note"},
		{"nobody kept it", safeHarborRelease, replaceIn(2, "{{PATIENT:keep:May Day:}}", "May Day"), "nobody decided to keep"},
		{"a kept place outside", safeHarborRelease, moved(`"kept":[{"start":`, `"kept":[{"start":9`), "kept places overlap or lie outside"},
		{"an action left out of the map", safeHarborRelease, moved(`,"action":"numbered"`, ``), "other redactions than the release"},
		{"a hidden place of a visible action", surrogateRelease, moved(`"action":"surrogate"`, `"action":"numbered"`), "other redactions than the release"},
		{"a visible place hidden", safeHarborRelease, moved(`"action":"numbered"`, `"action":"surrogate"`), "other redactions than the release"},
	})
}

// TestPlacesWithoutAPolicyHaveNoAction: an action needs a policy that says so.
func TestPlacesWithoutAPolicyHaveNoAction(t *testing.T) {
	f := newFixture(t)
	f.put("notes.jsonl", strings.Replace(string(f.release["notes.jsonl"].Data), `"label":"NAME"`, `"label":"NAME","action":"numbered"`, 1))
	f.reseal()
	if r, err := found(f.release); err != nil || r.OK || !strings.Contains(fmt.Sprint(r.Problems), "has no policy") {
		t.Errorf("%v, %v", r.Problems, err)
	}
	f = newFixture(t)
	f.put("policy.json", "{}")
	f.reseal()
	if r, err := found(f.release); err != nil || r.OK || !strings.Contains(fmt.Sprint(r.Problems), "policy.json: does not belong") {
		t.Errorf("%v, %v", r.Problems, err)
	}
}

// TestWordsThatManyPeopleShareMayStandElsewhere: only words that identify must not.
func TestWordsThatManyPeopleShareMayStandElsewhere(t *testing.T) {
	for _, c := range []struct {
		label, was, is string
		refused        bool
	}{
		{"DATE:generalize", "2019", "2019", false}, {"DATE:generalize", "In Year 2019", "2019", false}, {"DATE:generalize", "March 4", "[DATE]", false},
		{"DATE:generalize", "4. März 2019", "2019", true}, {"DATE:generalize", "March 3rd, 2019", "2019", true}, {"DATE:generalize", "12.3.2019", "2019", true},
		{"AGE:generalize", "45", "45", false}, {"AGE:generalize", "45 Years", "40-44", false},
		{"PATIENT:numbered", "Ann", "[PATIENT 1]", false}, {"PATIENT:numbered", "Ann Lee", "[PATIENT 1]", true}, {"PATIENT:numbered", "J. K.", "[PATIENT 1]", false}, {"PATIENT:numbered", "the uncle", "[PATIENT 1]", false},
		{"IDNUM:numbered", "1234", "[IDNUM 1]", false}, {"IDNUM:numbered", "12-34-5", "[IDNUM 1]", true},
		{"DOCTOR:numbered", "Ann Lee", "[DOCTOR 1]", false}, // no type of the rule
	} {
		r := safeHarborRelease()
		r.notes = []policyNote{{"000001", 1, "{{" + c.label + ":" + c.was + ":" + c.is + "}} and " + c.was + "."}}
		if found := r.against(t); found.OK == c.refused {
			t.Errorf("%s %q elsewhere: %v", c.label, c.was, found.Problems)
		}
	}
}

func TestReportsSayWhatAReleaseClaims(t *testing.T) {
	r := safeHarborRelease()
	r.claims["like"] = "release-0"
	found := r.against(t)
	said := strings.Join(slices.Concat(found.Policy.Lines(), found.Lines(), found.Attack), "\n")
	for _, want := range []string{"policy test 1 (Safe Harbor), basis safe-harbor", "signed by Ada at 2026-11-20T10:00:00Z: I have no actual knowledge", "numbers of notes continue those of release-0", "label COLOUR is treated as OTHER", "label FECHAS is treated as DATE", "Nobody was linked.", "3 notes compared", "1 kept by decision"} {
		if !strings.Contains(said, want) {
			t.Errorf("the report does not say %q:\n%s", want, said)
		}
	}
	found = surrogateRelease().against(t)
	said = strings.Join(found.Lines(), "\n")
	for _, want := range []string{"6 replaced by invented or shifted values", "5 shifted dates recomputed", "shift was not recomputed: 1"} {
		if !strings.Contains(said, want) {
			t.Errorf("the report does not say %q:\n%s", want, said)
		}
	}
	if said := strings.Join(limitedRelease().against(t).Policy.Lines(), "\n"); !strings.Contains(said, "7 items of a data use agreement") {
		t.Errorf("the report says %s", said)
	}
}

// Dates that the check of shifts does not read are counted, and so are places that hold one
// beside a date that it reads.
func TestShiftsThatAreNotRecomputedAreCounted(t *testing.T) {
	for was, c := range map[string]struct {
		is             string
		shifted, count int
	}{
		"2019-03-04":             {"2019-03-14", 1, 0},
		"2019-03-04 10˸30˸05":    {"2019-03-14 10˸30˸05", 1, 0},
		"3/4/2019, 3/6/2019":     {"3/14/2019, 3/16/2019", 2, 0},
		"March 4, 2019":          {"March 14, 2019", 0, 1},
		"3/4/19":                 {"3/14/19", 0, 1},
		"3/4":                    {"3/14", 0, 1},
		"3/4/2019 to 6 March":    {"3/14/2019 to 16 March", 1, 1},
		"3/4/2019 to 3/6":        {"3/14/2019 to 3/16", 1, 1},
		"3/4/2019 and 3/6-2019":  {"3/14/2019 and 3/16-2019", 1, 1},
		"2019-03-04 und am 6.3.": {"2019-03-14 und am 16.3.", 1, 1},
	} {
		r := surrogateRelease()
		r.notes = []policyNote{{"000001", 1, "On {{DATE:shift:" + was + ":" + c.is + "}}."}}
		if found := r.against(t); !found.OK || found.Shifted != c.shifted || found.ShiftUnread != c.count {
			t.Errorf("%s: %d shifts recomputed, %d places not, %v", was, found.Shifted, found.ShiftUnread, found.Problems)
		}
	}
}
