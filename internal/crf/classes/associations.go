// SPDX-License-Identifier: Apache-2.0

package classes

import (
	"context"
	"math"
	"runtime"
	"slices"

	"hide/internal/parallel"
)

// associations is a sparse matrix with a row for each word and a column for each neighbour
// at each of four places.
type associations struct {
	columns int
	starts  []int32 // of rows
	column  []int32
	value   []float32
}

// The places of neighbours, and the neighbours that are not among the frequent words.
var places = [...]int{-2, -1, 1, 2}

const (
	otherWord  = contextWords     // a rarer word
	edgeOfNote = contextWords + 1 // no word
	neighbours = contextWords + 2
)

// bunch is the number of pairs that are counted at a time.
const bunch = 1 << 22

// smoothing is the exponent of the frequency of neighbours: rare ones count less (Levy,
// Goldberg and Dagan 2015, section 3.2).
const smoothing = 0.75

// associations counts the neighbours of each word of the vocabulary.
func (l *Learner) associations(ctx context.Context, vocabulary []int32) (*associations, error) {
	row := make([]int32, len(l.words))
	for i := range row {
		row[i] = noWord
	}
	for i, id := range vocabulary {
		row[id] = int32(i)
	}
	var all pairs
	keys := make([]uint64, 0, bunch)
	for t, id := range l.tokens {
		if len(keys)+len(places) > bunch || t == len(l.tokens)-1 {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			all = all.merge(keys)
			keys = keys[:0]
		}
		if id == noWord || row[id] == noWord {
			continue
		}
		for p, offset := range places {
			column := p*neighbours + l.neighbour(row, t+offset)
			keys = append(keys, uint64(row[id])<<32|uint64(column))
		}
	}
	return all.positive(len(vocabulary), len(places)*neighbours), nil
}

// neighbour is the number of what stands at a place.
func (l *Learner) neighbour(row []int32, at int) int {
	switch id := l.tokens[at]; {
	case id == noWord:
		return edgeOfNote
	case row[id] == noWord || row[id] >= contextWords:
		return otherWord
	default:
		return int(row[id])
	}
}

// pairs are counts by row and column, in increasing order.
type pairs struct {
	keys   []uint64
	counts []float32
}

// merge adds unsorted pairs, each counted once.
func (p pairs) merge(keys []uint64) pairs {
	slices.Sort(keys)
	out := pairs{make([]uint64, 0, len(p.keys)+len(keys)/4), make([]float32, 0, len(p.keys)+len(keys)/4)}
	add := func(key uint64, n float32) {
		if last := len(out.keys) - 1; last >= 0 && out.keys[last] == key {
			out.counts[last] += n
			return
		}
		out.keys, out.counts = append(out.keys, key), append(out.counts, n)
	}
	at := 0
	for _, key := range keys {
		for ; at < len(p.keys) && p.keys[at] <= key; at++ {
			add(p.keys[at], p.counts[at])
		}
		add(key, 1)
	}
	for ; at < len(p.keys); at++ {
		add(p.keys[at], p.counts[at])
	}
	return out
}

// positive is the matrix of positive pointwise mutual information,
//
//	max(0, log(#(w, c) / (#(w) P(c)))),  P(c) = #(c)^.75 / sum #(c')^.75.
func (p pairs) positive(rows, columns int) *associations {
	ofRow, ofColumn := make([]float64, rows), make([]float64, columns)
	for i, key := range p.keys {
		ofRow[key>>32] += float64(p.counts[i])
		ofColumn[uint32(key)] += float64(p.counts[i])
	}
	total := 0.0
	for c, n := range ofColumn {
		ofColumn[c] = math.Pow(n, smoothing)
		total += ofColumn[c]
	}
	m := &associations{columns: columns, starts: make([]int32, rows+1)}
	for i, key := range p.keys {
		row, column := int32(key>>32), int32(uint32(key))
		v := math.Log(float64(p.counts[i]) / ofRow[row] * total / ofColumn[column])
		if v > 0 {
			m.column, m.value = append(m.column, column), append(m.value, float32(v))
			m.starts[row+1]++
		}
	}
	for i := range rows {
		m.starts[i+1] += m.starts[i]
	}
	return m
}

// transposed is the matrix with rows and columns exchanged.
func (m *associations) transposed() *associations {
	rows := len(m.starts) - 1
	t := &associations{columns: rows, starts: make([]int32, m.columns+1), column: make([]int32, len(m.column)), value: make([]float32, len(m.value))}
	for _, c := range m.column {
		t.starts[c+1]++
	}
	for c := range m.columns {
		t.starts[c+1] += t.starts[c]
	}
	next := slices.Clone(t.starts)
	for row := range rows {
		for i := m.starts[row]; i < m.starts[row+1]; i++ {
			c := m.column[i]
			t.column[next[c]], t.value[next[c]] = int32(row), m.value[i]
			next[c]++
		}
	}
	return t
}

// times is the product with a matrix of as many rows as m has columns.
func (m *associations) times(ctx context.Context, x Vectors) (Vectors, error) {
	rows := len(m.starts) - 1
	out := Vectors{x.Width, make([]float32, rows*x.Width)}
	pieces := (rows + piece - 1) / piece
	err := parallel.Do(ctx, runtime.GOMAXPROCS(0), pieces, func(_, p int) {
		for row := p * piece; row < min((p+1)*piece, rows); row++ {
			to := out.row(row)
			for i := m.starts[row]; i < m.starts[row+1]; i++ {
				v := m.value[i]
				for j, w := range x.row(int(m.column[i])) {
					to[j] += v * w
				}
			}
		}
	})
	return out, err
}
