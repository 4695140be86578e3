// SPDX-License-Identifier: Apache-2.0

package detect

import (
	"math"
	"strings"
	"testing"
)

func TestABlendOfOneClassIsBounded(t *testing.T) {
	said := [][]float64{{1, -1, 0.5}, {1, -1, 0.5}}
	for _, v := range fitBlend(said, make([]bool, 3)) {
		if !(math.Abs(v) <= mostBlend) {
			t.Errorf("weight %g where all tokens have the same class", v)
		}
	}
}

func TestWithoutLeavesPartsOut(t *testing.T) {
	for _, c := range []struct {
		names string
		want  Parts
		ok    bool
	}{
		{"", Default, true}, {"crf", Default &^ CRF, true}, {"bonus,neighbours", Default &^ (Bonus | Neighbours), true},
		{"crf,trees", 0, false}, {"nose", 0, false}, {"corpus", 0, false}, {"bonus,bonus", 0, false},
	} {
		var names []string
		if c.names != "" {
			names = strings.Split(c.names, ",")
		}
		if got, err := Without(names); (err == nil) != c.ok || c.ok && got != c.want {
			t.Errorf("without %q: %s, %v", c.names, got, err)
		}
	}
}
