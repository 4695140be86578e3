// SPDX-License-Identifier: Apache-2.0

package crf

import (
	"fmt"
	"math/rand/v2"
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
		n := newNameIndex(attrs)
		for range 20000 {
			s := name()
			want, known := attrs[s]
			if id, ok := n.find([]byte(s)); ok != known || known && id != want {
				t.Fatalf("of %d: %q is %d, %t; want %d, %t", size, s, id, ok, want, known)
			}
		}
		for s, want := range attrs {
			if id, ok := n.find([]byte(s)); !ok || id != want {
				t.Fatalf("of %d: %q is %d, %t; want %d", size, s, id, ok, want)
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
