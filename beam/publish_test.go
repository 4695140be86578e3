// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hide/internal/publish/shard"
)

// redacted is a job whose shards were redacted, each of them twice. Only the second tries are
// done.
func (w world) redacted(scheme string) (*Job, []Done) {
	w.Helper()
	j := &Job{Bundle: w.dir + "/bundle", Out: scheme + w.dir + "/first", Of: 3, Workers: 1}
	w.no(j.prepare(w.Context(), scheme+w.dir+"/notes-*.jsonl"))
	fn := redactFn{Job: *j}
	w.no(fn.Setup(w.Context()))
	var done []Done
	for number := range 3 {
		_, err := fn.ProcessElement(w.Context(), number)
		w.no(err)
		d, err := fn.ProcessElement(w.Context(), number)
		w.no(err)
		done = append(done, d)
	}
	return j, done
}

// publish calls the last step as runners do, in another order than that of the shards.
func (w world) publish(j *Job, done ...Done) error {
	left := done
	return (&publishFn{*j}).ProcessElement(w.Context(), 0, func(d *Done) bool {
		if len(left) == 0 {
			return false
		}
		*d, left = left[len(left)-1], left[:len(left)-1]
		return true
	})
}

// again copies the stage of a job for another job.
func (w world) again(j *Job, out string) *Job {
	w.Helper()
	copied := *j
	copied.Out = strings.TrimSuffix(j.Out, "first") + out
	copied.Stage = strings.ReplaceAll(j.Stage, "first", out)
	w.no(os.CopyFS(onDisk(copied.Stage), os.DirFS(onDisk(j.Stage))))
	return &copied
}

// TestPublishingGoesOnAfterAnyFailure lets each change of a store fail, and tries again.
func TestPublishingGoesOnAfterAnyFailure(t *testing.T) {
	w := newWorld(t)
	first, done := w.redacted("trap://")
	want := w.oneProcess()
	failures := 0
	for ; ; failures++ {
		j := w.again(first, "out")
		untilFailure.Store(int64(failures))
		err := w.publish(j, done...)
		failed := untilFailure.Swap(-1) == -1
		if (err != nil) != failed {
			t.Fatalf("%v after %d changes", err, failures)
		}
		for _, name := range w.glob("out/*.json") {
			if m, err := shard.ReadManifest(filepath.Join(w.dir, name)); err != nil || len(w.together("out/"+m.Output.Path)) != int(m.Output.Bytes) {
				t.Errorf("%s is there without its output: %v", name, err)
			}
		}
		for range 2 {
			if err := w.publish(j, done...); err != nil {
				t.Fatalf("again after %d changes: %v", failures, err)
			}
		}
		if got := w.together("out/*.jsonl"); got != want {
			t.Errorf("after %d changes %d bytes of %d", failures, len(got), len(want))
		}
		if left := w.glob("out.part-*/*/*"); len(left) > 0 {
			t.Errorf("left: %v", left)
		}
		w.no(os.RemoveAll(w.dir + "/out"))
		if !failed {
			break
		}
	}
	if failures < 2*len(done) {
		t.Errorf("%d changes can fail, and there are %d files", failures, 2*len(done))
	}
}

// TestFoldersAppearWhole stops the last step after the first of three shards, and tries it
// again until the second shard is there.
func TestFoldersAppearWhole(t *testing.T) {
	w := newWorld(t)
	j, done := w.redacted("")
	hidden := filepath.Join(w.dir, "elsewhere")
	middle := filepath.Join(j.Stage, done[1].Try)
	w.no(os.Rename(middle, hidden))
	for range 2 {
		if err := w.publish(j, done...); err == nil || len(w.glob("first")) > 0 {
			t.Fatalf("%v, and visible: %v", err, w.glob("first"))
		}
	}
	w.no(os.Rename(hidden, middle))
	for range 2 {
		w.no(w.publish(j, done...))
	}
	if w.together("first/*.jsonl") != w.oneProcess() || len(w.glob(".first*")) > 0 || len(w.glob("first/*")) != 6 {
		t.Errorf("other bytes or files: %v and %v", w.glob("first/*"), w.glob(".first*"))
	}
}

func TestShardsThatMakeNoWholeAreRefused(t *testing.T) {
	w := newWorld(t)
	j, done := w.redacted("")
	other := done[2]
	other.Bundle = "another"
	for want, shards := range map[string][]Done{
		"not each of 3 shards was redacted once": done[:2],
		"not each of 3 shards":                   {done[0], done[1], done[1]},
		"each of 3 shards was redacted once":     {done[0], done[1], done[2], done[2]},
		"/bundle changed during the job":         {done[0], done[1], other},
	} {
		if err := w.publish(j, shards...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	w.write("bundle", []byte("damaged"))
	if err := (&redactFn{Job: *j}).Setup(t.Context()); err == nil {
		t.Error("a worker reads a bundle that is damaged")
	}
	if seen := w.glob("first"); len(seen) > 0 {
		t.Errorf("visible: %v", seen)
	}
}
