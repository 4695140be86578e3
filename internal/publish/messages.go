// SPDX-License-Identifier: Apache-2.0

package publish

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"iter"
	"maps"
	"runtime"
	"slices"
	"strings"

	"hide/internal/annotate"
	"hide/internal/annotate/known"
	"hide/internal/annotate/message"
	"hide/internal/parallel"
	"hide/internal/words"
)

// MessageCounts sums up a stream of redacted messages.
type MessageCounts struct {
	Messages   int            `json:"messages"`
	Notes      int            `json:"notes"`
	Redactions int            `json:"redactions"` // placeholders in texts
	Identities int            `json:"identities"` // identifiers in fields that were replaced
	Known      KnownCounts    `json:"known"`      // occurrences of these identifiers in the texts
	Dropped    map[string]int `json:"dropped"`    // fields that nobody knows to be harmless, by name
	Skipped    map[string]int `json:"skipped"`    // texts and files that could not be read, by kind; they are dropped too
	Refused    int            `json:"refused"`    // messages that could not be read; none of them is written
}

// Messages redacts messages and writes them in order: what the bundle finds in their texts,
// the identifiers that their fields give, wherever they occur, and these fields. keep has
// the names of fields to keep though no table knows them. refused is told of every message
// that cannot be read; its error ends the work. Memory is bounded by a portion of messages,
// not by the stream.
func (b *Bundle) Messages(ctx context.Context, w io.Writer, items iter.Seq2[*message.Item, error], keep map[string]bool, refused func(error) error) (MessageCounts, error) {
	x := &messageWriter{
		bundle: b, w: w, counts: MessageCounts{Dropped: map[string]int{}, Skipped: map[string]int{}},
		policy: message.Policy{Keep: keep, Replace: func(i annotate.Identity) (string, bool) {
			return b.Policy.placeholder(labelInMessage(b.Policy, i)), true
		}},
	}
	for item, err := range items {
		if err != nil {
			x.counts.Refused++
			err = refused(err)
		} else {
			err = x.add(ctx, item)
		}
		if err != nil {
			return x.counts, err
		}
	}
	return x.counts, x.flush(ctx)
}

// messagePortion bounds the messages that are redacted at once: their number, and the bytes
// of their texts.
const (
	messagePortion      = 64
	messagePortionBytes = 1 << 20
)

// messageWriter redacts a portion of messages on all processors and writes it in order.
type messageWriter struct {
	bundle *Bundle
	w      io.Writer
	policy message.Policy
	counts MessageCounts
	held   []*message.Item
	bytes  int
}

func (x *messageWriter) add(ctx context.Context, item *message.Item) error {
	x.held = append(x.held, item)
	for _, n := range item.Notes {
		x.bytes += len(n.Text)
	}
	if len(x.held) < messagePortion && x.bytes < messagePortionBytes {
		return nil
	}
	return x.flush(ctx)
}

func (x *messageWriter) flush(ctx context.Context) error {
	all := make([][]redacted, len(x.held))
	err := parallel.Do(ctx, runtime.GOMAXPROCS(0), len(x.held), func(_, i int) {
		all[i] = x.bundle.redactTogether(inputsOf(x.held[i], x.bundle.Policy))
	})
	if err != nil {
		return err
	}
	for i, item := range x.held {
		if err := x.write(item, all[i]); err != nil {
			return err
		}
	}
	clear(x.held)
	x.held, x.bytes = x.held[:0], 0
	return nil
}

// inputsOf are the texts of a message, of one person.
func inputsOf(item *message.Item, p Policy) []Input {
	ins := make([]Input, len(item.Notes))
	for i, n := range item.Notes {
		d := annotate.Document{Name: n.ID, Text: n.Text, Patient: n.Patient, Identities: n.Identities}
		ins[i] = Input{Text: n.Text, Group: n.Patient, Structured: d.Known(), Known: FindKnown(n.Text, n.Identities, func(i annotate.Identity) annotate.Label { return labelInMessage(p, i) })}
	}
	return ins
}

// labelInMessage is the label of the policy for an identity, its own if none fits: nobody
// counts the labels of messages.
func labelInMessage(p Policy, i annotate.Identity) annotate.Label {
	if l, fits := known.LabelIn(p.Labels, i.Label); fits {
		return l
	}
	return i.Label
}

func (x *messageWriter) write(item *message.Item, texts []redacted) error {
	marks := make([][]message.Mark, len(texts))
	for i, t := range texts {
		for _, r := range t.redactions {
			marks[i] = append(marks[i], message.Mark{Start: r.Start, End: r.End, With: x.bundle.Policy.placeholder(r.Label)})
		}
		x.counts.Redactions += len(t.redactions)
		x.counts.Known = x.counts.Known.plus(t.known)
	}
	lost, err := item.WriteRedacted(x.w, marks, x.policy)
	if !item.Frame {
		x.counts.Messages++
	}
	x.counts.Notes += len(texts)
	x.counts.Identities += lost.Identities
	for name, n := range lost.Dropped {
		x.counts.Dropped[name] += n
	}
	for _, s := range item.Skips {
		x.counts.Skipped[s.What]++
	}
	return err
}

// Write says what was done, in a few lines for people.
func (c MessageCounts) Write(w io.Writer) {
	fmt.Fprintf(w, "%s with %s: %s in texts, %s replaced in fields; %s\n",
		words.Count(c.Messages, "message", "messages"), words.Count(c.Notes, "text", "texts"),
		words.Count(c.Redactions, "placeholder", "placeholders"), words.Count(c.Identities, "identifier", "identifiers"), c.Known.Words())
	if c.Refused > 0 {
		fmt.Fprintf(w, "left out because they cannot be read: %s\n", words.Count(c.Refused, "message", "messages"))
	}
	for _, list := range []struct {
		said   string
		counts map[string]int
	}{{"dropped, as nobody knows them to be harmless", c.Dropped}, {"dropped, as they cannot be read", c.Skipped}} {
		if len(list.counts) > 0 {
			fmt.Fprintf(w, "%s: %s\n", list.said, strings.Join(mostFrequent(list.counts), ", "))
		}
	}
}

// mostFrequent lists names with their counts, the most frequent first: "ZPI 12".
func mostFrequent(counts map[string]int) []string {
	names := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(counts[b]-counts[a], strings.Compare(a, b))
	})
	for i, name := range names {
		names[i] = fmt.Sprintf("%s %d", name, counts[name])
	}
	return names
}
