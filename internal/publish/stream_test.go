// SPDX-License-Identifier: Apache-2.0

package publish

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"math/rand/v2"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"hide/internal/annotate"
	"hide/internal/annotate/message"
	"hide/internal/greedy"
	"hide/internal/ndjson"
	"hide/internal/parallel"
)

// bounds are random limits of a queue, some of them tight.
func bounds(rng *rand.Rand) parallel.Bound {
	return parallel.Bound{Workers: 1 + rng.IntN(6), Items: 1 + rng.IntN(12), Bytes: 1 + rng.IntN(4000)}
}

func TestLinesAreRedactedAlikeByAnyNumberOfWorkers(t *testing.T) {
	b, rng := testBundle(t), rand.New(rand.NewPCG(1, 2))
	var in, want strings.Builder
	for _, d := range corpus(t, 40) {
		line, err := json.Marshal(ndjson.Doc{ID: &d.Name, Text: &d.Text})
		if err != nil {
			t.Fatal(err)
		}
		in.Write(append(line, '\n'))
		text, redactions := b.Redact(d.Text)
		places := []string{}
		for _, r := range redactions {
			places = append(places, fmt.Sprintf(`{"start":%d,"end":%d,"label":"%s"}`, r.At, r.AtEnd, r.Label))
		}
		quoted, _ := json.Marshal(text)
		fmt.Fprintf(&want, `{"id":"%s","text":%s,"redactions":[%s]}`+"\n", d.Name, quoted, strings.Join(places, ","))
	}
	for range 6 {
		bound := bounds(rng)
		var out bytes.Buffer
		if counts, err := b.Lines(t.Context(), strings.NewReader(in.String()), &out, ndjson.Options{Bound: bound}); err != nil || counts.Notes != strings.Count(want.String(), "\n") || sumOf(counts.Redactions) != strings.Count(want.String(), `"start"`) || out.String() != want.String() {
			t.Fatalf("%+v: %v, %d bytes, want %d", bound, err, out.Len(), want.Len())
		}
	}
}

func sumOf(counts map[annotate.Label]int) (sum int) {
	for _, n := range counts {
		sum += n
	}
	return sum
}

// messages is a batch of HL7 messages, some of them bad, and as many FHIR resources with
// their patients between them.
func messages(t *testing.T) (hl7, fhir string) {
	var h, f strings.Builder
	for i, d := range corpus(t, 24) {
		if i%7 == 3 {
			fmt.Fprintf(&h, "MSH|^~\\&|A\rweiss\r")
			fmt.Fprintf(&f, "{\"resourceType\":\"Patient\",\"id\":%d\n", i)
		}
		name := "Zora" + string(rune('a'+i))
		text := strings.ReplaceAll(d.Text, "\n", " ") + strings.ToLower(name)
		fmt.Fprintf(&h, "MSH|^~\\&|EHR|Ward|||20260102||ORU^R01|%d|P|2.5\rPID|1||%d^^^H^MR||Silva^%s\rOBX|1|TX|1^Note||%s||||||F\r", i, 4000+i, name, text)
		fmt.Fprintf(&f, `{"resourceType":"Patient","id":"%d","name":[{"family":"Silva","given":["%s"]}]}`+"\n", i, name)
		fmt.Fprintf(&f, `{"resourceType":"DiagnosticReport","id":"%d","status":"final","code":{"text":"Note"},"subject":{"reference":"Patient/%[1]d"},"conclusion":"%[2]s"}`+"\n", i, text)
	}
	return h.String(), f.String()
}

func TestMessagesAreRedactedAlikeByAnyNumberOfWorkers(t *testing.T) {
	b, rng := testBundle(t), rand.New(rand.NewPCG(3, 4))
	hl7, fhir := messages(t)
	known := &message.People{} // its secret decides the pseudonyms
	if err := known.Collect(strings.NewReader(fhir)); err != nil {
		t.Fatal(err)
	}
	for name, read := range map[string]func() iter.Seq2[*message.Item, error]{
		"hl7":  func() iter.Seq2[*message.Item, error] { return message.HL7(strings.NewReader(hl7)) },
		"fhir": func() iter.Seq2[*message.Item, error] { return message.FHIR(strings.NewReader(fhir), known) },
	} {
		var want string
		var wanted MessageCounts
		for try := range 6 {
			o := MessageOptions{Bound: bounds(rng)}
			if try == 0 {
				o.Bound = parallel.Bound{Workers: 1, Items: 1}
			}
			var out, log bytes.Buffer
			o.Refused = func(err error) error { fmt.Fprintln(&log, err); return nil }
			counts, err := b.Messages(t.Context(), &out, read(), o)
			if err != nil {
				t.Fatal(name, err)
			}
			all := out.String() + log.String()
			if try == 0 {
				want, wanted = all, counts
				if counts.Refused != 3 || counts.Known.Found < 24 || strings.Contains(strings.ToLower(all), "zora") {
					t.Fatalf("%s: %+v", name, counts)
				}
				continue
			}
			if all != want || !reflect.DeepEqual(counts, wanted) {
				t.Errorf("%s, %+v: %+v, want %+v", name, o.Bound, counts, wanted)
			}
		}
	}
}

// TestMessagesBeforeABadOneAreWritten stops at the fourth of 27 messages.
func TestMessagesBeforeABadOneAreWritten(t *testing.T) {
	hl7, _ := messages(t)
	var out bytes.Buffer
	_, err := testBundle(t).Messages(t.Context(), &out, message.HL7(strings.NewReader(hl7)), MessageOptions{Refused: func(err error) error { return err }})
	if m, is := errors.AsType[*message.Error](err); !is || m.Record != "message 4, segment 2" {
		t.Errorf("got %v", err)
	}
	if n := strings.Count(out.String(), "MSH|"); n != 3 {
		t.Errorf("%d messages were written before it", n)
	}
}

// slow finds nothing, and waits until it may go on.
type slow struct {
	begun *atomic.Int32
	held  chan struct{}
}

func (s slow) Scores(v annotate.View) []float64 {
	s.begun.Add(1)
	<-s.held
	return make([]float64, len(v.Words))
}

func (s slow) Hard(v annotate.View) []bool { return make([]bool, len(v.Words)) }

// TestMessagesAreBoundedByTheirBytes has messages with little text and much else, and
// counts how many are read while the first is worked on.
func TestMessagesAreBoundedByTheirBytes(t *testing.T) {
	b := *testBundle(t)
	s := slow{new(atomic.Int32), make(chan struct{})}
	b.Ensemble = greedy.Ensemble{{Learner: "slow", Classifier: s, Threshold: 0.5}}
	const size, room = 1 << 12, 5
	ctx, cancel := context.WithCancel(t.Context())
	var read atomic.Int32
	items := func(yield func(*message.Item, error) bool) {
		one := "MSH|^~\\&|EHR|Ward|||20260102||ORU^R01|1|P|2.5\rOBX|1|TX|1^Note||pain||||||F\rZPI|" + strings.Repeat("x", size) + "\r"
		for item, err := range message.HL7(strings.NewReader(strings.Repeat(one, 40))) {
			read.Add(1)
			if !yield(item, err) {
				return
			}
		}
	}
	done := make(chan error, 1)
	go func() {
		_, err := b.Messages(ctx, new(bytes.Buffer), items, MessageOptions{Bound: parallel.Bound{Workers: 2, Bytes: room * size}})
		done <- err
	}()
	for s.begun.Load() < 2 {
		time.Sleep(time.Millisecond)
	}
	time.Sleep(20 * time.Millisecond) // time to read more, if nothing stopped it
	if n := read.Load(); n > room+1 {
		t.Errorf("%d messages were read, there is room for %d", n, room)
	}
	cancel() // while the reader waits for room
	close(s.held)
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// TestInterruptedMessagesEndThoughTheirInputDoesNot has input that stops within a message.
func TestInterruptedMessagesEndThoughTheirInputDoesNot(t *testing.T) {
	in, never := io.Pipe()
	defer never.Close()
	ctx, cancel := context.WithCancel(t.Context())
	hl7, _ := messages(t)
	go func() {
		_, _ = io.WriteString(never, hl7[:len(hl7)/2])
		cancel()
	}()
	o := MessageOptions{Refused: func(err error) error { return nil }}
	if _, err := testBundle(t).Messages(ctx, io.Discard, message.HL7(parallel.Reader(ctx, in)), o); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
