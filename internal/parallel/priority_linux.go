// SPDX-License-Identifier: Apache-2.0

package parallel

import "syscall"

// lowerPriority changes the priority of the calling thread: Linux keeps it per thread.
// Work at the usual priority is correct too, so a failure has no consequence.
func lowerPriority(nice int) { _ = syscall.Setpriority(syscall.PRIO_PROCESS, syscall.Gettid(), nice) }
