// SPDX-License-Identifier: Apache-2.0

package surrogate

import (
	"encoding/base64"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"

	"hide/internal/publish/policy"
)

// ErrExhausted is wrapped by errors about values for which no surrogate is left: every
// candidate is a real value of the corpus, or the value has no form that can be invented.
var ErrExhausted = errors.New("no surrogate is left")

// exhausted is the error for a kind. It never has the value.
func exhausted(kind Kind, tried int) error {
	return fmt.Errorf("%w for %s: all of %d candidates are real values or taken; use a numbered placeholder for this label, or another locale", ErrExhausted, kind, tried)
}

// formless is the error for a value that cannot be invented, such as free text.
func formless(kind Kind, why string) error {
	return fmt.Errorf("%w for %s: %s; use a placeholder for it", ErrExhausted, kind, why)
}

// Patient makes the surrogates of one patient. Ask for persons before e-mail addresses and user
// names, so that these follow the invented names.
type Patient struct {
	maker   *Maker
	id      string
	book    Book
	changed []Change

	made   map[string]string            // surrogate by part, value and draw
	used   map[string]map[string]string // by part: which value has a surrogate
	last   map[string]string            // the newest surrogate of a value by part, unless Consistent
	draws  map[string]int               // the newest draw of a value, for Markov
	drawAt map[string]int               // the draw of a value at a place
	names  map[string]string            // invented name words by real ones, folded
	people []nameWords                  // whose names were invented
	longs  map[string]string            // long forms of institutions by their initials
	home   string                       // code of the first state that was known
}

// Patient starts the surrogates of a patient. The book is that of an earlier release by the
// same key, or zero.
func (m *Maker) Patient(id string, book Book) *Patient {
	p := &Patient{maker: m, id: id, book: book.clone(),
		made: map[string]string{}, used: map[string]map[string]string{}, last: map[string]string{},
		draws: map[string]int{}, drawAt: map[string]int{}, names: map[string]string{}, longs: map[string]string{}}
	for part, entries := range book.Values {
		for id, text := range entries {
			p.take(part, text, id)
		}
	}
	p.book.Days = p.Shift()
	return p
}

// Shift is by how many days the dates of the patient move, never 0.
func (p *Patient) Shift() int {
	o := p.maker.o
	if days := p.book.Days; days != 0 {
		return days
	}
	step, most := 1, o.Days
	if o.Weekday {
		step, most = 7, o.Days/7
	}
	r := p.random("shift", "", 0)
	days := step * (1 + r.IntN(most))
	if r.IntN(2) == 0 {
		return -days
	}
	return days
}

// draw numbers the surrogates of one value: 0 if it always has the same one. A place that
// is asked for again has the same draw.
func (p *Patient) draw(kind, canonical string, place int) int {
	o := p.maker.o
	if o.Repeat == policy.Consistent {
		return 0
	}
	value := kind + "\x00" + canonical
	at := value + "\x00" + strconv.Itoa(place)
	if d, ok := p.drawAt[at]; ok {
		return d
	}
	d := place + 1
	before, repeated := p.draws[value]
	if o.Repeat == policy.Markov && repeated && p.random("stay", value, d).Float64() < o.Stay {
		d = before
	}
	p.draws[value], p.drawAt[at] = d, d
	return d
}

// random is the stream of choices for a draw of a value.
func (p *Patient) random(part, canonical string, draw int) *rand.Rand {
	return p.maker.o.Key.random(p.id, part, canonical, strconv.Itoa(draw))
}

// entry is the name of a value in the book. It needs the key: the book alone does not tell
// the originals.
func (p *Patient) entry(part, canonical string) string {
	sum := p.maker.o.Key.sum("book", p.id, part, canonical)
	return base64.RawURLEncoding.EncodeToString(sum[:12])
}

// wish describes one part of a surrogate.
type wish struct {
	kind      Kind
	part      string // which values must differ from each other: "family", "city"
	canonical string
	draw      int
	tries     int
	candidate func(r *rand.Rand, try int) string // "" if there is none
	usable    func(candidate string) bool        // nil for no condition but the general ones
	code      bool                               // letters and digits, in which no word is a name
	closed    bool                               // real values are allowed: a list of all there are
	shared    bool                               // values may have the same surrogate if the list is short
}

// assign finds the surrogate of a wish: the one of the book, or the first candidate that is
// usable, not real, not the original and not another value's.
func (p *Patient) assign(w wish) (string, error) {
	id := w.part + "\x00" + w.canonical + "\x00" + strconv.Itoa(w.draw)
	if s, ok := p.made[id]; ok {
		return s, nil
	}
	s, found := p.fromBook(w)
	if !found {
		var err error
		if s, err = p.search(w); err != nil {
			return "", err
		}
	}
	p.made[id] = s
	p.keep(w, s)
	return s, nil
}

// assigned reports whether a value has a surrogate of a part.
func (p *Patient) assigned(part, canonical string, draw int) bool {
	_, made := p.made[part+"\x00"+canonical+"\x00"+strconv.Itoa(draw)]
	if !made && draw == 0 {
		_, made = p.book.Values[part][p.entry(part, canonical)]
	}
	return made
}

// search tries candidates.
func (p *Patient) search(w wish) (string, error) {
	r := p.random(w.part, w.canonical, w.draw)
	spare := ""
	for try := range w.tries {
		s := w.candidate(r, try)
		if s == "" || !p.fits(w, s) {
			continue
		}
		if p.free(w, s) {
			return s, nil
		}
		if spare == "" {
			spare = s
		}
	}
	if w.shared && spare != "" {
		return spare, nil
	}
	return "", exhausted(w.kind, w.tries)
}

// fits reports whether a candidate is neither the original nor real.
func (p *Patient) fits(w wish, s string) bool {
	if squash(s) == w.canonical || w.usable != nil && !w.usable(s) {
		return false
	}
	real := p.maker.o.Real
	switch {
	case w.closed:
		return true
	case w.code:
		return !real.values[squash(s)]
	}
	return !real.has(s)
}

// free reports whether no other value has a candidate. Where values change at each place, a
// candidate must only differ from the one before.
func (p *Patient) free(w wish, s string) bool {
	if p.maker.o.Repeat != policy.Consistent {
		return p.last[w.part+"\x00"+w.canonical] != squash(s)
	}
	holder, taken := p.used[w.part][squash(s)]
	return !taken || holder == p.entry(w.part, w.canonical)
}

// fromBook is what the book has for a wish. An entry that a later note made a real value is
// replaced.
func (p *Patient) fromBook(w wish) (string, bool) {
	if w.draw != 0 {
		return "", false
	}
	s, ok := p.book.Values[w.part][p.entry(w.part, w.canonical)]
	if !ok {
		return "", false
	}
	if p.fits(w, s) {
		return s, true
	}
	p.changed = append(p.changed, Change{w.kind, w.part})
	delete(p.used[w.part], squash(s))
	return "", false
}

// keep notes what was assigned.
func (p *Patient) keep(w wish, s string) {
	if w.draw != 0 {
		p.last[w.part+"\x00"+w.canonical] = squash(s)
		return
	}
	entry := p.entry(w.part, w.canonical)
	p.book.put(w.part, entry, s)
	p.take(w.part, s, entry)
}

func (p *Patient) take(part, s, entry string) {
	if p.used[part] == nil {
		p.used[part] = map[string]string{}
	}
	p.used[part][squash(s)] = entry
}

// Aliases tells values that the notes of the patient have, before surrogates are asked for:
// the long forms of institutions, so that "MGH" follows "Massachusetts General Hospital"
// though it stands first, and states, so that a town that is not in the lists is replaced
// by one of the patient's state.
func (p *Patient) Aliases(kind Kind, texts ...string) {
	for _, t := range texts {
		p.learn(kind, t)
	}
}

func (p *Patient) learn(kind Kind, text string) {
	switch kind {
	case Hospital, Organization:
		if short := initials(text); len(short) > 1 && !isCompact(strings.TrimSpace(text)) {
			if _, known := p.longs[short]; !known {
				p.longs[short] = text
			}
		}
	case State:
		if code, ok := stateCode(text); ok && p.home == "" {
			p.home = code
		}
	case ZIP:
		if code := zipState(text); code != "" && p.home == "" && p.maker.o.Locale == En {
			p.home = code
		}
	}
}
