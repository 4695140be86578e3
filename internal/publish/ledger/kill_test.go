// SPDX-License-Identifier: Apache-2.0

package ledger

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

const (
	childFile  = "LEDGER_TEST_FILE"
	childSteps = "LEDGER_TEST_STEPS"
	childSeed  = "LEDGER_TEST_SEED"
)

// TestMain turns the test binary into the child of the crash test when it is told
// to.
func TestMain(m *testing.M) {
	if path := os.Getenv(childFile); path != "" {
		fmt.Fprintln(os.Stderr, child(path))
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// child makes requests for ever and writes down each epsilon for which noise was
// drawn as soon as it is. It kills itself after a number of steps.
func child(path string) error {
	left, err := strconv.Atoi(os.Getenv(childSteps))
	seed, seedErr := strconv.ParseUint(os.Getenv(childSeed), 10, 64)
	if err := errors.Join(err, seedErr); err != nil {
		return err
	}
	step := func(string) {
		if left--; left < 0 {
			syscall.Kill(os.Getpid(), syscall.SIGKILL)
			time.Sleep(time.Minute)
		}
	}
	l, err := OpenFile(path, Options{Create: true, step: step})
	if err != nil {
		return err
	}
	if len(l.Accounts()) == 0 {
		if err := l.OpenAccount(ward, "patient", Most); err != nil {
			return err
		}
	}
	drawn, err := os.OpenFile(path+".drawn", os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	rng := rand.New(rand.NewPCG(seed, 1))
	for {
		r := request(rng.IntN(1_000_000), Micro(1+rng.IntN(5)))
		_, err := l.Publish(context.Background(), r, func(context.Context, Receipt) ([]byte, error) {
			_, err := fmt.Fprintf(drawn, "%d\n", r.Epsilon)
			return []byte("x"), err
		})
		if err != nil {
			return err
		}
	}
}

// drawnSoFar is the epsilon of all noise that was ever drawn.
func drawnSoFar(t *testing.T, path string) (sum Micro) {
	t.Helper()
	raw, err := os.ReadFile(path + ".drawn")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(raw)) {
		n, err := strconv.Atoi(strings.TrimSuffix(line, "\n"))
		must(t, err)
		sum += Micro(n)
	}
	return sum
}

// TestWhatWasPublishedNeverExceedsWhatWasDebited kills a process at every step
// of its work. LEDGER_TEST_KILLS=1000 does it that often.
func TestWhatWasPublishedNeverExceedsWhatWasDebited(t *testing.T) {
	const steps, each = 37, 111 // each is the kills of one ledger: each step three times. It grows, and is read again after each.
	kills := steps
	if more, err := strconv.Atoi(os.Getenv("LEDGER_TEST_KILLS")); err == nil {
		kills = more
	}
	dir, path, before := t.TempDir(), "", Micro(0)
	for n := range kills {
		if n%each == 0 {
			if n > 0 {
				before += drawnSoFar(t, path)
			}
			path = filepath.Join(dir, strconv.Itoa(n))
		}
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), childFile+"="+path, childSteps+"="+strconv.Itoa(n%steps), childSeed+"="+strconv.Itoa(n))
		out, err := cmd.CombinedOutput()
		exit := (*exec.ExitError)(nil)
		if !errors.As(err, &exit) || !exit.Sys().(syscall.WaitStatus).Signaled() {
			t.Fatalf("kill %d: the child ended by itself: %v\n%s", n, err, out)
		}
		l, err := OpenFile(path, Options{Create: true})
		if err != nil {
			t.Fatalf("kill %d: %v", n, err)
		}
		if _, err := l.Verify(); err != nil && !errors.Is(err, ErrNotBegun) {
			t.Fatalf("kill %d: %v", n, err)
		}
		var debited Micro
		for _, a := range l.Accounts() {
			debited += a.Spent
		}
		if drawn := drawnSoFar(t, path); drawn > debited {
			t.Fatalf("kill %d: %v was drawn, %v is debited", n, drawn, debited)
		}
		must(t, l.Close())
	}
	if drawn := before + drawnSoFar(t, path); drawn < Micro(kills) {
		t.Errorf("only %d was drawn over %d kills: the test shows too little", drawn, kills)
	}
}
