// SPDX-License-Identifier: Apache-2.0

package classes

import (
	"context"
	"math"
	"math/rand/v2"
)

// vectors are the rows of U sqrt(S) of the largest singular values of m = U S V'. A random
// subspace is turned towards them by products with m'm (Halko, Martinsson and Tropp 2011,
// algorithm 4.4).
func (m *associations) vectors(ctx context.Context, seed uint64) (Vectors, error) {
	width := min(vectorWidth, m.columns, len(m.starts)-1)
	z := Vectors{width, make([]float32, m.columns*width)}
	random := rand.New(rand.NewPCG(seed, 2))
	for i := range z.Rows {
		z.Rows[i] = float32(random.NormFloat64())
	}
	z.orthogonalize()
	transposed := m.transposed()
	for range vectorRounds {
		y, err := m.times(ctx, z)
		if err != nil {
			return Vectors{}, err
		}
		if z, err = transposed.times(ctx, y); err != nil {
			return Vectors{}, err
		}
		z.orthogonalize()
	}
	y, err := m.times(ctx, z)
	if err != nil {
		return Vectors{}, err
	}
	y.turn()
	return y, nil
}

// orthogonalize makes the columns orthonormal (modified Gram-Schmidt, twice, so that
// rounding does no harm). A column that depends on those before it becomes 0.
func (v Vectors) orthogonalize() {
	columns := make([][]float64, v.Width)
	for c := range columns {
		columns[c] = make([]float64, v.Len())
		for i := range columns[c] {
			columns[c][i] = float64(v.Rows[i*v.Width+c])
		}
		before := product(columns[c], columns[c])
		for range 2 {
			for _, other := range columns[:c] {
				p := product(columns[c], other)
				for i, w := range other {
					columns[c][i] -= p * w
				}
			}
		}
		n := product(columns[c], columns[c])
		length := 1 / math.Sqrt(n)
		if n <= 1e-12*before {
			length = 0
		}
		for i := range columns[c] {
			columns[c][i] *= length
			v.Rows[i*v.Width+c] = float32(columns[c][i])
		}
	}
}

func product(a, b []float64) float64 {
	sum := 0.0
	for i, x := range a {
		sum += x * b[i]
	}
	return sum
}

// turn replaces v = U S W' by U sqrt(S): with v'v = W S^2 W', that is v W / sqrt(S).
func (v Vectors) turn() {
	gram := make([][]float64, v.Width)
	for a := range gram {
		gram[a] = make([]float64, v.Width)
	}
	for i := range v.Len() {
		row := v.row(i)
		for a, x := range row {
			for b, y := range row[:a+1] {
				gram[a][b] += float64(x) * float64(y)
			}
		}
	}
	for a := range gram {
		for b := range a {
			gram[b][a] = gram[a][b]
		}
	}
	squares, turned := eigen(gram)
	out := make([]float64, v.Width)
	for i := range v.Len() {
		row := v.row(i)
		clear(out)
		for a, x := range row {
			for b, w := range turned[a] {
				out[b] += float64(x) * w
			}
		}
		for b, x := range out {
			if squares[b] > 0 {
				x /= math.Sqrt(math.Sqrt(squares[b]))
			}
			row[b] = float32(x)
		}
	}
}

// eigen returns the eigenvalues of a symmetric matrix, which it overwrites, and its
// eigenvectors as columns (Jacobi's method by rows).
func eigen(a [][]float64) (values []float64, vectors [][]float64) {
	n := len(a)
	vectors = make([][]float64, n)
	for i := range vectors {
		vectors[i] = make([]float64, n)
		vectors[i][i] = 1
	}
	for range 60 {
		off, all := 0.0, 0.0
		for p := range n {
			for q := range n {
				all += a[p][q] * a[p][q]
				if q != p {
					off += a[p][q] * a[p][q]
				}
			}
		}
		if off <= 1e-20*all {
			break
		}
		for p := range n {
			for q := p + 1; q < n; q++ {
				rotate(a, vectors, p, q)
			}
		}
	}
	values = make([]float64, n)
	for i := range values {
		values[i] = a[i][i]
	}
	return values, vectors
}

// rotate makes a[p][q] zero (Golub and Van Loan, section 8.5).
func rotate(a, vectors [][]float64, p, q int) {
	if a[p][q] == 0 {
		return
	}
	tau := (a[q][q] - a[p][p]) / (2 * a[p][q])
	t := 1 / (math.Abs(tau) + math.Sqrt(1+tau*tau))
	if tau < 0 {
		t = -t
	}
	c := 1 / math.Sqrt(1+t*t)
	s := t * c
	for k := range a {
		a[k][p], a[k][q] = c*a[k][p]-s*a[k][q], s*a[k][p]+c*a[k][q]
	}
	for k := range a {
		a[p][k], a[q][k] = c*a[p][k]-s*a[q][k], s*a[p][k]+c*a[q][k]
	}
	for k := range vectors {
		vectors[k][p], vectors[k][q] = c*vectors[k][p]-s*vectors[k][q], s*vectors[k][p]+c*vectors[k][q]
	}
}
