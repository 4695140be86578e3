// SPDX-License-Identifier: Apache-2.0

package shard_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"hide/internal/annotate"
	"hide/internal/crf"
	"hide/internal/publish"
	"hide/internal/publish/publishtest"
	"hide/internal/publish/shard"
	"hide/internal/publish/stream"
)

var names = []string{"Anna Weiss", "Karl Berg", "Lena Khan", "Ivo Novak", "Rose Silva", "May Ortiz"}

// bundles are two bundles, learnt from few sentences with different placeholders.
var bundles = sync.OnceValue(func() (two [2]*publish.Bundle) {
	var docs []annotate.View
	for i, name := range names {
		before := "Seen by Dr. "
		text := fmt.Sprintf("%s%s on %d/4 for pain.", before, name, i+1)
		at := annotate.ByteOff(len(before))
		date := at + annotate.ByteOff(len(name)+len(" on "))
		note := annotate.NewNote(annotate.Annotated{Document: annotate.Document{Text: text}, Spans: []annotate.Span{
			{Start: at, End: at + annotate.ByteOff(len(name)), Label: "NAME"}, {Start: date, End: date + 3, Label: "DATE"},
		}})
		docs = append(docs, (&note).View())
	}
	for i := range two {
		b, err := publishtest.Bundle(docs, crf.Options{MaxIterations: 20})
		if err != nil {
			panic(err)
		}
		b.Policy.Placeholder = []string{"[LABEL]", "<LABEL>"}[i]
		two[i] = b
	}
	return two
})

// input writes files of random notes and lists them. bad is the share of lines that cannot be read.
func input(t *testing.T, rng *rand.Rand, files int, bad float64) []shard.File {
	t.Helper()
	dir := t.TempDir()
	for i := range files {
		var b bytes.Buffer
		for n := range rng.IntN(12) {
			line, _ := json.Marshal(map[string]string{"id": fmt.Sprintf("%d-%d", i, n), "text": note(rng)})
			if rng.Float64() < bad {
				line = []byte(`{"secret":"Weiss"}`)
			}
			b.Write(line)
			b.WriteString([]string{"\n", "\r\n"}[rng.IntN(2)])
		}
		text := b.Bytes()
		if rng.IntN(3) == 0 {
			text = bytes.TrimRight(text, "\r\n")
		}
		write(t, filepath.Join(dir, fmt.Sprintf("notes-%02d.jsonl", i)), string(text))
	}
	return find(t, filepath.Join(dir, "*.jsonl"))
}

func note(rng *rand.Rand) string {
	text := fmt.Sprintf("Seen by Dr. %s on %d/6 for pain.", names[rng.IntN(len(names))], 1+rng.IntN(9))
	return strings.Repeat("walks. ", rng.IntN(30)) + text
}

func find(t *testing.T, patterns ...string) []shard.File {
	t.Helper()
	files, err := shard.Find(patterns)
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// job is a job over files, with a clock that goes on by a second at each look.
func job(files []shard.File, i, n int, dir string) *shard.Job {
	now := time.Unix(0, 0)
	return &shard.Job{
		Bundle: bundles()[0], Version: "1", Options: stream.Options{Format: "jsonl", Skip: true},
		Files: files, Number: shard.Number{Shard: i, Of: n}, Dir: dir,
		Now: func() time.Time { now = now.Add(time.Second); return now },
	}
}

// redact does all shards in random order, and returns their outputs and errors in order.
func redact(t *testing.T, rng *rand.Rand, n int, dir string, make func(i int) *shard.Job) (output, left string, counts shard.Counts) {
	t.Helper()
	outputs, lefts := map[int]string{}, map[int]string{}
	counts.Redactions = map[annotate.Label]int{}
	for _, i := range rng.Perm(n) {
		m, done, err := make(i).Do(t.Context())
		if err != nil || done {
			t.Fatal(err, done)
		}
		outputs[i] = read(t, filepath.Join(dir, m.Output.Path))
		if m.Errors != nil {
			lefts[i] = read(t, filepath.Join(dir, m.Errors.Path))
		}
		counts.Notes += m.Counts.Notes
		counts.Refused += m.Counts.Refused
		for l, k := range m.Counts.Redactions {
			counts.Redactions[l] += k
		}
	}
	for i := range n {
		output, left = output+outputs[i], left+lefts[i]
	}
	return output, left, counts
}
