// SPDX-License-Identifier: Apache-2.0

package compare

import (
	"strings"
	"sync"

	"hide/internal/publish/value"
)

// streetWords has the short form of words in streets. A line is a short form and the words
// that it stands for.
var streetWords = abbreviations(`
	st street str strasse straat
	av avenue ave aven avenida avda avd avinguda
	blvd boulevard bd boul bvd bulevar
	rd road
	dr drive drv
	ln lane
	ct court crt
	pl place platz plaza placa plz pza
	sq square
	tce terrace ter terr
	cres crescent cr crs
	cct circuit circ cir circle
	cl close
	hwy highway
	pkwy parkway pky
	pde parade
	gr grove gve
	trl trail
	aly alley
	calle c
	ctra carretera
	pso paseo passeig pg
	trva travesia travessera
	rte route
	ch chemin
	imp impasse
	fbg faubourg fg
	n north norte nord norden
	s south sur sud suden
	e east este est osten
	w west oeste ouest westen
	apt apartment apartamento appartement appt app wohnung whg flat
	ste suite
	u unit
	fl floor piso etage og
	bldg building edificio
	hse house
	no nr num number numero nummer
	box pobox postfach apartado`)

// placeWords has the long form of words in names of places.
var placeWords = abbreviations(`
	saint st sankt
	sainte ste
	fort ft
	mount mt
	mountain mtn
	north n
	south s
	east e
	west w
	heights hts
	springs spgs
	junction jct
	township twp`)

func abbreviations(text string) map[string]string {
	m := map[string]string{}
	for line := range strings.Lines(text) {
		forms := strings.Fields(line)
		for _, form := range forms {
			m[form] = forms[0]
		}
	}
	return m
}

// streetEnds are ends of words that are words by themselves: Hauptstrasse, pridhamstreet.
var streetEnds = []string{"strasse", "street", "str"}

// cleanStreet is a street with the short forms of its words.
func cleanStreet(raw string, _ Reading) string {
	w := words(strings.ReplaceAll(fold(raw), "p.o.", "po "))
	if isMissing(w) || strings.Trim(w, "0 ") == "" {
		return ""
	}
	parts := strings.Fields(strings.ReplaceAll(w, "-", " "))
	cleaned := parts[:0:0]
	for _, p := range parts {
		start := ""
		for _, end := range streetEnds {
			if head, found := strings.CutSuffix(p, end); found && len(head) > 3 {
				start, p = head, end
				break
			}
		}
		if start != "" {
			cleaned = append(cleaned, start)
		}
		if short, ok := streetWords[p]; ok {
			p = short
		}
		if p != "no" {
			cleaned = append(cleaned, p)
		}
	}
	return clip(strings.Join(cleaned, " "))
}

// ways are the short forms of words for a street, without directions and parts of buildings.
var ways = set(`st av blvd rd dr ln ct pl sq tce cres cct cl hwy pkwy pde gr trl aly calle ctra pso trva rte ch imp fbg
	rue quai allee weg gasse ufer camino via ronda way`)

// HasStreetWord reports whether a value has a word for a street beside others.
func HasStreetWord(raw string) bool {
	parts := strings.Fields(cleanStreet(raw, Reading{}))
	for _, w := range parts {
		if len(parts) > 1 && ways[w] {
			return true
		}
	}
	return false
}

// cleanPlace is the name of a town with the long forms of its words.
func cleanPlace(raw string, _ Reading) string {
	w := words(fold(raw))
	if isMissing(w) || isRepeated(w) {
		return ""
	}
	parts := strings.Fields(strings.ReplaceAll(w, "-", " "))
	for i, p := range parts {
		if long, ok := placeWords[p]; ok && len(parts) > 1 {
			parts[i] = long
		}
	}
	return clip(strings.Join(parts, " "))
}

// otherStates are states outside of the list of package value, by code.
var otherStates = map[string]string{
	"nsw": "new south wales", "vic": "victoria", "qld": "queensland", "tas": "tasmania", "act": "australian capital territory",
	"on": "ontario", "qc": "quebec", "bc": "british columbia", "ab": "alberta", "mb": "manitoba", "sk": "saskatchewan",
	"ns": "nova scotia", "nb": "new brunswick", "nl": "newfoundland and labrador", "pe": "prince edward island",
}

// stateCodes has the code of each name of a state.
var stateCodes = sync.OnceValue(func() map[string]string {
	codes := map[string]string{}
	for _, s := range value.States() {
		codes[words(fold(s.Name))] = alphanumeric(fold(s.Code))
	}
	for code, name := range otherStates {
		codes[name] = code
	}
	return codes
})

// IsState reports whether a value is the name or the code of a state that the program knows.
func IsState(raw string) bool {
	clean := cleanState(raw, Reading{})
	return clean != "" && knownCodes()[clean]
}

var knownCodes = sync.OnceValue(func() map[string]bool {
	known := map[string]bool{"sa": true, "wa": true, "nt": true} // of Australia, beside the lists
	for _, code := range stateCodes() {
		known[code] = true
	}
	return known
})

// cleanState is the code of a state, and the words of one that is not in the lists.
func cleanState(raw string, _ Reading) string {
	w := words(fold(raw))
	if code, ok := stateCodes()[w]; ok {
		return code
	}
	short := withoutGaps.Replace(w)
	if missing[w] || missing[short] || w == "nan" { // NA and ND are states of Italy and of America
		return ""
	}
	if len(short) <= 4 {
		return short // "N.S.W."
	}
	return w
}

var withoutGaps = strings.NewReplacer(" ", "", "-", "")
