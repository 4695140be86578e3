// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
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

// TestFilterEndsWhenInterrupted waits for input that never comes.
func TestFilterEndsWhenInterrupted(t *testing.T) {
	in, never := io.Pipe()
	defer never.Close()
	ctx, cancel := context.WithCancel(t.Context())
	var out bytes.Buffer
	e := &env{stdin: in, stdout: &out}
	answered := make(chan struct{})
	go func() {
		fmt.Fprintln(never, `{"id":"a","text":"b"}`)
		<-answered
		cancel()
	}()
	err := e.filter(ctx, func(in wireDoc) any {
		close(answered)
		return *in.ID + *in.Text
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if out.String() != "\"ab\"\n" {
		t.Errorf("answered %q", out.String())
	}
}

// TestFilterAnswersAtOnce checks that an answer does not wait for the next line.
func TestFilterAnswersAtOnce(t *testing.T) {
	in, lines := io.Pipe()
	answers, out := io.Pipe()
	e := &env{stdin: in, stdout: out}
	done := make(chan error, 1)
	go func() { done <- e.filter(t.Context(), func(in wireDoc) any { return in.ID }) }()
	buf := make([]byte, 100)
	for i := range 3 {
		fmt.Fprintf(lines, `{"id":"%d","text":""}`+"\n", i)
		n, err := answers.Read(buf)
		if err != nil || string(buf[:n]) != fmt.Sprintf("\"%d\"\n", i) {
			t.Fatalf("got %q, %v", buf[:n], err)
		}
	}
	lines.Close()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

func FuzzParseDoc(f *testing.F) {
	for _, seed := range []string{`{"id":"a","text":"b"}`, `{"id":"a","text":"\ud83d"}`, `{"id":"a","text":"\ufffd"}`, `{}`, `null`, `[`, "\xff"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		d, err := parseDoc(line)
		if err == nil && (d.ID == nil || d.Text == nil) {
			t.Error("an incomplete line was accepted")
		}
	})
}
