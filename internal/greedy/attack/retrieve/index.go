// SPDX-License-Identifier: Apache-2.0

package retrieve

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
)

// collection is all that the attacker knows, by knowledge.
type collection struct {
	number map[string]int // of a patient; those without known data have the last numbers
	known  int            // patients in the attacker's data
	words  map[string]uint32
	table  *index
	notes  *index
	left   []map[string][]count // by patient and name of note: the words of the note
}

func (c *collection) patients() int { return len(c.number) }

// newCollection numbers patients and words. Errors name patients by their place in the
// input, because the number of a patient is an identifier.
func newCollection(known []Known) (*collection, error) {
	c := &collection{number: map[string]int{}, known: len(known), words: map[string]uint32{}}
	table, notes := make([]profile, len(known)), make([]profile, len(known))
	c.left = make([]map[string][]count, len(known))
	for i, k := range known {
		if k.Patient == "" {
			return nil, fmt.Errorf("known patient %d has no name", i+1)
		}
		if first, twice := c.number[k.Patient]; twice {
			return nil, fmt.Errorf("known patients %d and %d are the same: give each patient once", first+1, i+1)
		}
		c.number[k.Patient] = i
		table[i] = newProfile([][]count{c.counts(k.Table)})
		var err error
		if notes[i], err = c.noteProfile(i, k.Notes); err != nil {
			return nil, err
		}
	}
	c.table, c.notes = newIndex(table, len(c.words)), newIndex(notes, len(c.words))
	return c, nil
}

// with is the collection among all of whose patients, and these, the attacker chooses.
func (c *collection) with(patients []string) (*collection, error) {
	out := *c
	out.number = maps.Clone(c.number)
	for i, p := range patients {
		if p == "" {
			return nil, fmt.Errorf("released note %d has no patient", i+1)
		}
		if _, is := out.number[p]; !is {
			out.number[p] = len(out.number)
		}
	}
	return &out, nil
}

func (c *collection) noteProfile(patient int, notes []Note) (profile, error) {
	all := make([][]count, len(notes))
	c.left[patient] = make(map[string][]count, len(notes))
	for k, n := range notes {
		all[k] = c.counts(n.Words)
		if n.Name == "" {
			continue
		}
		if _, twice := c.left[patient][n.Name]; twice {
			return profile{}, fmt.Errorf("known patient %d has two notes of one name: give each note once", patient+1)
		}
		c.left[patient][n.Name] = all[k]
	}
	return newProfile(all), nil
}

// count is how often a word occurs.
type count struct{ word, times uint32 }

// counts numbers new words, and counts the words of one text in order of their numbers.
func (c *collection) counts(words []string) []count {
	out := make([]count, 0, len(words))
	for _, w := range words {
		id, is := c.words[w]
		if !is {
			id = uint32(len(c.words))
			c.words[w] = id
		}
		out = append(out, count{id, 1})
	}
	return merged(out)
}

// query is counts of words that somebody's data has; others tell nothing.
func (c *collection) query(words []string) []count {
	var out []count
	for _, w := range words {
		if id, is := c.words[w]; is {
			out = append(out, count{id, 1})
		}
	}
	return merged(out)
}

// merged sorts counts by word and adds those of equal words.
func merged(all []count) []count {
	slices.SortFunc(all, func(a, b count) int { return cmp.Compare(a.word, b.word) })
	out := all[:0]
	for _, c := range all {
		if n := len(out); n > 0 && out[n-1].word == c.word {
			out[n-1].times += c.times
		} else {
			out = append(out, c)
		}
	}
	return slices.Clip(out)
}

// profile is the sum of some texts of one patient; its mean is what notes are compared
// with.
type profile struct {
	words []count
	size  int // words in all texts
	texts int // texts with at least one word
}

func newProfile(texts [][]count) profile {
	var p profile
	for _, t := range texts {
		if len(t) > 0 {
			p.words, p.texts, p.size = append(p.words, t...), p.texts+1, p.size+total(t)
		}
	}
	p.words = merged(p.words)
	return p
}

func total(all []count) int {
	n := 0
	for _, c := range all {
		n += int(c.times)
	}
	return n
}

func (p profile) times(word uint32) uint32 { return timesIn(p.words, word) }

func timesIn(all []count, word uint32) uint32 {
	if i, is := slices.BinarySearchFunc(all, word, func(c count, w uint32) int { return cmp.Compare(c.word, w) }); is {
		return all[i].times
	}
	return 0
}

// without is the profile before one of its texts came. Its words stay, some of them with
// 0 times.
func (p profile) without(text []count) profile {
	if len(text) == 0 {
		return p
	}
	out := profile{size: p.size - total(text), texts: p.texts - 1, words: slices.Clone(p.words)}
	for i := range out.words {
		out.words[i].times -= timesIn(text, out.words[i].word)
	}
	return out
}

// length is the mean number of words.
func (p profile) length() float64 {
	if p.texts == 0 {
		return 0
	}
	return float64(p.size) / float64(p.texts)
}

// index finds the patients whose profile has a word.
type index struct {
	profiles   []profile
	postings   [][]posting // by word, patients in order
	values     []value
	filled     int     // profiles with a word
	length     float64 // sum of the lengths of profiles
	vocabulary int     // words in some profile
}

// posting is a patient with a word. Values are few and shared, which keeps it small.
type posting struct{ patient, value uint32 }

// value is the mean number of times of a word in a profile, and the term log(1 + mean) of
// naive Bayes. Equal means have equal values, so that equal profiles get equal scores.
type value struct{ mean, log float64 }

func newValue(times uint32, texts int) value {
	if texts == 0 {
		return value{}
	}
	mean := float64(times) / float64(texts)
	return value{mean, math.Log1p(mean)}
}

func newIndex(profiles []profile, words int) *index {
	x := &index{profiles: profiles, postings: make([][]posting, words)}
	seen := map[float64]uint32{}
	for i, p := range profiles {
		if p.texts == 0 {
			continue
		}
		x.filled, x.length = x.filled+1, x.length+p.length()
		for _, w := range p.words {
			v := newValue(w.times, p.texts)
			id, is := seen[v.mean]
			if !is {
				id = uint32(len(x.values))
				seen[v.mean], x.values = id, append(x.values, v)
			}
			x.postings[w.word] = append(x.postings[w.word], posting{uint32(i), id})
		}
	}
	for _, p := range x.postings {
		if len(p) > 0 {
			x.vocabulary++
		}
	}
	return x
}
