// SPDX-License-Identifier: Apache-2.0

//go:build linux

package protect

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// TestMain runs this program again as a process that protects itself, when it is told to.
func TestMain(m *testing.M) {
	name := os.Getenv("PROTECT_WITH_FILE")
	if name == "" {
		os.Exit(m.Run())
	}
	if err := protected(name); err != nil {
		panic(err)
	}
}

// protected protects this process, maps a file, and prints its state when standard input
// ends.
func protected(name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	if err := errors.Join(NoDumps(), Lock()); err != nil {
		return err
	}
	mapped, err := unix.Mmap(int(f.Fd()), 0, 1<<20, unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		return err
	}
	unlockFiles()
	sum := byte(0)
	for _, b := range mapped {
		sum += b
	}
	maps, err := os.ReadFile("/proc/self/smaps")
	if err != nil {
		return err
	}
	limits, err := os.ReadFile("/proc/self/limits")
	if err != nil {
		return err
	}
	if err := json.NewEncoder(os.Stdout).Encode(map[string]any{"state": State(), "maps": string(maps), "limits": string(limits), "sum": sum}); err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, os.Stdin)
	return err
}

// run starts such a process whose memory may be locked up to limit bytes, and returns its
// report.
func run(t *testing.T, limit uint64) (state Memory, fileLocked bool, limits string) {
	t.Helper()
	name := filepath.Join(t.TempDir(), "mapped.db")
	if err := os.WriteFile(name, make([]byte, 1<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	var old unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_MEMLOCK, &old); err != nil {
		t.Fatal(err)
	}
	if err := unix.Setrlimit(unix.RLIMIT_MEMLOCK, &unix.Rlimit{Cur: limit, Max: max(limit, old.Max)}); err != nil {
		t.Skipf("this user may not lock memory: %v", err)
	}
	defer unix.Setrlimit(unix.RLIMIT_MEMLOCK, &old) // nolint:errcheck // it was so before
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "PROTECT_WITH_FILE="+name)
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var report struct {
		State        Memory
		Maps, Limits string
	}
	if err := json.Unmarshal(out, &report); err != nil {
		t.Fatal(err)
	}
	_, mapping, found := strings.Cut(report.Maps, name)
	if !found {
		t.Fatal("the file is not mapped")
	}
	_, flags, _ := strings.Cut(mapping, "VmFlags:")
	flags, _, _ = strings.Cut(flags, "\n")
	return report.State, strings.Contains(flags+" ", " lo "), report.Limits
}

// TestMemoryIsKeptOffTheDisk shows what the system says of a protected process: no core
// dumps, and locked memory where any amount may be locked, without mapped files.
func TestMemoryIsKeptOffTheDisk(t *testing.T) {
	state, fileLocked, limits := run(t, unix.RLIM_INFINITY)
	if !state.NoDump || !state.Locked || fileLocked {
		t.Errorf("%+v, mapped file locked: %v", state, fileLocked)
	}
	for line := range strings.Lines(limits) {
		if name, rest, ok := strings.Cut(line, "Max core file size"); ok && (name != "" || strings.Fields(rest)[0] != "0") {
			t.Errorf("core dumps are on: %s", line)
		}
	}
	if state, _, _ := run(t, 8<<20); !state.NoDump || state.Locked {
		t.Errorf("with a bound: %+v", state)
	}
}

func TestWarningsSayWhatIsNotProtected(t *testing.T) {
	for _, c := range []struct {
		m    Memory
		want string
	}{
		{Memory{NoDump: true, Locked: true, Swap: true}, ""},
		{Memory{NoDump: true}, ""},
		{Memory{NoDump: true, Swap: true}, "swap"},
		{Memory{Locked: true}, "core dumps"},
	} {
		if got := c.m.Warning(); (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
			t.Errorf("%+v: %q", c.m, got)
		}
	}
}

func TestLinesOfMappingsAreRead(t *testing.T) {
	for line, want := range map[string]bool{
		"7f0000000000-7f0040000000 r--s 00000000 fe:00 1234   /srv/hide data/hide.db": true,
		"7f0000000000-7f0040000000 rw-p 00000000 fe:00 1234   /srv/hide.db":           false,
		"7f0000000000-7f0040000000 r--p 00000000 00:00 0":                             false,
		"7f0000000000-7f0040000000 r--p 00000000 00:00 0      [vvar]":                 false,
		"nonsense":          false,
		"":                  false,
		"x-y r--s 0 0 0 /a": false,
	} {
		if from, to, ok := readOnlyFile(line); ok != want || ok && (from != 0x7f0000000000 || to != 0x7f0040000000) {
			t.Errorf("%q: %x-%x, %v", line, from, to, ok)
		}
	}
}

func TestAvailableMemoryIsKnown(t *testing.T) {
	if n := Available(); n < 1<<26 {
		t.Errorf("%d bytes", n)
	}
}
