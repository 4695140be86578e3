// SPDX-License-Identifier: Apache-2.0

package gather

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"

	"hide/internal/doctor"
	"hide/internal/protect"
)

func readOnly(s *unix.Statfs_t) bool { return s.Flags&unix.ST_RDONLY != 0 }

// Memory says what protects the memory of this process.
func Memory() doctor.Memory {
	state := protect.State()
	m := doctor.Memory{Known: true, NoDump: state.NoDump, Locked: state.Locked}
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_MEMLOCK, &limit); err == nil {
		m.Limit = limit.Cur
	}
	text, err := os.ReadFile("/proc/swaps")
	if err != nil {
		return doctor.Memory{Unknown: "the system does not tell about its swap: " + oneLine(err)}
	}
	m.Swaps = swaps(string(text), "/sys/class/block")
	return m
}

// swaps reads /proc/swaps: a header, then one line for each, beginning with its name.
func swaps(text, blocks string) (all []doctor.Swap) {
	_, text, _ = strings.Cut(text, "\n")
	for line := range strings.Lines(text) {
		f := strings.Fields(line)
		if len(f) < 2 {
			continue
		}
		s := doctor.Swap{Name: f[0]}
		if f[1] == "partition" {
			device := filepath.Base(f[0])
			if real, err := filepath.EvalSymlinks(f[0]); err == nil {
				device = filepath.Base(real)
			}
			s.InMemory = strings.HasPrefix(device, "zram")
			s.Encrypted = encrypted(filepath.Join(blocks, device), 0)
		} else {
			s.Encrypted = diskIsEncrypted(f[0])
		}
		all = append(all, s)
	}
	return all
}

// diskIsEncrypted reports whether a file is in a file system on a device that dm-crypt
// encrypts, as far as the system tells.
func diskIsEncrypted(path string) bool {
	dev, ok := device(path)
	return ok && encrypted(fmt.Sprintf("/sys/dev/block/%d:%d", unix.Major(dev), unix.Minor(dev)), 0)
}

// mostLayers bounds how many devices stand on each other: a volume on LUKS on RAID.
const mostLayers = 8

// encrypted reports whether a block device, or each one below it, is one of dm-crypt.
func encrypted(block string, depth int) bool {
	uuid, err := os.ReadFile(filepath.Join(block, "dm", "uuid"))
	if err == nil && strings.HasPrefix(string(uuid), "CRYPT-") {
		return true
	}
	below, err := filepath.Glob(filepath.Join(block, "slaves", "*"))
	if err != nil || len(below) == 0 || depth == mostLayers {
		return false
	}
	for _, one := range below {
		if !encrypted(one, depth+1) {
			return false
		}
	}
	return true
}

// synced asks the kernel whether something keeps its clock right.
func synced() doctor.Sync {
	var t unix.Timex // without modes it changes nothing
	state, err := unix.Adjtimex(&t)
	switch {
	case err != nil:
		return doctor.SyncUnknown
	case state == unix.TIME_ERROR || t.Status&unix.STA_UNSYNC != 0:
		return doctor.Unsynced
	}
	return doctor.Synced
}
