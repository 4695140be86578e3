// SPDX-License-Identifier: Apache-2.0

package greedy

import (
	"bytes"
	"context"
	"fmt"

	"hide/internal/annotate"
	"hide/internal/crf"
)

// CRF learns a linear-chain CRF over whole documents. All labels are folded into
// one: kinds of names make no difference to which tokens are sensitive. The zero
// value is ready to use.
type CRF struct {
	Options crf.Options // Binary is implied; Sampling is by the categories of tokens, as [Sample] does it
}

var (
	_ Keeper = CRF{}
	_ Sharer = CRF{}
)

// Name is "crf".
func (CRF) Name() string { return "crf" }

// Train implements [Learner].
func (l CRF) Train(ctx context.Context, all []View) (Classifier, error) {
	m, _, err := crf.Train(ctx, each(Sample(all, l.Options.Sampling), labelled), l.binary())
	if err != nil {
		return nil, err
	}
	return &Model{m}, nil
}

func (l CRF) binary() crf.Options {
	o := l.Options
	o.Binary, o.Sampling = true, crf.Sampling{} // tokens are left out before labels are folded
	return o
}

func each(all []View, read func(View) crf.Doc) []crf.Doc {
	docs := make([]crf.Doc, len(all))
	for i, v := range all {
		docs[i] = read(v)
	}
	return docs
}

// Share implements [Sharer].
func (l CRF) Share() (Workshop, error) {
	known, err := crf.NewLibrary(l.binary())
	if err != nil {
		return nil, err
	}
	return crfShop{known, l.Options.Sampling}, nil
}

// crfShop is the [Workshop] of [CRF].
type crfShop struct {
	known    *crf.Library
	sampling crf.Sampling
}

func (s crfShop) Train(ctx context.Context, all []View) (Classifier, error) {
	m, _, err := s.known.Train(ctx, each(Sample(all, s.sampling), labelled))
	if err != nil {
		return nil, err
	}
	return &Model{m}, nil
}

func (s crfShop) Say(ctx context.Context, h Classifier, all []View) ([][]float64, [][]bool, error) {
	m, is := h.(*Model)
	if !is {
		return nil, nil, errNotTrained
	}
	return s.known.Label(ctx, m.CRF, each(all, visibleDoc))
}

func (s crfShop) Close() { s.known.Close() }

// EncodeClassifier implements [Keeper].
func (CRF) EncodeClassifier(h Classifier) ([]byte, error) {
	m, is := h.(*Model)
	if !is {
		return nil, fmt.Errorf("a %T is not a model", h)
	}
	var out bytes.Buffer
	err := m.CRF.Encode(&out)
	return out.Bytes(), err
}

// DecodeClassifier implements [Keeper].
func (CRF) DecodeClassifier(value []byte) (Classifier, error) {
	m, err := crf.Decode(bytes.NewReader(value))
	if err != nil {
		return nil, err
	}
	return &Model{m}, nil
}

// Model is a CRF as a [Classifier]: scores are marginals, hard labels the most
// probable path.
type Model struct{ CRF *crf.Model }

var _ Classifier = (*Model)(nil)

// Scores implements [Classifier].
func (m *Model) Scores(v View) []float64 { return m.CRF.Sensitive(visibleDoc(v)) }

// Hard implements [Classifier].
func (m *Model) Hard(v View) []bool {
	d, out := visibleDoc(v), make([]bool, len(v.Words))
	for _, s := range m.CRF.Tag(d) {
		from, to := annotate.Covered(d.Tokens, s.Span)
		for x := from; x < to; x++ {
			out[x] = true
		}
	}
	return out
}

// visibleDoc is v for the CRF, which reads the text only for the white space
// between tokens. A document without places gets one space between words.
func visibleDoc(v View) crf.Doc {
	d := crf.Doc{Text: v.Text, Tokens: v.Tokens, Words: make([]string, len(v.Words)), Group: v.Group, Known: v.Known}
	for x := range v.Words {
		d.Words[x] = v.Word(x)
	}
	if d.Tokens == nil {
		d.Text, d.Tokens = spaced(v.Words)
	}
	return d
}

func spaced(words []string) (string, []annotate.Token) {
	var text []byte
	tokens := make([]annotate.Token, len(words))
	for x, w := range words {
		start := len(text)
		text = append(text, w...)
		tokens[x] = annotate.Token{Start: annotate.ByteOff(start), End: annotate.ByteOff(len(text))}
		text = append(text, ' ')
	}
	return string(text), tokens
}

// labelled is visibleDoc with the labels to learn, and what is left out of training.
func labelled(v View) crf.Doc {
	d := visibleDoc(v)
	d.Labels, d.Begins = v.spansLeft(func(int) annotate.Label { return crf.Folded })
	d.Skip = v.Skip
	return d
}

// spansLeft are labels of the tokens that are sensitive and still there, and where
// their spans begin. A span that a redacted token cuts becomes two.
func (v View) spansLeft(label func(x int) annotate.Label) (labels []annotate.Label, begins []bool) {
	labels, begins = make([]annotate.Label, len(v.Words)), make([]bool, len(v.Words))
	for x := range v.Words {
		if v.Left(x) {
			labels[x] = label(x)
			begins[x] = x == 0 || !v.Left(x-1) || v.Span[x] != v.Span[x-1]
		}
	}
	return labels, begins
}
