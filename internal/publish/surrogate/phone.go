// SPDX-License-Identifier: Apache-2.0

package surrogate

import (
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// extension is the end of a number inside of an institution.
var extension = regexp.MustCompile(`(?i)[\s,;]*(?:x|ext\.?|extension|extensión|poste|durchwahl|#)\s*[0-9]{1,6}$`)

// country codes that numbers are written with.
var plans = map[string]Locale{"1": En, "34": Es, "33": Fr, "49": De, "44": "gb"}

// several separates the numbers of a text that has more than one.
var several = regexp.MustCompile(`(?i)\s*[/,;]\s*|\s+(?:or|and|o|y|ou|et|oder|und)\s+`)

// phone replaces the telephone numbers of a text in their format.
func (p *Patient) phone(kind Kind, text string, draw int) (string, error) {
	between := several.FindAllStringIndex(text, -1)
	var b strings.Builder
	at := 0
	for _, gap := range append(between, []int{len(text), len(text)}) {
		part := text[at:gap[0]]
		if len(digitsOf(part)) < 7 && len(between) > 0 {
			return p.onePhone(kind, text, draw) // a part of a number, as in "0171/1234567"
		}
		s, err := p.onePhone(kind, part, draw)
		if err != nil {
			return "", err
		}
		b.WriteString(s + text[gap[0]:gap[1]])
		at = gap[1]
	}
	return b.String(), nil
}

// onePhone replaces one number.
func (p *Patient) onePhone(kind Kind, text string, draw int) (string, error) {
	tail := extension.FindString(text)
	main := text[:len(text)-len(tail)]
	if tail != "" {
		// One digit stands for another, so that no letter of the word for extension changes.
		at := strings.IndexFunc(tail, func(r rune) bool { return r >= '0' && r <= '9' })
		s, err := p.pattern(kind, tail[at:], draw)
		if err != nil {
			return "", err
		}
		tail = tail[:at] + s
	}
	if len(digitsOf(main)) == 0 {
		if tail == "" {
			return p.pattern(kind, text, draw)
		}
		return main + tail, nil
	}
	digits := digitsOf(main)
	plan, prefix := p.plan(main, digits)
	national := digits[len(prefix):]
	if len(national) < 7 {
		s, err := p.pattern(kind, main, draw)
		return s + tail, err
	}
	original := behind(main, len(prefix))
	numbers := longNumbers(original, 3) // reserved numbers share "06" with real ones
	s, err := p.assign(wish{
		kind: kind, part: "phone", code: true, canonical: digits, draw: draw, tries: patternTries, shared: true,
		candidate: func(r *rand.Rand, _ int) string { return prefix + reserved(r, plan, national, prefix != "") },
		usable: func(s string) bool {
			return !shows(overlayDigits(original, strings.TrimPrefix(s, prefix)), numbers)
		},
	})
	if err != nil {
		return "", err
	}
	return overlayDigits(main, s) + tail, nil
}

// behind is a text behind its first n digits.
func behind(text string, n int) string {
	for i, c := range text {
		if n == 0 {
			return text[i:]
		}
		if c >= '0' && c <= '9' {
			n--
		}
	}
	return ""
}

// plan is the numbering plan of a number, and its digits in front of the national number.
func (p *Patient) plan(text, digits string) (plan Locale, prefix string) {
	trimmed := strings.TrimLeft(text, " (")
	international := strings.HasPrefix(trimmed, "+") || strings.HasPrefix(digits, "00")
	lead := ""
	if strings.HasPrefix(digits, "00") {
		lead = "00"
	}
	for code, plan := range plans {
		bare := strings.TrimPrefix(digits, lead)
		written := international || p.maker.o.Locale == plan && len(bare) == 9+len(code) && plan != De
		if written && strings.HasPrefix(bare, code) && (code != "1" || len(bare) == 11) {
			return plan, lead + code
		}
	}
	switch {
	case international && len(digits) > 9:
		return "", lead + countryCode(digits[len(lead):])
	case p.maker.o.Locale == En && len(digits) == 11 && digits[0] == '1':
		return En, "1"
	}
	return p.maker.o.Locale, ""
}

// shortCodes are the country codes of one and two digits. All others have three.
var shortCodes = strings.Fields("1 7 20 27 30 31 32 33 34 36 39 40 41 43 44 45 46 47 48 49 51 52 53 54 55 56 57 58 60 61 62 63 64 65 66 81 82 84 86 90 91 92 93 94 95 98")

// countryCode is the country code that digits begin with.
func countryCode(digits string) string {
	for n := 1; n <= 2; n++ {
		if slices.Contains(shortCodes, digits[:n]) {
			return digits[:n]
		}
	}
	return digits[:3]
}

// reserved is a national number with as many digits that nobody has.
func reserved(r *rand.Rand, plan Locale, national string, international bool) string {
	switch n := len(national); {
	case plan == En && n == 7:
		return subscriber(r, national)
	case plan == En && n == 10:
		return areaCode(r, national[:3]) + subscriber(r, national)
	case plan == Es && n == 9 && strings.ContainsAny(national[:1], "67"):
		return "7" + string(rune('7'+r.IntN(3))) + random(r, 7)
	case plan == Es && n == 9:
		return "99" + random(r, 7)
	case plan == Fr, plan == "gb", plan == De:
		return dramatic(r, plan, national, international)
	}
	trunk := national[:len(national)-len(strings.TrimLeft(national, "0"))] // "+41 (0)38 549 02 90"
	if len(trunk) == len(national) {
		trunk = ""
	}
	return trunk + "0" + random(r, len(national)-len(trunk)-1)
}

// subscriber is a local number of North America. An area or exchange 555 in the original gives one
// of the exchanges that companies use for tests, so that nothing of the original stays.
func subscriber(r *rand.Rand, national string) string {
	if national[:3] == "555" || len(national) == 10 && national[3:6] == "555" {
		return pick(r, []string{"958", "959"}) + random(r, 4)
	}
	return "55501" + random(r, 2)
}

// dramatic are the numbers that regulators reserve for films, with any further digits.
// Mobile numbers have a list of their own.
func dramatic(r *rand.Rand, plan Locale, national string, international bool) string {
	name := "phones"
	bare := strings.TrimPrefix(national, "0")
	switch {
	case plan == Fr && strings.ContainsAny(bare[:1], "67"), plan == "gb" && strings.HasPrefix(bare, "7"), plan == De && strings.HasPrefix(bare, "1"):
		name = "mobiles"
	}
	lead := ""
	if bare != national || !international && plan == De {
		lead = national[:len(national)-len(bare)]
	}
	var fitting []string
	for _, start := range books().lists[name+"."+string(plan)] {
		if len(start) < len(bare) {
			fitting = append(fitting, start)
		}
	}
	if len(fitting) == 0 {
		at := min(3, len(bare)-1)
		return lead + bare[:1] + random(r, at-1) + "0" + random(r, len(bare)-at-1)
	}
	start := pick(r, fitting)
	return lead + start + random(r, len(bare)-len(start))
}

func random(r *rand.Rand, n int) string {
	return fill(r, slices.Repeat([]rune{'0'}, max(0, n)))
}

// areaCode is another area code of the same state, and any for a code that is not in the
// list or the only one of its state.
func areaCode(r *rand.Rand, code string) string {
	state, known := areaStates()[code]
	if !known {
		return pick(r, allAreas())
	}
	others := slices.DeleteFunc(slices.Clone(books().areas[state]), func(c string) bool { return c == code })
	if len(others) == 0 {
		return pick(r, allAreas())
	}
	return pick(r, others)
}

var areaStates = sync.OnceValue(func() map[string]string {
	out := map[string]string{}
	for state, codes := range books().areas {
		for _, c := range codes {
			out[c] = state
		}
	}
	return out
})

var allAreas = sync.OnceValue(func() []string {
	var out []string
	for _, codes := range books().areas {
		out = append(out, codes...)
	}
	slices.Sort(out)
	return out
})

// overlayDigits writes digits over those of a text and keeps its letters.
func overlayDigits(text, digits string) string {
	var b strings.Builder
	for _, t := range text {
		if digits != "" && t >= '0' && t <= '9' {
			b.WriteByte(digits[0])
			digits = digits[1:]
			continue
		}
		b.WriteRune(t)
	}
	return b.String()
}
