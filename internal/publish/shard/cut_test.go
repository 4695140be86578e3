// SPDX-License-Identifier: Apache-2.0

package shard_test

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"hide/internal/publish/shard"
)

// owners are the lines or the files that each of n shards must read: those whose first byte is
// in its share of all bytes.
func owners(files []shard.File, content map[string]string, n int, byLine bool) []string {
	total := 0
	for _, f := range files {
		total += int(f.Bytes)
	}
	out := make([]string, n)
	at := 0
	for _, f := range files {
		units := []string{content[f.Path]}
		if byLine {
			units = strings.SplitAfter(content[f.Path], "\n")
		}
		for _, unit := range units {
			for i := range n {
				if unit != "" && i*total/n <= at && at < (i+1)*total/n {
					out[i] += unit
				}
			}
			at += len(unit)
		}
	}
	return out
}

func TestCutGivesEachLineToTheShardOfItsFirstByte(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	dir := t.TempDir()
	for round := range 200 {
		content := map[string]string{}
		var files []shard.File
		for i := range rng.IntN(5) {
			name := filepath.Join(dir, fmt.Sprintf("%d-%d", round, i))
			text := []byte(strings.Repeat("x", 1+rng.IntN(40)))
			for k := range text {
				if rng.IntN(6) == 0 {
					text[k] = '\n'
				}
			}
			content[name] = string(text)
			write(t, name, content[name])
			files = append(files, shard.File{Path: name, Bytes: int64(len(text))})
		}
		n := 1 + rng.IntN(9)
		for byLine, snap := range map[bool]func(string, int64) (int64, error){true: shard.Snap, false: nil} {
			want := owners(files, content, n, byLine)
			for i := range n {
				ranges, err := shard.Cut(files, shard.Number{Shard: i, Of: n}, snap)
				if err != nil {
					t.Fatal(err)
				}
				got := ""
				for _, r := range ranges {
					got += content[r.File][r.From:r.To]
				}
				if got != want[i] {
					t.Fatalf("%q: shard %d of %d, by line %v: %q, want %q", content, i, n, byLine, got, want[i])
				}
			}
		}
	}
}

func TestCutOfManyBytesDoesNotOverflow(t *testing.T) {
	files := []shard.File{{Path: "a", Bytes: 1 << 60}}
	at := func(_ string, at int64) (int64, error) { return at, nil }
	last := int64(0)
	for _, i := range []int{0, 1, 499_999, 999_999} {
		ranges, err := shard.Cut(files, shard.Number{Shard: i, Of: shard.MostShards}, at)
		if err != nil || len(ranges) != 1 || ranges[0].From < last || ranges[0].To <= ranges[0].From {
			t.Fatal(i, ranges, err)
		}
		last = ranges[0].To
	}
	if last != 1<<60 {
		t.Errorf("the last shard ends at %d", last)
	}
}

func TestSnapPassesOverLongLines(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a")
	write(t, name, strings.Repeat("x", 200_000)+"\ny")
	for at, want := range map[int64]int64{0: 0, 1: 200_001, 200_000: 200_001, 200_001: 200_001, 200_002: 200_002} {
		if got, err := shard.Snap(name, at); err != nil || got != want {
			t.Errorf("from %d to %d, want %d, %v", at, got, want, err)
		}
	}
}

func TestParseNumber(t *testing.T) {
	for text, want := range map[string]string{
		"0/1": "{0 1}", "3/16": "{3 16}", "999999/1000000": "{999999 1000000}",
		"16/16": "counted from 0, so the last one is 15/16", "1/0": "is not a shard", "": "is not a shard", "3": "is not a shard",
		"-1/3": "is not a shard", "+1/3": "is not a shard", "01/3": "is not a shard", "1/3/5": "is not a shard", "1 /3": "is not a shard",
		"$(JOB_COMPLETION_INDEX)/16": "is not a shard", "0/1000001": "more than 1000000",
	} {
		n, err := shard.ParseNumber(text)
		got := fmt.Sprint(n)
		if err != nil {
			got = err.Error()
		}
		if !strings.Contains(got, want) {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}
