// SPDX-License-Identifier: Apache-2.0

package crf

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"

	"hide/internal/crf/classes"
)

// The parts of the tree of classes that are features, by bits of codes.
const (
	coarseBits = 5
	fineBits   = 10
)

// tableTags name the tables of a model in names of attributes. There is one for each.
const tableTags = "abcd"

// code fills in the classes of a word, one for each table.
func (r *reader) code(w *word) {
	if r.gazette == nil {
		return
	}
	key := "\x05"
	for _, t := range r.gazette.classes {
		w.codes = append(w.codes, t.Code(w.lower))
		key += t.Code(w.lower) + "|"
	}
	w.codesID = r.stringID(key)
}

func ownClasses(x *extractor, w *word) { x.addClasses(w, "c=") }

func nearClasses(x *extractor, w *word, heads []string) { x.addClasses(w, heads[0]) }

// addClasses adds the parts of the trees that the word is in, and its classes.
func (x *extractor) addClasses(w *word, head string) {
	kind := string(rune(w.class))
	for i, code := range w.codes {
		if code == "" {
			continue
		}
		tag := tableTags[i : i+1]
		if x.gazette.classes[i].Tree() {
			if coarseBits < len(code) {
				x.attrs.add(head, tag, code[:coarseBits])
				x.attrs.add(head, tag, code[:coarseBits], "|", kind)
			}
			if fineBits < len(code) {
				x.attrs.add(head, tag, code[:fineBits])
			}
		}
		x.attrs.add(head, tag, code, ".")
		x.attrs.add(head, tag, code, ".|", kind)
	}
}

// suited are the options for training on docs: without classes if no table suits them.
func (o Options) suited(docs []sequence) Options {
	if o.Features&Classes == 0 {
		return o
	}
	notes := make([][]string, len(docs))
	for i, d := range docs {
		notes[i] = d.words
	}
	tables, foreign := classes.Suited(o.Classes, notes)
	switch {
	case len(tables) > 0:
		o.Classes, o.foreign = tables, foreign
	case o.Features != Classes:
		o.Features, o.Classes, o.foreign = o.Features&^Classes, nil, foreign
	}
	return o
}

// builtinClasses has the program's own table alone.
func builtinClasses() []*classes.Table { return []*classes.Table{classes.Builtin()} }

// classes writes the tables: of the program's own only its hash.
func (e *encoder) classes(tables []*classes.Table) {
	e.number(len(tables))
	for _, t := range tables {
		form, raw := t.Stored()
		e.number(form)
		e.text(string(raw))
	}
}

// classes reads tables, and gives them to g or to no lists. The lists begin at start.
func (d *decoder) classes(g *gazetteer, start int) *gazetteer {
	tables := make([]*classes.Table, d.number("number of tables of word classes", len(tableTags)))
	for i := range tables {
		form := d.number("form of a table of word classes", classes.Forms-1)
		raw := d.take(d.number("size of a table of word classes", maxFile))
		if d.err != nil {
			return nil
		}
		var err error
		if tables[i], err = classes.FromStored(form, raw); errors.Is(err, classes.ErrOther) {
			err = fmt.Errorf("%w: %w", err, ErrOldModel)
		}
		if err != nil {
			d.fail("%w", err)
			return nil
		}
	}
	if g == ownGazetteer() && slices.Equal(tables, g.classes) {
		return g
	}
	return readLists.Of(sha256.Sum256(d.data[start:d.at]), g.with(tables))
}

// checkClasses refuses more tables than there are names for.
func checkClasses(tables []*classes.Table) error {
	if len(tables) > len(tableTags) {
		return fmt.Errorf("%d tables of word classes: at most %d", len(tables), len(tableTags))
	}
	return nil
}
