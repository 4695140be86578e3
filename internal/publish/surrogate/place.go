// SPDX-License-Identifier: Apache-2.0

package surrogate

import (
	"math/rand/v2"
	"slices"
	"sort"
	"strconv"
	"strings"
	"sync"
	"unicode"

	"hide/internal/publish/value"
)

// city replaces a town by one of the same state. A state or country behind a comma stays, or
// is replaced if states are; a ZIP code is replaced. Towns that are not in the lists are
// taken for towns of the patient's state.
func (p *Patient) city(_ Kind, text string, draw int) (string, error) {
	name, rest := text, ""
	if i := strings.IndexByte(text, ','); i > 0 {
		name, rest = text[:i], text[i:]
	}
	if !hasLetter(name) {
		return p.zip(ZIP, text, draw) // some corpora have postal codes among the towns
	}
	code, rest, err := p.region(name, rest, draw)
	if err != nil {
		return "", err
	}
	towns := p.towns(code)
	_, _, listed := value.StateOf(name)
	s, err := p.assign(wish{
		kind: City, part: "city", canonical: squash(name), draw: draw, tries: 2 * nameTries,
		candidate: func(r *rand.Rand, try int) string {
			if try < nameTries/2 && (listed || r.IntN(2) == 0) { // small towns are in no list
				return pick(r, towns)
			}
			return composed(r, p.maker.o.Locale)
		},
		usable: func(s string) bool { return !shares(s, name) },
	})
	return likeCase(name, s) + rest, err
}

// region is the code of the state in which the surrogate of a town lies, "" if it is unknown,
// and what stands behind the surrogate.
func (p *Patient) region(name, rest string, draw int) (code, behind string, err error) {
	state := strings.Trim(strings.TrimRight(rest, "0123456789- "), ", .\n\t")
	zip := strings.TrimLeft(strings.TrimPrefix(rest, strings.TrimRight(rest, "0123456789- ")), " ")
	code, known := stateCode(state)
	switch {
	case known:
	case slices.Contains(list("countries", p.maker.o.Locale), state):
	default:
		rest = "" // what is not known may identify
	}
	if !known {
		var ok bool
		if code, _, ok = value.StateOf(name); !ok {
			code = p.home
		}
	}
	if rest != "" && zip != "" {
		made, err := p.zip(ZIP, zip, draw)
		if err != nil {
			return "", "", err
		}
		rest = strings.TrimSuffix(rest, zip) + made
	}
	if !p.maker.o.States || code == "" {
		return code, rest, nil
	}
	if known {
		made, err := p.state(State, state, draw)
		if err != nil {
			return "", "", err
		}
		rest = strings.Replace(rest, state, made, 1)
	}
	code, err = p.otherState(code, draw)
	return code, rest, err
}

// towns are the towns of a state, or those of the locale.
func (p *Patient) towns(code string) []string {
	if found := books().towns[code]; len(found) > 0 {
		return found
	}
	return allTowns()[p.maker.o.Locale]
}

// allTowns are the towns of all states of a locale.
var allTowns = sync.OnceValue(func() map[Locale][]string {
	out := map[Locale][]string{}
	codes := make([]string, 0, len(books().towns))
	for code := range books().towns {
		codes = append(codes, code)
	}
	sort.Strings(codes)
	for _, code := range codes {
		loc := En
		switch prefix, _, found := strings.Cut(code, "-"); {
		case found && prefix == "ES":
			loc = Es
		case found && prefix == "FR":
			loc = Fr
		case found && prefix == "DE":
			loc = De
		}
		out[loc] = append(out[loc], books().towns[code]...)
	}
	return out
})

// state replaces a state, a code by a code and a name by a name.
func (p *Patient) state(_ Kind, text string, draw int) (string, error) {
	if !hasLetter(text) {
		return "", formless(State, "it has no letters")
	}
	code, known := stateCode(text)
	if !known {
		return p.listed(State, list("states", p.maker.o.Locale), text, draw)
	}
	other, err := p.otherState(code, draw)
	if err != nil {
		return "", err
	}
	if len(squash(text)) == 2 {
		return likeCase(text, other), nil
	}
	return likeCase(text, stateName(other)), nil
}

// otherState is the code of the invented state for a real one.
func (p *Patient) otherState(code string, draw int) (string, error) {
	var codes []string
	for _, s := range value.States() {
		if strings.Contains(s.Code, "-") == strings.Contains(code, "-") && len(books().towns[s.Code]) > 0 {
			codes = append(codes, s.Code)
		}
	}
	return p.assign(wish{
		kind: State, part: "state", canonical: squash(code), draw: draw, tries: 256, closed: true, shared: true,
		candidate: func(r *rand.Rand, _ int) string { return pick(r, codes) },
		usable:    func(s string) bool { return !shares(stateName(s), stateName(code)) },
	})
}

func stateName(code string) string {
	for _, s := range value.States() {
		if s.Code == code {
			return s.Name
		}
	}
	return code
}

// stateCode is the code of a state by its name or code.
func stateCode(text string) (string, bool) {
	state, ok := value.StateNamed(text)
	return state.Code, ok
}

// zip replaces a postal code by one of the same state that is not assigned.
func (p *Patient) zip(_ Kind, text string, draw int) (string, error) {
	digits := digitsOf(text)
	if p.maker.o.Locale != En || len(digits) != 5 && len(digits) != 9 || longLetters(text) {
		return p.foreignZIP(text, draw)
	}
	state := zipState(digits)
	if p.maker.o.States && state != "" {
		var err error
		if state, err = p.otherState(state, draw); err != nil {
			return "", err
		}
	}
	choices := freeZIPs(state, digits[:1])
	s, err := p.assign(wish{
		kind: ZIP, part: "zip", code: true, canonical: digits[:5], draw: draw, tries: 4 * nameTries, shared: true,
		candidate: func(r *rand.Rand, _ int) string { return pick(r, choices) },
	})
	if err != nil {
		return "", err
	}
	if len(digits) == 9 {
		s += fourDigits(p.random("zip+4", digits, draw))
	}
	return overlayDigits(text, s), nil
}

// longLetters reports whether a postal code has more letters than those of a state or country
// in front: "MA 02114", "F-75012".
func longLetters(text string) bool {
	found := runs(text)
	return len(found) > 0 && unicode.IsLetter(found[0][0]) && len(found[0]) > 2 || len(found) > 1 && hasLetter(string(found[len(found)-1]))
}

func fourDigits(r *rand.Rand) string { return strconv.Itoa(1000 + r.IntN(9000)) }

// foreignAreas are the beginnings of postal codes that are no areas.
var foreignAreas = map[Locale][]string{Es: {"53", "54", "55", "56", "57", "58", "59"}, Fr: {"96"}, De: {"05", "43", "62"}}

func (p *Patient) foreignZIP(text string, draw int) (string, error) {
	digits := digitsOf(text)
	areas := foreignAreas[p.maker.o.Locale]
	if len(digits) != 5 || len(areas) == 0 || longLetters(text) {
		return p.pattern(ZIP, text, draw)
	}
	s, err := p.assign(wish{
		kind: ZIP, part: "zip", code: true, canonical: digits, draw: draw, tries: nameTries,
		candidate: func(r *rand.Rand, _ int) string {
			return pick(r, areas) + strconv.Itoa(1000 + r.IntN(1000))[1:]
		},
	})
	return overlayDigits(text, s), err
}

// assignedZIPs end in 00 and are in use, as of 2021.
var assignedZIPs = []string{"09100", "09300", "10200", "20500", "33900", "45400", "70500", "96400"}

// freeZIPs are the ZIP codes of a state that are not assigned: those that end in 00, and those
// of prefixes that are not in use. Without a state they are those of the first digit.
func freeZIPs(state, first string) []string {
	all := zipTable()
	if found := all[state]; len(found) > 0 {
		return found
	}
	return all[first]
}

var zipTable = sync.OnceValue(func() map[string][]string {
	out := map[string][]string{}
	for state, ranges := range books().zips {
		for _, prefix := range prefixes(ranges) {
			free := []string{prefix + "00"}
			if slices.Contains(books().lists["unused-zips"], prefix) {
				for _, end := range []string{"01", "02", "03", "04", "05", "06", "07", "08", "09", "11", "12", "15", "21", "24", "27", "33", "38", "45", "52", "60"} {
					free = append(free, prefix+end)
				}
			}
			for _, z := range free {
				if !slices.Contains(assignedZIPs, z) {
					out[state] = append(out[state], z)
					out[z[:1]] = append(out[z[:1]], z)
				}
			}
		}
	}
	for _, list := range out {
		sort.Strings(list)
	}
	return out
})

// prefixes are the three-digit prefixes of ranges such as "010-027".
func prefixes(ranges []string) []string {
	var out []string
	for _, r := range ranges {
		from, to, found := strings.Cut(r, "-")
		if !found {
			to = from
		}
		a, _ := strconv.Atoi(from)
		b, _ := strconv.Atoi(to)
		for n := a; n <= b; n++ {
			out = append(out, strconv.Itoa(1000 + n)[1:])
		}
	}
	return out
}

// zipState is the state of a ZIP code, "" if there is none.
func zipState(text string) string {
	digits := digitsOf(text)
	if len(digits) < 3 {
		return ""
	}
	return prefixStates()[digits[:3]]
}

var prefixStates = sync.OnceValue(func() map[string]string {
	out := map[string]string{}
	for state, ranges := range books().zips {
		for _, prefix := range prefixes(ranges) {
			out[prefix] = state
		}
	}
	return out
})
