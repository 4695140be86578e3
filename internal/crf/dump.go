// SPDX-License-Identifier: Apache-2.0

package crf

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"

	"hide/internal/annotate"
)

// Dump writes labelled documents in CRFsuite's format: one token per line, its BIO label,
// then its attributes, separated by tabs; an empty line ends a document. The attributes
// are those that [Train] with the same options would use, so both programs can be
// compared. A value other than 1 follows a colon; colons and backslashes in names are
// escaped.
//
// The place before the first word of a document, a zero byte in names, is written as a
// backslash and 0: C ends a string at a zero byte. Errors are ctx's or w's, or name a
// token's attribute that CRFsuite could not read.
func Dump(ctx context.Context, w io.Writer, views []annotate.View, o Options) error {
	if err := o.check(); err != nil {
		return fmt.Errorf("dump attributes: %w", err)
	}
	o = o.withDefaults()
	if o.Features&Consistency != 0 {
		return errors.New("dump attributes: the family consistency needs another model: leave it out")
	}
	docs := labelledAll(views)
	o = o.suited(docs)
	docs, err := prepared(docs, o)
	if err != nil {
		return fmt.Errorf("dump attributes: %w", err)
	}
	g := o.gazetteer()
	kept, err := keptNames(ctx, docs, o, g)
	if err != nil {
		return err
	}
	d := dumper{w: bufio.NewWriter(w), states: states{labels: labelsOf(docs)}}
	d.sink.kept = kept
	d.extract = newExtractor(o.Features, g, &d.sink)
	for i, doc := range docs {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := d.document(doc); err != nil {
			return fmt.Errorf("dump attributes: document %d, %w", i, err)
		}
	}
	if err := d.w.Flush(); err != nil {
		return fmt.Errorf("dump attributes: %w", err)
	}
	return nil
}

// dumper relies on bufio remembering the first error until Flush.
type dumper struct {
	w       *bufio.Writer
	states  states
	extract *extractor
	sink    lines
}

func (d *dumper) document(doc sequence) error {
	bad, gold := -1, d.states.gold(doc)
	d.extract.extract(doc, func(t int, bundles []int32) {
		if doc.skips(t) {
			return
		}
		_, _ = d.w.Write(escaped(nil, []byte(d.states.name(int(gold[t])))))
		for _, b := range bundles {
			if d.sink.unreadable[b] && bad < 0 {
				bad = t
			}
			_, _ = d.w.WriteString(d.sink.texts[b])
		}
		_ = d.w.WriteByte('\n')
	})
	_ = d.w.WriteByte('\n')
	if bad >= 0 {
		return fmt.Errorf("token %d has an attribute with a tab, a line break or a byte that is not UTF-8", bad)
	}
	return nil
}

// name is what CoNLL files call a state.
func (s states) name(state int) string {
	switch k := s.label(state); {
	case k < 0:
		return "O"
	case s.begins(state):
		return "B-" + string(s.labels[k])
	default:
		return "I-" + string(s.labels[k])
	}
}

// lines is the sink of [Dump]: it stores the text of each bundle.
type lines struct {
	kept       map[string]bool
	texts      []string // a tab before each attribute
	unreadable []bool
}

func (l *lines) number(a *attributes, to []int32) { a.each(to, l.bundle) }

func (l *lines) bundle(a *attributes) int32 {
	var text []byte
	unreadable := false
	for i, value := range a.values {
		name := a.name(i)
		if !l.kept[string(name)] {
			continue
		}
		unreadable = unreadable || bytes.ContainsAny(name, "\t\n") || bytes.IndexByte(name, 0xff) >= 0
		text = escaped(append(text, '\t'), name)
		if value != 1 {
			text = strconv.AppendFloat(append(text, ':'), value, 'g', -1, 64)
		}
	}
	l.texts, l.unreadable = append(l.texts, string(text)), append(l.unreadable, unreadable)
	return int32(len(l.texts) - 1)
}

func escaped(to, name []byte) []byte {
	for _, c := range name {
		switch c {
		case 0:
			to = append(to, `\\0`...)
		case ':', '\\':
			to = append(to, '\\', c)
		default:
			to = append(to, c)
		}
	}
	return to
}

// keptNames are the attributes with weights.
func keptNames(ctx context.Context, docs []sequence, o Options, g *gazetteer) (map[string]bool, error) {
	c := newCorpus(o.Features, g)
	seen, err := c.look(ctx, docs)
	if err != nil {
		return nil, err
	}
	kept := map[string]bool{}
	d, err := newDataset(ctx, &c.collector, docs, seen, states{labels: labelsOf(docs)}, o)
	if err != nil {
		return nil, err
	}
	for _, a := range d.attributes {
		kept[c.collector.names[a]] = true
	}
	return kept, nil
}

var _ sink = (*lines)(nil)
