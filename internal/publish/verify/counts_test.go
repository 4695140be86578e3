// SPDX-License-Identifier: Apache-2.0

package verify_test

import (
	"encoding/json"
	"math/big"
	"strings"
	"testing"

	"hide/internal/publish/verify"
)

const fuzzCounts = `{"promise":"p","conditions":[],"source":"s","neighbours":"n","micro_epsilon":500000,
"receipt":{"micro_epsilon":500000,"spent_before_micro_epsilon":0,"spent_after_micro_epsilon":500000,"limit_micro_epsilon":1000000},
"phases":[{"name":"cells","micro_epsilon":250000,"sensitivity":1,"scale":4,"counts":3},{"name":"blocks","micro_epsilon":250000,"sensitivity":1,"scale":4,"counts":2}],
"expected_errors":[],"settings":{}}`

const fuzzBlocks = "count,cells\n5,1\n7,2\n"

// FuzzCounts: no files make the check fall over, and of what passes the phases
// spend what is claimed, however large the numbers are.
func FuzzCounts(f *testing.F) {
	f.Add(fuzzCounts, fuzzBlocks)
	f.Add(strings.Replace(fuzzCounts, `"settings":{}`, `"trends":[{"of":"steps of the counts by \"a\"","value":1,"expected_error":1}],"settings":{"dimensions":[{"name":"a","min":0,"max":2,"width":1}]}`, 1), "a from,a to,cells,count,noise sd,noisy counts,spread\n0,0,1,5,1,1,0\n1,2,2,7,1,1,0\n")
	huge := strings.ReplaceAll(fuzzCounts, "500000", "0")
	for _, old := range []string{`"micro_epsilon":250000,"sensitivity":1,"scale":4`} {
		huge = strings.ReplaceAll(huge, old, `"micro_epsilon":4611686018427387904,"sensitivity":1,"scale":2.168404344971009e-13`)
	}
	f.Add(strings.Replace(huge, `"phases":[`, `"phases":[{"name":"a","micro_epsilon":4611686018427387904,"sensitivity":1,"scale":2.168404344971009e-13},{"name":"b","micro_epsilon":4611686018427387904,"sensitivity":1,"scale":2.168404344971009e-13},`, 1), fuzzBlocks)
	f.Fuzz(func(t *testing.T, claims, blocks string) {
		result, err := verify.Release(sealed("cube", []byte(claims), map[string]string{"blocks.csv": blocks}))
		r, ok := result.(*verify.Counts)
		if !ok || err != nil || !r.OK {
			return
		}
		var m struct {
			Phases []struct {
				Epsilon int64 `json:"micro_epsilon"`
			} `json:"phases"`
		}
		if err := json.Unmarshal([]byte(claims), &m); err != nil {
			return // not the claims that were checked
		}
		sum := new(big.Int)
		for _, p := range m.Phases {
			sum.Add(sum, big.NewInt(p.Epsilon))
		}
		if sum.Cmp(big.NewInt(r.Epsilon)) != 0 {
			t.Errorf("phases that spend %v pass for %d", sum, r.Epsilon)
		}
	})
}

func TestTheCountsOfTheFuzzerPass(t *testing.T) {
	r, err := found(sealed("cube", []byte(fuzzCounts), map[string]string{"blocks.csv": fuzzBlocks}))
	if err != nil || !r.OK {
		t.Errorf("%v: %v", err, r.Problems)
	}
}

// TestTwinsInSettingsAreFound: the settings are copied, so that only a look at their names
// finds a bound that stands there twice.
func TestTwinsInSettingsAreFound(t *testing.T) {
	claims := strings.Replace(fuzzCounts, `"settings":{}`, `"settings":{"bound":1,"Bound":1}`, 1)
	r, err := found(sealed("cube", []byte(claims), map[string]string{"blocks.csv": fuzzBlocks}))
	if err != nil || r.OK {
		t.Errorf("%v: %v", err, r.Problems)
	}
}
