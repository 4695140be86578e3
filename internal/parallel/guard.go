// SPDX-License-Identifier: Apache-2.0

package parallel

import (
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
)

// PanicError is the error of what [Guard] called that panicked. It says where and,
// for the errors of the Go runtime, what; never the value of any other panic,
// which may quote a document.
type PanicError struct {
	Where string // "file.go:12"
	What  string
}

func (p *PanicError) Error() string { return fmt.Sprintf("panic at %s: %s", p.Where, p.What) }

// Guard calls fn and turns a panic into a [*PanicError]. A panic on a goroutine
// that nobody recovers would end the whole program and print its value.
func Guard(fn func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = panicError(v)
		}
	}()
	return fn()
}

func panicError(v any) *PanicError {
	p := &PanicError{Where: panicPlace(), What: fmt.Sprintf("a value of type %T", v)}
	if e, ok := v.(runtime.Error); ok {
		p.What = e.Error()
	}
	return p
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
