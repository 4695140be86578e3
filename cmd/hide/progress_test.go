// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
)

func TestProgressLine(t *testing.T) {
	for _, c := range []struct {
		done, total int
		detail      string
		took        time.Duration
		want        string
	}{
		{3, 0, "", 0, "training: 3"},
		{3, 12, "", time.Second, "training: 3 of 12 (25 %)"},
		{3, 12, "", 4 * time.Second, "training: 3 of 12 (25 %), 12s left"},
		{12, 12, "objective 1.5", 4 * time.Second, "training: 12 of 12 (100 %), objective 1.5"},
	} {
		if got := progressLine("training", c.done, c.total, c.detail, c.took); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}

func TestProgressIsShownOnATerminalOnly(t *testing.T) {
	for _, terminal := range []bool{false, true} {
		var b bytes.Buffer
		e := &env{stderr: &b, terminal: terminal}
		p := e.progress("training")
		p.step(1, 2, "")
		p.step(2, 2, "")
		p.end()
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
