// SPDX-License-Identifier: Apache-2.0

package classes

import (
	"context"
	"math"
	"math/rand/v2"
	"runtime"

	"hide/internal/parallel"
)

// Vectors are rows of the same width, one after another in one piece of memory. The rows
// come in order of frequency, the most frequent word first.
type Vectors struct {
	Width int
	Rows  []float32
}

// Len is the number of rows.
func (v Vectors) Len() int { return len(v.Rows) / max(v.Width, 1) }

func (v Vectors) row(i int) []float32 { return v.Rows[i*v.Width : (i+1)*v.Width] }

// normalize scales each row to length 1. A row of zeros stays.
func (v Vectors) normalize() {
	for i := range v.Len() {
		scale(v.row(i))
	}
}

func scale(row []float32) {
	if n := math.Sqrt(float64(dot(row, row))); n > 0 {
		for i := range row {
			row[i] = float32(float64(row[i]) / n)
		}
	}
}

// dot is the product of two rows. Four sums overlap, always in the same order.
func dot(a, b []float32) float32 {
	var s0, s1, s2, s3 float32
	b = b[:len(a)]
	i := 0
	for ; i+4 <= len(a); i += 4 {
		s0 += a[i] * b[i]
		s1 += a[i+1] * b[i+1]
		s2 += a[i+2] * b[i+2]
		s3 += a[i+3] * b[i+3]
	}
	for ; i < len(a); i++ {
		s0 += a[i] * b[i]
	}
	return s0 + s1 + (s2 + s3)
}

// kmeans is spherical k-means (Dhillon and Modha 2001): a row belongs to the centre with
// the largest cosine, and a centre is the mean direction of its rows.
type kmeans struct {
	rows    Vectors // of length 1
	centres Vectors // of length 1
	of      []int32 // row -> centre
	near    []float32
}

// piece is the number of rows of one call of a worker.
const piece = 512

// newKmeans chooses k of the most frequent rows as the first centres.
func newKmeans(rows Vectors, k int, seed uint64) *kmeans {
	k = min(k, rows.Len())
	m := &kmeans{rows: rows, centres: Vectors{rows.Width, make([]float32, k*rows.Width)}, of: make([]int32, rows.Len()), near: make([]float32, rows.Len())}
	random := rand.New(rand.NewPCG(seed, 1))
	for i, at := range random.Perm(min(8*k, rows.Len()))[:k] {
		copy(m.centres.row(i), rows.row(at))
	}
	return m
}

// run alternates between rows and centres until few rows move.
func (m *kmeans) run(ctx context.Context, rounds int, progress func(done float64)) error {
	for round := range rounds {
		moved, err := m.assign(ctx)
		if err != nil {
			return err
		}
		if progress != nil {
			progress(float64(round+1) / float64(rounds))
		}
		if moved <= m.rows.Len()/1000 {
			return nil
		}
		m.centre()
	}
	return nil
}

// assign gives each row its nearest centre, and counts the rows that move.
func (m *kmeans) assign(ctx context.Context) (moved int, err error) {
	n := m.rows.Len()
	pieces := (n + piece - 1) / piece
	count := make([]int, pieces)
	err = parallel.Do(ctx, runtime.GOMAXPROCS(0), pieces, func(_, p int) {
		for i := p * piece; i < min((p+1)*piece, n); i++ {
			if best, near := m.nearest(m.rows.row(i)); best != m.of[i] || m.near[i] == 0 {
				m.of[i], m.near[i] = best, near
				count[p]++
			} else {
				m.near[i] = near
			}
		}
	})
	for _, c := range count {
		moved += c
	}
	return moved, err
}

func (m *kmeans) nearest(row []float32) (best int32, near float32) {
	near = -2
	for c := range m.centres.Len() {
		if d := dot(row, m.centres.row(c)); d > near {
			best, near = int32(c), d
		}
	}
	return best, near
}

// centre moves the centres to the means of their rows. A centre without rows moves to
// the row that is farthest from its own.
func (m *kmeans) centre() {
	sizes := m.sums()
	for c := range m.centres.Len() {
		if sizes[c] == 0 {
			far := 0
			for i, near := range m.near {
				if near < m.near[far] {
					far = i
				}
			}
			copy(m.centres.row(c), m.rows.row(far))
			m.near[far] = 2
		}
		scale(m.centres.row(c))
	}
}

// means are the means of the rows of each centre, and their numbers.
func (m *kmeans) means() (Vectors, []float64) {
	sizes := m.sums()
	weights := make([]float64, len(sizes))
	for c, n := range sizes {
		weights[c] = float64(max(n, 1))
		for j := range m.centres.row(c) {
			m.centres.row(c)[j] /= float32(weights[c])
		}
	}
	return m.centres, weights
}

// sums makes each centre the sum of its rows, and returns their numbers.
func (m *kmeans) sums() []int {
	clear(m.centres.Rows)
	sizes := make([]int, m.centres.Len())
	for i, c := range m.of {
		sizes[c]++
		to := m.centres.row(int(c))
		for j, v := range m.rows.row(i) {
			to[j] += v
		}
	}
	return sizes
}
