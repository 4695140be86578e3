// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"errors"
	"strings"
	"unicode"
	"unicode/utf8"
)

// quote is what a model says identifies somebody.
type quote struct {
	text       string
	confidence float64
}

// readQuotes reads the first JSON array of strings or objects in a reply. Models write
// thoughts, explanations and code fences around it.
func readQuotes(reply string) ([]quote, error) {
	if _, after, thought := strings.Cut(reply, "</think>"); thought {
		reply = after
	}
	for i, c := range reply {
		if c != '[' {
			continue
		}
		var items []json.RawMessage
		if json.NewDecoder(strings.NewReader(reply[i:])).Decode(&items) != nil {
			continue
		}
		if found, ok := quotesOf(items); ok {
			return found, nil
		}
	}
	return nil, errors.New("the model's answer has no JSON array of quotes")
}

func quotesOf(items []json.RawMessage) ([]quote, bool) {
	found := []quote{}
	for _, raw := range items {
		q := struct {
			Text       *string
			Confidence *float64
		}{}
		var text string
		switch {
		case json.Unmarshal(raw, &text) == nil:
			q.Text = &text
		case json.Unmarshal(raw, &q) != nil || q.Text == nil:
			return nil, false
		}
		sure := 1.0
		if q.Confidence != nil {
			sure = min(max(*q.Confidence, 0), 1)
		}
		found = append(found, quote{*q.Text, sure})
	}
	return found, true
}

// word is a run of letters and digits, by byte.
type word struct {
	from, to int
	folded   string
}

func wordsOf(text string) []word {
	var out []word
	from := -1
	end := func(to int) {
		if from >= 0 {
			out = append(out, word{from, to, strings.ToLower(text[from:to])})
		}
		from = -1
	}
	for i, r := range text {
		switch inside := unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r); {
		case !inside:
			end(i)
		case from < 0:
			from = i
		}
	}
	end(len(text))
	return out
}

// marks are the scores of the words of a note.
type marks struct {
	note   string
	words  []word
	score  []float64
	linked []bool // word w and the next one are of one quote
}

func newMarks(note string) *marks {
	words := wordsOf(note)
	return &marks{note, words, make([]float64, len(words)), make([]bool, len(words))}
}

// part is a range of words.
type part struct{ from, to int }

// overlap is how many words two neighbouring parts share.
const overlap = 30

// parts cuts the note into parts of at most about so many bytes, after a line or sentence
// where there is one. Neighbours overlap, so that no name is cut in both.
func (m *marks) parts(most int) []part {
	var out []part
	for from := 0; from < len(m.words); {
		to := from + 1
		for to < len(m.words) && m.words[to].to-m.words[from].from <= most {
			to++
		}
		if to < len(m.words) {
			to = m.softEnd(from, to)
		}
		if out = append(out, part{from, to}); to == len(m.words) {
			break
		}
		from = max(to-overlap, from+1)
	}
	return out
}

// softEnd is the last word in the second half of a part that ends a line or sentence.
func (m *marks) softEnd(from, to int) int {
	for end := to; end > from+(to-from)/2 && end > from+2*overlap; end-- {
		if between := m.note[m.words[end-1].to:m.words[end].from]; strings.ContainsAny(between, "\n.!?") {
			return end
		}
	}
	return to
}

func (m *marks) text(p part) string {
	from, to := m.words[p.from].from, m.words[p.to-1].to
	if p.from == 0 {
		from = 0
	}
	if p.to == len(m.words) {
		to = len(m.note)
	}
	return m.note[from:to]
}

// alignment counts quotes by how they were found.
type alignment struct{ whole, part, lost int }

// add adds share times the confidence of each quote to the words of a part that it marks;
// a word has the highest of one answer.
func (m *marks) add(sum []float64, p part, found []quote, share float64, count *alignment) {
	once := map[int]float64{}
	next := map[string]int{} // where to look for a short quote that comes again
	for _, q := range found {
		wanted := wordsOf(q.text)
		if len(wanted) == 0 {
			continue
		}
		places := m.places(p, wanted)
		kind := &count.whole
		if places == nil {
			wanted, places = m.longest(p, wanted)
			kind = &count.part
		}
		if places == nil {
			count.lost++
			continue
		}
		*kind++
		for _, at := range chosen(places, wanted, next) {
			for k := range wanted {
				once[at+k] = max(once[at+k], q.confidence)
				m.linked[at+k] = m.linked[at+k] || k+1 < len(wanted)
			}
		}
	}
	for w, sure := range once {
		sum[w] += share * sure
	}
}

// sure is how many letters and digits of a quote identify it wherever it stands.
const sure = 4

// chosen are the places that a quote marks: all of them, or for a short one such as "5" the
// next one, as models quote in the order of the note.
func chosen(places []int, wanted []word, next map[string]int) []int {
	letters, key := 0, ""
	for _, w := range wanted {
		letters += utf8.RuneCountInString(w.folded)
		key += w.folded + " "
	}
	if letters >= sure {
		return places
	}
	k := min(next[key], len(places)-1)
	next[key]++
	return places[k : k+1]
}

// places are the words of a part at which a quote begins.
func (m *marks) places(p part, wanted []word) []int {
	var out []int
	for at := p.from; at+len(wanted) <= p.to; at++ {
		same := 0
		for same < len(wanted) && m.words[at+same].folded == wanted[same].folded {
			same++
		}
		if same == len(wanted) {
			out = append(out, at)
		}
	}
	return out
}

// longest is the longest run of a quote's words that is in the part, if it is more than
// half of the quote's letters: models complete and correct names.
func (m *marks) longest(p part, wanted []word) ([]word, []int) {
	letters := func(words []word) (n int) {
		for _, w := range words {
			n += utf8.RuneCountInString(w.folded)
		}
		return n
	}
	for size := len(wanted) - 1; size > 0; size-- {
		for from := 0; from+size <= len(wanted); from++ {
			run := wanted[from : from+size]
			if 2*letters(run) <= letters(wanted) {
				continue
			}
			if places := m.places(p, run); places != nil {
				return run, places
			}
		}
	}
	return nil, nil
}

// join keeps the higher score of a word that two parts have.
func (m *marks) join(sum []float64) {
	for w, s := range sum {
		m.score[w] = max(m.score[w], min(s, 1))
	}
}

// spans are runs of marked words of one quote with one score.
func (m *marks) spans() []span {
	out := []span{}
	at, runes := 0, 0
	offset := func(to int) int {
		runes += utf8.RuneCountInString(m.note[at:to])
		at = to
		return runes
	}
	for w := 0; w < len(m.words); w++ {
		if m.score[w] == 0 {
			continue
		}
		last := w
		for last+1 < len(m.words) && m.linked[last] && m.score[last+1] == m.score[w] {
			last++
		}
		out = append(out, span{offset(m.words[w].from), offset(m.words[last].to), m.score[w]})
		w = last
	}
	return out
}
