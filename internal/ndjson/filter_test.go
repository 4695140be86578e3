// SPDX-License-Identifier: Apache-2.0

package ndjson

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"testing/iotest"
	"time"

	"hide/internal/parallel"
)

// TestFilterEndsWhenInterrupted waits for input that never comes.
func TestFilterEndsWhenInterrupted(t *testing.T) {
	in, never := io.Pipe()
	defer never.Close()
	ctx, cancel := context.WithCancel(t.Context())
	var out bytes.Buffer
	answered := make(chan struct{})
	go func() {
		fmt.Fprintln(never, `{"id":"a","text":"b"}`)
		<-answered
		cancel()
	}()
	err := Filter(ctx, in, &out, Options{}, func(in Doc) any {
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
	done := make(chan error, 1)
	go func() { done <- Filter(t.Context(), in, out, Options{}, func(in Doc) any { return in.ID }) }()
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

// echo answers a document with its id and text, after a time that depends on it.
func echo(d Doc) any {
	for range len(*d.Text) % 30 {
		runtime.Gosched()
	}
	return *d.ID + "=" + *d.Text
}

// stream is input with lines of all kinds, and what a filter answers to it: the answers up
// to the first bad line, the answers without the bad lines, and the bad lines.
type stream struct {
	in, before, all string
	bad             []Refusal
}

func randomStream(rng *rand.Rand) stream {
	var in, before, all strings.Builder
	var bad []Refusal
	for n := range rng.IntN(60) {
		offset := int64(in.Len())
		refuse := func(code, line string) {
			bad = append(bad, Refusal{Record: fmt.Sprintf("line %d", n+1), Offset: offset, Code: code})
			in.WriteString(line)
		}
		switch rng.IntN(12) {
		case 0:
			refuse("json", `{"id":"secret"}`)
		case 1:
			refuse("encoding", "{\"id\":\"a\",\"text\":\"secret\xff\"}")
		case 2:
			refuse("identities", `{"id":"a","text":"secret","identities":[{"of":"secret"}]}`)
		case 3:
			refuse("encoding", "\ufeff"+`{"id":"a","text":"secret"}`)
		default:
			text := strings.Repeat("x", rng.IntN(300))
			fmt.Fprintf(&in, `{"id":"%d","text":"%s"}`, n, text)
			answer := fmt.Sprintf("\"%d=%s\"\n", n, text)
			all.WriteString(answer)
			if bad == nil {
				before.WriteString(answer)
			}
		}
		in.WriteString([]string{"\n", "\r\n"}[rng.IntN(2)])
	}
	return stream{in.String(), before.String(), all.String(), bad}
}

// TestFilterWritesTheSameForAnyNumberOfWorkers compares with answers given one by one.
func TestFilterWritesTheSameForAnyNumberOfWorkers(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 60 {
		s := randomStream(rng)
		o := Options{Bound: parallel.Bound{Workers: 1 + rng.IntN(8), Items: 1 + rng.IntN(20), Bytes: 1 + rng.IntN(3000)}}
		var out bytes.Buffer
		err := Filter(t.Context(), strings.NewReader(s.in), &out, o, echo)
		if out.String() != s.before {
			t.Fatalf("%+v: answered %q, want %q", o.Bound, out.String(), s.before)
		}
		first, is := errors.AsType[*Refusal](err)
		if is != (len(s.bad) > 0) || is && (first.Record != s.bad[0].Record || !strings.HasPrefix(err.Error(), s.bad[0].Record+" of standard input: ")) {
			t.Fatalf("%+v: got %v, want %+v", o.Bound, err, s.bad)
		}
		out.Reset()
		var bad []Refusal
		o.Refused = func(r *Refusal) error { bad = append(bad, *r); return nil }
		if err := Filter(t.Context(), strings.NewReader(s.in), &out, o, echo); err != nil || out.String() != s.all {
			t.Fatalf("%+v: answered %q, %v, want %q", o.Bound, out.String(), err, s.all)
		}
		if len(bad) != len(s.bad) {
			t.Fatalf("refused %+v, want %+v", bad, s.bad)
		}
		for i, r := range bad {
			if r.Reason == "" || r.Hint == "" || strings.Contains(fmt.Sprint(r), "secret") {
				t.Fatalf("refused %+v", r)
			}
			if r.Reason, r.Hint = "", ""; r != s.bad[i] {
				t.Fatalf("refused %+v, want %+v", r, s.bad[i])
			}
		}
	}
}

// TestFilterHoldsABoundedPartOfTheInput counts what was read and is not answered yet, while
// the first answer takes longer than all others could.
func TestFilterHoldsABoundedPartOfTheInput(t *testing.T) {
	const line = 1 << 10
	bound := parallel.Bound{Workers: 4, Items: 1000, Bytes: 16 * line}
	in := &endless{line: fmt.Sprintf(`{"id":"a","text":"%s"}`+"\n", strings.Repeat("x", line))}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	held := make(chan struct{})
	var begun atomic.Int64
	done := make(chan error, 1)
	go func() {
		done <- Filter(ctx, in, io.Discard, Options{Bound: bound}, func(Doc) any {
			if begun.Add(1) == 1 {
				<-held
			}
			return nil
		})
	}()
	for begun.Load() < 16 {
		time.Sleep(time.Millisecond)
	}
	time.Sleep(20 * time.Millisecond) // time to read more, if nothing stopped it
	// One line goes beyond the bound, one waits to get in, and the reader has a buffer.
	if most := int64(bound.Bytes + 2*len(in.line) + 1<<16); in.read.Load() > most {
		t.Errorf("%d bytes were read while nothing was answered, at most %d may be", in.read.Load(), most)
	}
	close(held)
	for in.read.Load() < 1<<20 {
		time.Sleep(time.Millisecond)
	}
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// endless is a line again and again.
type endless struct {
	line string
	at   int
	read atomic.Int64
}

func (e *endless) Read(p []byte) (int, error) {
	n := copy(p, e.line[e.at:])
	e.at = (e.at + n) % len(e.line)
	e.read.Add(int64(n))
	return n, nil
}

// TestAStuckReaderHoldsNoAnswerBack has input that stops within a line.
func TestAStuckReaderHoldsNoAnswerBack(t *testing.T) {
	in, lines := io.Pipe()
	defer lines.Close()
	answers, out := io.Pipe()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- Filter(ctx, in, out, Options{Bound: parallel.Bound{Workers: 3}}, echo) }()
	const n = 20
	go func() {
		for range n {
			fmt.Fprintln(lines, `{"id":"a","text":"b"}`)
		}
		io.WriteString(lines, `{"id":"a"`)
	}()
	buf := make([]byte, n*len("\"a=b\"\n"))
	if _, err := io.ReadFull(answers, buf); err != nil || string(buf) != strings.Repeat("\"a=b\"\n", n) {
		t.Errorf("got %q, %v", buf, err)
	}
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// TestABadLineHoldsNoAnswerBack sends an answer's line and a bad line together, and waits.
func TestABadLineHoldsNoAnswerBack(t *testing.T) {
	in, lines := io.Pipe()
	answers, out := io.Pipe()
	refused, done := make(chan struct{}, 1), make(chan error, 1)
	o := Options{Bound: parallel.Bound{Workers: 2}, Refused: func(*Refusal) error { refused <- struct{}{}; return nil }}
	slow := func(d Doc) any { time.Sleep(5 * time.Millisecond); return d.ID } // the bad line is read first
	go func() { done <- Filter(t.Context(), in, out, o, slow) }()
	go io.WriteString(lines, `{"id":"a","text":""}`+"\nbad\n")
	read := make(chan string, 1)
	go func() {
		buf := make([]byte, 100)
		n, _ := answers.Read(buf)
		read <- string(buf[:n])
	}()
	<-refused
	select {
	case got := <-read:
		if got != "\"a\"\n" {
			t.Errorf("got %q", got)
		}
	case <-time.After(time.Second):
		t.Error("the answer waits for the next line")
	}
	answers.Close()
	lines.Close()
	<-done
}

// TestWritersThatFailEndTheWork has an output that takes no byte.
func TestWritersThatFailEndTheWork(t *testing.T) {
	full := errors.New("full")
	r, w := io.Pipe()
	r.CloseWithError(full)
	err := Filter(t.Context(), &endless{line: `{"id":"a","text":"b"}` + "\n"}, w, Options{}, echo)
	if !errors.Is(err, full) || err.Error() != "write answers: full" {
		t.Errorf("got %v", err)
	}
}

func TestAPanicIsTheErrorOfItsLine(t *testing.T) {
	in := strings.Repeat(`{"id":"a","text":"b"}`+"\n", 3) + `{"id":"weiss","text":"b"}` + "\n"
	refused := 0
	o := Options{Refused: func(*Refusal) error { refused++; return nil }}
	err := Filter(t.Context(), strings.NewReader(in), io.Discard, o, func(d Doc) any {
		if *d.ID == "weiss" {
			panic(*d.ID)
		}
		return nil
	})
	if err == nil || !strings.HasPrefix(err.Error(), "line 4 of standard input: panic at filter_test.go:") || strings.Contains(err.Error(), "weiss") || refused > 0 {
		t.Errorf("got %v", err)
	}
}

func TestTheCallerNamesALine(t *testing.T) {
	broken := errors.New("read b: broken")
	in := `{"id":"a","text":"b"}` + "\n" + `{"id":"weiss","text":"b"}` + "\n"
	o := Options{Place: func(line int, offset int64) string { return fmt.Sprintf("line %d, byte %d of b", line, offset) }}
	err := Filter(t.Context(), strings.NewReader(in), io.Discard, o, func(d Doc) any {
		if *d.ID == "weiss" {
			panic(*d.ID)
		}
		return nil
	})
	if err == nil || !strings.HasPrefix(err.Error(), "line 2, byte 22 of b: panic at filter_test.go:") {
		t.Errorf("got %v", err)
	}
	if err := Filter(t.Context(), iotest.ErrReader(broken), io.Discard, o, echo); err != broken {
		t.Errorf("got %v of the input", err)
	}
}

// TestLinesAreReadAsTheyStand compares with cutting the whole text.
func TestLinesAreReadAsTheyStand(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 300 {
		var b strings.Builder
		for range rng.IntN(12) {
			b.WriteString([]string{"\n", "\r\n", "\r", "ab", strings.Repeat("x", 20), strings.Repeat("y", 70)}[rng.IntN(6)])
		}
		const limit = 50
		s := lineReader{in: bufio.NewReaderSize(strings.NewReader(b.String()), 16), limit: limit}
		offset := int64(0)
		for line := range strings.Lines(b.String()) {
			l := s.next()
			want := strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r")
			if len(line) > limit {
				if l.Err != ErrTooLong || l.Text != nil || l.Offset != offset {
					t.Fatalf("%q: got %+v for a long line", b.String(), l)
				}
			} else if l.Err != nil || string(l.Text) != want || l.Offset != offset {
				t.Fatalf("%q: got %q at %d, %v, want %q at %d", b.String(), l.Text, l.Offset, l.Err, want, offset)
			}
			offset += int64(len(line))
		}
		if l := s.next(); l.Err != io.EOF {
			t.Fatalf("%q: got %+v at the end", b.String(), l)
		}
	}
}

func TestAFailingInputIsNamedWithItsLine(t *testing.T) {
	broken := errors.New("broken")
	in := io.MultiReader(strings.NewReader(`{"id":"a","text":"b"}`+"\n"+`{"id":"c"`), iotest.ErrReader(broken))
	var out bytes.Buffer
	err := Filter(t.Context(), in, &out, Options{}, echo)
	if !errors.Is(err, broken) || err.Error() != "line 2 of standard input: broken" || out.String() != "\"a=b\"\n" {
		t.Errorf("got %v after %q", err, out.String())
	}
}
