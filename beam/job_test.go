// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/x/beamx"

	"hide/internal/publish/shard"
)

// hide builds hide, once.
var hide = sync.OnceValues(func() (string, error) {
	name := filepath.Join(programs, "hide")
	c := exec.Command("go", "build", "-C", "..", "-o", name, "./cmd/hide")
	c.Stderr = os.Stderr
	return name, c.Run()
})

// run runs hide and returns what it writes to standard output.
func (w world) run(stdin string, args ...string) string {
	w.Helper()
	hide, err := hide()
	w.no(err)
	c := exec.Command(hide, args...)
	c.Stdin, c.Stderr = strings.NewReader(stdin), os.Stderr
	out, err := c.Output()
	w.no(err)
	return string(out)
}

// oneProcess is what hide redact makes of the whole input.
func (w world) oneProcess() string {
	w.Helper()
	var in strings.Builder
	for _, name := range w.glob("notes-*.jsonl") {
		if text := w.together(name); text != "" {
			in.WriteString(text + "\n")
		}
	}
	return w.run(in.String(), "redact", "--bundle", w.dir+"/bundle")
}

func TestJobHasTheBytesOfOneProcess(t *testing.T) {
	w := newWorld(t)
	want := w.oneProcess()
	for out, args := range map[string][]string{
		"cut":   {"--in", w.dir + "/notes-*.jsonl", "--out", w.dir + "/cut", "--shards", "7"},
		"store": {"--in", "trap://" + w.dir + "/notes-*.jsonl", "--out", "trap://" + w.dir + "/store", "--shards", "3", "--workers", "2"},
	} {
		said, err := w.job(args...)
		if err != nil {
			t.Fatalf("%v: %s", err, said)
		}
		if got := w.together(out + "/*.jsonl"); got != want {
			t.Errorf("%s: %d bytes, and of one process %d", out, len(got), len(want))
		}
		w.run("", "release", "merge", w.dir+"/"+out, "--out", w.dir+"/release-of-"+out)
		if got := w.together("release-of-" + out + "/*.jsonl"); got != want {
			t.Errorf("%s: the release has %d bytes, and one process %d", out, len(got), len(want))
		}
	}
	if left := slices.Concat(w.glob("store.part-*/*/*"), w.glob(".cut.part-*")); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

// TestCountersAreThoseOfTheManifests runs a job in this process, where nothing is tried twice.
func TestCountersAreThoseOfTheManifests(t *testing.T) {
	w := newWorld(t)
	w.write("notes-9.jsonl", []byte("no note\n"))
	t.Setenv("TMPDIR", t.TempDir()) // Beam leaves files there
	j := Job{Bundle: w.dir + "/bundle", Out: w.dir + "/out", Of: 3, Skip: true}
	beam.Init()
	p, err := j.pipeline(t.Context(), w.dir+"/notes-*.jsonl")
	w.no(err)
	result, err := beamx.RunWithMetrics(t.Context(), p)
	w.no(err)
	want := map[string]int64{}
	for _, name := range w.glob("out/*.json") {
		m, err := shard.ReadManifest(filepath.Join(w.dir, name))
		w.no(err)
		want["hide.notes"] += int64(m.Counts.Notes)
		want["hide.refused"] += int64(m.Counts.Refused)
		for label, n := range m.Counts.Redactions {
			want["hide.redactions."+string(label)] += int64(n)
		}
	}
	got := map[string]int64{}
	for _, c := range result.Metrics().AllMetrics().Counters() {
		got[c.Key.Namespace+"."+c.Key.Name] += c.Result()
	}
	if !maps.Equal(got, want) || want["hide.refused"] != 1 || len(want) < 5 {
		t.Errorf("counters are %v, and manifests have %v", got, want)
	}
}

// TestKilledWorkerFailsTheJob kills the process of the workers while it reads the last file.
// Prism does not try again: the job fails. The next one begins anew.
func TestKilledWorkerFailsTheJob(t *testing.T) {
	w := newWorld(t)
	job := []string{"--in", "trap://" + w.dir + "/notes-*.jsonl", "--out", "trap://" + w.dir + "/out", "--shards", "3"}
	flags, ended := w.workers("HIDE_BEAM_DEADLY=notes-3.jsonl")
	said, err := w.job(slices.Concat(flags, job)...)
	if err == nil || !strings.Contains(said, "hide-beam: ") {
		t.Fatalf("%v: %s", err, said)
	}
	exit, died := errors.AsType[*exec.ExitError](<-ended)
	if !died || exit.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL {
		t.Fatalf("the worker was not killed: %v", exit)
	}
	if seen := w.glob("out"); len(seen) > 0 {
		t.Errorf("visible: %v", seen)
	}
	if done := w.glob("out.part-*/*/*.json"); len(done) == 0 {
		t.Error("no shard was finished before")
	}
	flags, _ = w.workers("")
	if said, err = w.job(slices.Concat(flags, job)...); err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	if w.together("out/*.jsonl") != w.oneProcess() {
		t.Error("other bytes")
	}
}

// TestBadNoteFailsTheJob: nothing is visible, and what the job says has the place of the note
// and nothing of the note.
func TestBadNoteFailsTheJob(t *testing.T) {
	w := newWorld(t)
	w.write("bad.jsonl", []byte(`{"id":"1","text":"Rose walks."}`+"\n"+`{"id":"2","patient":"Quarkinson"}`+"\n"))
	job := []string{"--in", w.dir + "/bad.jsonl", "--out", w.dir + "/out", "--shards", "2"}
	said, err := w.job(job...)
	if err == nil || !strings.Contains(said, "bad.jsonl") || !strings.Contains(said, "byte 32") || strings.Contains(said, "Quarkinson") {
		t.Errorf("%v: %s", err, said)
	}
	if seen := w.glob("out*"); len(seen) > 0 {
		t.Errorf("visible: %v", seen)
	}
	if said, err = w.job(append(job, "--skip-bad")...); err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	if n := strings.Count(w.together("out/*.errors"), "\n"); n != 1 {
		t.Errorf("%d notes are listed as left out", n)
	}
	if n := strings.Count(w.together("out/*.jsonl"), "\n"); n != 1 {
		t.Errorf("%d notes are redacted", n)
	}
}

func TestJobsThatCannotBeAreRefused(t *testing.T) {
	w := newWorld(t)
	w.write("text", []byte("no bundle"))
	bundle, in, out := w.dir+"/bundle", w.dir+"/notes-*.jsonl", w.dir+"/out"
	for want, c := range map[string]struct {
		job Job
		in  string
	}{
		"--in, --bundle and --out are needed":           {Job{Bundle: bundle, Of: 1}, in},
		"--shards: enter a whole number from 1 to":      {Job{Bundle: bundle, Out: out}, in},
		"--workers: enter a whole number of at least 0": {Job{Bundle: bundle, Out: out, Of: 1, Workers: -1}, in},
		"must be in the same file system":               {Job{Bundle: bundle, Out: "trap://" + out, Of: 1}, in},
		"--out: choose a name without *":                {Job{Bundle: bundle, Out: out + "[1]", Of: 1}, in},
		"exists already":                                {Job{Bundle: bundle, Out: w.dir, Of: 1}, in},
		`notes-*.txt" matches no file`:                  {Job{Bundle: bundle, Out: out, Of: 1}, w.dir + "/notes-*.txt"},
		`other-*" matches no file`:                      {Job{Bundle: bundle, Out: "trap://" + out, Of: 1}, "trap://" + w.dir + "/other-*"},
		"no such file or directory":                     {Job{Bundle: bundle + "s", Out: out, Of: 1}, in},
		"/text: not a complete bundle file":             {Job{Bundle: w.dir + "/text", Out: out, Of: 1}, in},
		`scheme "none" not registered`:                  {Job{Bundle: bundle, Out: "none://bucket/out", Of: 1}, "none://bucket/*"},
	} {
		if err := c.job.prepare(t.Context(), c.in); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
