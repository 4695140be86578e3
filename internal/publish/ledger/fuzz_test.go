// SPDX-License-Identifier: Apache-2.0

package ledger

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

// FuzzEntries chains whatever entries are there, so that only what they say is left to
// refuse. What is taken never has more spent than its
// limit and what was charged for older copies.
func FuzzEntries(f *testing.F) {
	f.Add([]byte(`{"kind":"new","id":"a","key":"00","schema":"hide ledger 1"}
{"kind":"open","lineage":"w","unit":"patient","micro_epsilon":1000000}
{"kind":"partition","lineage":"w","what":"ward","parts":["a","b"]}
{"kind":"debit","lineage":"w","micro_epsilon":400000,"request":"r","data":"d"}
{"kind":"debit","lineage":"w","micro_epsilon":400000,"request":"s","data":"d","part":{"partition":"ward","part":"a"}}
{"kind":"raise","lineage":"w","micro_epsilon":2000000,"what":"x"}
{"kind":"restore","lineage":"w","micro_epsilon":100000}
{"kind":"restore","lineage":"w","micro_epsilon":500000,"part":{"partition":"ward","part":""}}
{"kind":"weak","lineage":"w","what":"a table"}`))
	f.Add([]byte(`{"kind":"new","id":"a","key":"00","schema":"hide ledger 1"}
{"kind":"open","lineage":"w","unit":"patient","micro_epsilon":1000000}
{"kind":"restore","lineage":"w","micro_epsilon":9000000000000000000}
{"kind":"restore","lineage":"w","micro_epsilon":9000000000000000000}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		var raw [][]byte
		var hashes []string
		prev := firstPrev
		for line := range bytes.Lines(text) {
			var e Entry
			if json.Unmarshal(line, &e) != nil {
				return
			}
			e.Seq, e.Prev = uint64(len(raw)), prev
			again, err := json.Marshal(e)
			if err != nil {
				return
			}
			prev = hashOf(again)
			raw, hashes = append(raw, again), append(hashes, prev)
		}
		entries, end, err := readChain(raw)
		if err != nil {
			return
		}
		if len(raw) > 0 && end != prev {
			t.Fatalf("the chain ends with %s, not %s", end, prev)
		}
		st, err := replay(entries, hashes)
		if err != nil {
			return
		}
		for _, a := range st.list() {
			if a.Spent < 0 || a.Spent > a.Limit+a.Restored || a.Left != max(0, a.Limit-a.Spent) {
				t.Fatalf("of %v %v is spent and %v left", a.Limit, a.Spent, a.Left)
			}
		}
	})
}

// FuzzHead: no head file is taken that does not say the same when it is written again.
func FuzzHead(f *testing.F) {
	f.Add([]byte(`{"schema":"hide ledger head 1","id":"a","seq":3,"hash":"00","spent":{"w":5},"void":["w"]}`))
	f.Add([]byte(`{}`))
	path := filepath.Join(f.TempDir(), "head")
	f.Fuzz(func(t *testing.T, raw []byte) {
		if err := os.WriteFile(path, raw, 0o600); err != nil {
			t.Fatal(err)
		}
		h, ok, err := readHead(path)
		if err != nil || !ok {
			return
		}
		if err := writeHead(path, h, func(string) {}); err != nil {
			t.Fatal(err)
		}
		again, ok, err := readHead(path)
		if err != nil || !ok || !again.equal(h) {
			t.Fatalf("%+v became %+v, %v", h, again, err)
		}
	})
}
