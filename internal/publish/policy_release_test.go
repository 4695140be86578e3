// SPDX-License-Identifier: Apache-2.0

package publish

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"hide/internal/annotate"
	"hide/internal/publish/policy"
	"hide/internal/publish/verify"
)

// replacing reads "{{DATE:generalize:3/4/2019:2019}}" as a replacement and returns the note's
// text and its replacements.
func replacing(t *testing.T, in string) (string, []Replacement) {
	t.Helper()
	var b strings.Builder
	out := []Replacement{}
	for {
		before, rest, found := strings.Cut(in, "{{")
		b.WriteString(before)
		if !found {
			return b.String(), out
		}
		inside, after, closed := strings.Cut(rest, "}}")
		parts := strings.Split(inside, ":")
		if !closed || len(parts) != 4 {
			t.Fatalf("fixture: %q", in)
		}
		start := annotate.ByteOff(b.Len())
		b.WriteString(parts[2])
		out = append(out, Replacement{start, annotate.ByteOff(b.Len()), annotate.Label(parts[0]), policy.Action(parts[1]), parts[3]})
		in = after
	}
}

// note is an input with its replacements.
func replacingInput(t *testing.T, n int, patient, in string) Input {
	t.Helper()
	text, replacements := replacing(t, in)
	return Input{Document: annotate.DocumentID(n), Name: fmt.Sprintf("note %d", n), Group: patient, Text: text, Replacements: replacements}
}

// policyMeta is a release by a policy of the program, with all that its basis needs.
func policyMeta(t testing.TB, name string) Meta {
	t.Helper()
	p, err := policy.Find(name)
	if err != nil {
		t.Fatal(err)
	}
	resolved := p.Resolve(append(annotate.I2B2().Labels(), "NAME", "FECHAS", "COLOUR"), map[annotate.Label]annotate.Label{"NAME": "PATIENT", "FECHAS": "DATE"})
	m := testMeta()
	m.Policy = &resolved
	needs := p.Basis.Needs()
	m.Agreed = needs.Checklist
	if needs.Statement != "" {
		m.Signed = &Signed{Text: needs.Statement, By: "Ada Broker", At: time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC)}
	}
	m.Attack = attacked(&Attacked{Words: []string{"An attacker links 1 of 3 notes."}, Figures: json.RawMessage(`{"top1":0.33}`)})
	return m
}

// attacked is an attacker with a result.
func attacked(a *Attacked) Attacker {
	return func(context.Context, []annotate.DocumentID, func(int) (string, []annotate.Span, error)) (*Attacked, error) {
		return a, nil
	}
}

func each(all ...Input) iter.Seq2[Input, error] {
	return func(yield func(Input, error) bool) {
		for _, in := range all {
			if !yield(in, nil) {
				return
			}
		}
	}
}

// publishAll writes a release without a redaction model.
func publishAll(t *testing.T, m Meta, all ...Input) (dir string, w *Written) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "release-1")
	w, err := WriteRelease(t.Context(), dir, each(all...), nil, m, nil)
	if err != nil {
		t.Fatal(err)
	}
	return dir, w
}

// checkAll compares a release with its originals.
func checkAll(t *testing.T, dir string, w *Written, all ...Input) *verify.Text {
	t.Helper()
	var docs []annotate.Annotated
	for _, in := range all {
		docs = append(docs, annotate.Annotated{Document: annotate.Document{Name: in.Name, Text: in.Text}})
	}
	found, err := verify.Against(t.Context(), os.DirFS(dir), bytes.NewReader(w.Mapping), originals(t, docs))
	if err != nil {
		t.Fatal(err)
	}
	return found.(*verify.Text)
}

func TestEveryActionMakesTheRoundTrip(t *testing.T) {
	for _, c := range []struct{ name, policy, in, want, listed string }{
		{"placeholder", "placeholders", "Seen by {{DOCTOR:placeholder:Dr. Weiss:[DOCTOR]}}.", "Seen by [DOCTOR].", "DOCTOR "},
		{"numbered", "safe-harbor", "Seen by {{DOCTOR:numbered:Dr. Weiss:[DOCTOR 2]}}.", "Seen by [DOCTOR 2].", "DOCTOR numbered"},
		{"year", "safe-harbor", "on {{DATE:generalize:3/4/2019:2019}}", "on 2019", "DATE generalize"},
		{"a year stays", "safe-harbor", "in {{DATE:generalize:2019:2019}} and 2019", "in 2019 and 2019", "DATE generalize"},
		{"years", "safe-harbor", "{{FECHAS:generalize:3/4/2018 a 4/4/2019:2018-2019}}", "2018-2019", "FECHAS generalize"},
		{"date without a year", "safe-harbor", "{{DATE:generalize:3/4:[DATE]}} ok", "[DATE] ok", "DATE generalize"},
		{"quarter", "surrogates", "{{DATE:generalize:3/4/2019:Q1 2019}}", "Q1 2019", "DATE generalize"},
		{"month", "surrogates", "{{DATE:generalize:3 de marzo de 2019:marzo de 2019}}", "marzo de 2019", "DATE generalize"},
		{"age", "safe-harbor", "a {{AGE:generalize:97-year-old:90+ year old}} man", "a 90+ year old man", "AGE generalize"},
		{"young", "safe-harbor", "a {{AGE:generalize:45-year-old:45-year-old}} man", "a 45-year-old man", "AGE generalize"},
		{"weeks", "safe-harbor", "{{AGE:generalize:110 days:110 days}}", "110 days", "AGE generalize"},
		{"band", "safe-harbor", "{{AGE:generalize:43:40-44}}", "40-44", "AGE generalize"},
		{"ZIP", "safe-harbor", "{{ZIP:generalize:10001:100}} {{ZIP:generalize:03601:000}}", "100 000", "ZIP generalize,ZIP generalize"},
		{"state", "surrogates", "of {{CITY:generalize:Boston:Massachusetts}}", "of Massachusetts", "CITY generalize"},
		{"surrogate", "surrogates", "Hr. {{PATIENT:surrogate:Weiss:Müller}} kam", "Hr. Müller kam", ""},
		{"shift", "surrogates", "on {{DATE:shift:2019-03-04:2019-04-01}}", "on 2019-04-01", ""},
		{"shift without a year", "surrogates", "on {{DATE:shift:March 4:April 1}}", "on April 1", ""},
		{"sentence", "surrogates", "Pain. {{PROFESSION:drop-sentence:He is the mayor.:[PROFESSION]}} Aspirin.", "Pain. [PROFESSION] Aspirin.", "PROFESSION drop-sentence"},
		{"keep", "safe-harbor", "of {{STATE:keep:Ohio:}}, {{PATIENT:numbered:Ann:[PATIENT 1]}}", "of Ohio, [PATIENT 1]", "PATIENT numbered"},
		{"label of no rule", "safe-harbor", "a {{COLOUR:placeholder:blue:[COLOUR]}} car", "a [COLOUR] car", "COLOUR "},
		{"nothing", "safe-harbor", "no pain", "no pain", ""},
		{"lookalike", "safe-harbor", "[PATIENT 1] {{PATIENT:numbered:Ann:[PATIENT 1]}} 🙂", "[PATIENT 1] [PATIENT 1] 🙂", "PATIENT numbered"},
	} {
		t.Run(c.name, func(t *testing.T) {
			in := replacingInput(t, 1, "p", c.in)
			dir, w := publishAll(t, policyMeta(t, c.policy), in)
			r := checkAll(t, dir, w, in)
			if !r.OK || r.Tokens != w.Claims.Counts.Tokens || r.Compared != 1 {
				t.Errorf("the verifier says %v of %+v", r.Problems, r)
			}
			line := readNotes(t, dir)[0]
			var listed []string
			for _, one := range line.Redactions {
				listed = append(listed, string(one.Label)+" "+string(one.Action))
			}
			if line.Text != c.want || strings.Join(listed, ",") != c.listed {
				t.Errorf("got %q with %q, want %q with %q", line.Text, listed, c.want, c.listed)
			}
		})
	}
}

func readNotes(t *testing.T, dir string) (out []released) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, notesFile))
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(text) {
		var r released
		if err := json.Unmarshal(line, &r); err != nil {
			t.Fatal(err)
		}
		out = append(out, r)
	}
	return out
}

// TestSurrogatesCannotBeTold: no file of the release names a hidden place or counts any.
func TestSurrogatesCannotBeTold(t *testing.T) {
	in := replacingInput(t, 1, "p", "Hr. {{PATIENT:surrogate:Weiss:Müller}} kam am {{DATE:shift:2019-03-04:2019-04-01}}.")
	dir, w := publishAll(t, policyMeta(t, "surrogates"), in)
	if w.Hidden["PATIENT"] != 1 || w.Hidden["DATE"] != 1 || len(w.Claims.Counts.Redactions) != 0 || len(readNotes(t, dir)[0].Redactions) != 0 {
		t.Errorf("hidden %v, told %v", w.Hidden, w.Claims.Counts.Redactions)
	}
	if w.Claims.Counts.Tokens != 11 {
		t.Errorf("%d tokens are published", w.Claims.Counts.Tokens)
	}
	manifest, err := os.ReadFile(filepath.Join(dir, "manifest.json"))
	if err != nil || bytes.Contains(manifest, []byte(`"hidden"`)) {
		t.Error("the manifest counts hidden places")
	}
}

// TestReleaseByPolicyIsNotSearched: the models of a bundle are not asked.
func TestReleaseByPolicyIsNotSearched(t *testing.T) {
	in := replacingInput(t, 1, "p", "Seen by Dr. Anna Khan on 3/14 for pain, given aspirin.\n")
	in.Spans = []annotate.Span{{Start: 0, End: 4, Label: "NAME"}}
	dir := filepath.Join(t.TempDir(), "r")
	w, err := WriteRelease(t.Context(), dir, each(in), testBundle(t), policyMeta(t, "placeholders"), nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := readNotes(t, dir)[0]; got.Text != in.Text || len(got.Redactions) != 0 {
		t.Errorf("got %+v", got)
	}
	if w.Claims.Provenance.Bundle == "" || w.Claims.Parameters.LC != 10 {
		t.Error("the bundle is not named")
	}
	if r := checkAll(t, dir, w, in); !r.OK {
		t.Errorf("the verifier says %v", r.Problems)
	}
}

func TestKnownIdentifiersOfAPolicyAreCounted(t *testing.T) {
	in := replacingInput(t, 1, "p", "{{PATIENT:numbered:Ann:[PATIENT 1]}} Ann {{DATE:generalize:2019:2019}} {{DATE:generalize:3/4/2019:2019}} {{PATIENT:keep:May:}}")
	for _, words := range []string{"Ann", "Ann", "2019", "3/4/2019", "May"} {
		from := 0
		if n := len(in.Known); n > 0 {
			from = int(in.Known[n-1].End)
		}
		at := from + strings.Index(in.Text[from:], words)
		in.Known = append(in.Known, annotate.Span{Start: annotate.ByteOff(at), End: annotate.ByteOff(at + len(words))})
	}
	_, w := publishAll(t, policyMeta(t, "safe-harbor"), in)
	if want := (KnownCounts{5, 3}); w.Claims.Counts.Known != want {
		t.Errorf("counted %+v, want %+v", w.Claims.Counts.Known, want)
	}
}

func TestALaterReleaseContinuesNumbers(t *testing.T) {
	var all []Input
	for i := range 40 {
		all = append(all, replacingInput(t, i+1, "", fmt.Sprintf("note of {{PATIENT:numbered:Ann %d:[PATIENT 1]}}", i)))
	}
	m := policyMeta(t, "safe-harbor")
	_, w := publishAll(t, m, all[:20]...)
	first := idsOf(t, w.Mapping)
	var later []Input
	for i, in := range all {
		if i%3 != 0 { // some notes are gone
			in.ID = first[in.Document]
			later = append(later, in)
		}
	}
	m.Like, m.Last = "release-1", 25
	dir, w := publishAll(t, m, later...)
	if r := checkAll(t, dir, w, later...); !r.OK || r.Policy.Like != "release-1" {
		t.Fatalf("the verifier says %v", r.Problems)
	}
	second := idsOf(t, w.Mapping)
	for _, in := range later {
		id := second[in.Document]
		if was := first[in.Document]; was != "" && id != was || was == "" && id <= "000025" {
			t.Errorf("note %d was %q and is %q", in.Document, was, id)
		}
	}
	var ids []string
	for _, line := range readNotes(t, dir) {
		ids = append(ids, line.ID)
	}
	if !slices.IsSorted(ids) {
		t.Errorf("ids are not in order: %v", ids)
	}
}

// idsOf reads the released number of each note from a map.
func idsOf(t *testing.T, mapping []byte) map[annotate.DocumentID]string {
	t.Helper()
	out := map[annotate.DocumentID]string{}
	for line := range bytes.Lines(rowsOf(mapping)) {
		var row mappingRow
		if err := json.Unmarshal(line, &row); err != nil {
			t.Fatal(err)
		}
		out[row.Document] = row.ID
	}
	return out
}

func TestReleasesByPolicyRefuseWhatCannotBe(t *testing.T) {
	good := func() Input { return replacingInput(t, 7, "", "of {{PATIENT:numbered:Weiss:[PATIENT 1]}} x") }
	with := func(change func(*Input)) Input {
		in := good()
		change(&in)
		return in
	}
	for _, c := range []struct {
		name   string
		in     Input
		change func(*Meta)
		want   string
	}{
		{"no replacements", with(func(in *Input) { in.Replacements = nil }), nil, "note 7: nobody said"},
		{"outside", with(func(in *Input) { in.Replacements[0].End = 99 }), nil, "note 7: span out of range"},
		{"inside a letter", with(func(in *Input) { in.Text = "of Weisß x" }), nil, "note 7: span cuts"},
		{"overlap", with(func(in *Input) { in.Replacements = append(in.Replacements, in.Replacements...) }), nil, "overlap"},
		{"out of order", with(func(in *Input) { in.Replacements = append(in.Replacements, Replacement{0, 2, "PATIENT", "keep", ""}) }), nil, "not in order"},
		{"unknown label", with(func(in *Input) { in.Replacements[0].Label = "X" }), nil, "label X is not in the policy"},
		{"unknown action", with(func(in *Input) { in.Replacements[0].Action = "blur" }), nil, "unknown action"},
		{"nothing instead", with(func(in *Input) { in.Replacements[0].Text = "" }), nil, "empty or not UTF-8"},
		{"number without a series", with(func(in *Input) { in.ID = "000001" }), nil, "continues no other"},
		{"impossible number", with(func(in *Input) { in.ID = "00001x" }), func(m *Meta) { m.Like = "release-1" }, "impossible number"},
		{"not signed", good(), func(m *Meta) { m.Signed = nil }, "nobody signed"},
		{"other words signed", good(), func(m *Meta) { m.Signed = &Signed{Text: "yes", By: "me"} }, "nobody signed"},
		{"no labels", good(), func(m *Meta) { m.Policy = &policy.Resolved{Policy: m.Policy.Policy} }, "labels of its project"},
		{"no policy", good(), func(m *Meta) { m.Policy = nil }, "needs a redaction model or a policy"},
	} {
		t.Run(c.name, func(t *testing.T) {
			m, dir := policyMeta(t, "safe-harbor"), t.TempDir()
			if c.change != nil {
				c.change(&m)
			}
			_, err := WriteRelease(t.Context(), filepath.Join(dir, "r"), each(c.in), nil, m, nil)
			if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "Weiss") {
				t.Errorf("got %v, want %q", err, c.want)
			}
			if left, _ := os.ReadDir(dir); len(left) != 0 {
				t.Errorf("left behind: %v", left)
			}
		})
	}
	m := policyMeta(t, "limited-data-set")
	m.Agreed = m.Agreed[1:]
	if _, err := WriteRelease(t.Context(), filepath.Join(t.TempDir(), "r"), each(good()), nil, m, nil); err == nil || !strings.Contains(err.Error(), "checklist") {
		t.Errorf("an open checklist: %v", err)
	}
}
