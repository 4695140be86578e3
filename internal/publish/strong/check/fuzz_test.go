// SPDX-License-Identifier: Apache-2.0

package check_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"math/big"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"hide/internal/publish/strong/check"
)

const fuzzManifest = `{"schema":"hide strong release 1","kind":"cube","promise":"p","micro_epsilon":500000,
"receipt":{"micro_epsilon":500000,"spent_before_micro_epsilon":0,"spent_after_micro_epsilon":500000,"limit_micro_epsilon":1000000},
"phases":[{"name":"cells","micro_epsilon":250000,"sensitivity":1,"scale":4,"counts":3},{"name":"blocks","micro_epsilon":250000,"sensitivity":1,"scale":4,"counts":2}],
"config":{"config":{}}}`

const fuzzBlocks = "count,cells\n5,1\n7,2\n"

// sealed is a folder whose manifest lists the other file as it is.
func sealed(manifest, name, text string) fstest.MapFS {
	hash := func(s string) string { h := sha256.Sum256([]byte(s)); return hex.EncodeToString(h[:]) }
	var m map[string]any
	dec := json.NewDecoder(strings.NewReader(manifest))
	dec.UseNumber()
	if dec.Decode(&m) == nil && m != nil {
		m["files"] = []map[string]any{{"path": name, "bytes": len(text), "sha256": hash(text)}}
		if raw, err := json.Marshal(m); err == nil {
			manifest = string(raw)
		}
	}
	sums := []string{name + "\x00" + hash(text), "manifest.json\x00" + hash(manifest)}
	slices.Sort(sums)
	var list strings.Builder
	for _, line := range sums {
		path, sum, _ := strings.Cut(line, "\x00")
		list.WriteString(sum + "  " + path + "\n")
	}
	return fstest.MapFS{"manifest.json": {Data: []byte(manifest)}, name: {Data: []byte(text)}, "SHA256SUMS": {Data: []byte(list.String())}}
}

// FuzzRelease: no files make the check fall over, and of what passes the phases
// spend what is claimed, however large the numbers are.
func FuzzRelease(f *testing.F) {
	f.Add(fuzzManifest, fuzzBlocks)
	f.Add(strings.Replace(fuzzManifest, `"config":{"config":{}}`, `"trends":[{"of":"steps of the counts by \"a\"","value":1,"expected_error":1}],"config":{"config":{"dimensions":[{"name":"a","min":0,"max":2,"width":1}]}}`, 1), "a from,a to,cells,count,noise sd,noisy counts,spread\n0,0,1,5,1,1,0\n1,2,2,7,1,1,0\n")
	huge := strings.ReplaceAll(fuzzManifest, "500000", "0")
	for _, old := range []string{`"micro_epsilon":250000,"sensitivity":1,"scale":4`} {
		huge = strings.ReplaceAll(huge, old, `"micro_epsilon":4611686018427387904,"sensitivity":1,"scale":2.168404344971009e-13`)
	}
	f.Add(strings.Replace(huge, `"phases":[`, `"phases":[{"name":"a","micro_epsilon":4611686018427387904,"sensitivity":1,"scale":2.168404344971009e-13},{"name":"b","micro_epsilon":4611686018427387904,"sensitivity":1,"scale":2.168404344971009e-13},`, 1), fuzzBlocks)
	f.Fuzz(func(t *testing.T, manifest, blocks string) {
		r, err := check.Release(sealed(manifest, "blocks.csv", blocks))
		if err != nil || !r.OK {
			return
		}
		var m struct {
			Phases []struct {
				Epsilon int64 `json:"micro_epsilon"`
			} `json:"phases"`
		}
		if err := json.Unmarshal([]byte(manifest), &m); err != nil {
			return // read as the checker reads it, with the files in
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

func TestTheSeedOfTheFuzzerPasses(t *testing.T) {
	r, err := check.Release(sealed(fuzzManifest, "blocks.csv", fuzzBlocks))
	if err != nil || !r.OK {
		t.Errorf("%v: %v", err, r.Problems)
	}
}
