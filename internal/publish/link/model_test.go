// SPDX-License-Identifier: Apache-2.0

package link

import (
	"math"
	"testing"

	"hide/internal/publish/link/compare"
)

// TestLikelihoodsAddUpToOne sums over all patterns of a few fields of every role.
func TestLikelihoodsAddUpToOne(t *testing.T) {
	for _, kinds := range [][]compare.Kind{
		{compare.Sex, compare.Surname, compare.Street, compare.Postcode},
		{compare.Sex, compare.Number},
		{compare.Surname, compare.Phone, compare.Place},
		{compare.StreetNumber, compare.Street},
		{compare.State, compare.Place, compare.Sex},
	} {
		var fields []Field
		for _, k := range kinds {
			fields = append(fields, Field{Name: string(k), Kind: k})
		}
		e := &engine{fields: fields, n: 50, shape: shapeOf(fields)}
		p := e.startParams()
		match, other := 0., 0.
		e.eachPattern(allMissing, 0, func(of pattern) {
			m, u := p.likelihood(of, p.match, p.other, 0, nil)
			match += m.sum()
			other += u.sum()
		})
		if math.Abs(match-1) > 1e-9 || math.Abs(other-1) > 1e-9 {
			t.Errorf("%v: matches %v, others %v", kinds, match, other)
		}
	}
}

// eachPattern yields the patterns without missing values of the fields from f on.
func (e *engine) eachPattern(of pattern, f int, yield func(pattern)) {
	if f == len(e.fields) {
		yield(of)
		return
	}
	for l := range e.shape.levels[f] {
		e.eachPattern(of.with(f, l), f+1, yield)
	}
}

// TestAnAddressCountsOnce compares the weight of five equal parts of an address with the most
// that an address can say: match[dwelling]/other[dwelling].
func TestAnAddressCountsOnce(t *testing.T) {
	var fields []Field
	for _, k := range []compare.Kind{compare.StreetNumber, compare.Street, compare.Place, compare.Postcode, compare.State} {
		fields = append(fields, Field{Name: string(k), Kind: k})
	}
	e := &engine{fields: fields, n: 10_000, shape: shapeOf(fields)}
	p := e.startParams()
	equal, different := allMissing, allMissing
	for f := range fields {
		equal = equal.with(f, 0)
		different = different.with(f, len(e.shape.levels[f])-1)
	}
	if got, most := p.weight(equal, nil), math.Log2(p.match[2]/p.other[2]); got > most || got < most-.5 {
		t.Errorf("one address: %.2f bits, the most is %.2f", got, most)
	}
	if got, least := p.weight(different, nil), math.Log2(p.match[0]/p.other[0]); math.Abs(got-least) > .5 {
		t.Errorf("two addresses: %.2f bits, a move is %.2f", got, least)
	}
}
