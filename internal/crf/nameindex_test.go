// SPDX-License-Identifier: Apache-2.0

package crf

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestNameIndexFindsWhatTheMapFinds(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 0))
	name := func() string {
		b := make([]byte, random.IntN(20))
		for i := range b {
			b[i] = "ab_\x00"[random.IntN(4)]
		}
		return string(b)
	}
	for _, size := range []int{0, 1, 2, 3, 100, 5000} {
		attrs := map[string]int32{}
		for len(attrs) < size {
			attrs[name()] = int32(len(attrs))
		}
		rows := make([]int32, size+1)
		for i := range rows {
			rows[i] = int32(3 * i)
		}
		n := newNameIndex(attrs, rows)
		find := func(names ...string) []knownName {
			a := &attributes{}
			for _, s := range names {
				a.add(s)
			}
			return n.find(a, nil)
		}
		for range 20000 {
			s, other := name(), name()
			var want []knownName
			for at, s := range []string{s, other} {
				if id, known := attrs[s]; known {
					want = append(want, knownName{at, 3 * id, 3*id + 3, hashOf([]byte(s))})
				}
			}
			if got := find(s, other); !slices.Equal(got, want) {
				t.Fatalf("of %d: %q and %q are %v; want %v", size, s, other, got, want)
			}
		}
		for s, want := range attrs {
			if got := find(s); len(got) != 1 || got[0].from != 3*want {
				t.Fatalf("of %d: %q is %v; want %d", size, s, got, want)
			}
		}
	}
}

func TestHashesOfLikeNamesDiffer(t *testing.T) {
	seen := map[uint64]string{}
	for i := range 200000 {
		for _, s := range []string{fmt.Sprintf("PREV0_%d", i), fmt.Sprintf("NEXT3_%d", i), fmt.Sprintf("%d", i)} {
			h := hashOf([]byte(s))
			if other, ok := seen[h]; ok || h == 0 {
				t.Fatalf("%q and %q have hash %x", s, other, h)
			}
			seen[h] = s
		}
	}
}
