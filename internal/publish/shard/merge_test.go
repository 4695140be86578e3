// SPDX-License-Identifier: Apache-2.0

package shard_test

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"hide/internal/hint"
	"hide/internal/publish/shard"
	"hide/internal/publish/verify"
)

// done does all shards of n in a folder and returns it.
func done(t *testing.T, files []shard.File, n int, change func(*shard.Job)) string {
	t.Helper()
	dir := t.TempDir()
	for i := range n {
		j := job(files, i, n, dir)
		if change != nil {
			change(j)
		}
		if _, _, err := j.Do(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func merge(t *testing.T, dirs ...string) (*shard.Merged, string, error) {
	t.Helper()
	out := filepath.Join(t.TempDir(), "release")
	m, err := shard.Merge(t.Context(), dirs, out, "1", time.Unix(1, 0))
	return m, out, err
}

func TestMergedShardsHaveTheBytesOfOne(t *testing.T) {
	t.Parallel()
	files := input(t, rand.New(rand.NewPCG(1, 1)), 4, .1)
	one, many, more := done(t, files, 1, nil), done(t, files, 5, nil), t.TempDir()
	for _, name := range []string{"shard-2-of-5.jsonl", "shard-2-of-5.json", "shard-2-of-5.errors"} {
		if err := os.Rename(filepath.Join(many, name), filepath.Join(more, name)); err != nil {
			t.Fatal(err)
		}
	}
	m, out, err := merge(t, many, more, many)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := read(t, filepath.Join(out, "notes.jsonl")), read(t, filepath.Join(one, "shard-0-of-1.jsonl")); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	r := verified(t, out)
	if !r.OK || r.Notes != m.Claims.Counts.Notes || r.Refused != m.Claims.Counts.Refused || r.Refused == 0 || r.Shards != 5 || r.SHA256 != m.SHA256 {
		t.Errorf("%+v, %+v", r, m)
	}
	for _, label := range m.Claims.Labels {
		if r.Redactions[string(label)] != m.Claims.Counts.Redactions[label] || r.Redactions[string(label)] == 0 {
			t.Errorf("%v, %v", r.Redactions, m.Claims.Counts)
		}
	}
	manifest := read(t, filepath.Join(out, "manifest.json"))
	if !strings.Contains(manifest, "of the input could not be read and ") {
		t.Error("the release does not warn that records are left out")
	}
	first, err := shard.ReadManifest(filepath.Join(many, "shard-0-of-5.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, secret := range []string{filepath.Dir(files[0].Path), "notes-0", first.Input.SHA256, first.Read.SHA256} {
		if strings.Contains(manifest, secret) {
			t.Errorf("the release tells %q of the input", secret)
		}
	}
}

func verified(t *testing.T, dir string) *verify.Bulk {
	t.Helper()
	r, err := verify.Release(os.DirFS(dir))
	if err != nil {
		t.Fatal(err)
	}
	return r.(*verify.Bulk)
}

func TestShardsWithoutNotesAreMerged(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "empty")
	write(t, name, "")
	if _, out, err := merge(t, done(t, find(t, name), 2, nil)); err != nil || read(t, filepath.Join(out, "notes.jsonl")) != "" {
		t.Error(err)
	}
}

func TestMergeRefuses(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(2, 1))
	files, other := input(t, rng, 3, .1), input(t, rng, 3, 0)
	remove := func(name string) func(*testing.T, string) string {
		return func(t *testing.T, dir string) string { os.Remove(filepath.Join(dir, name)); return dir }
	}
	// with replaces a shard by the same one of another run.
	with := func(files []shard.File, n int, change func(*shard.Job)) func(*testing.T, string) string {
		return func(t *testing.T, dir string) string {
			os.Remove(filepath.Join(dir, "shard-1-of-3.json"))
			j := job(files, 1, n, dir)
			if change != nil {
				change(j)
			}
			if _, _, err := j.Do(t.Context()); err != nil {
				t.Fatal(err)
			}
			return dir
		}
	}
	for name, c := range map[string]struct {
		spoil func(t *testing.T, dir string) (more string)
		want  string
	}{
		"missing":         {remove("shard-1-of-3.json"), "1 shard of 3 is missing: 1"},
		"none":            {func(t *testing.T, dir string) string { os.RemoveAll(dir); os.Mkdir(dir, 0o700); return dir }, "no shard is done in"},
		"doubled":         {func(t *testing.T, _ string) string { return done(t, files, 3, nil) }, "shard 0 of 3 is there twice: "},
		"another bundle":  {with(files, 3, func(j *shard.Job) { j.Bundle = bundles()[1] }), "shard-1-of-3.json is of another bundle than "},
		"another input":   {with(other, 3, nil), "shard-1-of-3.json is of another input than "},
		"another cut":     {with(files, 2, nil), "shard-1-of-2.json is of another number of shards than "},
		"another version": {with(files, 3, func(j *shard.Job) { j.Version = "2" }), "shard-1-of-3.json is of another version of hide than "},
		"other fields":    {with(files, 3, func(j *shard.Job) { j.Options.Keep = []string{"ZPI"} }), "shard-1-of-3.json is of a run with another --keep than "},
		"output": {func(t *testing.T, dir string) string {
			write(t, filepath.Join(dir, "shard-1-of-3.jsonl"), "x\n")
			return dir
		}, "shard-1-of-3.jsonl is not what shard 1 of 3 wrote"},
		"no output": {remove("shard-1-of-3.jsonl"), "the output of shard 1: read "},
		"no errors": {remove("shard-1-of-3.errors"), "the output of shard 1: read "},
		"errors": {func(t *testing.T, dir string) string {
			write(t, filepath.Join(dir, "shard-1-of-3.errors"), "{}\n")
			return dir
		}, "shard-1-of-3.errors is not what shard 1 of 3 wrote"},
		"refused": {changed(1, func(m *shard.Manifest) { m.Counts.Refused++ }), "shard-1-of-3.errors has "},
		"renamed": {func(t *testing.T, dir string) string {
			os.Rename(filepath.Join(dir, "shard-1-of-3.json"), filepath.Join(dir, "shard-01-of-3.json"))
			return dir
		}, "shard-01-of-3.json is the manifest of shard 1 of 3"},
		"nothing read": {func(t *testing.T, dir string) string {
			os.RemoveAll(dir)
			os.Mkdir(dir, 0o700)
			bad := shard.File{Path: filepath.Join(t.TempDir(), "bad.jsonl"), Bytes: 4}
			write(t, bad.Path, "1\n2\n")
			return done(t, []shard.File{bad}, 2, nil)
		}, "nothing to release: none of 2 records of the input could be read"},
		"a gap":  {shifted(1), "shard-1-of-3.json: shard 1 of 3 does not begin where the shard before it ends"},
		"an end": {shifted(2), "shard-2-of-3.json: shard 2 of 3 does not"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := done(t, files, 3, nil)
			_, out, err := merge(t, dir, c.spoil(t, dir))
			if err == nil || !strings.Contains(err.Error(), c.want) || hint.Of(err) == "" {
				t.Errorf("got %v", err)
			}
			if left := list(t, filepath.Dir(out)); len(left) > 0 {
				t.Errorf("there is %v", left)
			}
		})
	}
}

// shifted gives a shard a range that begins a byte later.
func shifted(i int) func(*testing.T, string) string {
	return changed(i, func(m *shard.Manifest) {
		m.Read.Ranges[0].From++
		m.Read.Bytes--
	})
}

// changed gives a shard another manifest.
func changed(i int, change func(*shard.Manifest)) func(*testing.T, string) string {
	return func(t *testing.T, dir string) string {
		name := filepath.Join(dir, shard.Name(i, 3)+".json")
		m, err := shard.ReadManifest(name)
		if err != nil {
			t.Fatal(err)
		}
		change(m)
		var b strings.Builder
		if err := m.Write(&b); err != nil {
			t.Fatal(err)
		}
		write(t, name, b.String())
		return dir
	}
}

// TestVerifyFindsEveryChangeOfAMergedRelease changes bytes of the notes and numbers of the
// claims, and signs nothing: whoever changes a file can also change the sums.
func TestVerifyFindsEveryChangeOfAMergedRelease(t *testing.T) {
	t.Parallel()
	files := input(t, rand.New(rand.NewPCG(3, 1)), 3, .1)
	_, out, err := merge(t, done(t, files, 3, nil))
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(4, 1))
	for _, file := range []string{"notes.jsonl", "manifest.json", "SHA256SUMS"} {
		name := filepath.Join(out, file)
		was := read(t, name)
		for range 40 {
			is := []byte(was)
			is[rng.IntN(len(is))] ^= 1 << rng.IntN(7)
			write(t, name, string(is))
			if r, err := verify.Release(os.DirFS(out)); err == nil && r.Common().OK {
				t.Fatalf("%s: a change was not found", file)
			}
		}
		write(t, name, was)
	}
	if r := verified(t, out); !r.OK {
		t.Fatal(r.Problems)
	}
	write(t, filepath.Join(out, "more.txt"), "x")
	if r := verified(t, out); r.OK {
		t.Error("a file more was not found")
	}
}

func FuzzManifest(f *testing.F) {
	f.Add([]byte(`{"schema":"hide shard 1"}`))
	f.Add([]byte(`{"schema":"hide shard 1","settings":{"version":"1","bundle_sha256":"` + strings.Repeat("a", 64) + `","placeholder":"[LABEL]","labels":["NAME"],"format":"jsonl","skip_bad":false},` +
		`"input":{"files":1,"bytes":2,"sha256":"` + strings.Repeat("b", 64) + `"},"shard":0,"of":1,"read":{"ranges":[{"file":"a","bytes":2,"from":0,"to":2}],"bytes":2,"sha256":"` + strings.Repeat("c", 64) + `"},` +
		`"output":{"path":"shard-0-of-1.jsonl","bytes":0,"sha256":"` + strings.Repeat("d", 64) + `"},"errors":null,"counts":{"notes":0,"refused":0,"redactions":{}},"seconds":0.5}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		m, err := shard.ParseManifest(text)
		if err != nil {
			return
		}
		var b strings.Builder
		if err := m.Write(&b); err != nil {
			t.Fatal(err)
		}
		if again, err := shard.ParseManifest([]byte(b.String())); err != nil || !reflect.DeepEqual(again, m) {
			t.Errorf("%+v is not %+v, %v", again, m, err)
		}
	})
}
