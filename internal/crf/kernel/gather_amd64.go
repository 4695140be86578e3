// SPDX-License-Identifier: Apache-2.0

package kernel

// gatherFast does what [gatherScalar] does. The assembly trusts the items, which
// [NewLists] has looked at.
func gatherFast(dst, table []float32, l Lists, stride int, bias []float32) {
	start, items, rows := l.start, l.items, l.Len()
	// What has nothing is not read, but there must be a first element.
	if len(table) == 0 {
		table = dst[:stride]
	}
	if len(items) == 0 {
		items = start
	}
	var first *float32
	if len(bias) > 0 {
		first = &bias[0]
	}
	if l.order != nil && l.windows == nil && gatherOrdered(dst, table, start, items, stride, first, &l.order[0]) {
		return
	}
	switch stride {
	case 4:
		gather4AVX2(&dst[0], &table[0], &start[0], &items[0], rows, first)
	case 8:
		gather8AVX2(&dst[0], &table[0], &start[0], &items[0], rows, first)
	case 16:
		gather16AVX2(&dst[0], &table[0], &start[0], &items[0], rows, first)
	case 32:
		gather32AVX2(&dst[0], &table[0], &start[0], &items[0], rows, first)
	case 48:
		gather48AVX2(&dst[0], &table[0], &start[0], &items[0], rows, first)
	case 64:
		gather64AVX2(&dst[0], &table[0], &start[0], &items[0], rows, first)
	default:
		gatherColumns(dst, table, start, items, stride, bias)
	}
}

// gatherOrdered does rows of some strides in an order.
func gatherOrdered(dst, table []float32, start, items []int32, stride int, bias *float32, order *uint16) bool {
	rows := len(start) - 1
	switch stride {
	case 4:
		gather4OrderedAVX2(&dst[0], &table[0], &start[0], &items[0], rows, bias, order)
	case 8:
		gather8OrderedAVX2(&dst[0], &table[0], &start[0], &items[0], rows, bias, order)
	case 16:
		gather16OrderedAVX2(&dst[0], &table[0], &start[0], &items[0], rows, bias, order)
	default:
		return false
	}
	return true
}

// gatherColumns does rows of any stride, sixteen columns at a time.
func gatherColumns(dst, table []float32, start, items []int32, stride int, bias []float32) {
	const width = 16
	if stride%width != 0 {
		gatherScalar(dst, table, start, items, stride, bias)
		return
	}
	for at := 0; at < stride; at += width {
		var first *float32
		if len(bias) > 0 {
			first = &bias[at]
		}
		gatherColumnsAVX2(&dst[at], &table[at], &start[0], &items[0], len(start)-1, first, 4*stride)
	}
}
