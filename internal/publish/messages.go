// SPDX-License-Identifier: Apache-2.0

package publish

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"iter"
	"maps"
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
	Messages   int                    `json:"messages"`
	Notes      int                    `json:"notes"`
	Redactions int                    `json:"redactions"` // placeholders in texts
	Labels     map[annotate.Label]int `json:"labels"`     // these placeholders by label
	Identities int                    `json:"identities"` // identifiers in fields that were replaced
	Known      KnownCounts            `json:"known"`      // occurrences of these identifiers in the texts
	Dropped    map[string]int         `json:"dropped"`    // fields that nobody knows to be harmless, by name
	Skipped    map[string]int         `json:"skipped"`    // texts and files that could not be read, by kind; they are dropped too
	Refused    int                    `json:"refused"`    // messages that could not be read; none of them is written
}

// MessageOptions say how [Bundle.Messages] works.
type MessageOptions struct {
	Keep  map[string]bool // names of fields to keep though no table knows them
	Bound parallel.Bound  // of the messages that are worked on at a time
	// EndLines ends each message with a line feed, for formats whose messages need not have one.
	EndLines bool
	// Refused is told of each message that cannot be read, in order. Its error ends the
	// work; nil goes on with the next message.
	Refused func(error) error
}

// Messages redacts messages and writes them in order: what the bundle finds in their texts,
// the identifiers that their fields give, wherever they occur, and these fields. All
// messages before one that ends the work are written. Memory is bounded by the messages
// that wait, not by the stream.
func (b *Bundle) Messages(ctx context.Context, w io.Writer, items iter.Seq2[*message.Item, error], o MessageOptions) (MessageCounts, error) {
	x := &messageWriter{
		bundle: b, w: &lastByte{Writer: w}, endLines: o.EndLines, counts: MessageCounts{Labels: map[annotate.Label]int{}, Dropped: map[string]int{}, Skipped: map[string]int{}}, refused: o.Refused,
		policy: message.Policy{Keep: o.Keep, Replace: func(i annotate.Identity) (string, bool) {
			return b.Policy.placeholder(labelInMessage(b.Policy, i)), true
		}},
		queue: parallel.NewQueue[redactedItem](o.Bound),
	}
	defer x.queue.Close()
	for item, err := range items {
		if err := x.room(ctx); err != nil {
			return x.counts, err
		}
		x.put(item, err)
	}
	return x.counts, x.rest(ctx)
}

// messageWriter redacts messages on several processors and writes them in order. It reads
// and writes on one goroutine, because the items of a stream share what the reader knows of
// people and of an open Bundle.
type messageWriter struct {
	bundle   *Bundle
	w        *lastByte
	endLines bool
	policy   message.Policy
	refused  func(error) error
	counts   MessageCounts
	queue    *parallel.Queue[redactedItem]
}

// redactedItem is a message with its redacted texts, or why it cannot be read.
type redactedItem struct {
	item  *message.Item
	texts []redacted
	bad   error
}

// lastByte remembers the last byte that was written.
type lastByte struct {
	io.Writer
	last byte
}

func (l *lastByte) Write(p []byte) (int, error) {
	if len(p) > 0 {
		l.last = p[len(p)-1]
	}
	return l.Writer.Write(p)
}

func (x *messageWriter) put(item *message.Item, bad error) {
	if bad != nil {
		x.queue.Put(0, func() (redactedItem, error) { return redactedItem{bad: bad}, nil })
		return
	}
	x.queue.Put(item.Bytes, func() (redactedItem, error) {
		r := redactedItem{item: item}
		err := parallel.Guard(func() error {
			r.texts = x.bundle.redactTogether(inputsOf(item, x.bundle.Policy))
			return nil
		})
		if err != nil {
			err = fmt.Errorf("%s, byte %d: %w", item.Record, item.Offset, err)
		}
		return r, err
	})
}

// room writes the messages that are ready, and waits until there is room for another one.
func (x *messageWriter) room(ctx context.Context) error {
	for x.queue.Full() || x.queue.Ready() {
		if err := x.writeOldest(ctx); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// rest writes the messages that are left.
func (x *messageWriter) rest(ctx context.Context) error {
	for x.queue.Len() > 0 {
		if err := x.writeOldest(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (x *messageWriter) writeOldest(ctx context.Context) error {
	select {
	case <-x.queue.Oldest():
	case <-ctx.Done():
		return ctx.Err()
	}
	r, err := x.queue.Take()
	if err != nil {
		return err
	}
	if r.bad != nil {
		x.counts.Refused++
		return x.refused(r.bad)
	}
	return x.write(r.item, r.texts)
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
			x.counts.Labels[r.Label]++
			marks[i] = append(marks[i], message.Mark{Start: r.Start, End: r.End, With: x.bundle.Policy.placeholder(r.Label)})
		}
		x.counts.Redactions += len(t.redactions)
		x.counts.Known = x.counts.Known.plus(t.known)
	}
	lost, err := item.WriteRedacted(x.w, marks, x.policy)
	if err == nil && x.endLines && x.w.last != '\n' {
		_, err = io.WriteString(x.w, "\n")
	}
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
