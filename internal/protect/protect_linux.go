// SPDX-License-Identifier: Apache-2.0

package protect

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"path"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// NoDumps turns core dumps off, and lets no other process of the user read the memory.
func NoDumps() error {
	if err := unix.Setrlimit(unix.RLIMIT_CORE, &unix.Rlimit{}); err != nil {
		return fmt.Errorf("turn core dumps off: %w", err)
	}
	if err := unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0); err != nil {
		return fmt.Errorf("turn core dumps off: %w", err)
	}
	return nil
}

// unlockEvery is how often mapped files are excluded from the lock again: bbolt maps a file
// anew when it grows.
const unlockEvery = time.Minute

// Lock locks the memory of this process if the operator allows any amount: with a bound, the
// runtime could get no more memory and would crash. Mapped files are left out, since they
// hold ciphertext and may be larger than the memory. Memory that Go gives back stays with the
// process then.
func Lock() error {
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_MEMLOCK, &limit); err != nil || limit.Cur != unix.RLIM_INFINITY {
		return err
	}
	if err := unix.Mlockall(unix.MCL_CURRENT | unix.MCL_FUTURE | unix.MCL_ONFAULT); err != nil {
		return fmt.Errorf("lock the memory: %w", err)
	}
	go func() {
		for {
			unlockFiles()
			time.Sleep(unlockEvery)
		}
	}()
	return nil
}

// unlockFiles excludes mapped files that the process can only read. Its own program is one of
// them, and holds no secret either.
func unlockFiles() {
	text, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		return
	}
	for line := range strings.Lines(string(text)) {
		from, to, ok := readOnlyFile(line)
		if ok {
			_, _, _ = unix.Syscall(unix.SYS_MUNLOCK, from, to-from, 0) // gone already, or never locked
		}
	}
}

// readOnlyFile is the range of a line of /proc/PID/maps about a file without write access:
//
//	7f0000000000-7f0040000000 r--s 00000000 fe:00 1234   /srv/hide/data/hide.db
func readOnlyFile(line string) (from, to uintptr, ok bool) {
	f := strings.Fields(line)
	if len(f) < 6 || !strings.HasPrefix(f[1], "r-") || !path.IsAbs(f[5]) {
		return 0, 0, false
	}
	a, b, _ := strings.Cut(f[0], "-")
	first, err1 := strconv.ParseUint(a, 16, 64)
	last, err2 := strconv.ParseUint(b, 16, 64)
	return uintptr(first), uintptr(last), err1 == nil && err2 == nil && first < last
}

// State is what protects this process now.
func State() Memory {
	var core unix.Rlimit
	dumpable, err1 := unix.PrctlRetInt(unix.PR_GET_DUMPABLE, 0, 0, 0, 0)
	err2 := unix.Getrlimit(unix.RLIMIT_CORE, &core)
	swaps, err3 := os.ReadFile("/proc/swaps") // a header, then one line for each
	return Memory{
		NoDump: err1 == nil && err2 == nil && dumpable == 0 && core.Cur == 0,
		Locked: locked() > 0,
		Swap:   err3 != nil || bytes.Count(swaps, []byte("\n")) > 1,
	}
}

// locked is the number of bytes of this process that are locked in memory.
func locked() int64 {
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	return kilobytes(text, "VmLck:")
}

// kilobytes is the value of a line such as "MemTotal:  16384 kB", in bytes.
func kilobytes(text []byte, name string) int64 {
	for scan := bufio.NewScanner(bytes.NewReader(text)); scan.Scan(); {
		if value, ok := strings.CutPrefix(scan.Text(), name); ok {
			n, _ := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(value), " kB"), 10, 64)
			return n << 10
		}
	}
	return 0
}

// Available is the memory in bytes that this process may use: that of the machine, or less
// in a container. 0 means that it is not known.
func Available() int64 {
	text, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return 0
	}
	all := kilobytes(text, "MemTotal:")
	for _, name := range limits() {
		text, err := os.ReadFile(name)
		if err != nil {
			continue
		}
		if n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64); err == nil && n > 0 {
			all = min(all, n)
		}
	}
	return all
}

// limits are the files with the memory limits of the process's control groups (version 2),
// from its own to the root.
func limits() (names []string) {
	text, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		return nil
	}
	for line := range strings.Lines(string(text)) {
		group, ok := strings.CutPrefix(strings.TrimSpace(line), "0::")
		if !ok {
			continue
		}
		for ; ; group = path.Dir(group) {
			names = append(names, path.Join("/sys/fs/cgroup", group, "memory.max"))
			if group == "/" || group == "." {
				return names
			}
		}
	}
	return nil
}
