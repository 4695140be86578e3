// SPDX-License-Identifier: Apache-2.0

package intern

import (
	"runtime"
	"sync"
	"weak"
)

// Shared has values that are equal if their keys are, as long as somebody uses them. It is
// safe for concurrent use.
type Shared[K comparable, T any] struct{ values sync.Map } // of weak pointers

// Of returns the value in use with this key, which is v if there is no other.
func (s *Shared[K, T]) Of(key K, v *T) *T {
	mine := weak.Make(v)
	for {
		other, found := s.values.LoadOrStore(key, mine)
		if !found {
			runtime.AddCleanup(v, func(key K) { s.values.CompareAndDelete(key, mine) }, key)
			return v
		}
		if v := other.(weak.Pointer[T]).Value(); v != nil {
			return v
		}
		s.values.CompareAndDelete(key, other)
	}
}
