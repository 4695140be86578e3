// SPDX-License-Identifier: Apache-2.0

package kernel

import "testing"

// lasts runs a chain whose Until function returns true from call number yes on. It
// returns the number of calls, and whether the chain finished.
func lasts[F Float](p problem, yes int) (asked int, ok bool) {
	scores, transitions, counts := lay[F](p)
	c := NewChain[F](p.layout)
	c.Until(func() bool {
		asked++
		return asked >= yes
	})
	_, ok = c.Run(scores, transitions, counts)
	return asked, ok
}

func TestChainsGiveUpInTheMiddleOfALongSequence(t *testing.T) {
	const tokens = 6 * longest
	for _, labels := range []int{5, 12, 21} {
		for _, free := range []bool{false, true} {
			l := NewLayout(labels)
			l.Free = free
			for _, p := range newProblem(1, l, tokens, 3).variants(1) {
				for name, lasts := range map[string]func(problem, int) (int, bool){"single": lasts[float32], "double": lasts[float64]} {
					all, ok := lasts(p, tokens)
					if !ok || all < 2*tokens/longest {
						t.Fatalf("%d labels, free %t, %s: Until asked %d times in %d tokens, finished %t", labels, free, name, all, tokens, ok)
					}
					for _, yes := range []int{1, all / 3, all / 2, all - 1} {
						if asked, ok := lasts(p, yes); ok || asked != yes {
							t.Errorf("%d labels, free %t, %s: stopped at call %d, it asked %d times, finished %t", labels, free, name, yes, asked, ok)
						}
					}
				}
			}
		}
	}
}
