// SPDX-License-Identifier: Apache-2.0

package shard_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"hide/internal/publish/shard"
	"hide/internal/testsize"
)

// store is a storage in memory, whose files are read from their start only. Writing a file
// whose name ends in broken fails at its end.
type store struct {
	files  map[string]string
	broken string
}

func (s store) Size(_ context.Context, name string) (int64, error) {
	if text, there := s.files[name]; there {
		return int64(len(text)), nil
	}
	return 0, errors.New("no such object")
}

func (s store) Open(_ context.Context, name string, at int64) (io.ReadCloser, error) {
	if at > 0 {
		return nil, errors.ErrUnsupported
	}
	return io.NopCloser(strings.NewReader(s.files[name])), nil
}

func (s store) Write(_ context.Context, name string, fill func(io.Writer) error) (int64, error) {
	var text bytes.Buffer
	err := fill(&text)
	if s.broken != "" && strings.HasSuffix(name, s.broken) {
		err = errors.Join(err, errors.New("the store is full"))
	}
	if err != nil {
		return 0, err
	}
	s.files[name] = text.String()
	return int64(text.Len()), nil
}

// TestShardsInAStoreHaveTheBytesOfOne: a store whose files cannot be read from the middle has
// whole files in its shards, and the bytes of a single shard of local files.
func TestShardsInAStoreHaveTheBytesOfOne(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(5, 6))
	for range testsize.Of(3, 30) {
		local, one := input(t, rng, 1+rng.IntN(5), .1), t.TempDir()
		want, left, _ := redact(t, rng, 1, one, func(int) *shard.Job { return job(local, 0, 1, one) })
		s := store{files: map[string]string{}}
		names := []string{"store://empty"}
		s.files[names[0]] = ""
		for _, f := range local {
			names = append(names, "store://"+f.Path)
			s.files["store://"+f.Path] = read(t, f.Path)
		}
		files, err := shard.Sizes(t.Context(), s, names)
		if err != nil || len(files) != len(local) {
			t.Fatal(files, err)
		}
		var outputs, lefts strings.Builder
		n := 1 + rng.IntN(7)
		for i := range n {
			j := job(files, i, n, "store://out")
			j.Storage = s
			m, err := j.Redact(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			outputs.WriteString(s.files["store://out/"+m.Output.Path])
			lefts.WriteString(s.files["store://out/"+m.Errors.Path])
			for _, r := range m.Read.Ranges {
				if r.From != 0 || r.To != r.Bytes {
					t.Errorf("a part of a file: %+v", r)
				}
			}
			if s.files["store://out/"+m.Name()] == "" {
				t.Errorf("shard %d has no manifest", i)
			}
		}
		if outputs.String() != want || lefts.String() != strings.ReplaceAll(left, `"file":"`, `"file":"store://`) {
			t.Errorf("%d shards have %q and %q, one has %q and %q", n, outputs.String(), lefts.String(), want, left)
		}
	}
}

// TestFailingStoresLeaveNoManifest: whatever cannot be written or has changed, the shard is
// not done.
func TestFailingStoresLeaveNoManifest(t *testing.T) {
	t.Parallel()
	const note = `{"id":"1","text":"Seen by Dr. Anna Weiss."}`
	for _, broken := range []string{".jsonl", ".errors", ".json", "grows", "is gone"} {
		s := store{map[string]string{"store://in": note}, broken}
		files, err := shard.Sizes(t.Context(), s, []string{"store://in"})
		if err != nil {
			t.Fatal(err)
		}
		switch broken {
		case "grows":
			s.files["store://in"] = note + "\n" + note
		case "is gone":
			delete(s.files, "store://in")
		}
		j := job(files, 0, 1, "store://out")
		j.Storage = s
		_, err = j.Redact(t.Context())
		if err == nil || strings.Contains(err.Error(), "Weiss") {
			t.Errorf("%s: %v", broken, err)
		}
		for name := range s.files {
			if strings.HasSuffix(name, ".json") {
				t.Errorf("%s: a manifest", broken)
			}
		}
	}
}
