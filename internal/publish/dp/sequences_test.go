// SPDX-License-Identifier: Apache-2.0

package dp

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hide/internal/publish/ledger"
)

const sequencesConfig = `{"lineage":"ward-7","source":"list of wards","key_first":true,"alphabet":["a","b","c"],"height":4,"synthetic":true}`

func stays(n int) Lines {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "p%d %s\n", i, []string{"a a b", "a", "b c c c c c c", "c b a"}[i%4])
	}
	return Lines(b.String())
}

func TestSequencesVerifyAndCostOnce(t *testing.T) {
	l := newLedger(t)
	c, err := ParseSequences([]byte(sequencesConfig))
	must(t, err)
	for i := range 2 {
		r, err := PublishSequences(t.Context(), l, c, stays(400), ledger.One, meta)
		must(t, err)
		dir := filepath.Join(t.TempDir(), "r")
		_, err = r.Write(t.Context(), dir)
		must(t, err)
		rep, err := checked(os.DirFS(dir))
		if err != nil || !rep.OK || r.Replayed != (i == 1) {
			t.Errorf("%v, %+v", err, rep)
		}
	}
	if a, err := l.Account("ward-7"); err != nil || a.Spent != ledger.One {
		t.Errorf("%v spent, %v", a.Spent, err)
	}
}

func TestRefusedSequencesDebitNothing(t *testing.T) {
	l := newLedger(t)
	before := l.Head()
	for name, c := range map[string]struct{ config, data, want string }{
		"no alphabet":      {strings.Replace(sequencesConfig, `["a","b","c"]`, `[]`, 1), string(stays(3)), "public source"},
		"from the data":    {strings.Replace(sequencesConfig, `["a","b","c"]`, `"auto"`, 1), string(stays(3)), "expected a list"},
		"a symbol twice":   {strings.Replace(sequencesConfig, `["a","b","c"]`, `["a","a"]`, 1), string(stays(3)), "symbol 2"},
		"a symbol of ends": {strings.Replace(sequencesConfig, `["a","b","c"]`, `["a","(end)"]`, 1), string(stays(3)), "symbol 2"},
		"unknown symbol":   {strings.Replace(sequencesConfig, `["a","b","c"]`, `["a","b"]`, 1), string(stays(3)), "line 3, byte 14: symbol 2"},
		"whose it is":      {strings.Replace(sequencesConfig, `"key_first":true,`, "", 1), string(stays(3)), "key_first"},
		"nobody's line":    {with(sequencesConfig, `"separator":","`), "p1,a\n ,b\n", "line 2, byte 5: it has no key"},
		"an empty line":    {sequencesConfig, "\n", "line 1, byte 0: it has no key"},
		"empty":            {sequencesConfig, "", "empty"},
		"a blank first":    {sequencesConfig, "p1 a\n b c\n", "line 2, byte 5: it has no key"},
		"carriage returns": {sequencesConfig, "p1 a\rp2 b\r", "line 1, byte 0: it contains a carriage return"},
		"other bytes":      {sequencesConfig, "p1 a\np\xe9 b\n", "byte 6: this is not UTF-8"},
		"a symbol of two":  {strings.Replace(sequencesConfig, `"b"`, `"b d"`, 1), string(stays(3)), "symbol 2 of the alphabet has blanks"},
		"keys alone":       {sequencesConfig, "p1,a\np2,b\n", `"separator"`},
		"height":           {strings.Replace(sequencesConfig, `"height":4`, `"height":0`, 1), string(stays(3)), "height"},
		"fixed and short":  {with(sequencesConfig, `"fixed":true`), string(stays(3)), "line 1, byte 0: it has 3"},
		"too high for it":  {strings.Replace(sequencesConfig, `"height":4`, `"height":1001`, 1), string(stays(3)), "height"},
		"more than a list": {with(sequencesConfig, `"part":{"partition":"x","part":"y"}`), string(stays(3)), "parts"},
	} {
		cfg, err := ParseSequences([]byte(c.config))
		if err == nil {
			_, err = PublishSequences(t.Context(), l, cfg, Lines(c.data), ledger.One, meta)
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", name, err, c.want)
		}
	}
	if after := l.Head(); after.Seq != before.Seq {
		t.Errorf("the ledger went from entry %d to %d", before.Seq, after.Seq)
	}
}

// TestALargeAlphabetIsPublishedAndTooLargeAnEpsilonRefused: 10,000 symbols, of which
// nobody has most, make a tree that is no larger than it may be.
func TestALargeAlphabetIsPublishedAndTooLargeAnEpsilonRefused(t *testing.T) {
	l := newLedger(t)
	symbols := make([]string, 10_000)
	for i := range symbols {
		symbols[i] = fmt.Sprintf(`"s%d"`, i)
	}
	config := strings.Replace(sequencesConfig, `["a","b","c"]`, "["+strings.Join(symbols, ",")+"]", 1)
	c, err := ParseSequences([]byte(with(strings.Replace(config, `"synthetic":true`, `"synthetic":false`, 1), `"most_nodes":45000`)))
	must(t, err)
	data := Lines("p1 s1 s2\np2 s9999\np3 s1 s2 s3 s4 s5 s6\n")
	before := l.Head()
	for _, e := range []ledger.Micro{0, -1, 4 * ledger.One, ledger.Most + 1, 1 << 60, 79} {
		if _, err := PublishSequences(t.Context(), l, c, data, e, meta); err == nil {
			t.Errorf("epsilon %v: not refused", e)
		}
	}
	if after := l.Head(); after.Seq != before.Seq {
		t.Errorf("the ledger went from entry %d to %d", before.Seq, after.Seq)
	}
	r, err := PublishSequences(t.Context(), l, c, data, ledger.One, meta)
	must(t, err)
	if n := strings.Count(string(r.File("tree.csv")), "\n"); n < 10_002 || n > 45_001 {
		t.Errorf("%d nodes", n-1)
	}
}

func TestAPersonHasOneSequence(t *testing.T) {
	c, err := ParseSequences([]byte(with(sequencesConfig, `"separator":"\t","other":true`)))
	must(t, err)
	seqs, _, err := c.read(Lines("p1\ta\tb\np2\tzz\np1\tc\n"))
	if err != nil || fmt.Sprint(seqs) != "[[0 1] [3]]" {
		t.Errorf("%v, %v", seqs, err)
	}
}

// FuzzReadSequences: no configuration that is accepted makes reading panic, or
// longer sequences than asked for.
func FuzzReadSequences(f *testing.F) {
	f.Add([]byte(sequencesConfig), []byte("p1 a b\n"))
	f.Fuzz(func(t *testing.T, config, data []byte) {
		c, err := ParseSequences(config)
		if err != nil {
			return
		}
		seqs, _, err := c.read(Lines(data))
		for _, s := range seqs {
			if err == nil && len(s) > c.Height {
				t.Error("longer than the height")
			}
		}
	})
}

func TestBlanksAroundAKeyDoNotMakeAnotherPerson(t *testing.T) {
	c, err := ParseSequences([]byte(with(sequencesConfig, `"separator":","`)))
	must(t, err)
	if seqs, _, err := c.read(Lines("p1,a\np1 ,b\n p1,c\n")); err != nil || len(seqs) != 1 {
		t.Errorf("one person has %d sequences, %v", len(seqs), err)
	}
}
