// SPDX-License-Identifier: Apache-2.0

package publish

import (
	"bytes"
	"encoding/json"
	"io"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hide/internal/annotate"
	"hide/internal/publish/verify"
)

// knownNotes have names that no classifier of the tests finds, because nothing announces
// them.
func knownNotes() []annotate.Annotated {
	identities := []annotate.Identity{
		{Of: annotate.OfPatient, Label: "PATIENT", Value: "Quentin Xylander"},
		{Of: annotate.OfPatient, Label: "MEDICALRECORD", Value: "0081-5573"},
	}
	return []annotate.Annotated{
		{Document: annotate.Document{Name: "a", Text: "pain of xylander, q. since long; chart 815573, given aspirin to Quentin Xylander.\n", Identities: identities}},
		{Document: annotate.Document{Name: "b", Text: "no pain, given aspirin.\n", Identities: identities}},
	}
}

// knownInputs has the occurrences of the notes, under labels or only counted.
func knownInputs(docs []annotate.Annotated, keep bool) iter.Seq2[Input, error] {
	return func(yield func(Input, error) bool) {
		for i, d := range docs {
			in := Input{Document: annotate.DocumentID(i + 1), Name: d.Name, Text: d.Text, Known: FindKnown(d.Text, d.Identities, testPolicy().KnownLabel)}
			if keep {
				in.Known = in.Known.Readable()
			}
			if !yield(in, nil) {
				return
			}
		}
	}
}

func writeKnown(t *testing.T, docs iter.Seq2[Input, error]) (dir string, w *Written) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "release-1")
	w, err := WriteRelease(t.Context(), dir, docs, testBundle(t), testMeta(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return dir, w
}

func identified(t *testing.T, docs []annotate.Annotated) io.Reader {
	t.Helper()
	var b bytes.Buffer
	for _, d := range docs {
		if err := json.NewEncoder(&b).Encode(map[string]any{"id": d.Name, "text": d.Text, "identities": d.Identities}); err != nil {
			t.Fatal(err)
		}
	}
	return &b
}

func TestKnownIdentifiersAreRedactedAndCounted(t *testing.T) {
	docs := knownNotes()
	for _, c := range []struct {
		name string
		keep bool
		want KnownCounts
	}{{"redacted", false, KnownCounts{3, 0}}, {"only counted", true, KnownCounts{3, 3}}} {
		t.Run(c.name, func(t *testing.T) {
			dir, w := writeKnown(t, knownInputs(docs, c.keep))
			if w.Claims.Counts.Known != c.want {
				t.Errorf("counted %+v, want %+v", w.Claims.Counts.Known, c.want)
			}
			text, err := os.ReadFile(filepath.Join(dir, notesFile))
			if err != nil {
				t.Fatal(err)
			}
			if shown := strings.Contains(string(text), "Xylander") || strings.Contains(string(text), "815573"); shown != c.keep {
				t.Errorf("known identifiers are readable: %v", shown)
			}
			found, err := verify.Against(t.Context(), os.DirFS(dir), bytes.NewReader(w.Mapping), identified(t, docs))
			if err != nil || !found.Common().OK {
				t.Errorf("the verifier says %v, %v", found.Common().Problems, err)
			}
		})
	}
}

// TestTheVerifierFindsAKnownIdentifier forges the claim that none remains.
func TestTheVerifierFindsAKnownIdentifier(t *testing.T) {
	docs := knownNotes()
	forged := func(yield func(Input, error) bool) {
		for in := range knownInputs(docs, true) {
			in.Known = nil
			if in.Name == "b" { // an occurrence that a person redacts: none remains
				in.Known, in.Spans = Occurrences{{Start: 0, End: 2}}, []annotate.Span{{Start: 0, End: 2, Label: "NAME"}}
			}
			if !yield(in, nil) {
				return
			}
		}
	}
	dir, w := writeKnown(t, forged)
	if want := (KnownCounts{1, 0}); w.Claims.Counts.Known != want {
		t.Fatalf("counted %+v", w.Claims.Counts.Known)
	}
	found, err := verify.Against(t.Context(), os.DirFS(dir), bytes.NewReader(w.Mapping), identified(t, docs))
	if err != nil || found.Common().OK || !strings.Contains(found.Common().Problems[0].String(), "known identifier") {
		t.Errorf("the verifier says %v, %v", found.Common().Problems, err)
	}
}

func TestPeoplesLabelsWinOverKnownOnes(t *testing.T) {
	text := "no pain of Xylander here"
	in := Input{Text: text, Known: Occurrences{{Start: 11, End: 19, Label: "NAME"}}, Spans: []annotate.Span{{Start: 11, End: 19, Label: "DATE"}}}
	if texts, _ := testBundle(t).RedactTogether([]Input{in}); texts[0] != "no pain of [DATE] here" {
		t.Errorf("got %q", texts[0])
	}
}

func TestAnIdentityWithoutAFittingLabelIsRedactedAnyway(t *testing.T) {
	p := Policy{Placeholder: DefaultPlaceholder, Labels: []annotate.Label{"THING", "person"}}
	for label, want := range map[annotate.Label]annotate.Label{"PATIENT": "person", "DOCTOR": "person", "SSN": "THING"} {
		if got := p.KnownLabel(annotate.Identity{Label: label}); got != want {
			t.Errorf("%s is redacted as %s, want %s", label, got, want)
		}
	}
}

func TestAReleaseWithoutIdentitiesCountsNone(t *testing.T) {
	dir, _ := write(t, corpus(t, 2))
	manifest, err := os.ReadFile(filepath.Join(dir, "manifest.json"))
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(manifest), "known_identifiers") {
		t.Error("the manifest counts known identifiers")
	}
}
