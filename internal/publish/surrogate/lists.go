// SPDX-License-Identifier: Apache-2.0

package surrogate

import (
	"embed"
	"path"
	"slices"
	"strings"
	"sync"
	"unicode"

	"hide/internal/annotate/dictionary"
	"hide/internal/publish/personname"
	"hide/internal/publish/value"
)

//go:embed lists/*.txt
var files embed.FS

// library holds the lists. Names of lists are those of the files, "given.f.es".
type library struct {
	lists map[string][]string
	towns map[string][]string // by state: "MA", "ES-MD"
	zips  map[string][]string // ranges of three-digit prefixes by state: "010-027"
	areas map[string][]string // area codes of telephones by state
}

// books reads the lists once.
var books = sync.OnceValue(func() *library {
	l := &library{lists: map[string][]string{}}
	entries, err := files.ReadDir("lists")
	if err != nil {
		panic("surrogate: the lists are missing")
	}
	for _, e := range entries {
		text, err := files.ReadFile(path.Join("lists", e.Name()))
		if err != nil {
			panic("surrogate: a list is missing")
		}
		l.add(strings.TrimSuffix(e.Name(), ".txt"), string(text))
	}
	l.addNames()
	return l
})

// add reads a list: terms with commas between them, or lines that begin with a state.
func (l *library) add(name, text string) {
	switch name {
	case "towns":
		l.towns = byState(text)
		for code, towns := range l.towns {
			// A reader takes a name that several states have for that of the largest town.
			l.towns[code] = slices.DeleteFunc(towns, func(s string) bool {
				other, _, known := value.StateOf(s)
				return known && other != code
			})
		}
		return
	case "zips":
		l.zips = byState(text)
		return
	case "areas":
		l.areas = byState(text)
		return
	}
	for line := range rows(text) {
		l.lists[name] = append(l.lists[name], terms(line)...)
	}
	if kind, _, _ := strings.Cut(name, "."); kind == "given" || kind == "family" {
		l.lists[name] = slices.DeleteFunc(l.lists[name], func(s string) bool { return !hasCapitals(s) })
	}
}

// hasCapitals reports whether a name can be written in capitals and back. The dotless i of
// Turkish and the sharp s of German cannot: a name with them would have two forms.
func hasCapitals(name string) bool {
	for _, r := range name {
		upper, lower := unicode.ToUpper(r), unicode.ToLower(r)
		if unicode.IsLetter(r) && (upper == lower || unicode.ToLower(upper) != lower || unicode.ToUpper(lower) != upper) {
			return false
		}
	}
	return true
}

// rows are the lines of a list that are not remarks.
func rows(text string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for line := range strings.Lines(text) {
			line = strings.TrimSpace(line)
			if line != "" && !strings.HasPrefix(line, "#") && !yield(line) {
				return
			}
		}
	}
}

func terms(line string) []string {
	var out []string
	for t := range strings.SplitSeq(line, ",") {
		if t = strings.TrimSpace(t); t != "" {
			out = append(out, t)
		}
	}
	return out
}

func byState(text string) map[string][]string {
	out := map[string][]string{}
	for line := range rows(text) {
		code, rest, _ := strings.Cut(line, " ")
		out[code] = append(out[code], terms(rest)...)
	}
	return out
}

// addNames adds the English names: those of the dictionary whose gender is known, and its
// surnames. Names of one or two letters look like initials.
func (l *library) addNames() {
	for _, given := range dictionary.Terms("given") {
		if len(given) < 3 || strings.ContainsAny(given, " .") || !hasCapitals(given) {
			continue
		}
		switch personname.GenderOf(given) {
		case personname.Female:
			l.lists["given.f.en"] = append(l.lists["given.f.en"], given)
		case personname.Male:
			l.lists["given.m.en"] = append(l.lists["given.m.en"], given)
		}
	}
	for _, family := range dictionary.Terms("surnames") {
		if len(family) > 2 && !strings.ContainsAny(family, " .'-") && hasCapitals(family) {
			l.lists["family.en"] = append(l.lists["family.en"], family)
		}
	}
}

// list is a list in a locale, or the English one.
func list(name string, loc Locale) []string {
	if found := books().lists[name+"."+string(loc)]; len(found) > 0 {
		return found
	}
	return books().lists[name+"."+string(En)]
}
