// SPDX-License-Identifier: Apache-2.0

package intern

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"
)

// TestKeysHaveDenseNumbers compares the table with a map.
func TestKeysHaveDenseNumbers(t *testing.T) {
	keys, want := NewKeys(), map[[2]uint64]int32{}
	r := rand.New(rand.NewPCG(7, 8))
	for range 20000 {
		key := [2]uint64{r.Uint64N(60) << (r.UintN(2) * 40), r.Uint64N(60) << (r.UintN(2) * 32)}
		n, known := want[key]
		if !known {
			n = int32(len(want))
			want[key] = n
		}
		if got := keys.Number(key[0], key[1]); got != n {
			t.Fatalf("%v has number %d, want %d", key, got, n)
		}
		if keys.Len() != len(want) {
			t.Fatalf("%d keys, want %d", keys.Len(), len(want))
		}
	}
}

func TestStringsAreFoundWhereTheyAre(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	for size := range 40 {
		var sorted []string
		for range size {
			sorted = append(sorted, fmt.Sprint(r.IntN(100)))
		}
		sorted = append(sorted, "")
		slices.Sort(sorted)
		sorted = slices.Compact(sorted)
		p := Pack(sorted)
		if p.Len() != len(sorted) {
			t.Fatalf("%d strings, want %d", p.Len(), len(sorted))
		}
		for i, s := range sorted {
			if p.At(i) != s {
				t.Fatalf("string %d is %q, want %q", i, p.At(i), s)
			}
		}
		for n := -1; n <= 100; n++ {
			if s := fmt.Sprint(n); p.Find(s) != int32(slices.Index(sorted, s)) {
				t.Fatalf("%q is at %d of %q", s, p.Find(s), sorted)
			}
		}
	}
}

func TestHashesOfDifferentStringsDiffer(t *testing.T) {
	seen := map[uint64]string{}
	for i := range 100000 {
		for _, s := range []string{fmt.Sprint(i), fmt.Sprintf("%08d", i), fmt.Sprintf("%09d", i), string(make([]byte, i%50))} {
			h := Hash([]byte(s))
			if other, ok := seen[h]; ok && other != s {
				t.Fatalf("%q and %q have hash %x", s, other, h)
			}
			seen[h] = s
		}
	}
}

func TestEqualValuesAreOneWhileTheyAreUsed(t *testing.T) {
	type value [9]string
	var s Shared[string, value]
	first := s.Of("a", &value{})
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 100 {
				if s.Of("a", &value{}) != first || s.Of("b", &value{}) == first {
					t.Error("not the value of the key")
				}
			}
		})
	}
	all.Wait()
	runtime.KeepAlive(first)
	for range 1000 {
		runtime.GC() // the cleanup runs some time after it
		n := 0
		s.values.Range(func(any, any) bool { n++; return true })
		if n == 0 {
			return
		}
		time.Sleep(time.Millisecond)
	}
	t.Error("keys of values that nobody uses are remembered")
}
