// SPDX-License-Identifier: Apache-2.0

package crf

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"hide/internal/annotate"
	"hide/internal/crf/intern"
)

func TestNameIndexFindsWhatTheMapFinds(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 0))
	name := func() string {
		b := make([]byte, random.IntN(20))
		for i := range b {
			b[i] = "ab_=\x00"[random.IntN(5)]
		}
		return string(b)
	}
	for _, size := range []int{0, 1, 2, 3, 100, 5000} {
		attrs := map[string]bool{}
		for len(attrs) < size {
			attrs[name()] = true
		}
		m := &Model{attrs: intern.Pack(slices.Sorted(maps.Keys(attrs))), states: states{labels: []annotate.Label{"X"}}, rows: []int32{0}}
		for a := range size {
			for range 1 + a%2 {
				m.pairs, m.weights = append(m.pairs, uint16(a%3)), append(m.weights, float32(a))
			}
			m.rows = append(m.rows, int32(len(m.weights)))
		}
		n := newNameIndex(m)
		find := func(names ...string) []knownName {
			a := &attributes{hashed: true}
			for _, s := range names {
				a.add(s)
			}
			return n.find(a, nil)
		}
		holds := func(k knownName, at int, name string) bool {
			a, row, want := m.attrs.Find(name), make([]float32, 4), make([]float32, 4)
			n.addTo(row, &k.nameEntry, 2)
			for range 1 + a%2 {
				want[a%3] += 2 * float32(a)
			}
			return k.at == at && slices.Equal(row, want)
		}
		for range 20000 {
			asked := []string{name(), name()}
			found := find(asked...)
			for at, s := range asked {
				switch {
				case !attrs[s]:
				case len(found) == 0 || !holds(found[0], at, s):
					t.Fatalf("index of %d names: %q is missing or wrong", size, s)
				default:
					found = found[1:]
				}
			}
			if len(found) > 0 {
				t.Fatalf("index of %d names: too many results for %q", size, asked)
			}
		}
		for s := range attrs {
			if got := find(s); len(got) != 1 || !holds(got[0], 0, s) {
				t.Fatalf("of %d: %q is %v", size, s, got)
			}
		}
	}
}

func TestHashesOfLikeNamesDiffer(t *testing.T) {
	seen := map[uint64]string{}
	for i := range 200000 {
		for _, s := range []string{fmt.Sprintf("PREV0_%d", i), fmt.Sprintf("NEXT3_%d", i), fmt.Sprintf("%d", i)} {
			h := hashName([]byte(s)).whole
			if other, ok := seen[h]; ok || h == 0 {
				t.Fatalf("%q and %q have hash %x", s, other, h)
			}
			seen[h] = s
		}
	}
}
