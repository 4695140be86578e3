// SPDX-License-Identifier: Apache-2.0

package parallel

import (
	"errors"
	"syscall"
	"testing"
)

func TestWorkAtLowPriorityIsNicerThanTheRest(t *testing.T) {
	nice := func() int {
		raw, err := syscall.Getpriority(syscall.PRIO_PROCESS, 0) // 0 is the calling thread
		if err != nil {
			t.Error(err)
		}
		return 20 - raw // as the system call has it
	}
	before, failed := nice(), errors.New("failed")
	var during int
	if err := Low(func() error { during = nice(); return failed }); err != failed {
		t.Errorf("the error is %v", err)
	}
	if want := max(before, niceness); during != want {
		t.Errorf("priority %d during the work, want %d", during, want)
	}
	if after := nice(); after != before {
		t.Errorf("priority %d after the work, %d before it", after, before)
	}
	if err := Low(func() error { panic("Seen by Dr. Weiss") }); err == nil {
		t.Error("a panic at low priority is lost")
	}
}
