// SPDX-License-Identifier: Apache-2.0

package shard_test

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hide/internal/hint"
	"hide/internal/publish/shard"
)

func TestFind(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"b.jsonl", "a.jsonl", "a[1].jsonl", "c.txt"} {
		write(t, filepath.Join(dir, name), "x")
	}
	write(t, filepath.Join(dir, "empty.jsonl"), "")
	if err := os.Mkdir(filepath.Join(dir, "d"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		patterns, want []string
		err            string
	}{
		{[]string{"*.jsonl"}, []string{"a.jsonl", "a[1].jsonl", "b.jsonl"}, ""},
		{[]string{"b.jsonl", "./b.jsonl", "a.jsonl", "?.jsonl"}, []string{"a.jsonl", "b.jsonl"}, ""},
		{[]string{"a[1].jsonl"}, []string{"a[1].jsonl"}, ""},
		{[]string{"empty.jsonl"}, nil, ""},
		{[]string{"*.jsonl", "*.hl7"}, nil, "matches no file"},
		{[]string{"d"}, nil, "is not a file"},
		{[]string{"[a"}, nil, "is not a pattern"},
		{[]string{"../*/a.jsonl"}, []string{"a.jsonl"}, ""},
		{[]string{"none/*.jsonl"}, nil, "matches no file"},
		{[]string{"a.jsonl/*"}, nil, "matches no file"},
		{[]string{"**/*.jsonl"}, nil, "** does not stand for folders of any depth"},
	} {
		var patterns, got []string
		for _, p := range c.patterns {
			patterns = append(patterns, dir+"/"+p)
		}
		files, err := shard.Find(patterns)
		for _, f := range files {
			got = append(got, filepath.Base(f.Path))
		}
		if !slices.Equal(got, c.want) || (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("%v: %v, %v", c.patterns, got, err)
		}
	}
}

// TestFindMatchesAsGlobDoes compares random patterns with the standard library, where every
// folder can be read.
func TestFindMatchesAsGlobDoes(t *testing.T) {
	dir, rng := t.TempDir(), rand.New(rand.NewPCG(6, 7))
	for _, name := range []string{"a/a/x", "a/b/x", "a/x", "b/a/b/x", "b/ab", "ab/a[b]/x", "[a]/x", "x"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700); err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(dir, name), "x")
	}
	some := func(of ...string) string { return of[rng.IntN(len(of))] }
	for range 500 {
		pattern := dir
		for range 1 + rng.IntN(4) {
			pattern += "/" + some("a", "b", "x", "*", "?", "a*", "[ab]", "*b*", `\[a]`)
		}
		var want, got []string
		all, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range all {
			if info, err := os.Stat(name); err == nil && info.Mode().IsRegular() {
				want = append(want, name)
			}
		}
		slices.Sort(want)
		files, err := shard.Find([]string{pattern})
		for _, f := range files {
			got = append(got, f.Path)
		}
		if folders := len(want) < len(all); folders != (err != nil && strings.Contains(err.Error(), "is not a file")) || !folders && !slices.Equal(got, slices.Compact(want)) {
			t.Fatalf("%s: %v, %v, want %v", pattern, got, err, want)
		}
	}
}

// TestFindLeavesNoFolderOut: where notes could be that nobody can see, there is no list.
func TestFindLeavesNoFolderOut(t *testing.T) {
	for link, to := range map[string]string{"loop": "loop", "volume": "not mounted"} {
		dir := t.TempDir()
		if err := os.Mkdir(filepath.Join(dir, "ward"), 0o700); err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(dir, "ward", "a.jsonl"), "x")
		if err := os.Symlink(filepath.Join(dir, to), filepath.Join(dir, link)); err != nil {
			t.Skip(err)
		}
		if files, err := shard.Find([]string{dir + "/*/*.jsonl"}); err == nil || !strings.Contains(err.Error(), "read folder "+filepath.Join(dir, link)) || hint.Of(err) == "" {
			t.Errorf("%s: %v, %v", link, files, err)
		}
	}
}

// TestNamesAreThoseOfTheManifest: JSON cannot hold a name that is not UTF-8.
func TestNamesAreThoseOfTheManifest(t *testing.T) {
	s := store{files: map[string]string{"store://caf\xe9": "x"}}
	if _, err := shard.Sizes(t.Context(), s, []string{"store://caf\xe9"}); err == nil || !strings.Contains(err.Error(), "is not UTF-8") || hint.Of(err) == "" {
		t.Errorf("got %v", err)
	}
}
