// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"slices"
	"testing"
	"time"

	"hide/internal/account"
)

// readLate is how late a reader is killed, after the first passage.
const readLate = 400 * time.Millisecond

// A reader is killed in the middle of a draw, again and again. Every answer that was
// acknowledged counts, each passage counts once, and reading goes on where it was.
func TestAKilledReadingKeepsTheAcknowledgedAnswers(t *testing.T) {
	t.Parallel()
	dir, random := workFolder(t), chance(7)
	hide := func(args ...string) { t.Helper(); hideRun(t, append(args, "--data", dir)...) }
	hide(append(slices.Clone(fastRun), "--choose", "1")...)
	hide("publish", "text", "--project", "p1", "--freeze")
	for _, name := range []string{"Mia", "Max"} {
		hide("user", "add", name, "--role", "reviewer")
		hide("member", "add", "p1", name, "--role", "reviewer")
	}
	hide("review", "open", "--project", "p1", "--question", "May these notes go out?", "--members", "Mia,Max")
	answers := 0
	for k := range killsOf(2) {
		if k > 0 {
			hide("certify", "draw", "--project", "p1", "--abandon", "the next one begins")
		}
		hide("certify", "draw", "--project", "p1", "--random", "50", "--doubtful", "5", "--any-time")
		hide("certify", "draw", "--project", "p1", "--as", "Mia", "--number", fmt.Sprint(1000+k))
		asked := readUntilKilled(t, dir, random)
		acknowledged := len(asked) - 1 // the last one was not answered, or its answer not acknowledged
		reopen(t, dir, func(f *folder) {
			p, err := f.projects.ReadingProgress(t.Context(), account.Operator(), "p1", 1)
			if err != nil {
				t.Fatal(err)
			}
			read := p.Reading.Doubtful.Read + p.Reading.Random.Read
			if read != acknowledged && read != acknowledged+1 {
				t.Errorf("kill %d: %d answers are kept of %d acknowledged ones", k, read, acknowledged)
			}
			answers += read
		})
		for _, at := range readUntilKilled(t, dir, random) {
			if slices.Contains(asked[:acknowledged], at) {
				t.Errorf("kill %d: passage %d was asked again after it had been answered", k, at)
			}
		}
	}
	t.Logf("%d kills, %d answers", 2*killsOf(2), answers)
}

// readUntilKilled answers passages with “nothing” until the reader is killed, or no passage is
// left, and returns the positions that were asked.
func readUntilKilled(t *testing.T, dir string, random *rand.Rand) (asked []int) {
	t.Helper()
	cmd := exec.Command("hide", "certify", "read", "--project", "p1", "--as", "Max", "--data", dir)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if len(asked) == 0 {
			killer := time.AfterFunc(within(random, readLate), func() { cmd.Process.Kill() }) //nolint:errcheck // Wait says how it ended
			defer killer.Stop()
		}
		var p struct{ Position int }
		if err := json.Unmarshal(lines.Bytes(), &p); err != nil {
			break // half a line of a killed process
		}
		asked = append(asked, p.Position)
		fmt.Fprintf(in, `{"position":%d,"found":[],"seconds":30}`+"\n", p.Position) //nolint:errcheck // it may be gone
	}
	in.Close() //nolint:errcheck // it may be gone
	cmd.Wait() //nolint:errcheck // it was killed
	return asked
}
