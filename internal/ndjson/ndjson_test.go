// SPDX-License-Identifier: Apache-2.0

package ndjson

import (
	"reflect"
	"strings"
	"testing"
)

func TestIdentitiesAreReadStrictly(t *testing.T) {
	d, err := ParseDoc([]byte(`{"id":"a","text":"b","known":["K"],"identities":[{"of":"patient","label":"PATIENT","value":"Anna Wei\u00df","from":"PID-5"}]}`))
	if err != nil || len(d.Identities) != 1 || d.Identities[0].Value != "Anna Weiß" || strings.Join(d.AllKnown(), ";") != "K;Anna Weiß" {
		t.Errorf("got %v, %v", d.AllKnown(), err)
	}
	for _, identities := range []string{
		`{"of":"patient"}`, `["Gwendolyn"]`, `[null]`, `[{"of":"patient","label":"PATIENT","value":"Gwendolyn","name":"x"}]`, `[{"of":"patient","label":"PATIENT","VALUE":"Gwendolyn"}]`,
		`[{"of":"patient","label":"PATIENT","value":"x","value":"Gwendolyn"}]`, `[{"of":"Gwendolyn","label":"PATIENT","value":"x"}]`, `[{"of":"patient","label":"1 2","value":"Gwendolyn"}]`,
		`[{"of":"patient","label":"PATIENT","value":""}]`, `[{"of":"patient","label":"PATIENT","value":"Gwendolyn\ud83d"}]`,
		"[" + strings.Repeat(`{"of":"patient","label":"PATIENT","value":"Gwendolyn"},`, mostIdentities) + `{"of":"patient","label":"PATIENT","value":"Gwendolyn"}]`,
	} {
		_, err := ParseDoc([]byte(`{"id":"a","text":"b","identities":` + identities + `}`))
		if err == nil || strings.Contains(err.Error(), "Gwendolyn") {
			t.Errorf("%.60s: got %v", identities, err)
		}
	}
}

// TestLinesThatAreNotNotesSayWhatToChange has one case for each mistake of a new user.
func TestLinesThatAreNotNotesSayWhatToChange(t *testing.T) {
	for line, want := range map[string]string{
		"\r": "an empty line: remove the line",
		"\ufeff" + `{"id":"a","text":"Gwendolyn"}`:               "a byte order mark before the object: save the file as UTF-8 without a byte order mark",
		`{"id":"a","text":"Gwendolyn","spans":[],"patient":"p"}`: `the field "patient" is not allowed, at byte 49 of the line: only "id", "text", `,
		`{"id":"a","text":"b","patient":"Gwendolyn"}`:            `the field "patient" is not allowed, at byte 30 of the line: only "id", "text", `,
		`{"id":"a","text":"b","Gwendolyn":1}`:                    `not an object with the fields "id", "text" and, if needed, "known" and "identities": see byte 32 of the line: write each note as one line, `,
		`Gwendolyn`:                                              `not an object with the fields "id", "text" and, if needed, "known" and "identities": see byte 0 of the line: write each note as one line, `,
		`{"id":"a","text":"b","spans":Gwendolyn`:                 `not an object with the fields `,
		`{"id":"a","text":"b","spans":{"Gwendolyn":1}}`:          `not an object with the fields `,
		`{"id":"a","text":"b","SPANS":[]}`:                       `not an object with the fields `,
		`{"id":"a","text":"b","spans":[],"spans":[]}`:            `duplicate key "spans", at byte 39`,
	} {
		_, err := ParseDoc([]byte(line))
		if err == nil || !strings.HasPrefix(err.Reason+": "+err.Hint, want) || strings.Contains(err.Reason+err.Hint, "Gwendolyn") {
			t.Errorf("%q: got %+v", line, err)
		}
	}
}

// Spans of annotated notes are ignored, whatever they say. They hide no broken text.
func TestSpansAreIgnored(t *testing.T) {
	want, _ := ParseDoc([]byte(`{"id":"a","text":"b","known":["c"]}`))
	for _, spans := range []string{`[]`, `null`, `[{"start":0,"end":1,"label":"N"}]`, `[{"start":-7},"Gwendolyn",4]`} {
		got, err := ParseDoc([]byte(`{"id":"a","spans":` + spans + `,"text":"b","known":["c"]}`))
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, %+v", spans, got, err)
		}
	}
	if _, err := ParseDoc([]byte(`{"id":"a","text":"\ud83d","spans":["\ufffd","\uFFFD"]}`)); err == nil || err.Code != "encoding" {
		t.Errorf("half a character beside a whole one in the spans: %+v", err)
	}
	if _, err := ParseDoc([]byte(`{"id":"a","text":"\ufffd","spans":["\ufffd"]}`)); err != nil {
		t.Errorf("%+v", err)
	}
}

func FuzzParseDoc(f *testing.F) {
	for _, seed := range []string{`{"id":"a","text":"b"}`, `{"id":"a","text":"\ud83d"}`, `{"id":"a","text":"\ufffd"}`, `{}`, `null`, `[`, "\xff", `{"id":"a","text":"b","spans":[{"start":0}]}`, `{"id":"a","text":"b","identities":[{"of":"patient","label":"A","value":"b"},null]}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		d, err := ParseDoc(line)
		if err == nil && (d.ID == nil || d.Text == nil) {
			t.Error("an incomplete line was accepted")
		}
	})
}
