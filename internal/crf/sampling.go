// SPDX-License-Identifier: Apache-2.0

package crf

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"hide/internal/annotate"
)

// Sampling leaves words out of training. The learner then sees fewer words that are not
// sensitive (O), and predicts O less often: recall rises, precision falls
// (dissertation, section 4.5). Features still see every word. The zero value leaves
// nothing out; with several fields set, a word stays only if all of them keep it.
//
// Every word of a document gets a random number u in [0, 1). With Z the greater of 1
// and the highest cost:
//
//   - A word of label O stays when u < O*cost(O)/Z and a sensitive word is at most
//     Window words away in the same document.
//   - A sensitive span is accepted or rejected whole, so that BIO labels stay
//     valid: all of its words stay when the u of its first is below cost(label)/Z.
//     Without Cost that is always.
//   - A document is never drawn as a whole. One of which no word stays teaches
//     nothing.
//
// This is rejection sampling as in Zadrozny, Langford and Abe (2003), with words of O
// and spans as the examples; nothing is drawn twice. The numbers depend only on Seed
// and the document's words, not on labels or the order of documents. Of two settings
// the stricter one keeps a subset, and two documents with the same words get the same
// numbers.
type Sampling struct {
	O      float64                    // probability that a word of O stays, in (0, 1]; 0 means 1
	Window int                        // 0 means any distance
	Cost   map[annotate.Label]float64 // of missing a word of this label, above 0; "" is O, and a label without a cost has cost 1
	Seed   uint64
}

// Everything reports whether s leaves nothing out.
func (s Sampling) Everything() bool { return s.O == 0 && s.Window == 0 && len(s.Cost) == 0 }

// Skips returns which words of v training leaves out: those removed by the sampling and
// those of v.Skip. The result is parallel to v.Words, or nil if there are none.
func (s Sampling) Skips(v annotate.View) []bool { return s.skips(labelled(v)) }

func (s Sampling) skips(d sequence) []bool {
	if s.Everything() {
		return d.skip
	}
	skip := make([]bool, len(d.words))
	copy(skip, d.skip)
	random, near := s.random(d), s.near(d)
	rejected := false // of the span that word t is in
	for t := range d.words {
		u := random.Float64()
		switch {
		case t >= len(d.labels) || d.labels[t] == "":
			skip[t] = skip[t] || u >= orElse(s.O, 1)*s.accept("") || !near[t]
		case d.opens(t):
			rejected = u >= s.accept(d.labels[t])
			fallthrough
		default:
			skip[t] = skip[t] || rejected
		}
	}
	return skip
}

func (s Sampling) random(d sequence) *rand.Rand {
	h := fnv.New64a()
	for _, w := range d.words {
		_, _ = io.WriteString(h, w+"\x00")
	}
	return rand.New(rand.NewPCG(s.Seed, h.Sum64()))
}

// accept is cost(label)/Z.
func (s Sampling) accept(label annotate.Label) float64 {
	z := 1.0
	for _, c := range s.Cost {
		z = max(z, c)
	}
	return orElse(s.Cost[label], 1) / z
}

// near reports which words have a sensitive word within Window.
func (s Sampling) near(d sequence) []bool {
	near, from := make([]bool, len(d.words)), 0
	if s.Window == 0 {
		for t := range near {
			near[t] = true
		}
		return near
	}
	for t, label := range d.labels {
		if label == "" {
			continue
		}
		to := min(t+s.Window+1, len(near))
		for i := max(t-s.Window, from); i < to; i++ {
			near[i] = true
		}
		from = to
	}
	return near
}

// Check refuses values out of range.
func (s Sampling) Check() error {
	if !(s.O >= 0 && s.O <= 1) {
		return fmt.Errorf("sampling: o is %g, it must be above 0 and at most 1", s.O)
	}
	if s.Window < 0 || s.Window > maxWindow {
		return fmt.Errorf("sampling: the window is %d, it must be from 1 to %d", s.Window, maxWindow)
	}
	for label, c := range s.Cost {
		if label != "" && (label == outside || annotate.CheckLabel(label) != nil) {
			return errors.New("sampling: a cost is given without a valid label")
		}
		if !(c > 0 && c <= maxCost) {
			return fmt.Errorf("sampling: a cost is %g, it must be above 0 and at most %g", c, float64(maxCost))
		}
	}
	return nil
}

const (
	maxWindow = 1 << 30
	maxCost   = 1e9
)

// String writes s as [ParseSampling] reads it: o=0.2, window=4,
// cost=DATE:0.5,O:0.1, seed=7, joined by plus signs; "" for the zero value.
func (s Sampling) String() string {
	var parts []string
	if s.O != 0 {
		parts = append(parts, "o="+decimal(s.O))
	}
	if s.Window != 0 {
		parts = append(parts, "window="+strconv.Itoa(s.Window))
	}
	if len(s.Cost) > 0 {
		var costs []string
		for label, c := range s.Cost {
			costs = append(costs, string(orElse(label, outside))+":"+decimal(c))
		}
		slices.Sort(costs)
		parts = append(parts, "cost="+strings.Join(costs, ","))
	}
	if s.Seed != 0 {
		parts = append(parts, "seed="+strconv.FormatUint(s.Seed, 10))
	}
	return strings.Join(parts, "+")
}

// outside is the name of the words that are not sensitive, in the text form of a
// sampling.
const outside = "O"

func decimal(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

// ParseSampling parses the output of [Sampling.String]. Parts may come in any order,
// each at most once.
func ParseSampling(text string) (Sampling, error) {
	var s Sampling
	if text == "" {
		return s, nil
	}
	seen := map[string]bool{}
	for part := range strings.SplitSeq(text, "+") {
		key, value, _ := strings.Cut(part, "=")
		if seen[key] {
			return Sampling{}, fmt.Errorf("sampling: %q is given twice", key)
		}
		seen[key] = true
		if err := s.set(key, value); err != nil {
			return Sampling{}, err
		}
	}
	return s, s.Check()
}

func (s *Sampling) set(key, value string) (err error) {
	switch key {
	case "o":
		if s.O, err = strconv.ParseFloat(value, 64); err == nil && s.O == 0 {
			err = errors.New("it must be above 0")
		}
	case "window":
		if s.Window, err = strconv.Atoi(value); err == nil && s.Window == 0 {
			err = errors.New("it must be above 0")
		}
	case "cost":
		s.Cost, err = parseCosts(value)
	case "seed":
		s.Seed, err = strconv.ParseUint(value, 10, 64)
	default:
		return fmt.Errorf("sampling: unknown setting %q; settings are o, window, cost and seed", key)
	}
	if err != nil {
		return fmt.Errorf("sampling: %s=%s: %w", key, value, reason(err))
	}
	return nil
}

// reason is why a number could not be parsed, without the function name.
func reason(err error) error {
	if n := (*strconv.NumError)(nil); errors.As(err, &n) {
		return n.Err
	}
	return err
}

func parseCosts(text string) (map[annotate.Label]float64, error) {
	costs := map[annotate.Label]float64{}
	for part := range strings.SplitSeq(text, ",") {
		name, value, _ := strings.Cut(part, ":")
		label := annotate.Label(name)
		if err := annotate.CheckLabel(label); err != nil {
			return nil, err
		}
		if label == outside {
			label = ""
		}
		if _, twice := costs[label]; twice {
			return nil, fmt.Errorf("%s is there twice", name)
		}
		c, err := strconv.ParseFloat(value, 64)
		if err != nil {
			return nil, reason(err)
		}
		costs[label] = c
	}
	return costs, nil
}

// MarshalText is [Sampling.String].
func (s Sampling) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText is [ParseSampling].
func (s *Sampling) UnmarshalText(text []byte) (err error) {
	*s, err = ParseSampling(string(text))
	return err
}

// A training from zero weights spends a third of its evaluations or more on what any
// part of the corpus shows: that most words are O, which shapes and neighbours names
// have. So it starts on a sample of the documents, and continues from that result on
// all of them (Byrd, Chin, Nocedal and Wu 2012 increase the sample gradually). The
// sample uses the full penalty, not a share of it: it has little data on rare
// attributes, and too small weights are corrected faster than too large ones.
// Attributes that are not in the sample start at 0.
const (
	sampleShare  = 8    // the sample has one in eight tokens
	sampleTokens = 8000 // minimum size of a sample: training on fewer than eight times as many takes half a second
	sampleDocs   = 20   // with fewer documents a sample is not representative
	sampleEnough = 0.5  // it ends if ten iterations improve the objective by less than this share
)

// draw returns random documents with the sample's share of the tokens, in order.
func (d *dataset) draw() []int {
	order, tokens := rand.New(rand.NewPCG(sampleShare, 0)).Perm(len(d.docs)-1), int32(0)
	for i, doc := range order {
		if tokens += d.docs[doc+1] - d.docs[doc]; int(tokens) >= len(d.gold)/sampleShare {
			order = order[:i+1]
			break
		}
	}
	slices.Sort(order)
	return order
}

// foretaste moves w from zero to about the optimum of a sample. It returns false if
// that would not pay. p is the pass over all documents.
func (f *fitting) foretaste(ctx context.Context, p *pass[float32], w []float32) (bool, error) {
	o := f.options
	if !f.cold || o.L1 > 0 || len(f.data.gold) < sampleShare*sampleTokens {
		return false, nil
	}
	docs := f.data.draw()
	if len(docs) < sampleDocs {
		return false, nil
	}
	defer o.Trace.sample()()
	e, err := f.data.excerpt(ctx, docs, p.frozen, o.Workers)
	if err != nil {
		return false, err
	}
	m := minimizer[float32]{
		evaluate: newPass[float32](e.dataset, o).evaluate, memory: o.memory(e.weights()), limit: o.MaxIterations, tolerance: sampleEnough, workers: o.Workers,
	}
	x := make([]float32, e.weights())
	_, err = m.minimize(ctx, x)
	for i, v := range x {
		w[e.weightOf[i]] = v
	}
	return true, err
}
