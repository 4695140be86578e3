// SPDX-License-Identifier: Apache-2.0

package projecttest

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"

	"hide/internal/annotate"
	"hide/internal/annotate/format"
	"hide/internal/hospital"
)

func JSONL(docs []annotate.Annotated) []format.File {
	var buf bytes.Buffer
	err := format.WriteJSONL(&buf, func(yield func(annotate.Annotated, error) bool) {
		for _, d := range docs {
			if !yield(d, nil) {
				return
			}
		}
	})
	if err != nil {
		panic(err)
	}
	return File("notes.jsonl", buf.String())
}

func File(name, content string) []format.File {
	return []format.File{{Name: name, Size: int64(len(content)), Open: func() (io.ReadCloser, error) {
		return io.NopCloser(strings.NewReader(content)), nil
	}}}
}

func Plain(texts ...string) []annotate.Annotated {
	docs := make([]annotate.Annotated, len(texts))
	for i, text := range texts {
		docs[i] = annotate.Annotated{Document: annotate.Document{Name: fmt.Sprintf("note-%d", i+1), Text: text}}
	}
	return docs
}

// Notes are n short generated notes of n patients: enough to train on, small enough for
// the race detector.
func Notes(n int) []annotate.Annotated {
	names := []string{"Abel", "Brandt", "Castro", "Dupont", "Egger", "Farkas", "Gruber", "Huber", "Ivanov", "Jansen"}
	docs := make([]annotate.Annotated, n)
	for i := range docs {
		name := names[i%len(names)] + strings.Repeat("o", i/len(names))
		var b Markup
		b.Text("Patient: ").Span(name, "PATIENT").Text("\nMRN ").Span(fmt.Sprint(7000000+i*37), "MEDICALRECORD")
		b.Text("\nSeen on ").Span(fmt.Sprintf("%d/%d/2019", i%12+1, i%27+1), "DATE")
		b.Text(" for cough and fever. Lungs clear, no rash. Dr. ").Span(names[(i+3)%len(names)], "DOCTOR")
		b.Text(" advised rest. Mr. ").Span(name, "PATIENT").Text(" left well.\n")
		docs[i] = annotate.Annotated{
			Document: annotate.Document{Name: fmt.Sprintf("note-%03d", i), Patient: fmt.Sprint("p", i), Text: b.String()},
			Spans:    b.Spans,
		}
	}
	return docs
}

// Markup builds a text together with its spans.
type Markup struct {
	strings.Builder
	Spans []annotate.Span
}

func (m *Markup) Text(s string) *Markup { m.WriteString(s); return m }

func (m *Markup) Span(s string, label annotate.Label) *Markup {
	start := annotate.ByteOff(m.Len())
	m.WriteString(s)
	m.Spans = append(m.Spans, annotate.Span{Start: start, End: annotate.ByteOff(m.Len()), Label: label})
	return m
}

func Tag(start, end int, label annotate.Label) annotate.Edit {
	return annotate.Edit{Verb: annotate.VerbTag, Spans: []annotate.Span{{Start: annotate.ByteOff(start), End: annotate.ByteOff(end), Label: label}}}
}

// MarkedAtRandom has indistinguishable words, half of them marked, so that no model can
// find all of them, and a date.
func MarkedAtRandom(n int) []annotate.Annotated {
	docs := Notes(n)
	for i := range docs {
		var b Markup
		b.Text("On ").Span("3/4/2019", "DATE").Text(" we saw")
		for k := range 8 {
			word := strings.Repeat(string(rune('a'+(i*7+k*3)%26)), 2) + strings.Repeat(string(rune('a'+(i*5+k)%26)), 3)
			if (i*3+k*k)%7 < 3 {
				b.Text(" ").Span(word, "PATIENT")
			} else {
				b.Text(" " + word)
			}
		}
		docs[i].Text, docs[i].Spans = b.String()+".\n", b.Spans
	}
	return docs
}

func Strip(docs []annotate.Annotated) []annotate.Annotated {
	out := make([]annotate.Annotated, len(docs))
	for i, d := range docs {
		out[i] = annotate.Annotated{Document: d.Document}
	}
	return out
}

// Cohort is n patients with two fields, and with an age and towns in two notes each.
func Cohort(n int) []annotate.Annotated {
	towns, sexes, codes := []string{"Arden", "Bilton", "Corley"}, []string{"F", "M"}, []string{"flu", "asthma", "fracture", "anaemia"}
	docs := make([]annotate.Annotated, 0, 2*n)
	for i := range n {
		for visit := range 2 {
			var b Markup
			b.Text("Mr. ").Span(fmt.Sprint("Abel", i), "PATIENT").Text(", ").Span(fmt.Sprintf("%d-year-old", 20+(i*7+visit)%70), "AGE")
			b.Text(", lives in ").Span(towns[(i+visit*(i%2))%3], "CITY").Text(". Seen ").Span(fmt.Sprintf("%d/%d/2019", i%12+1, visit+i%27+1), "DATE").Text(".\n")
			docs = append(docs, annotate.Annotated{
				Document: annotate.Document{
					Name: fmt.Sprintf("c-%03d-%d", i, visit), Patient: fmt.Sprint("p", i), Text: b.String(),
					Attributes: map[string]string{"sex": sexes[i%2], "diagnosis": codes[i%4], "ward of Dr. Bell": "7"},
				},
				Spans: b.Spans,
			})
		}
	}
	return docs
}

// Doubtful are notes with a surname that is just as often a flower.
func Doubtful(n int) []annotate.Annotated {
	docs := make([]annotate.Annotated, n)
	for i := range docs {
		var b Markup
		if b.Text("Well today, says "); i%2 == 0 {
			b.Span("Rose", "DOCTOR").Text(" again.\n")
		} else {
			b.Text("Rose again.\n")
		}
		docs[i] = annotate.Annotated{Document: annotate.Document{Name: fmt.Sprint("note-", i), Patient: fmt.Sprint("p", i), Text: b.String()}, Spans: b.Spans}
	}
	return docs
}

// institution is the first note of n generated patients.
func Institution(name string, patients int) []annotate.Annotated {
	return slices.Collect(hospital.Generate(hospital.Options{Patients: patients, MaxNotes: 1, Seed: 3, Institution: name}))
}
