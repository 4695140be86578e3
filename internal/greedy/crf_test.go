// SPDX-License-Identifier: Apache-2.0

package greedy

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"hide/internal/annotate"
	"hide/internal/crf"
)

// letters are documents in which names, all different, follow "Dr".
func letters(n int) []annotate.Note {
	var docs []annotate.Note
	for i := range n {
		line := fmt.Sprintf("Seen by Dr %s today . No Pain . Dr %s agrees .", name(2*i), name(2*i+1))
		a := annotate.Annotated{Document: annotate.Document{Name: fmt.Sprint(i), Text: line}}
		for _, w := range []string{name(2 * i), name(2*i + 1)} {
			start := annotate.ByteOff(strings.Index(line, w))
			a.Spans = append(a.Spans, annotate.Span{Start: start, End: start + annotate.ByteOff(len(w)), Label: "DOCTOR"})
		}
		docs = append(docs, annotate.NewNote(a))
	}
	return docs
}

// name is a capitalised word of four to six letters, another one for every n.
func name(n int) string {
	syllables := []string{"ba", "ko", "ri", "lu", "sen", "mo", "der", "fi"}
	w := syllables[n%8] + syllables[n/8%8] + []string{"", "n", "s"}[n%3]
	return strings.ToUpper(w[:1]) + w[1:]
}

func TestCRFLearnsAndRedactsUnseenNames(t *testing.T) {
	result, err := Sanitize(t.Context(), letters(24), Params{LC: []float64{10}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	c := result.Choices[0]
	if c.Outcome.Residual.Value != 0 || len(c.Classifiers) == 0 {
		t.Fatalf("%g of %d names left with %d classifiers", c.Outcome.Residual.Value, c.Outcome.Sensitive, len(c.Classifiers))
	}
	unseen := annotate.NewNote(annotate.Annotated{Document: annotate.Document{Text: "Seen by Dr Terilu today . No Pain ."}})
	if got, want := c.Classifiers.Redact(unseen), []bool{false, false, false, true, false, false, false, false, false}; !slices.Equal(got, want) {
		t.Errorf("redacts %v, want %v", got, want)
	}
	if _, is := c.Classifiers[0].Classifier.(*Model); !is || c.Classifiers[0].Learner != "crf" {
		t.Errorf("%s is a %T, want *Model", c.Classifiers[0].Learner, c.Classifiers[0].Classifier)
	}
}

func TestCRFNeverReadsRedactedWords(t *testing.T) {
	docs := letters(12)
	masks := nothing(docs)
	for i := range masks {
		masks[i][3] = true
	}
	h, err := CRF{}.Train(t.Context(), views(docs, masks))
	if err != nil {
		t.Fatal(err)
	}
	changed := docs[0]
	changed.Words = slices.Clone(changed.Words)
	changed.Words[3] = "otherwise"
	changed.Text = strings.Replace(changed.Text, docs[0].Words[3], "XXXX", 1)
	a, b := h.Scores(annotate.View{Note: &docs[0], Redacted: masks[0]}), h.Scores(annotate.View{Note: &changed, Redacted: masks[0]})
	if !slices.Equal(a, b) {
		t.Error("the scores depend on a redacted word")
	}
}

func TestCRFHardLabelsAreTheBestPath(t *testing.T) {
	docs := letters(12)
	h, err := CRF{}.Train(t.Context(), views(docs, nothing(docs)))
	if err != nil {
		t.Fatal(err)
	}
	v := annotate.View{Note: &docs[1], Redacted: nil}
	if got := h.Hard(v); !slices.Equal(got, docs[1].Sensitive) {
		t.Errorf("hard labels %v, want %v", got, docs[1].Sensitive)
	}
	for x, p := range h.Scores(v) {
		if p < 0 || p > 1 || (p > 0.5) != docs[1].Sensitive[x] {
			t.Errorf("token %d: P(sensitive) = %g", x, p)
		}
	}
}

// What a CRF of the loop trains on notes is what it learns by itself, patients and
// structured fields included: a word that one patient's notes repeat counts once.
func TestCRFLearnsFromNotesWhatItLearnsByItself(t *testing.T) {
	var docs []annotate.Note
	var plain []annotate.View
	for i := range 36 {
		who := name(i / 3)
		text := fmt.Sprintf("Seen by Dr %s today . Call %s , habit%s .", name(i), who, who)
		a := annotate.Annotated{Document: annotate.Document{Name: fmt.Sprint(i), Text: text, Patient: fmt.Sprint("p", i/3), Attributes: map[string]string{"name": who}}}
		for _, from := range []int{strings.Index(text, "Dr ") + 3, strings.Index(text, "Call ") + 5} {
			to := from + strings.Index(text[from:], " ")
			a.Spans = append(a.Spans, annotate.Span{Start: annotate.ByteOff(from), End: annotate.ByteOff(to), Label: "NAME"})
		}
		docs, plain = append(docs, annotate.NewNote(a)), append(plain, new(annotate.NewNote(a)).View())
	}
	for _, features := range []crf.Families{crf.Default, crf.Thorough} {
		o := crf.Options{Features: features, MaxIterations: 5}
		h, err := CRF{o}.Train(t.Context(), views(docs, nothing(docs)))
		if err != nil {
			t.Fatal(err)
		}
		o.Binary = true
		m, _, err := crf.Train(t.Context(), plain, o)
		if err != nil {
			t.Fatal(err)
		}
		if h.(*Model).CRF.Hash() != m.Hash() {
			t.Errorf("features %s: another model", strings.Join(features.Names(), ","))
		}
		if got, want := h.Scores(annotate.View{Note: &docs[1]}), m.Sensitive(plain[1]); !slices.Equal(got, want) {
			t.Errorf("features %s: scores %v, want %v", strings.Join(features.Names(), ","), got, want)
		}
	}
}
