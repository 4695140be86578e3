// SPDX-License-Identifier: Apache-2.0

package dense

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"

	"hide/internal/annotate/dictionary"
	"hide/internal/crf"
	"hide/internal/greedy/boost"
	"hide/internal/wire"
)

// count has n tokens, s of them sensitive.
type count struct{ n, s int32 }

func (c *count) add(sensitive bool) {
	c.n++
	if sensitive {
		c.s++
	}
}

func (c count) minus(d count) count { return count{c.n - d.n, c.s - d.s} }

// smoothing is a of the package's formula.
const smoothing = 2

// rate is the smoothed log-odds of a count, with the overall share.
func rate(c count, share float64) float32 {
	yes, no := float64(c.s)+smoothing*share, float64(c.n-c.s)+smoothing*(1-share)
	return float32(math.Log(yes / no))
}

// rates remembers the rates of small counts, which most keys have.
type rates struct {
	share float64
	small [smallCount][smallCount]float32
}

const smallCount = 24

func newRates(share float64) *rates {
	r := &rates{share: share}
	for n := range int32(smallCount) {
		for s := range n + 1 {
			r.small[n][s] = rate(count{n, s}, share)
		}
	}
	return r
}

func (r *rates) of(c count) float32 {
	if c.n < smallCount {
		return r.small[c.n][c.s]
	}
	return rate(c, r.share)
}

// rowFolds is the number of parts of the training groups for the rates of training rows.
// Leaving out each group separately would be worse: with all else equal, the rate of a
// sensitive token would be one lower, and trees would read the label from that.
const rowFolds = 4

// Fitted is an encoder of documents of its corpus. It is immutable and safe for
// concurrent use.
type Fitted struct {
	corpus *Corpus
	train  []int
	fold   []int // of rows, by index in train
	share  float64
	counts []count // by key
	whole  *likeness
	parts  [rowFolds]*likeness // of all but one fold
}

// Fit counts the given documents of the corpus, by index.
func (c *Corpus) Fit(ctx context.Context, train []int) (*Fitted, error) {
	f := &Fitted{corpus: c, train: train, fold: make([]int, len(train)), counts: make([]count, len(c.hashes))}
	group, all := map[string]int{}, count{}
	for i, at := range train {
		d := &c.docs[at]
		if _, known := group[d.group]; !known {
			group[d.group] = len(group) % rowFolds
		}
		f.fold[i] = group[d.group]
		for t, left := range d.left {
			if d.taught(t) {
				all.add(left)
			}
		}
		d.count(f.counts)
	}
	f.share = (float64(all.s) + 0.5) / (float64(all.n) + 1)
	return f, f.fitLikeness(ctx, f.wordCounts())
}

// wordCounts are the counts of distinct words in each fold of rows.
func (f *Fitted) wordCounts() (words [rowFolds][]count) {
	for i := range words {
		words[i] = make([]count, len(f.corpus.grams))
	}
	for i, at := range f.train {
		f.corpus.docs[at].countWords(words[f.fold[i]])
	}
	return words
}

// countWords adds the document's tokens to counts by distinct word.
func (d *document) countWords(words []count) {
	for t, left := range d.left {
		if d.taught(t) {
			words[d.words[t]].add(left)
		}
	}
}

// count adds the document's tokens to counts by key.
func (d *document) count(counts []count) {
	for t, left := range d.left {
		if !d.taught(t) {
			continue
		}
		for _, k := range d.keys[t*keys : (t+1)*keys] {
			counts[k].add(left)
		}
	}
}

func (f *Fitted) fitLikeness(ctx context.Context, words [rowFolds][]count) error {
	total := make([]count, len(f.corpus.grams))
	for _, part := range words {
		for w, c := range part {
			total[w] = count{total[w].n + c.n, total[w].s + c.s}
		}
	}
	prior := math.Log(f.share / (1 - f.share))
	f.whole = fitLikeness(f.corpus.grams, total, prior)
	rest := make([]count, len(total))
	for i, part := range words {
		if err := ctx.Err(); err != nil {
			return err
		}
		for w := range rest {
			rest[w] = total[w].minus(part[w])
		}
		f.parts[i] = fitLikeness(f.corpus.grams, rest, prior)
	}
	return nil
}

// Rows returns the training tokens, without hidden and skipped ones, in order, and
// whether they are sensitive. Each row is computed without its fold, and so without its
// group. With strangers, rows follow of every second document as a stranger: only its
// opposite quarter counts.
func (f *Fitted) Rows(ctx context.Context, strangers bool) (boost.Matrix, []bool, error) {
	var y []bool
	own, asStranger := f.place(&y, 1), []int(nil)
	if strangers = strangers && f.haveStrangers(); strangers {
		asStranger = f.place(&y, 2)
	}
	x := newMatrix(width(f.corpus.lists), len(y))
	for fold := range rowFolds {
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		f.knownRows(x, own, fold)
	}
	for q := 0; q < Quarters && strangers; q++ {
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		f.strangerRows(x, asStranger, q)
	}
	return x, y, nil
}

// haveStrangers reports whether every quarter has tokens of both classes.
func (f *Fitted) haveStrangers() bool {
	var of [Quarters]count
	for _, index := range f.train {
		d := &f.corpus.docs[index]
		for t, left := range d.left {
			if d.taught(t) {
				of[f.corpus.quarters[index]].add(left)
			}
		}
	}
	return !slices.ContainsFunc(of[:], func(c count) bool { return c.s == 0 || c.s == c.n })
}

// place appends whether the training tokens of every step-th document are sensitive, and
// returns where the rows of each document begin, -1 of none.
func (f *Fitted) place(y *[]bool, step int) []int {
	at := make([]int, len(f.train))
	for i, index := range f.train {
		if at[i] = -1; i%step != 0 {
			continue
		}
		d := &f.corpus.docs[index]
		at[i] = len(*y)
		for t, left := range d.left {
			if d.taught(t) {
				*y = append(*y, left)
			}
		}
	}
	return at
}

// knownRows fills in the rows of a fold's documents, for which the other folds count.
func (f *Fitted) knownRows(x boost.Matrix, at []int, fold int) {
	own, r := make([]count, len(f.counts)), newRates(f.share)
	for i, index := range f.train {
		if f.fold[i] == fold {
			f.corpus.docs[index].count(own)
		}
	}
	counts := func(k int32) count { return f.counts[k].minus(own[k]) }
	for i, index := range f.train {
		if f.fold[i] == fold {
			f.corpus.docs[index].rows(x, at[i], r, counts, f.corpus.likeness(f.parts[fold]), true)
		}
	}
}

// strangerRows fills in the rows of a quarter's documents, for which the opposite quarter
// counts.
func (f *Fitted) strangerRows(x boost.Matrix, at []int, quarter int) {
	known, words, r := make([]count, len(f.counts)), make([]count, len(f.corpus.grams)), newRates(f.share)
	for _, index := range f.train {
		if d := &f.corpus.docs[index]; f.corpus.quarters[index] == Opposite(quarter) {
			d.count(known)
			d.countWords(words)
		}
	}
	like := f.corpus.likeness(fitLikeness(f.corpus.grams, words, f.whole.base))
	counts := func(k int32) count { return known[k] }
	for i, index := range f.train {
		if f.corpus.quarters[index] == quarter && at[i] >= 0 {
			f.corpus.docs[index].rows(x, at[i], r, counts, like, true)
		}
	}
}

// Columns describes every token, including hidden ones, of a document of the corpus
// outside the fitted ones.
func (f *Fitted) Columns(document int) boost.Matrix {
	d := &f.corpus.docs[document]
	x := newMatrix(width(f.corpus.lists), d.tokens())
	d.rows(x, 0, newRates(f.share), func(k int32) count { return f.counts[k] }, f.corpus.likeness(f.whole), false)
	return x
}

// likeness is the model's log-odds by number of a word.
func (c *Corpus) likeness(l *likeness) func(word int32) float32 {
	return func(word int32) float32 { return float32(l.logOdds(c.grams[word])) }
}

// rows fills rows of x from one on: one for each token, or each token used in training.
func (d *document) rows(x boost.Matrix, row int, r *rates, counts func(int32) count, like func(int32) float32, training bool) {
	likes := make([]float32, d.tokens()+2)
	for t, w := range d.words {
		likes[t+1] = like(w)
	}
	width, from := len(x)-firstStatic, row
	for t := range d.words {
		if training && !d.taught(t) {
			continue
		}
		own := d.keys[t*keys : (t+1)*keys]
		for k, id := range own {
			x[k][row] = r.of(counts(id))
		}
		for i, k := range counted {
			x[firstCount+i][row] = logCount(counts(own[k]))
		}
		for i := range 3 {
			x[firstLikeness+i][row] = likes[t+i]
		}
		for c, v := range d.static[t*width : (t+1)*width] {
			x[firstStatic+c][row] = v
		}
		row++
	}
	novelty(x, from, row)
}

// surelyKnown is how many words a document is taken to have besides its own, all known: one
// or two new words of a short document say little.
const surelyKnown = 4

// novelty fills in the share of a document's rows whose word counts nothing.
func novelty(x boost.Matrix, from, to int) {
	words, unknown := float32(surelyKnown), float32(0)
	for row := from; row < to; row++ {
		if x[firstStatic+colHidden][row] != 0 {
			continue
		}
		words++
		if x[firstCount+lowerCount][row] == 0 {
			unknown++
		}
	}
	for row := from; row < to; row++ {
		x[firstStatic+colNovelty][row] = unknown / words
	}
}

// ErrEncoder is wrapped by every error of [Decode].
var ErrEncoder = errors.New("not a usable encoder")

// encodingVersion is raised whenever keys, columns or n-grams change.
const encodingVersion = 3

// Append adds the encoder's bytes to b: the version, a checksum of the program's
// lists, the length of the lists and they, share, weights of the n-grams, and each key in increasing order with its
// counts n and s. Numbers are unsigned varints, keys 8 bytes and floats 8 or 4,
// little endian. Equal encoders give equal bytes.
func (e *Encoder) Append(b []byte) []byte {
	own, lists := dictionary.OwnSum(), e.lists.Append(nil)
	b = append(binary.AppendUvarint(b, encodingVersion), own[:]...)
	b = wire.AppendSection(b, lists)
	b = wire.AppendFloat(b, e.share)
	b = wire.AppendFloat(b, e.like.base)
	for _, w := range e.like.weights {
		b = wire.AppendFloat32(b, w)
	}
	b = binary.AppendUvarint(b, uint64(e.counts.len()))
	for key, c := range e.counts.all() {
		b = binary.LittleEndian.AppendUint64(b, key)
		b = binary.AppendUvarint(b, uint64(c.n))
		b = binary.AppendUvarint(b, uint64(c.s))
	}
	return b
}

// leastEntry is how many bytes a key takes with its counts at least.
const leastEntry = 10

// Decode reads what [Encoder.Append] wrote, to the end, and refuses anything else.
// Memory is in proportion to what there is to read.
func Decode(b []byte) (*Encoder, error) {
	d := &decoder{Reader: wire.NewReader(b)}
	e := d.encoder()
	if err := d.Err(); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrEncoder, err)
	}
	return e, nil
}

// decoder reads an encoder.
type decoder struct {
	*wire.Reader
	last uint64 // key
	any  bool   // whether there is a last key
}

// mostWeight bounds the magnitude of every number of an encoder.
const mostWeight = 1e6

func (d *decoder) encoder() *Encoder {
	d.Version(encodingVersion)
	own := dictionary.OwnSum()
	if !bytes.Equal(d.Take(len(own)), own[:]) {
		d.Fail(errors.New("it was made with other word lists: train it again"))
	}
	raw := d.Section()
	if d.Err() != nil {
		return nil
	}
	lists, err := crf.DecodeLists(raw)
	d.Fail(err)
	e := &Encoder{lists: lists, share: d.Float(mostWeight), like: &likeness{base: d.Float(mostWeight), weights: make([]float32, gramTable)}}
	if !(e.share > 0 && e.share < 1) {
		d.Fail(errors.New("its share is not between 0 and 1"))
	}
	for i := range e.like.weights {
		e.like.weights[i] = d.Float32(mostWeight)
	}
	n := d.Count(d.Left() / leastEntry)
	counts := newTableBuilder(n, e.share)
	for range n {
		d.entry(counts)
	}
	d.End()
	e.counts = counts.done()
	return e
}

func (d *decoder) entry(counts *tableBuilder) {
	key := d.Uint64()
	n := d.Count(math.MaxInt32)
	s := d.Count(n)
	if n == 0 || d.any && key <= d.last {
		d.Fail(errors.New("its keys are not in order, or count nothing"))
	}
	if d.Err() == nil {
		d.last, d.any = key, true
		counts.add(key, count{int32(n), int32(s)})
	}
}
