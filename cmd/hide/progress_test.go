// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"
)

func TestProgressIsShownOnATerminalOnly(t *testing.T) {
	for _, terminal := range []bool{false, true} {
		var b bytes.Buffer
		e := &env{stderr: &b, terminal: terminal}
		p := e.progress("training")
		p.Step(1, 2, "")
		p.Step(2, 2, "")
		p.End()
		if shown := b.Len() > 0; shown != terminal {
			t.Errorf("terminal %v: wrote %q", terminal, b.String())
		}
		if terminal && !strings.HasSuffix(b.String(), "\r\x1b[K") {
			t.Errorf("the line was left standing: %q", b.String())
		}
	}
}

func TestErrorsAreOneLine(t *testing.T) {
	var b bytes.Buffer
	report(&b, withHint(fmt.Errorf("read model: %w", errors.Join(errors.New("first"), errors.New("second"))), "try\nagain"))
	if want := "hide: read model: first; second\nhide: try; again\n"; b.String() != want {
		t.Errorf("got %q, want %q", b.String(), want)
	}
}
