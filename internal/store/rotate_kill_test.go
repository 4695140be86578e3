// SPDX-License-Identifier: Apache-2.0

package store

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"hide/internal/testsize"
)

const (
	rotatingVariable = "STORE_TEST_ROTATING"
	rotatingRoot     = "STORE_TEST_ROTATING_ROOT" // not "" to rotate the root key for ever
)

// rotatingChild edits values of a space while it rotates keys, and acknowledges each edit on
// stdout: "key number". It ends when everything is rotated.
func rotatingChild(dir string) error {
	s, err := Open(Options{Dir: dir})
	if err != nil {
		return err
	}
	names, err := s.Rotations()
	if err != nil {
		return err
	}
	fmt.Println("open")
	ctx, stop := context.WithCancel(context.Background())
	var editing sync.WaitGroup
	editing.Go(func() { editUntil(ctx, s) })
	switch {
	case len(names) > 0:
		err = s.FinishRotation(ctx, nil)
	case os.Getenv(rotatingRoot) != "":
		for err == nil { // until it is killed
			_, err = s.RotateRoot(ctx, NewRoot{}, rotateEvent, nil)
		}
	default:
		err = s.RotateSpace(ctx, "p1", rotateEvent, nil)
	}
	stop()
	editing.Wait()
	if err != nil {
		return err
	}
	fmt.Println("rotated")
	return s.Close()
}

func editUntil(ctx context.Context, s *Store) {
	rng := rand.New(rand.NewPCG(3, uint64(os.Getpid())))
	for ctx.Err() == nil {
		key := strconv.Itoa(rng.IntN(200))
		var n uint64
		err := s.Update("p1", func(tx *Tx) (err error) {
			if n, err = tx.Next("edit"); err != nil {
				return err
			}
			value := fmt.Sprintf("%d %s", n, strings.Repeat("x", rng.IntN(3000)))
			return errors.Join(tx.Put("edit", []byte(key), []byte(value)), tx.Put("copy", []byte(key), []byte(value)),
				tx.Audit(Event{Actor: "u1", Action: "test.edit", Object: key}))
		})
		if err != nil {
			fmt.Println("failed:", err)
			os.Exit(1)
		}
		fmt.Println(key, n)
	}
}

// runRotating runs a child until it has acknowledged some edits, or has rotated everything.
// A count, not a time, so that a slow machine does not kill every child at its start.
func runRotating(t *testing.T, dir string, edits int, acks map[string]uint64) (rotated bool) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), rotatingVariable+"="+dir)
	out, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	for in := bufio.NewScanner(out); in.Scan(); {
		key, number, ok := strings.Cut(in.Text(), " ")
		switch n, err := strconv.ParseUint(number, 10, 64); {
		case in.Text() == "rotated":
			rotated = true
		case in.Text() == "open":
		case !ok || err != nil:
			t.Errorf("the child says %q", in.Text())
		default:
			acks[key] = n
			if edits--; edits == 0 {
				cmd.Process.Kill()
			}
		}
	}
	cmd.Wait()
	return rotated
}

// fillMany puts values of about 700 bytes into a space.
func fillMany(t testing.TB, s *Store, space string, n int) {
	t.Helper()
	rng := rand.New(rand.NewPCG(8, 9))
	for i := 0; i < n; {
		must(t, s.Update(space, func(tx *Tx) error {
			for end := min(n, i+1000); i < end; i++ {
				if err := tx.Put("many", Key(uint64(i)), []byte(manyValue(i, rng))); err != nil {
					return err
				}
			}
			return tx.Audit(testEvent)
		}))
	}
}

func manyValue(i int, rng *rand.Rand) string {
	return fmt.Sprintf("value %d %s", i, noise(rng, 600+i%200))
}

// wantMany verifies that every value is what was written.
func wantMany(t testing.TB, s *Store, space string, n int) {
	t.Helper()
	rng := rand.New(rand.NewPCG(8, 9))
	i := 0
	must(t, s.View(space, func(tx *Tx) error {
		return tx.Scan("many", nil, func(k, v []byte) error {
			if Number(k) != uint64(i) || string(v) != manyValue(i, rng) {
				t.Fatalf("value %d is not what was written", i)
			}
			i++
			return nil
		})
	}))
	if i != n {
		t.Fatalf("%d values, want %d", i, n)
	}
}

// TestRotationSurvivesKills rotates the key of a space in a process
// that edits meanwhile and is killed again and again. After each kill every value is what
// was written, and every acknowledged edit is there.
func TestRotationSurvivesKills(t *testing.T) {
	testsize.Slow(t)
	n := testsize.Of(3_000, 100_000)
	opts := Options{Dir: filepath.Join(t.TempDir(), "data"), Create: true}
	s, err := Open(opts)
	must(t, err)
	must(t, s.CreateSpace("p1", testEvent))
	fillMany(t, s, "p1", n)
	must(t, s.Close())
	rng := rand.New(rand.NewPCG(17, 18))
	acks, kills, within := map[string]uint64{}, 0, map[string]int{}
	most := testsize.Of(12, 80)
	edits := func() int {
		if kills >= most {
			return 0 // the last one lives
		}
		return 2 + rng.IntN(testsize.Of(40, 400))
	}
	for !runRotating(t, opts.Dir, edits(), acks) {
		kills++
		s, err := Open(opts)
		if err != nil {
			t.Fatalf("after kill %d: %v", kills, err)
		}
		names, err := s.Rotations()
		must(t, err)
		within[strings.Join(names, "+")]++
		if kills%testsize.Of(2, 10) == 0 {
			wantMany(t, s, "p1", n)
			wantEdits(t, s, acks)
			if err := s.Check(context.Background(), nil); err != nil {
				t.Fatalf("after kill %d: %v", kills, err)
			}
		}
		must(t, s.Close())
	}
	s, err = Open(opts)
	must(t, err)
	must(t, s.FinishRotation(t.Context(), nil))
	wantMany(t, s, "p1", n)
	wantEdits(t, s, acks)
	must(t, s.Check(context.Background(), nil))
	keys, err := s.space("p1")
	must(t, err)
	if kills == 0 || keys.generation == 0 || keys.old != nil {
		t.Errorf("%d kills, generation %d", kills, keys.generation)
	}
	t.Logf("%d values, %d kills, of which in a rotation: %v; %d keys were edited meanwhile", n, kills, within, len(acks))
	must(t, s.Close())
}

// TestRootRotationSurvivesKills replaces the root key again and again in a process that edits
// meanwhile and is killed. Each opening finds the key that fits.
func TestRootRotationSurvivesKills(t *testing.T) {
	testsize.Slow(t)
	opts := Options{Dir: filepath.Join(t.TempDir(), "data"), Create: true}
	s, err := Open(opts)
	must(t, err)
	must(t, s.CreateSpace("p1", testEvent))
	fillMany(t, s, "p1", 200)
	for range 3 * rowsAtOnce {
		must(t, s.Record(testEvent))
	}
	must(t, s.Close())
	t.Setenv(rotatingRoot, "yes")
	rng := rand.New(rand.NewPCG(19, 20))
	acks, within := map[string]uint64{}, map[string]int{}
	kills := testsize.Of(12, 150)
	for kill := range kills {
		runRotating(t, opts.Dir, 1+rng.IntN(60), acks)
		s, err := Open(opts)
		if err != nil {
			t.Fatalf("after kill %d: %v", kill+1, err)
		}
		names, err := s.Rotations()
		must(t, err)
		within[fmt.Sprint(len(names) > 0)]++
		wantMany(t, s, "p1", 200)
		wantEdits(t, s, acks)
		s.rows(t)
		must(t, s.Close())
	}
	old, err := filepath.Glob(opts.Dir + ".key.old-*")
	must(t, err)
	t.Logf("%d kills, in the middle of a rotation: %v; %d older keys", kills, within, len(old))
	if len(acks) == 0 || len(old) == 0 {
		t.Errorf("%d keys were edited, %d root keys replaced", len(acks), len(old))
	}
}

// wantEdits verifies that every acknowledged edit exists, or a later one of its key.
func wantEdits(t *testing.T, s *Store, acks map[string]uint64) {
	t.Helper()
	for key, n := range acks {
		value, err := get(s, "p1", "edit", key)
		copied, copyErr := get(s, "p1", "copy", key)
		number, _, _ := strings.Cut(value, " ")
		got, _ := strconv.ParseUint(number, 10, 64)
		if err != nil || copyErr != nil || got < n || value != copied {
			t.Fatalf("key %s: edit %d was acknowledged, found %d, %v, %v", key, n, got, err, copyErr)
		}
	}
}

// TestEditsGoOnDuringARotation prints how long edits take beside a rotation. It asserts that
// they go on, not how fast.
func TestEditsGoOnDuringARotation(t *testing.T) {
	testsize.Slow(t)
	n := testsize.Of(2_000, 100_000)
	s := mustOpen(t, testOptions(t))
	must(t, s.CreateSpace("p1", testEvent))
	fillMany(t, s, "p1", n)
	edits := func(until func() bool) (took []time.Duration) {
		for i := 0; until(); i++ {
			begin := time.Now()
			mustPut(t, s, "p1", "edit", strconv.Itoa(i%200), strings.Repeat("x", 1000))
			took = append(took, time.Since(begin))
			time.Sleep(2 * time.Millisecond) // people do not edit without a pause
		}
		slices.Sort(took)
		return took
	}
	count := 0
	alone := edits(func() bool { count++; return count <= 200 })
	begin, done := time.Now(), make(chan error, 1)
	go func() { done <- s.RotateSpace(t.Context(), "p1", rotateEvent, nil) }()
	var err error
	beside := edits(func() bool {
		select {
		case err = <-done:
			return false
		default:
			return true
		}
	})
	must(t, err)
	if len(beside) == 0 {
		t.Fatal("no edit was possible")
	}
	at := func(d []time.Duration, p int) time.Duration {
		return d[min(len(d)-1, len(d)*p/100)].Round(10 * time.Microsecond)
	}
	t.Logf("%d values rotated in %v; edits alone p50 %v p99 %v; beside %d edits p50 %v p99 %v max %v", n, time.Since(begin).Round(time.Millisecond),
		at(alone, 50), at(alone, 99), len(beside), at(beside, 50), at(beside, 99), beside[len(beside)-1].Round(time.Millisecond))
	wantMany(t, s, "p1", n)
}
