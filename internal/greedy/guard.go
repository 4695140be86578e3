// SPDX-License-Identifier: Apache-2.0

package greedy

import (
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
)

// guarded calls fn and turns a panic into an error. A panic on a goroutine that
// nobody recovers would end the whole program and print its value, which may
// quote a note: the error says where it happened and nothing else.
func guarded(fn func() error) (err error) {
	defer func() {
		if recover() != nil {
			err = fmt.Errorf("panic at %s", panicPlace())
		}
	}()
	return fn()
}

// panicPlace is the file and line of the first frame below the panic that is not
// the runtime's. It works in a deferred function only.
func panicPlace() string {
	pcs := make([]uintptr, 64)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(0, pcs)])
	below := false
	for {
		f, more := frames.Next()
		if below && !strings.HasPrefix(f.Function, "runtime.") {
			return fmt.Sprintf("%s:%d", filepath.Base(f.File), f.Line)
		}
		below = below || f.Function == "runtime.gopanic"
		if !more {
			return "an unknown place"
		}
	}
}
