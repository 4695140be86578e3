// SPDX-License-Identifier: Apache-2.0

package dense

import (
	"slices"

	"hide/internal/annotate"
	"hide/internal/greedy/boost"
)

// Columns is what [Encoder.Describe] gives, to keep.
func (e *Encoder) Columns(v annotate.View) (x boost.Matrix) {
	e.Describe(v, func(described boost.Matrix) {
		x = newMatrix(e.Width(), len(v.Words))
		for c := range x {
			copy(x[c], described[c])
		}
	})
	return x
}

// Describe describes every token of a view, including hidden ones. The matrix is for use
// alone, which may change it: its memory is used again.
func (e *Encoder) Describe(v annotate.View, use func(x boost.Matrix)) {
	s, kept := e.scorers.Get().(*scorer)
	if !kept {
		s = e.newScorer()
	}
	use(s.columns(v))
	if !s.full() {
		e.scorers.Put(s)
	}
}

// scorer describes views by an encoder. It knows words from one view to the next, with
// their rates: they make no difference to what it returns. It is for one goroutine.
type scorer struct {
	*reader
	of     *Encoder
	scores []wordScore // by number of the word
	rows   []float32   // a block by token, to be turned into columns
	x      boost.Matrix
	memory []float32 // of x
	tokens int       // described so far
}

// wordScore has the trained columns of a token that depend on its word alone.
type wordScore struct {
	rates [wordKeys]float32
	logs  [2]float32 // of the counts of the word and of its lower case
	like  float32
}

// An encoder gives up a scorer that has described this much, and the words that it knows
// with it: what it holds of the notes stays below some 50 MB for each goroutine.
const (
	mostWords  = 1 << 16
	mostTokens = 1 << 22
	mostBytes  = 1 << 22 // of words
	mostMemory = 1 << 21 // numbers of a matrix
)

func (s *scorer) full() bool {
	return len(s.words) > mostWords || s.bytes > mostBytes || s.tokens > mostTokens || cap(s.memory) > mostMemory
}

// blockTokens is the number of tokens that are described before their columns are written:
// a cache line of a column.
const blockTokens = 16

// firstList is the first column of lists, of which most are 0.
const firstList = firstStatic + colLists

func (e *Encoder) newScorer() *scorer {
	return &scorer{reader: newReader(e.lists), of: e, scores: make([]wordScore, 1),
		rows: make([]float32, blockTokens*firstList), x: make(boost.Matrix, e.Width())}
}

func (s *scorer) columns(v annotate.View) boost.Matrix {
	s.read(v)
	s.scoreWords()
	size := len(s.facts)
	x := s.matrix(size)
	for from := 0; from < size; from += blockTokens {
		to := min(from+blockTokens, size)
		for t := from; t < to; t++ {
			s.row(t, s.rows[(t-from)*firstList:][:firstList])
		}
		for c, column := range x[:firstList] {
			block, rows := column[from:to], s.rows[c:]
			for i := range block {
				block[i] = rows[i*firstList]
			}
		}
	}
	for t := range s.facts {
		for list, tokens := range s.facts[t].Phrases {
			if tokens > 0 {
				x[firstList+list][t] = float32(tokens)
			}
		}
	}
	novelty(x, 0, size)
	s.tokens += size
	s.done()
	return x
}

// matrix has room for some tokens, and 0 in the columns of lists.
func (s *scorer) matrix(tokens int) boost.Matrix {
	all := slices.Grow(s.memory[:0], len(s.x)*tokens)[:len(s.x)*tokens]
	for c := range s.x {
		s.x[c] = all[c*tokens : (c+1)*tokens]
	}
	clear(all[firstList*tokens:])
	s.memory = all
	return s.x
}

// scoreWords describes the words that are new.
func (s *scorer) scoreWords() {
	table := s.of.counts
	for id := len(s.scores); id < len(s.words); id++ {
		w, score := &s.words[id], wordScore{}
		for k, h := range w.keys {
			c := &table.counts[table.find(h)]
			score.rates[k] = c.rate
			if k < len(score.logs) {
				score.logs[k] = c.log
			}
		}
		score.like = float32(s.of.like.logOdds(gramsOf(spelling(w.text))))
		s.scores = append(s.scores, score)
	}
}

// row fills in the columns of token t but those of lists.
func (s *scorer) row(t int, row []float32) {
	before, own, after := &s.scores[s.at[t+1]], &s.scores[s.at[t+2]], &s.scores[s.at[t+3]]
	copy(row, own.rates[:])
	row[firstCount], row[firstCount+1] = own.logs[0], own.logs[1]
	s.context(t, row)
	row[firstLikeness], row[firstLikeness+1], row[firstLikeness+2] = before.like, own.like, after.like
	s.describe(t, row[firstStatic:])
}

// context fills in the rates and counts of the keys of the context. It looks at every
// key's home before it searches any: memory then answers all of them at once.
func (s *scorer) context(t int, row []float32) {
	var hashes, found [contextKeys]uint64
	var homes [contextKeys]int
	s.contextOf(t, &hashes)
	table := s.of.counts
	for i, h := range hashes {
		homes[i] = table.home(h)
		found[i] = table.slots[homes[i]].key
	}
	for i, h := range hashes {
		c := &table.counts[0]
		if found[i] <= h {
			c = &table.counts[table.findFrom(homes[i], h)]
		}
		row[wordKeys+i] = c.rate
		switch i + wordKeys {
		case keyPairBefore:
			row[firstCount+2] = c.log
		case keyPairAfter:
			row[firstCount+3] = c.log
		}
	}
}
