// SPDX-License-Identifier: Apache-2.0

package publish

import (
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hide/internal/annotate"
	"hide/internal/greedy"
)

// gossip holds a word for sensitive when it stands after "Dr" in any of the
// documents that it reads together, which it counts.
type gossip struct{ batches *[]int }

func (g gossip) Scores(v annotate.View) []float64 { return g.ScoreAll([]annotate.View{v})[0] }

func (g gossip) Hard(v annotate.View) []bool { return make([]bool, len(v.Words)) }

func (g gossip) ScoreAll(views []annotate.View) [][]float64 {
	*g.batches = append(*g.batches, len(views))
	known := map[string]bool{}
	for _, v := range views {
		for x := 1; x < len(v.Words); x++ {
			known[v.Words[x]] = known[v.Words[x]] || v.Words[x-1] == "Dr"
		}
	}
	out := make([][]float64, len(views))
	for i, v := range views {
		for _, w := range v.Words {
			p := 0.0
			if known[w] {
				p = 1
			}
			out[i] = append(out[i], p)
		}
	}
	return out
}

func TestDocumentsOfAPatientAreRedactedTogether(t *testing.T) {
	b := *testBundle(t)
	var batches []int
	b.Ensemble = greedy.Ensemble{{Learner: "gossip", Classifier: gossip{&batches}, Threshold: 0.5}}
	ins := []Input{
		{Group: "p", Text: "seen by Dr Weiss"}, {Group: "p", Text: "asked Weiss again"},
		{Group: "q", Text: "asked Weiss again"}, {Text: "by Dr Weiss"}, {Text: "asked Weiss again"},
	}
	for i := range ins {
		ins[i].Name = fmt.Sprint(i)
	}
	texts, _ := b.RedactTogether(ins[:2])
	if strings.Contains(texts[1], "Weiss") {
		t.Errorf("the patient's other note changes nothing: %q", texts[1])
	}
	batches = nil
	dir := filepath.Join(t.TempDir(), "r")
	var docs iter.Seq2[Input, error] = func(yield func(Input, error) bool) {
		for _, in := range ins {
			if !yield(in, nil) {
				return
			}
		}
	}
	// The hash of a bundle with such a classifier does not exist: what matters has
	// been read by then.
	_, _ = WriteRelease(t.Context(), dir, docs, &b, testMeta(), nil)
	if want := []int{2, 1, 1, 1}; !slices.Equal(batches, want) {
		t.Errorf("read together: %v, want %v", batches, want)
	}
	if _, err := os.Stat(dir); err == nil {
		t.Error("a release was made with a bundle that has no file")
	}
}

// registry holds what structured fields say of the patient for sensitive.
type registry struct{}

func (registry) Scores(v annotate.View) []float64 {
	out := make([]float64, len(v.Words))
	for x, w := range v.Words {
		if slices.Contains(v.Known, w) {
			out[x] = 1
		}
	}
	return out
}

func (registry) Hard(v annotate.View) []bool { return make([]bool, len(v.Words)) }

func TestRedactingKnowsWhatStructuredFieldsSay(t *testing.T) {
	b := *testBundle(t)
	b.Ensemble = greedy.Ensemble{{Learner: "registry", Classifier: registry{}, Threshold: 0.5}}
	texts, _ := b.RedactTogether([]Input{{Text: "asked Weiss again", Structured: []string{"Weiss"}}, {Text: "asked Weiss again", Structured: []string{"Berg"}}})
	if strings.Contains(texts[0], "Weiss") || texts[1] != "asked Weiss again" {
		t.Errorf("got %q", texts)
	}
}
