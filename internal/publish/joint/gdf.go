// SPDX-License-Identifier: Apache-2.0

package joint

import "context"

// gdf partitions by global document frequency (rx-anon, Algorithm 2): at the term
// that most persons of a class have, among the terms that k persons have and k lack. A term
// that cannot be cut is skipped. One that was cut is not tried again below, where all
// persons have it or none.
func (v *View) gdf(ctx context.Context, k int) (Partition, error) {
	var out Partition
	for stack := [][]int{v.everybody()}; len(stack) > 0; {
		people := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if err := ctx.Err(); err != nil {
			return Partition{}, err
		}
		left, right, cut := v.presence(people, k, 0, int32(len(v.terms)))
		if !cut {
			out.Classes = append(out.Classes, people)
			continue
		}
		out.Textual++
		stack = append(stack, right, left)
	}
	return out, nil
}

// presence divides persons by the term, from from to before to, that most of them have
// among the terms that k have and k lack; of equals the first. cut is false when there is
// none.
func (v *View) presence(people []int, k int, from, to int32) (with, without []int, cut bool) {
	if len(people) < 2*k {
		return nil, nil, false
	}
	count := v.frequencies(people, from, to)
	best := -1
	for i, n := range count {
		if k <= n && n <= len(people)-k && (best < 0 || n > count[best]) {
			best = i
		}
	}
	if best < 0 {
		return nil, nil, false
	}
	with, without = part(people, func(p int) bool { return v.people[p].has(from + int32(best)) })
	return with, without, true
}
