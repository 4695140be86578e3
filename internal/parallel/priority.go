// SPDX-License-Identifier: Apache-2.0

package parallel

import "runtime"

// niceness is how far work at low priority stands back: the scheduler of Linux then gives
// it about a tenth of a processor that others want too.
const niceness = 10

// Low calls fn at low priority, with [Guard]. What fn does on other goroutines keeps the
// usual priority. The thread ends with the call, because a program without privileges
// cannot raise its priority again.
func Low(fn func() error) error {
	result := make(chan error, 1)
	go func() {
		runtime.LockOSThread() // never unlocked: this ends the thread
		lowerPriority(niceness)
		result <- Guard(fn)
	}()
	return <-result
}

// Spare is how many workers leave one processor free, at least one.
func Spare() int { return max(1, runtime.GOMAXPROCS(0)-1) }
