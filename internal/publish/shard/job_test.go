// SPDX-License-Identifier: Apache-2.0

package shard_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"hide/internal/publish/shard"
	"hide/internal/publish/stream"
	"hide/internal/testsize"
)

// TestShardsHaveTheBytesOfOne compares any cut with a single shard, and that one with the
// filter on the files one after the other.
func TestShardsHaveTheBytesOfOne(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(3, 4))
	for range testsize.Of(3, 30) {
		files := input(t, rng, 1+rng.IntN(4), .1)
		one := t.TempDir()
		want, errors, counts := redact(t, rng, 1, one, func(int) *shard.Job { return job(files, 0, 1, one) })
		if stdin, n := filtered(t, files); stdin != want || n != counts.Refused {
			t.Fatalf("a single shard has %q, the filter %q", want, stdin)
		}
		for range 2 {
			dir, n := t.TempDir(), 1+rng.IntN(12)
			output, left, sum := redact(t, rng, n, dir, func(i int) *shard.Job {
				j := job(files, i, n, dir)
				j.Options.Workers = 1 + rng.IntN(4)
				return j
			})
			if output != want || left != errors || !reflect.DeepEqual(sum, counts) {
				t.Fatalf("%d shards have %q, %q and %v, one has %q, %q and %v", n, output, left, sum, want, errors, counts)
			}
		}
		if strings.Contains(want+errors, "Weiss") || strings.Count(want, "\n") != counts.Notes || strings.Count(errors, "\n") != counts.Refused {
			t.Fatalf("%q and %q with %v", want, errors, counts)
		}
	}
}

// filtered are the files as hide redact answers them on standard input.
func filtered(t *testing.T, files []shard.File) (output string, refused int) {
	t.Helper()
	var in, out bytes.Buffer
	for _, f := range files {
		text := strings.TrimRight(read(t, f.Path), "\n")
		in.WriteString(text + "\n")
	}
	piece := stream.Piece{Name: stream.StandardInput, Open: func() (io.ReadCloser, error) { return io.NopCloser(&in), nil }}
	counts, err := stream.Redact(t.Context(), bundles()[0], []stream.Piece{piece}, &out, stream.Options{Format: "jsonl", Skip: true})
	if err != nil {
		t.Fatal(err)
	}
	return out.String(), counts.Refused
}

const hl7Message = "MSH|^~\\&|EHR|Ward 3|||20260102||ORU^R01|17|P|2.5\rPID|1||4711^^^H^MR||Silva^Zebulon||19610514|M\r" +
	"OBX|1|TX|34109-9^Note^LN||Seen by Dr. Ivo Silva on 6/6 for pain. zebulon, chart 4711.||||||F\r"

const fhirResources = `{"resourceType":"Patient","id":"1","name":[{"family":"Silva","given":["Zebulon"]}]}
{"resourceType":"DiagnosticReport","id":"7","status":"final","code":{"text":"Note"},"subject":{"reference":"Patient/1"},"conclusion":"Seen by Dr. Ivo Karl on 6/6 for pain. zebulon, chart 4711."}
`

// TestMessagesAreCutBetweenFiles also shows that nobody is known from one file in the next:
// that would depend on the cut.
func TestMessagesAreCutBetweenFiles(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(5, 6))
	for format, text := range map[string]string{"hl7": hl7Message, "fhir": fhirResources} {
		in := t.TempDir()
		for i := range 5 {
			write(t, filepath.Join(in, fmt.Sprint(i)), strings.Repeat(text, 1+rng.IntN(3)))
		}
		write(t, filepath.Join(in, "5"), fhirResources[strings.Index(fhirResources, "\n")+1:])
		if format == "hl7" {
			write(t, filepath.Join(in, "5"), "PID|1||4711\r"+hl7Message)
		}
		files := find(t, in+"/*")
		all := func(n int) string {
			dir := t.TempDir()
			output, left, counts := redact(t, rng, n, dir, func(i int) *shard.Job {
				j := job(files, i, n, dir)
				j.Options.Format, j.Options.Key = format, bytes.Repeat([]byte{7}, 32)
				return j
			})
			if counts.Notes < 6 || counts.Redactions["NAME"] == 0 || (format == "hl7") != strings.Contains(left, `{"file":"`+in+`/5","record":"message 1, segment 1","offset":0,`) {
				t.Fatalf("%s: %v, %q", format, counts, left)
			}
			return output + left
		}
		want := all(1)
		for _, n := range []int{2, 3, 9} {
			if got := all(n); got != want {
				t.Errorf("%s: %d shards have %q, one has %q", format, n, got, want)
			}
		}
	}
}

func TestShardsOfFHIRNeedAKey(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a.fhir")
	write(t, name, fhirResources)
	j := job(find(t, name), 0, 2, t.TempDir())
	j.Options.Format = "fhir"
	if _, _, err := j.Do(t.Context()); err == nil || !strings.Contains(err.Error(), "need a key") {
		t.Errorf("got %v", err)
	}
}

func TestTheOutputIsNotAmongTheInput(t *testing.T) {
	files := input(t, rand.New(rand.NewPCG(9, 9)), 2, 0)
	if _, _, err := job(files, 0, 1, filepath.Dir(files[0].Path)).Do(t.Context()); err == nil || !strings.Contains(err.Error(), "is in the folder for the output") {
		t.Errorf("got %v", err)
	}
}

// TestADoneShardIsNotDoneAgain shows that by the time in its manifest, and refuses one that is
// of something else.
func TestADoneShardIsNotDoneAgain(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(7, 8))
	files := input(t, rng, 3, 0)
	for name, c := range map[string]struct {
		change func(j *shard.Job, dir, output string)
		want   string // "" if the shard is done
	}{
		"nothing":         {func(*shard.Job, string, string) {}, ""},
		"workers":         {func(j *shard.Job, _, _ string) { j.Options.Workers = 3 }, ""},
		"bundle":          {func(j *shard.Job, _, _ string) { j.Bundle = bundles()[1] }, "is of another bundle"},
		"version":         {func(j *shard.Job, _, _ string) { j.Version = "2" }, "is of another version"},
		"settings":        {func(j *shard.Job, _, _ string) { j.Options.Encoding = "latin-1" }, "is of a run with another --encoding"},
		"skipping":        {func(j *shard.Job, _, _ string) { j.Options.Skip = !j.Options.Skip }, "is of a run with another choice of --skip-bad"},
		"a file more":     {func(j *shard.Job, _, _ string) { j.Files = append([]shard.File{{Path: "/", Bytes: 0}}, files...) }, "is of another input"},
		"output":          {func(_ *shard.Job, dir, output string) { write(t, output, read(t, output)+"\n") }, "was damaged or changed"},
		"output is gone":  {func(_ *shard.Job, _, output string) { os.Remove(output) }, "no such file"},
		"errors":          {func(_ *shard.Job, dir, _ string) { write(t, filepath.Join(dir, "shard-1-of-2.errors"), "x") }, "was damaged or changed"},
		"manifest is cut": {func(_ *shard.Job, dir, _ string) { write(t, filepath.Join(dir, "shard-1-of-2.json"), "{") }, "is not the manifest of a shard"},
	} {
		dir := t.TempDir()
		m, _, err := job(files, 1, 2, dir).Do(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		before := read(t, filepath.Join(dir, m.Output.Path))
		j := job(files, 1, 2, dir)
		c.change(j, dir, filepath.Join(dir, m.Output.Path))
		again, done, err := j.Do(t.Context())
		if c.want == "" && (err != nil || !done || !reflect.DeepEqual(again, m)) || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: done %v, %v", name, done, err)
		}
		if j.Again = true; c.want == "" || name == "a file more" {
			continue
		}
		if _, done, err := j.Do(t.Context()); err != nil || done || j.Bundle == bundles()[0] && read(t, filepath.Join(dir, m.Output.Path)) != before {
			t.Errorf("%s, again: done %v, %v", name, done, err)
		}
	}
}

func TestAnInputWithOtherContentIsRefused(t *testing.T) {
	t.Parallel()
	files := input(t, rand.New(rand.NewPCG(9, 8)), 3, 0)
	dir, name := t.TempDir(), files[0].Path
	if _, _, err := job(files, 0, 1, dir).Do(t.Context()); err != nil {
		t.Fatal(err)
	}
	write(t, name, strings.Replace(read(t, name), "pain", "cold", 1))
	if _, _, err := job(files, 0, 1, dir).Do(t.Context()); err == nil || !strings.Contains(err.Error(), "an input with other content") {
		t.Errorf("got %v", err)
	}
	write(t, name, read(t, name)+"{}\n")
	if _, _, err := job(files, 0, 1, t.TempDir()).Do(t.Context()); err == nil || !strings.Contains(err.Error(), "changed while it was read") {
		t.Errorf("got %v", err)
	}
}

// TestAShardAppearsWholeOrNotAtAll ends at a bad line, and then finds what killed processes
// left.
func TestAShardAppearsWholeOrNotAtAll(t *testing.T) {
	t.Parallel()
	name, dir := filepath.Join(t.TempDir(), "a.jsonl"), filepath.Join(t.TempDir(), "new")
	write(t, name, `{"id":"1","text":"walks"}`+"\n"+`{"id":"2","secret":"Weiss"}`+"\n")
	j := job(find(t, name), 0, 1, dir)
	j.Options.Skip = false
	_, _, err := j.Do(t.Context())
	if err == nil || !strings.Contains(err.Error(), "shard 0 of 1: byte 26 of "+name+": not an object") || strings.Contains(err.Error(), "Weiss") {
		t.Errorf("got %v", err)
	}
	if left := list(t, dir); len(left) > 0 {
		t.Errorf("there is %v", left)
	}
	for _, killed := range []string{".shard-0-of-1.jsonl.part-1", ".shard-0-of-1.errors.part-2", ".shard-0-of-1.json.part-3", ".shard-1-of-2.jsonl.part-4"} {
		write(t, filepath.Join(dir, killed), "{")
	}
	write(t, filepath.Join(dir, "shard-0-of-1.jsonl"), "of a process that was killed before its manifest")
	if _, done, err := job(find(t, name), 0, 1, dir).Do(t.Context()); err != nil || done {
		t.Errorf("done %v, %v", done, err)
	}
	if left, want := list(t, dir), []string{".shard-1-of-2.jsonl.part-4", "shard-0-of-1.errors", "shard-0-of-1.json", "shard-0-of-1.jsonl"}; !reflect.DeepEqual(left, want) {
		t.Errorf("there is %v, want %v", left, want)
	}
}

// meanwhile is a storage that does something else before it completes the output.
type meanwhile struct {
	shard.System
	do func()
}

func (s meanwhile) Write(ctx context.Context, name string, fill func(io.Writer) error) (int64, error) {
	return s.System.Write(ctx, name, func(w io.Writer) error {
		err := fill(w)
		if strings.HasSuffix(name, ".jsonl") {
			s.do()
		}
		return err
	})
}

// TestTwoProcessesRedactTheSameShard: the first that ends sweeps the files of the other, which
// then finds the shard done. A shard of another bundle is not what it wanted.
func TestTwoProcessesRedactTheSameShard(t *testing.T) {
	t.Parallel()
	files := input(t, rand.New(rand.NewPCG(2, 6)), 2, 0)
	for i, bundle := range bundles() {
		dir := t.TempDir()
		var first *shard.Manifest
		slow, fast := job(files, 0, 1, dir), job(files, 0, 1, dir)
		fast.Bundle = bundle
		slow.Storage = meanwhile{do: func() { first, _, _ = fast.Do(t.Context()) }}
		m, done, err := slow.Do(t.Context())
		if i == 0 && (err != nil || !done || !reflect.DeepEqual(m, first)) || i == 1 && (err == nil || first == nil) {
			t.Errorf("bundle %d: done %v, %v", i, done, err)
		}
		if left, want := list(t, dir), []string{"shard-0-of-1.errors", "shard-0-of-1.json", "shard-0-of-1.jsonl"}; !reflect.DeepEqual(left, want) {
			t.Errorf("bundle %d: there is %v, want %v", i, left, want)
		}
	}
}

// TestAgainLeavesNoFileOfOtherSettings: whoever joins the outputs by hand would join these too.
func TestAgainLeavesNoFileOfOtherSettings(t *testing.T) {
	t.Parallel()
	name, dir := filepath.Join(t.TempDir(), "a"), t.TempDir()
	write(t, name, hl7Message)
	messages := func(i int) *shard.Job {
		j := job(find(t, name), i, 2, dir)
		j.Options.Format = "hl7"
		return j
	}
	for i := range 2 {
		if _, _, err := messages(i).Do(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	before := list(t, dir)
	write(t, name, `{"id":"1","text":"walks"}`)
	j := job(find(t, name), 0, 2, dir)
	j.Options.Skip = false
	if _, _, err := j.Do(t.Context()); err == nil || !reflect.DeepEqual(list(t, dir), before) {
		t.Errorf("a refused job left %v, %v", list(t, dir), err)
	}
	j.Again = true
	if _, _, err := j.Do(t.Context()); err != nil {
		t.Fatal(err)
	}
	if left, want := list(t, dir), []string{"shard-0-of-2.json", "shard-0-of-2.jsonl", "shard-1-of-2.errors", "shard-1-of-2.hl7", "shard-1-of-2.json"}; !reflect.DeepEqual(left, want) {
		t.Errorf("there is %v, want %v", left, want)
	}
}

func list(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}
