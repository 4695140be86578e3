// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
)

// hide builds hide, once.
var hide = sync.OnceValues(func() (string, error) {
	name := filepath.Join(os.TempDir(), "hide-of-beam-test")
	said, err := exec.Command("go", "build", "-C", "..", "-o", name, "./cmd/hide").CombinedOutput()
	if err != nil {
		os.Stderr.Write(said)
	}
	return name, err
})

// oneProcess is what hide redact makes of the whole input.
func (w world) oneProcess() string {
	w.Helper()
	hide, err := hide()
	w.no(err)
	c := exec.Command(hide, "redact", "--bundle", w.dir+"/bundle")
	var in strings.Builder
	for _, name := range w.glob("notes-*.jsonl") {
		if text := w.together(name); text != "" {
			in.WriteString(text + "\n")
		}
	}
	c.Stdin = strings.NewReader(in.String())
	out, err := c.Output()
	w.no(err)
	return string(out)
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
	}
	if left := slices.Concat(w.glob("*part*"), w.glob(".*part*")); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

func TestKilledWorkerFailsTheJob(t *testing.T) {
	w := newWorld(t)
	in := []string{"--in", "trap://" + w.dir + "/notes-*.jsonl", "--out", w.dir + "/out", "--shards", "3"}
	flags, wait := w.workers("HIDE_BEAM_DEADLY=notes-3.jsonl")
	said, err := w.job(slices.Concat(flags, in)...)
	if err == nil || !strings.Contains(said, "hide-beam: ") {
		t.Fatalf("%v: %s", err, said)
	}
	t.Log(said)
	var exit *exec.ExitError
	if err := wait(); !errors.As(err, &exit) || exit.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL {
		t.Fatalf("the worker was not killed: %v", err)
	}
	if seen := w.glob("out*"); len(seen) > 0 {
		t.Errorf("visible: %v", seen)
	}
	if done := w.glob(".out.part-*/*"); len(done) == 0 {
		t.Error("no shard was finished before")
	}
	flags, _ = w.workers("")
	if said, err = w.job(slices.Concat(flags, in)...); err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	if w.together("out/*.jsonl") != w.oneProcess() {
		t.Error("other bytes")
	}
}
