// SPDX-License-Identifier: Apache-2.0

package attack

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"hide/internal/annotate"
	"hide/internal/greedy"
)

// shaky tags the words of its list, and scores the others by their length.
type shaky struct{ tagged map[string]bool }

func (s shaky) Name() string { return "shaky" }

func (s shaky) Train(context.Context, []annotate.View) (greedy.Classifier, error) { return s, nil }

func (s shaky) Hard(v annotate.View) []bool {
	out := make([]bool, len(v.Words))
	for x := range out {
		out[x] = s.tagged[v.Word(x)]
	}
	return out
}

func (s shaky) Scores(v annotate.View) []float64 {
	out := make([]float64, len(v.Words))
	for x := range out {
		out[x] = float64(len(v.Word(x))) / 100
		if s.tagged[v.Word(x)] {
			out[x] = 0.9
		}
	}
	return out
}

// exposed makes a note; a star makes a surrogate, an exclamation mark a leak, a minus before
// the star a placeholder. A plus joins words of one span.
func exposed(group, words string) Exposed {
	var spans []annotate.Span
	var leaks, hidden []bool
	text := ""
	for _, w := range strings.Fields(words) {
		w, placeholder := strings.CutPrefix(w, "-")
		bare := strings.TrimLeft(w, "*!")
		start := annotate.ByteOff(len(text))
		bare = strings.ReplaceAll(bare, "+", " ")
		text += bare + " "
		for range annotate.Tokenize(bare) {
			hidden = append(hidden, placeholder)
		}
		if w[0] == '*' || w[0] == '!' {
			spans = append(spans, annotate.Span{Start: start, End: start + annotate.ByteOff(len(bare)), Label: "NAME"})
			leaks = append(leaks, w[0] == '!')
		}
	}
	n := annotate.NewNote(annotate.Annotated{Document: annotate.Document{Text: text, Patient: group, Name: group}, Spans: spans})
	return Exposed{annotate.View{Note: &n, Redacted: hidden}, leaks}
}

func parrot(t *testing.T, notes []Exposed, tagged string) ParrotResult {
	t.Helper()
	list := map[string]bool{}
	for w := range strings.FieldsSeq(tagged) {
		list[w] = true
	}
	r, err := RunParrot(context.Background(), notes, ParrotParams{Learner: shaky{list}, Budgets: []int{1, 3, 100}})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func suspicions(r ParrotResult) string {
	var all []string
	for _, s := range r.Suspected {
		all = append(all, fmt.Sprintf("%s %d/%d", s.Suspicion, s.Found, s.Flagged))
	}
	return strings.Join(all, ", ")
}

func TestTheParrotSuspectsWhatItsTaggerMisses(t *testing.T) {
	notes := []Exposed{
		exposed("a", "seen by *Ann+Lee and !Bo today"),
		exposed("b", "call *Cy or *Di"),
		exposed("c", "no names here !Edward"),
	}
	r := parrot(t, notes, "Lee Cy")
	if r.Spans != 5 || r.Leaks != 2 || r.Notes != 3 {
		t.Errorf("%d spans, %d leaks", r.Spans, r.Leaks)
	}
	// Ann Lee is tagged in part, Cy is tagged; Bo, Di and Edward are not.
	if got, want := suspicions(r), "everything 2/5, parrot 2/3, once 0/0, twice 0/0"; got != want {
		t.Errorf("%s, not %s", got, want)
	}
	if len(r.ByLabel) != 1 || r.ByLabel[0].Found != 2 || r.ByLabel[0].Label != "NAME" {
		t.Errorf("by label %+v", r.ByLabel)
	}
	// Bo and Di score .02 and come first, in random order; Edward scores .06; six tokens of
	// Ann Lee and Cy follow.
	if got := r.Reversed; got[0].Found != 0.5 || got[1].Found != 2 || got[2].Found != 2 {
		t.Errorf("reversed %+v", got)
	}
	// By descending score Lee and Cy come first, and then Edward.
	if got := r.Ranked; got[0].Found != 0 || got[1].Found != 1 || got[2].Found != 2 {
		t.Errorf("ranked %+v", got)
	}
}

func TestRepeatsBetrayLeaks(t *testing.T) {
	for _, c := range []struct{ name, words, want string }{
		{"one surrogate for one value", "*Ann *Ann *Ann !Bo", "once 1/1, twice 0/3"},
		{"another surrogate at each place", "*Ann *Cy *Di !Bo !Bo", "once 0/3, twice 2/2"},
		{"every value once", "*Ann !Bo", "once 0/0, twice 0/0"},
	} {
		r := parrot(t, []Exposed{exposed("a", c.words), exposed("b", "*Zo")}, "")
		if got := suspicions(r); !strings.HasSuffix(got, c.want) {
			t.Errorf("%s: %s, not %s", c.name, got, c.want)
		}
	}
}

func TestPlaceholdersAreNotSuspected(t *testing.T) {
	r := parrot(t, []Exposed{exposed("a", "-*Ann -*Lee !Bo"), exposed("b", "-*Cy quiet")}, "")
	if s := r.Suspected[0]; r.Spans != 1 || s.Precision.Value != 1 || s.Recall.Value != 1 {
		t.Errorf("%+v", r)
	}
}

func TestParrotRefusesBadInput(t *testing.T) {
	good := exposed("a", "*Ann")
	bad := good
	bad.Leak = nil
	for name, notes := range map[string][]Exposed{"leaks missing": {good, bad}, "one patient": {good, good}} {
		if _, err := RunParrot(context.Background(), notes, ParrotParams{Learner: shaky{}}); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
