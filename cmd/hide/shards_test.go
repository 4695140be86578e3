// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"hide/internal/testsize"
)

// shardRun is a folder with the bundle, notes in files, and what one process makes of them.
type shardRun struct {
	dir  string
	want string
}

// Notes of the tests of shards: enough that a shard can be killed while it is written.
const (
	shardFiles = 3
	shardNotes = 700 // of a file
)

func newShardRun(t *testing.T) shardRun {
	t.Helper()
	r := shardRun{dir: t.TempDir()}
	for _, name := range []string{"bundle", "notes", "redacted"} {
		if err := os.Mkdir(filepath.Join(r.dir, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	var learn, all bytes.Buffer
	for i, name := range []string{"Anna Weiss", "Karl Berg", "Lena Khan", "Ivo Novak", "Rose Silva", "May Ortiz"} {
		fmt.Fprintf(&learn, `{"id":"%d","text":"Seen by Dr. %s on %d/4 for pain.","spans":[{"start":12,"end":%d,"label":"NAME"},{"start":%d,"end":%d,"label":"DATE"}]}`+"\n",
			i, name, i+1, 12+len(name), 16+len(name), 19+len(name))
	}
	r.write(t, "learn.jsonl", learn.Bytes())
	if err := makeBundle(filepath.Join(r.dir, "learn.jsonl"), filepath.Join(r.dir, "bundle", "bundle")); err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(16, 5))
	for i := range shardFiles {
		var b bytes.Buffer
		for n := range shardNotes {
			text := strings.Repeat("The patient walks, eats and sleeps well. ", rng.IntN(40)) + fmt.Sprintf("Seen by Dr. Ivo Silva on %d/%d for pain.", 1+rng.IntN(9), 1+rng.IntN(9))
			if rng.IntN(50) == 0 {
				text = "\xff"
			}
			fmt.Fprintf(&b, `{"id":"%d-%d","text":"%s"}`+"\n", i, n, text)
		}
		r.write(t, fmt.Sprintf("notes/part-%d.jsonl", i), b.Bytes())
		all.Write(b.Bytes())
	}
	one := exec.Command("hide", "redact", "--bundle", filepath.Join(r.dir, "bundle", "bundle"), "--skip-bad")
	one.Stdin = &all
	out, err := one.Output()
	if err != nil {
		t.Fatal(err)
	}
	r.want = string(out)
	return r
}

func (r shardRun) write(t *testing.T, name string, text []byte) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(r.dir, name), text, 0o600); err != nil {
		t.Fatal(err)
	}
}

// check compares the merged release with one process, and verifies it.
func (r shardRun) check(t *testing.T, release string) {
	t.Helper()
	got, err := os.ReadFile(filepath.Join(release, "notes.jsonl"))
	if err != nil || string(got) != r.want {
		t.Fatalf("%d bytes, one process writes %d, %v", len(got), len(r.want), err)
	}
	if out, err := exec.Command("hide", "verify", release).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
}

// TestAKilledShardIsRedactedAnew runs the command lines of the Kubernetes manifests as
// processes. It kills some while they write their shard, each time at a random moment, and
// starts them again, as the cluster would.
func TestAKilledShardIsRedactedAnew(t *testing.T) {
	testsize.Slow(t)
	r := newShardRun(t)
	job, err := readJob("../../k8s/redact.yaml")
	if err != nil {
		t.Fatal(err)
	}
	merge, err := readJob("../../k8s/merge.yaml")
	if err != nil {
		t.Fatal(err)
	}
	places := map[string]string{"/bundle/": r.dir + "/bundle/", "/notes/": r.dir + "/notes/", "/redacted/": r.dir + "/redacted/"}
	shards := int(*job.Spec.Completions)
	start := func(i int) *exec.Cmd {
		args := job.commandLine(map[string]string{"JOB_COMPLETION_INDEX": fmt.Sprint(i)}, places)
		return exec.Command(args[0], args[1:]...)
	}
	rng := rand.New(rand.NewPCG(5, 16))
	kills := map[int]int{}
	for range killsOf(5) {
		kills[rng.IntN(shards)]++
	}
	for _, i := range rng.Perm(shards) {
		work := r.complete(t, i, shards, start)
		for range kills[i] {
			r.kill(t, i, shards, start, work, rng)
		}
		if kills[i] > 0 {
			r.complete(t, i, shards, start)
		}
	}
	args := merge.commandLine(nil, places)
	if out, err := exec.Command(args[0], args[1:]...).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	r.check(t, filepath.Join(r.dir, "redacted", "release"))
	if left, _ := filepath.Glob(filepath.Join(r.dir, "redacted", "shards", ".*")); len(left) > 0 {
		t.Errorf("killed processes left %v", left)
	}
}

// complete redacts a shard. It returns how long the process takes after it began to write.
func (r shardRun) complete(t *testing.T, i, n int, start func(int) *exec.Cmd) time.Duration {
	t.Helper()
	cmd := start(i)
	var said bytes.Buffer
	cmd.Stderr = &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	exited := make(chan error, 1)
	go func() { exited <- cmd.Wait() }()
	began := time.Now()
	if r.begun(i, n, exited) {
		began = time.Now()
	}
	if err := <-exited; err != nil {
		t.Fatalf("shard %d: %v: %s", i, err, said.String())
	}
	return time.Since(began)
}

// begun waits until the process writes the output of the shard. It is false if the process
// ends before anybody sees that.
func (r shardRun) begun(i, n int, exited chan error) bool {
	unfinished := filepath.Join(r.dir, "redacted", "shards", fmt.Sprintf(".shard-%02d-of-%d.jsonl.part-*", i, n))
	for {
		if found, _ := filepath.Glob(unfinished); len(found) > 0 {
			return true
		}
		select {
		case err := <-exited:
			exited <- err
			return false
		case <-time.After(time.Millisecond):
		}
	}
}

// kill redacts a shard anew and kills the process while it writes. It tries again when the
// process was faster, and earlier.
func (r shardRun) kill(t *testing.T, i, n int, start func(int) *exec.Cmd, work time.Duration, rng *rand.Rand) {
	t.Helper()
	done := filepath.Join(r.dir, "redacted", "shards", fmt.Sprintf("shard-%02d-of-%d", i, n))
	for range 100 {
		for _, ext := range []string{".json", ".jsonl", ".errors"} {
			if err := os.Remove(done + ext); err != nil && !errors.Is(err, os.ErrNotExist) {
				t.Fatal(err)
			}
		}
		cmd := start(i)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		exited := make(chan error, 1)
		go func() { exited <- cmd.Wait() }()
		if r.begun(i, n, exited) {
			time.Sleep(time.Duration(rng.Int64N(int64(work) + 1)))
		}
		_ = cmd.Process.Kill() // an error says that it has ended
		<-exited
		status, _ := cmd.ProcessState.Sys().(syscall.WaitStatus)
		if _, err := os.Stat(done + ".json"); status.Signaled() && errors.Is(err, os.ErrNotExist) {
			return
		}
		work = work * 3 / 4
	}
	t.Fatalf("shard %d could not be killed while it was written", i)
}

// TestExamplesOfShards runs the command lines of the documentation that redact shards with
// other programs.
func TestExamplesOfShards(t *testing.T) {
	testsize.Slow(t)
	text, err := os.ReadFile("../../docs/shards.md")
	if err != nil {
		t.Fatal(err)
	}
	r := newShardRun(t)
	for _, program := range []string{"xargs", "parallel"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Fatalf("%s is missing: ./test installs it on Debian", program)
		}
		example := exampleWith(string(text), "| "+program+" ")
		if example == "" {
			t.Fatalf("docs/shards.md has no example with %s", program)
		}
		dir := t.TempDir()
		for _, name := range []string{"bundle/bundle", "notes"} {
			if err := os.Symlink(filepath.Join(r.dir, name), filepath.Join(dir, filepath.Base(name))); err != nil {
				t.Fatal(err)
			}
		}
		cmd := exec.Command("sh", "-e", "-c", example)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v: %s", program, err, out)
		}
		r.check(t, filepath.Join(dir, "release"))
	}
}

// exampleWith is the block of indented lines that has these words.
func exampleWith(text, words string) string {
	for block := range strings.SplitSeq(text, "\n\n") {
		if strings.HasPrefix(block, "    ") && strings.Contains(block, words) {
			return block
		}
	}
	return ""
}

// TestAFilterAnswersLineByLine is what programs need that send lines through hide redact, such
// as Spark and ClickHouse: one line out for each line in, in order, all of them when the input
// ends, and status 0. With a line that cannot be read the status is 1; with --skip-bad it is 0,
// and the line has no answer.
func TestAFilterAnswersLineByLine(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	learn, bundle := filepath.Join(dir, "learn.jsonl"), filepath.Join(dir, "bundle")
	line := `{"id":"a","text":"Seen by Dr. Anna Weiss on 3/4.","spans":[{"start":12,"end":22,"label":"NAME"}]}` + "\n"
	if err := os.WriteFile(learn, []byte(line+strings.Replace(line, `"a"`, `"b"`, 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := makeBundle(learn, bundle); err != nil {
		t.Fatal(err)
	}
	const lines, bad = 300, 120
	for _, c := range []struct {
		bad  bool
		args []string
		code int
		ids  int
	}{
		{false, nil, 0, lines},
		{true, nil, 1, bad},
		{true, []string{"--skip-bad"}, 0, lines - 1},
	} {
		var in strings.Builder
		for n := range lines {
			if c.bad && n == bad {
				fmt.Fprintln(&in, `{"id":"x","text":"Weiss","ward":"3"}`)
				continue
			}
			fmt.Fprintf(&in, `{"id":"%d","text":"%s"}`+"\n", n, strings.Repeat("walks ", n%17))
		}
		cmd := exec.Command("hide", append([]string{"redact", "--bundle", bundle}, c.args...)...)
		cmd.Stdin = strings.NewReader(strings.TrimSuffix(in.String(), "\n")) // also the last line is answered
		out, err := cmd.Output()
		if code := cmd.ProcessState.ExitCode(); code != c.code {
			t.Fatalf("%v: exit status %d, %v", c, code, err)
		}
		n := 0
		for answer := range bytes.Lines(out) {
			var a struct{ ID string }
			if c.bad && n == bad {
				n++
			}
			if err := json.Unmarshal(answer, &a); err != nil || a.ID != fmt.Sprint(n) || !bytes.HasSuffix(answer, []byte("\n")) {
				t.Fatalf("%v: answer %q in the place of %d, %v", c, a.ID, n, err)
			}
			n++
		}
		if got := bytes.Count(out, []byte("\n")); got != c.ids {
			t.Fatalf("%v: %d answers, want %d", c, got, c.ids)
		}
	}
}
