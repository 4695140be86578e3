// SPDX-License-Identifier: Apache-2.0

package kernel

// piece is the length of the sums that are made in F before they are added up
// in float64.
const piece = 8192

// Dot is the inner product of two vectors of one length.
func Dot[F Float](x, y []F) float64 {
	same(len(x), len(y))
	sum := 0.0
	for len(x) > 0 {
		n := min(piece, len(x))
		sum += dotPiece(x[:n], y[:n])
		x, y = x[n:], y[n:]
	}
	return sum
}

func dotPiece[F Float](x, y []F) float64 {
	if s, ok := assembled(x); ok {
		return fast.dot(s, any(y).([]float32))
	}
	return dot(x, y)
}

// Axpy adds a times x to y.
func Axpy[F Float](a F, x, y []F) {
	same(len(x), len(y))
	if s, ok := assembled(x); ok {
		fast.axpy(float32(a), s, any(y).([]float32))
		return
	}
	axpy(a, x, y)
}

// AddScaled sets z to x + a*y.
func AddScaled[F Float](z, x []F, a F, y []F) {
	same(len(x), len(z))
	same(len(y), len(z))
	if s, ok := assembled(z); ok {
		fast.addScaled(s, any(x).([]float32), float32(a), any(y).([]float32))
		return
	}
	addScaled(z, x, a, y)
}

// Multiply sets z to x times y, one by one.
func Multiply[F Float](z, x, y []F) {
	same(len(x), len(z))
	same(len(y), len(z))
	if s, ok := assembled(z); ok {
		fast.multiply(s, any(x).([]float32), any(y).([]float32))
		return
	}
	multiply(z, x, y)
}

// assembled is x, and whether there is assembly for it.
func assembled[F Float](x []F) (s []float32, ok bool) {
	s, ok = any(x).([]float32)
	return s, ok && fast != nil && len(s) > 0
}

// dot adds in four sums, which is quicker and a little more exact than one.
func dot[F Float](x, y []F) float64 {
	var a, b, c, d F
	y = y[:len(x)]
	i := 0
	for ; i+4 <= len(x); i += 4 {
		p, q := x[i:i+4:i+4], y[i:i+4:i+4]
		a += p[0] * q[0]
		b += p[1] * q[1]
		c += p[2] * q[2]
		d += p[3] * q[3]
	}
	for ; i < len(x); i++ {
		a += x[i] * y[i]
	}
	return float64(a) + float64(b) + float64(c) + float64(d)
}

func axpy[F Float](a F, x, y []F) {
	y = y[:len(x)]
	for i, v := range x {
		y[i] += a * v
	}
}

func scale[F Float](a F, x []F) {
	for i := range x {
		x[i] *= a
	}
}

func addScaled[F Float](z, x []F, a F, y []F) {
	for i := range z {
		z[i] = x[i] + a*y[i]
	}
}

func same(a, b int) {
	if a != b {
		panic("kernel: vectors of two lengths")
	}
}

func multiply[F Float](z, x, y []F) {
	for i := range z {
		z[i] = x[i] * y[i]
	}
}
