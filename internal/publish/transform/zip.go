// SPDX-License-Identifier: Apache-2.0

package transform

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"hide/internal/publish/value"
)

// generalizeZIP writes three digits of a ZIP code. The list of areas with 20,000 people is of
// the United States, so nobody can look up a code of another country: the placeholder stands
// for it, and nobody needs to decide.
func (w *work) generalizeZIP(s *site) result {
	three, err := value.ZIP3(s.text)
	switch {
	case errors.Is(err, value.ErrForeignZIP), !w.isUSZIP(s):
		return result{hide: true}
	case err != nil:
		return result{problem: ZIPUnread}
	}
	return result{text: three}
}

// isUSZIP reports whether a code is of the United States. Its own form tells it, or a place beside
// it, or a place beside an equal code of the patient. If nothing tells it, the note must be in
// English.
func (w *work) isUSZIP(s *site) bool {
	if value.IsUSZIP(s.text) {
		return true
	}
	told := w.countryBeside(s)
	for _, t := range w.sites {
		if t != s && t.as == s.as && t.text == s.text {
			told = max(told, w.countryBeside(t))
		}
	}
	switch told {
	case american:
		return true
	case foreign:
		return false
	}
	l := w.dates.contexts[s.note].Language
	return l == value.AnyLanguage || l == value.English
}

// country is the country that places beside a code show. The greater value wins.
type country int

const (
	untold country = iota
	american
	foreign
)

// besideZIP is how far from a code a place can stand and tell its country, in bytes.
const besideZIP = 40

// countryBeside is the country of a code by the places beside it. A place abroad is enough, so
// that in doubt the code goes; one of the United States must stand in the same address.
func (w *work) countryBeside(s *site) country {
	i, _ := slices.BinarySearchFunc(w.sites, s, func(a, b *site) int {
		return cmp.Or(cmp.Compare(a.note, b.note), cmp.Compare(a.span.Start, b.span.Start))
	})
	return max(w.countryAlong(s, i-1, -1), w.countryAlong(s, i, 1))
}

// countryAlong is the country that the sites from index i tell, in one direction.
func (w *work) countryAlong(s *site, i, step int) country {
	told, address, edge := untold, true, s.span
	for ; i >= 0 && i < len(w.sites) && w.sites[i].note == s.note; i += step {
		t := w.sites[i]
		if t == s {
			continue
		}
		if max(t.span.Start-s.span.End, s.span.Start-t.span.End) > besideZIP {
			break
		}
		gap := w.patient.Notes[s.note].Text[min(edge.End, t.span.End):max(edge.Start, t.span.Start)]
		address, edge = address && strings.Trim(gap, " ,()\r\n") == "", t.span
		if c := countryOf(t); c == foreign || address {
			told = max(told, c)
		}
	}
	return told
}

// countryOf is the country that a place tells. A town of the United States tells nothing, as
// Toledo is a town of Spain too.
func countryOf(s *site) country {
	switch s.as {
	case "COUNTRY":
		if slices.Contains(unitedStates, folded(s.text)) {
			return american
		}
		return foreign
	case "STATE":
		if state, ok := value.StateNamed(s.text); ok && state.American() {
			return american
		} else if ok {
			return foreign
		}
	case "CITY":
		if code, _, ok := value.StateOf(s.text); ok && strings.Contains(code, "-") {
			return foreign
		}
	}
	return untold
}

// unitedStates are the names of the country, folded.
var unitedStates = []string{"us", "usa", "u s", "u s a", "united states", "the united states", "united states of america", "america",
	"eeuu", "ee uu", "estados unidos", "etats unis", "vereinigte staaten"}
