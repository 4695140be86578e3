// SPDX-License-Identifier: Apache-2.0

package kernel

// itemsFast does what [addItems] does. The assembly trusts the items, which [NewLists]
// has looked at.
func itemsFast(dst []float32, stride int, l *Lists, from, to int, x []float32, r *running) {
	addItemsAVX2(&dst[0], 4*stride, &l.start[from], &l.items[0], to-from, &x[0], &r[0])
}

// singlesFast does what [addSingles] does.
func singlesFast(dst []float32, items []int32, x []float32) {
	addSinglesAVX2(&dst[0], &items[0], len(items), &x[0])
}
