// SPDX-License-Identifier: Apache-2.0

package value

import (
	_ "embed"
	"slices"
	"strings"
	"sync"

	"hide/internal/annotate/dictionary"
)

// State is a state or territory of the United States, or an autonomous community of Spain.
type State struct {
	Code string // "MA"; of a community its ISO code, "ES-MD"
	Name string
}

//go:embed states.txt
var statesFile string

//go:embed cities.txt
var citiesFile string

// places are the tables of both files. Names are folded.
type places struct {
	states []State
	byName map[string]string // state by name and by code
	cities map[string]string // state by city
}

// States lists the states, the District of Columbia and the territories of the United States,
// and then the autonomous communities of Spain, by code within each.
func States() []State { return slices.Clone(readPlaces().states) }

var readPlaces = sync.OnceValue(func() places {
	p := places{byName: map[string]string{}, cities: map[string]string{}}
	for code, rest := range fileLines(statesFile) {
		names := strings.Split(rest, ",")
		p.states = append(p.states, State{code, names[0]})
		p.byName[stateKey(code)] = code
		for _, n := range names {
			p.byName[stateKey(n)] = code
		}
	}
	for code, rest := range fileLines(citiesFile) {
		for n := range strings.SplitSeq(rest, ",") {
			p.cities[placeKey(n)] = code
		}
	}
	return p
})

// fileLines are the lines "CODE rest" of a file that are not comments.
func fileLines(file string) func(yield func(code, rest string) bool) {
	return func(yield func(code, rest string) bool) {
		for line := range strings.Lines(file) {
			code, rest, ok := strings.Cut(strings.TrimSpace(line), " ")
			if ok && code != "#" && !yield(code, rest) {
				return
			}
		}
	}
}

// placeKey is the name of a place for comparison: "St. Louis" as "saint louis".
func placeKey(s string) string {
	words := strings.Fields(strings.ReplaceAll(strings.ReplaceAll(dictionary.Fold(s), ".", " "), "-", " "))
	for i, w := range words {
		switch w {
		case "st":
			words[i] = "saint"
		case "ft":
			words[i] = "fort"
		case "mt":
			words[i] = "mount"
		}
	}
	return strings.Join(words, " ")
}

// stateKey is the name or code of a state for comparison: "N.H." as "nh".
func stateKey(s string) string {
	return dictionary.Fold(strings.TrimSpace(strings.ReplaceAll(s, ".", "")))
}

// StateNamed is the state with this name or code.
func StateNamed(s string) (State, bool) {
	p := readPlaces()
	code, ok := p.byName[stateKey(s)]
	return State{code, p.name(code)}, ok
}

// American reports whether the state is of the United States.
func (s State) American() bool { return len(s.Code) == 2 }

// StateOf is the state of a city: "Boston" is in MA, Massachusetts. A state behind the city
// decides, "Springfield, IL". Without one ok is false for cities that are not in the list, and
// for names that cities of several states share, unless one of them is by far the largest.
// Cities and provinces of Spain give the autonomous community.
func StateOf(city string) (code, name string, ok bool) {
	p := readPlaces()
	city = strings.TrimSpace(city)
	if before, after, found := strings.Cut(city, ","); found {
		code, ok = p.byName[stateKey(after)]
		if ok && strings.TrimSpace(before) != "" {
			return code, p.name(code), true
		}
		return "", "", false
	}
	if code, ok = p.cities[placeKey(city)]; !ok {
		return "", "", false
	}
	return code, p.name(code), true
}

func (p places) name(code string) string {
	for _, s := range p.states {
		if s.Code == code {
			return s.Name
		}
	}
	return ""
}
