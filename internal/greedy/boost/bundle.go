// SPDX-License-Identifier: Apache-2.0

package boost

import (
	"cmp"
	"slices"
)

// bundle is columns whose bins together make one number below maxBins: bin b of the
// first, plus its number of bins times (bin b of the second, plus ...), as digits of
// a number of mixed radix. Its histogram has one place for every such number.
type bundle struct {
	columns []int
	bins    []int // of each of columns
	size    int   // the product of bins
}

// add makes a column the last digit.
func (b *bundle) add(column, bins int) {
	b.columns = append(b.columns, column)
	b.bins = append(b.bins, bins)
	b.size *= bins
}

// bundled puts columns of so many bins into few bundles: those of most bins first,
// each into the fullest bundle that still has room (best fit decreasing). A column of
// one bin cannot be split and has no bundle.
func bundled(bins []int) []bundle {
	var order []int
	for c, n := range bins {
		if n > 1 {
			order = append(order, c)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(bins[b], bins[a]) })
	var all []bundle
	var ofSize [maxBins + 1][]int // what is in all, by size
	for _, c := range order {
		i, found := fullest(&ofSize, maxBins/bins[c])
		if !found {
			i, all = len(all), append(all, bundle{size: 1})
		}
		all[i].add(c, bins[c])
		ofSize[all[i].size] = append(ofSize[all[i].size], i)
	}
	return all
}

// fullest takes out a bundle of the greatest size that is at most limit.
func fullest(ofSize *[maxBins + 1][]int, limit int) (i int, found bool) {
	for size := limit; size > 1; size-- {
		if n := len(ofSize[size]); n > 0 {
			i, ofSize[size] = ofSize[size][n-1], ofSize[size][:n-1]
			return i, true
		}
	}
	return 0, false
}

// marginals calls do with each column and the sums of its bins, which are good until
// do returns.
func (b *bundle) marginals(h *histogram, do func(column int, hist []sums)) {
	if len(b.columns) == 1 {
		do(b.columns[0], h[:b.size])
		return
	}
	var first, others histogram
	rest := h[:b.size]
	for i, bins := range b.bins {
		n := len(rest) / bins
		addUp(rest, first[:bins], others[:n])
		do(b.columns[i], first[:bins])
		rest = others[:n]
	}
}

// addUp sums hist by its first digit, and by what is left of its numbers without it.
// Others may begin where hist does.
func addUp(hist, first, others []sums) {
	clear(first)
	for i := range others {
		sum := sums{}
		for d, s := range hist[i*len(first):][:len(first)] {
			first[d] = first[d].plus(s)
			sum = sum.plus(s)
		}
		others[i] = sum
	}
}

// digit is where a bundle's numbers have a column: bin is number/unit%bins.
type digit struct{ bundle, unit, bins int }

func (d digit) of(number int) int { return number / d.unit % d.bins }

// digits are those of so many columns, by column.
func digits(bundles []bundle, columns int) []digit {
	of := make([]digit, columns)
	for i, b := range bundles {
		unit := 1
		for k, c := range b.columns {
			of[c] = digit{i, unit, b.bins[k]}
			unit *= b.bins[k]
		}
	}
	return of
}
