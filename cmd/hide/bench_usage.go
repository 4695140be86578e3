// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"strconv"
	"strings"
)

// peakMiB is the most memory that the process has had resident, 0 where the
// system does not tell as Linux does.
func peakMiB() float64 {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	_, after, _ := strings.Cut(string(status), "\nVmHWM:")
	kib, _, _ := strings.Cut(strings.TrimSpace(after), " ")
	n, err := strconv.ParseFloat(kib, 64)
	if err != nil {
		return 0
	}
	return n / 1024
}
