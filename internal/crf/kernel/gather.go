// SPDX-License-Identifier: Apache-2.0

package kernel

// longest is the number of rows that are summed in F; longer sums are made in
// pieces that are added up in float64.
const longest = 64

// Gather sets row i of dst to bias plus the sum of the rows of table that list i
// names. Rows have stride numbers, a multiple of four; bias is one row, or nil for
// zeros. Sums of more than 64 rows are made in pieces of 64 that are added up in
// float64. It panics when the lists lead out of table, or dst is too short.
func Gather[F Float](dst, table []F, l Lists, stride int, bias []F) {
	switch {
	case stride <= 0 || stride%4 != 0 || len(table)%stride != 0:
		panic("kernel: rows of a strange stride")
	case len(dst) < l.Len()*stride:
		panic("kernel: too few rows to gather into")
	case l.greatest >= len(table)/stride:
		panic("kernel: an item that the table does not have")
	case bias != nil && len(bias) != stride:
		panic("kernel: bias of another stride")
	case l.Len() == 0:
		return
	}
	if d, ok := assembled(dst); ok {
		fast.gather(d, any(table).([]float32), l, stride, any(bias).([]float32))
		return
	}
	gatherScalar(dst, table, l.start, l.items, stride, bias)
}

// gatherScalar sums four columns after four.
func gatherScalar[F Float](dst, table []F, start, items []int32, stride int, bias []F) {
	for i := range len(start) - 1 {
		list, to := items[start[i]:start[i+1]], dst[i*stride:(i+1)*stride]
		for at := 0; at < stride; at += 4 {
			sum := [4]F{}
			if bias != nil {
				sum = [4]F(bias[at:])
			}
			switch {
			case len(list) == 0:
			case len(list) <= longest:
				sum = gatherPiece(sum, table[at:], list, stride)
			default:
				sum = gatherLong(sum, table[at:], list, stride)
			}
			copy(to[at:], sum[:])
		}
	}
}

// gatherPiece adds four columns of the listed rows.
func gatherPiece[F Float](sum [4]F, columns []F, list []int32, stride int) [4]F {
	a, b, c, d := sum[0], sum[1], sum[2], sum[3]
	for _, item := range list {
		row := columns[int(item)*stride:][:4]
		a, b, c, d = a+row[0], b+row[1], c+row[2], d+row[3]
	}
	return [4]F{a, b, c, d}
}

func gatherLong[F Float](bias [4]F, columns []F, list []int32, stride int) [4]F {
	var sum [4]float64
	for i, v := range bias {
		sum[i] = float64(v)
	}
	for len(list) > 0 {
		n := min(longest, len(list))
		for i, v := range gatherPiece([4]F{}, columns, list[:n], stride) {
			sum[i] += float64(v)
		}
		list = list[n:]
	}
	return [4]F{F(sum[0]), F(sum[1]), F(sum[2]), F(sum[3])}
}
