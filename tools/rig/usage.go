// SPDX-License-Identifier: Apache-2.0

package rig

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

// Usage is what the server uses. Memory is in bytes.
type Usage struct {
	Resident  int64   `json:"resident_bytes"`  // with the pages of the data file that are in memory
	Anonymous int64   `json:"anonymous_bytes"` // without them: what the program itself holds
	Peak      int64   `json:"peak_bytes"`      // the most Resident was since the start or ForgetPeak
	CPU       float64 `json:"cpu_seconds"`
	Open      int     `json:"open_descriptors"`
}

// ticks is the unit of processor times in /proc, the same on all Linux systems that Go
// runs on.
const ticks = 100

// Usage reads what the server uses now. It needs Linux.
func (s *Server) Usage() (Usage, error) {
	proc := fmt.Sprintf("/proc/%d/", s.PID())
	var u Usage
	status, err := os.ReadFile(proc + "status")
	if err != nil {
		return u, fmt.Errorf("the use of the server cannot be read: %w", err)
	}
	u.Resident, u.Anonymous, u.Peak = field(status, "VmRSS:"), field(status, "RssAnon:"), field(status, "VmHWM:")
	stat, err := os.ReadFile(proc + "stat")
	if err != nil {
		return u, err
	}
	// The name of the program, in brackets, may hold anything; numbers follow it.
	_, after, _ := strings.Cut(string(stat), ") ")
	numbers := strings.Fields(after)
	for _, n := range numbers[11:13] { // in user mode, in system mode
		t, err := strconv.ParseFloat(n, 64)
		if err != nil {
			return u, err
		}
		u.CPU += t / ticks
	}
	open, err := os.ReadDir(proc + "fd")
	u.Open = len(open)
	return u, err
}

// ForgetPeak begins a new peak.
func (s *Server) ForgetPeak() error {
	return os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", s.PID()), []byte("5"), 0)
}

func field(status []byte, name string) int64 {
	for line := range strings.Lines(string(status)) {
		if rest, found := strings.CutPrefix(line, name); found {
			kib, _ := strconv.ParseInt(strings.Fields(rest)[0], 10, 64) // the kernel writes numbers
			return kib << 10
		}
	}
	return 0
}
