// SPDX-License-Identifier: Apache-2.0

package verify_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"
	"unicode/utf8"

	"hide/internal/publish/verify"
)

// policyRelease is a release by a policy, written by hand as docs/releases.md says. A test
// changes it, and everything else is made to agree with the change, as a forger would.
type policyRelease struct {
	basis, statement string
	rules            map[string]string // "action" or "generalize to", by label
	shift            string            // JSON, "" for none
	title            string
	warnings         []string
	claims           map[string]any // besides those that follow from the notes
	notes            []policyNote
	policy           func(text string) string // changes policy.json after its hash was claimed
	mapping          func(text string) string
}

// policyNote is a note with marks: {{LABEL:action:words of the original:words of the release}}.
// A raised colon in the words stands for a colon.
type policyNote struct {
	id      string
	patient int
	marked  string
}

// defaultRules replace everything by numbered placeholders.
func defaultRules() map[string]string {
	rules := map[string]string{}
	for _, l := range strings.Fields("PATIENT DOCTOR USERNAME PROFESSION HOSPITAL DEPARTMENT ROOM ORGANIZATION STREET CITY STATE COUNTRY ZIP LOCATION-OTHER AGE DATE PHONE FAX EMAIL URL IPADDR SSN MEDICALRECORD HEALTHPLAN ACCOUNT LICENSE VEHICLE DEVICE BIOID IDNUM OTHER") {
		rules[l] = "numbered"
	}
	rules["STATE"], rules["DATE"], rules["AGE"], rules["ZIP"], rules["CITY"] = "keep", "generalize year", "generalize age-90", "generalize zip-3", "generalize state"
	return rules
}

// safeHarborRelease has every visible action, and a year that the original has, too.
func safeHarborRelease() policyRelease {
	return policyRelease{
		basis: "safe-harbor", title: "Safe Harbor", rules: defaultRules(),
		statement: "Prepared by the Safe Harbor method, 45 CFR 164.514(b)(2). More words.",
		claims: map[string]any{
			"signed": map[string]any{"text": "I have no actual knowledge that ...", "by": "Ada", "at": "2026-11-20T10:00:00Z"},
			"attack": map[string]any{"words": []string{"Nobody was linked."}, "figures": map[string]int{"n": 3}},
			"means":  map[string]string{"FECHAS": "DATE", "COLOUR": ""},
		},
		notes: []policyNote{
			{"000001", 1, "Seen by {{DOCTOR:numbered:Dr. Weiß:[DOCTOR 2]}} on {{DATE:generalize:3/4/2019:2019}}, aged {{AGE:generalize:93:90+}}. Given May 3 mg of aspirin."},
			{"000002", 1, "{{PATIENT:numbered:Ann Khan:[PATIENT 1]}} of {{CITY:generalize:Boston:Massachusetts}}, {{STATE:keep:Ohio:}}, ZIP {{ZIP:generalize:10001:100}}. {{OTHER:drop-sentence:He is the mayor.:[OTHER]}}"},
			{"000003", 2, "Am {{FECHAS:generalize:3.4.2019:2019}} {{COLOUR::blau:[COLOUR]}} {{MEDICALRECORD:numbered:0012345:[MEDICALRECORD 1]}}; {{PATIENT:numbered:May Day:[PATIENT 1]}} and {{PATIENT:keep:May Day:}}"},
		},
	}
}

// surrogateRelease hides what it replaces.
func surrogateRelease() policyRelease {
	r := policyRelease{
		basis: "own", title: "Surrogates", rules: defaultRules(), shift: `{"days":100}`,
		statement: "It follows no rule of HIPAA.",
		notes: []policyNote{
			{"000001", 1, "{{PATIENT:surrogate:Ann Khan:Eva Berg}} came on {{DATE:shift:2019-03-04:2019-03-14}} and {{DATE:shift:3/20/2019:3/30/2019}}."},
			{"000002", 1, "{{PATIENT:surrogate:Khan:Berg}}, {{DATE:shift:4.4.2019:14.4.2019}}, {{DATE:shift:March 4:March 14}}, again {{DATE:shift:01/02/2019:01/12/2019}}"},
			{"000003", 2, "{{DOCTOR:surrogate:Dr. Weiß:Dr. Sauer}} on {{DATE:shift:2019-01-10:2019-01-01}}"},
		},
	}
	r.rules["PATIENT"], r.rules["DOCTOR"], r.rules["DATE"] = "surrogate", "surrogate", "shift"
	return r
}

func limitedRelease() policyRelease {
	r := policyRelease{
		basis: "limited-data-set", title: "Limited data set", rules: defaultRules(),
		statement: "A limited data set: it is not de-identified.",
		claims:    map[string]any{"agreed": []string{"a", "b", "c", "d", "e", "f", "g"}},
		notes:     []policyNote{{"000001", 1, "{{PATIENT:numbered:Ann Khan:[PATIENT 1]}} on {{DATE:keep:2019-03-04:}}"}},
	}
	r.rules["DATE"] = "keep"
	return r
}

// policyText is policy.json.
func (r policyRelease) policyText() string {
	type rule struct {
		Label  string `json:"label"`
		Action string `json:"action"`
		To     string `json:"to,omitempty"`
	}
	p := struct {
		Schema      string          `json:"schema"`
		Name        string          `json:"name"`
		Version     int             `json:"version"`
		Basis       string          `json:"basis"`
		Title       string          `json:"title"`
		About       []string        `json:"about"`
		Placeholder string          `json:"placeholder"`
		Repeat      string          `json:"repeat"`
		Shift       json.RawMessage `json:"shift,omitempty"`
		Rules       []rule          `json:"rules"`
	}{"hide policy 1", "test", 1, r.basis, r.title, []string{"About <it>."}, "[LABEL]", "consistent", json.RawMessage(r.shift), nil}
	for _, label := range sortedKeys(r.rules) {
		action, to, _ := strings.Cut(r.rules[label], " ")
		p.Rules = append(p.Rules, rule{label, action, to})
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(p); err != nil {
		panic(err)
	}
	return b.String()
}

func sortedKeys[V any](m map[string]V) (keys []string) {
	text, _ := json.Marshal(m) // sorts them
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.Token()
	for dec.More() {
		key, _ := dec.Token()
		keys = append(keys, key.(string))
		var value json.RawMessage
		dec.Decode(&value)
	}
	return keys
}

// line is a note of the release, its row of the map, and its original.
func (n policyNote) line(counts map[string]int) (line, row, text, original string) {
	var listed, mapped, kept []string
	var is, was strings.Builder
	rest := n.marked
	for {
		before, behind, found := strings.Cut(rest, "{{")
		is.WriteString(before)
		was.WriteString(before)
		if !found {
			break
		}
		inside, after, _ := strings.Cut(behind, "}}")
		rest = after
		p := strings.SplitN(inside, ":", 4)
		p[2], p[3] = strings.ReplaceAll(p[2], "˸", ":"), strings.ReplaceAll(p[3], "˸", ":")
		at, start := utf8.RuneCountInString(is.String()), utf8.RuneCountInString(was.String())
		end := start + utf8.RuneCountInString(p[2])
		was.WriteString(p[2])
		if p[1] == "keep" {
			is.WriteString(p[2])
			kept = append(kept, fmt.Sprintf(`{"start":%d,"end":%d,"label":%q}`, start, end, p[0]))
			continue
		}
		is.WriteString(p[3])
		atEnd, action := at+utf8.RuneCountInString(p[3]), ""
		if p[1] != "" {
			action = fmt.Sprintf(`,"action":%q`, p[1])
		}
		mapped = append(mapped, fmt.Sprintf(`{"start":%d,"end":%d,"at":%d,"at_end":%d,"label":%q%s}`, start, end, at, atEnd, p[0], action))
		if p[1] != "surrogate" && p[1] != "shift" {
			listed = append(listed, fmt.Sprintf(`{"start":%d,"end":%d,"label":%q%s}`, at, atEnd, p[0], action))
			counts[p[0]]++
		}
	}
	text, original = is.String(), was.String()
	line = fmt.Sprintf(`{"id":%q,"text":%s,"redactions":[%s]}`, n.id, quoted(text), strings.Join(listed, ","))
	row = fmt.Sprintf(`{"id":%q,"document":1,"name":"note %s","patient":%d,"redactions":[%s],"kept":[%s]}`, n.id, n.id, n.patient, strings.Join(mapped, ","), strings.Join(kept, ","))
	return line, row, text, original
}

func quoted(s string) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(s) // strings can always be written
	return strings.TrimSpace(b.String())
}

// build makes the files. tokens is the claimed number.
func (r policyRelease) build(tokens int) (release fstest.MapFS, mapping, originals string) {
	files, counts := map[string]string{}, map[string]int{}
	var notes, rows, labels []string
	for _, n := range r.notes {
		line, row, text, original := n.line(counts)
		notes, rows = append(notes, line+"\n"), append(rows, row+"\n")
		files["notes/"+n.id+".txt"] = text
		originals += fmt.Sprintf(`{"id":"note %s","text":%s}`, n.id, quoted(original)) + "\n"
	}
	files["notes.jsonl"] = strings.Join(notes, "")
	files["policy.json"] = r.policyText()
	means, _ := r.claims["means"].(map[string]string)
	labels = append(sortedKeys(r.rules), sortedKeys(means)...)
	claims := claimed(r, labels, means, counts, tokens, len(r.notes), sum(files["policy.json"]))
	if r.policy != nil {
		files["policy.json"] = r.policy(files["policy.json"])
	}
	m := envelope{
		Schema: "hide release 2", Kind: "text", Tool: "test", Created: "2026-11-20T10:00:00Z", Name: "release-1", Project: "p1",
		Statement: r.statement, Warnings: append([]string{}, r.warnings...), Claims: claims,
	}
	release = m.sealed(files)
	mapping = fmt.Sprintf(`{"schema":"hide mapping 1","manifest_sha256":%q,"documents":%d}`+"\n", sum(string(release["manifest.json"].Data)), len(r.notes)) + strings.Join(rows, "")
	if r.mapping != nil {
		mapping = r.mapping(mapping)
	}
	return release, mapping, originals
}

// claimed writes the claims in their order.
func claimed(r policyRelease, labels []string, means map[string]string, counts map[string]int, tokens, notes int, hash string) []byte {
	said := func(v any) string {
		text, _ := json.Marshal(v)
		return string(text)
	}
	out := fmt.Sprintf(`{"placeholder":"[LABEL]","labels":%s,"counts":{"notes":%d,"tokens":%d,"redactions":%s},"provenance":{"finished_notes":3}`, said(labels), notes, tokens, said(counts))
	if a, ok := r.claims["attack"].(map[string]any); ok {
		out += fmt.Sprintf(`,"attack":{"words":%s,"figures":%s}`, said(a["words"]), said(a["figures"]))
	}
	out += fmt.Sprintf(`,"policy":{"name":"test","version":1,"basis":%q,"sha256":%q`, r.basis, hash)
	if len(means) > 0 {
		out += `,"means":` + said(means)
	}
	out += "}"
	if s, ok := r.claims["signed"].(map[string]any); ok {
		out += fmt.Sprintf(`,"signed":{"text":%s,"by":%s,"at":%s}`, said(s["text"]), said(s["by"]), said(s["at"]))
	}
	if a, ok := r.claims["agreed"]; ok {
		out += `,"agreed":` + said(a)
	}
	if l, ok := r.claims["like"]; ok {
		out += `,"like":` + said(l)
	}
	return []byte(out + "}")
}

// against is what the broker finds. The number of tokens is always claimed right.
func (r policyRelease) against(t testing.TB) *verify.Text {
	t.Helper()
	release, _, _ := r.build(0)
	alone, err := verify.Release(release)
	if err != nil {
		t.Fatal(err)
	}
	release, mapping, originals := r.build(alone.(*verify.Text).Tokens)
	found, err := verify.Against(context.Background(), release, strings.NewReader(mapping), strings.NewReader(originals))
	if err != nil {
		t.Fatal(err)
	}
	return found.(*verify.Text)
}
