// SPDX-License-Identifier: Apache-2.0

package store

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

const childVariable = "STORE_TEST_CHILD"

// TestMain turns the test binary into the child of the crash tests if the environment
// requests it.
func TestMain(m *testing.M) {
	if dir := os.Getenv(childVariable); dir != "" {
		fmt.Println(child(dir))
		os.Exit(1)
	}
	if dir := os.Getenv(rotatingVariable); dir != "" {
		if err := rotatingChild(dir); err != nil {
			fmt.Println("failed:", err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// child edits endlessly. After each Update it acknowledges it on stdout: "key number".
func child(dir string) error {
	s, err := Open(Options{Dir: dir, Create: true})
	if err != nil {
		return err
	}
	fmt.Println("open")
	var n uint64
	for rng := rand.New(rand.NewPCG(1, uint64(os.Getpid()))); ; {
		key := strconv.Itoa(rng.IntN(30))
		err := s.Update(System, func(tx *Tx) error {
			if n, err = tx.Next("edit"); err != nil {
				return err
			}
			value := fmt.Sprintf("%d %s", n, strings.Repeat("x", rng.IntN(6000)))
			return errors.Join(
				tx.Put("edit", []byte(key), []byte(value)),
				tx.Put("copy", []byte(key), []byte(value)),
				tx.Audit(Event{Actor: "u1", Action: "test.edit", Object: key}))
		})
		if err != nil {
			return err
		}
		fmt.Println(key, n)
	}
}

// victim is a running child.
type victim struct {
	cmd *exec.Cmd
	out io.ReadCloser
}

func startChild(t *testing.T, dir string) *victim {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childVariable+"="+dir)
	out, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	return &victim{cmd, out}
}

// kill kills the child some time after its first acknowledgement or, if early is set,
// after its start. It records what the child acknowledged before.
func (v *victim) kill(t *testing.T, early bool, after time.Duration, acks map[string]uint64) {
	t.Helper()
	begin, done := make(chan struct{}), make(chan struct{})
	start := sync.OnceFunc(func() { close(begin) })
	go func() {
		defer close(done)
		<-begin
		time.Sleep(after)
		v.cmd.Process.Kill()
	}()
	if early {
		start()
	}
	for in := bufio.NewScanner(v.out); in.Scan(); {
		key, number, ok := strings.Cut(in.Text(), " ")
		if !ok {
			continue // "open"
		}
		n, err := strconv.ParseUint(number, 10, 64)
		if err != nil {
			t.Errorf("the child says %q", in.Text())
			continue
		}
		acks[key] = n
		start()
	}
	start()
	<-done
	v.cmd.Wait()
}

// wantAcks verifies that every acknowledged edit exists: each key holds the last
// acknowledged number or a later one, and no edit is half done.
func wantAcks(t *testing.T, s *Store, acks map[string]uint64) {
	t.Helper()
	for key, n := range acks {
		value, err := get(s, System, "edit", key)
		copied, copyErr := get(s, System, "copy", key)
		number, _, _ := strings.Cut(value, " ")
		got, _ := strconv.ParseUint(number, 10, 64)
		if err != nil || copyErr != nil || got < n || value != copied {
			t.Fatalf("key %s: edit %d was acknowledged, found %d, %v, %v", key, n, got, err, copyErr)
		}
	}
}

func TestKilledProcessLosesNothingAcknowledged(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	rng := rand.New(rand.NewPCG(11, 12))
	acks := map[string]uint64{}
	total, kills := uint64(0), times(30)
	for round := range kills {
		early := round%5 == 0
		startChild(t, dir).kill(t, early, time.Duration(rng.IntN(50))*time.Millisecond, acks)
		s, err := Open(Options{Dir: dir, Create: true})
		if err != nil {
			t.Fatalf("after kill %d: %v", round+1, err)
		}
		wantAcks(t, s, acks)
		if err := s.Check(context.Background(), nil); err != nil {
			t.Fatalf("after kill %d: %v", round+1, err)
		}
		must(t, s.Close())
	}
	for _, n := range acks {
		total = max(total, n)
	}
	t.Logf("%d kills, %d edits acknowledged", kills, total)
	if total < uint64(kills-kills/5) {
		t.Errorf("only %d edits were acknowledged, want at least one from each child that was not killed early", total)
	}
}

func TestKilledFirstStartLeavesNothingInTheWay(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 14))
	for range times(15) {
		dir := filepath.Join(t.TempDir(), "data")
		acks := map[string]uint64{}
		startChild(t, dir).kill(t, true, time.Duration(rng.IntN(30_000))*time.Microsecond, acks)
		s, err := Open(Options{Dir: dir, Create: true})
		must(t, err)
		wantAcks(t, s, acks)
		sum, err := s.VerifyAudit()
		if err != nil || len(sum.Gaps) != 0 {
			t.Errorf("got %+v, %v", sum, err)
		}
		must(t, s.Close())
	}
}

// A killed process leaves its temporary files, of which one holds a key. The next open
// removes them.
func TestOpenRemovesWhatKilledProcessesWereWriting(t *testing.T) {
	opts := testOptions(t)
	mustClose(t, mustOpen(t, opts))
	left := []string{opts.data() + ".new-1", opts.Dir + ".key.new-2", opts.head() + ".new-3", filepath.Join(opts.Dir, backupTemp+"4")}
	for _, name := range left {
		must(t, os.WriteFile(name, []byte("half"), 0o600))
	}
	mustClose(t, mustOpen(t, opts))
	for _, name := range left {
		if _, err := os.Lstat(name); err == nil {
			t.Errorf("%s is still there", filepath.Base(name))
		}
	}
}

func TestSecondProcessIsRefusedByName(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	v := startChild(t, dir)
	defer v.kill(t, true, 0, map[string]uint64{})
	if _, err := bufio.NewReader(v.out).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	_, err := Open(Options{Dir: dir})
	var locked *LockedError
	if !errors.As(err, &locked) || locked.Holder != v.cmd.Process.Pid || locked.Path != filepath.Join(dir, dataName) {
		t.Fatalf("got %v, want a *LockedError that names process %d", err, v.cmd.Process.Pid)
	}
	if m := err.Error(); !strings.Contains(m, strconv.Itoa(v.cmd.Process.Pid)) || strings.Contains(m, "\n") {
		t.Errorf("message: %s", m)
	}
}
