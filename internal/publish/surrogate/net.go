// SPDX-License-Identifier: Apache-2.0

package surrogate

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"hide/internal/annotate/dictionary"
)

// hosts are for documentation (RFC 2606).
var hosts = []string{"example.org", "example.com", "example.net"}

// email replaces an address: the name by the invented one, the host by one that belongs to
// nobody. Equal hosts have equal surrogates.
func (p *Patient) email(kind Kind, text string, draw int) (string, error) {
	at := strings.LastIndexByte(text, '@')
	if at < 0 {
		if strings.ContainsRune(strings.TrimSpace(text), ' ') {
			return "", formless(kind, "it has no @")
		}
		return p.username(kind, text, draw)
	}
	local, err := p.username(kind, text[:at], draw)
	if err != nil {
		return "", err
	}
	return local + "@" + likeCase(text[at+1:], p.host(text[at+1:])), nil
}

// host is the invented host for a real one, the same for all patients. Half of them are names
// under the reserved domain "example", so that hosts differ as real ones do.
func (p *Patient) host(real string) string {
	r := p.maker.o.Key.random("host", squash(real))
	if r.IntN(2) == 0 {
		return pick(r, hosts)
	}
	return strings.ToLower(dictionary.Fold(composed(r, p.maker.o.Locale))) + ".example"
}

// username replaces the words of an account or of the local part of an address. Words of
// names that were invented before follow them: "jsmith" becomes "rmiller" once John Smith is
// Robert Miller.
func (p *Patient) username(kind Kind, text string, draw int) (string, error) {
	canonical := squash(text)
	if canonical == "" {
		return "", formless(kind, "it has no letters and no digits")
	}
	letters, numbers := runs(text), longNumbers(text, 2)
	s, err := p.assign(wish{
		kind: kind, part: "account", canonical: canonical, draw: draw, tries: patternTries, candidate: func(r *rand.Rand, try int) string {
			var b strings.Builder
			for _, run := range letters {
				b.WriteString(p.accountPart(r, kind, run, try) + "\x00")
			}
			return strings.TrimSuffix(b.String(), "\x00")
		},
		usable: func(s string) bool { return !shares(s, text) && !shows(s, numbers) },
	})
	if err != nil {
		return "", err
	}
	return weave(text, strings.Split(s, "\x00")), nil
}

// accountPart replaces a run of digits or letters of an account.
func (p *Patient) accountPart(r *rand.Rand, kind Kind, run []rune, try int) string {
	if !unicode.IsLetter(run[0]) {
		return random(r, len(run))
	}
	word := dictionary.Fold(string(run))
	if try < 8 {
		if s, found := p.invented(word); found {
			return s
		}
	}
	if len(run) < 3 {
		return strings.ToLower(fill(r, slices.Repeat([]rune{'a'}, len(run))))
	}
	s := dictionary.Fold(familyName(r, p.maker.o.Locale, try))
	if len(run) > len(s)+4 {
		s += dictionary.Fold(familyName(r, p.maker.o.Locale, try))
	}
	if n := utf8.RuneCountInString(s); kind == Username && n > len(run) {
		s = string([]rune(s)[:len(run)])
	}
	return s
}

// invented is the surrogate of a word of an account that is a known name, a beginning of one,
// or an initial and a name.
func (p *Patient) invented(word string) (string, bool) {
	if s, ok := p.names[word]; ok {
		return s, true
	}
	if len(word) < 4 {
		return "", false
	}
	best := ""
	for name := range p.names {
		for cut := 0; cut <= 2; cut++ {
			tail := word[cut:]
			if len(tail) >= 3 && utf8.ValidString(tail) && strings.HasPrefix(name, tail) && (best == "" || name < best) {
				best = name
			}
		}
	}
	if best == "" {
		return "", false
	}
	return p.withInitials(word, best), true
}

// withInitials is the surrogate of a word that has initials and a name or its beginning.
func (p *Patient) withInitials(word, name string) string {
	to := p.names[name]
	for cut := 0; cut <= 2; cut++ {
		tail := word[cut:]
		if !strings.HasPrefix(name, tail) {
			continue
		}
		if len(tail) < len(name) {
			to = to[:min(len(to), len(tail))]
		}
		initials := ""
		for _, c := range word[:cut] {
			initials += p.initial(c, name)
		}
		return strings.ToValidUTF8(initials+to, "")
	}
	return to
}

// initial is the first letter of the invented name for that of a real one: of the person who
// has the name beside it, or else of any.
func (p *Patient) initial(c rune, beside string) string {
	for _, one := range p.people {
		if !slices.Contains(one.real, beside) {
			continue
		}
		for i, w := range one.real {
			if r, _ := utf8.DecodeRuneInString(one.invented[i]); w != beside && strings.HasPrefix(w, string(c)) {
				return string(r)
			}
		}
	}
	best := ""
	for name := range p.names {
		if strings.HasPrefix(name, string(c)) && (best == "" || name < best) {
			best = name
		}
	}
	if best == "" {
		return string(rune(consonants[int(c)%len(consonants)]))
	}
	r, _ := utf8.DecodeRuneInString(p.names[best])
	return string(r)
}

// weave writes parts over the runs of letters and digits of a text, in their capitals.
func weave(text string, parts []string) string {
	var b strings.Builder
	found := runs(text)
	rest := []rune(text)
	for i, run := range found {
		for len(rest) > 0 && rest[0] != run[0] {
			b.WriteRune(rest[0])
			rest = rest[1:]
		}
		rest = rest[min(len(run), len(rest)):]
		if i < len(parts) {
			b.WriteString(likeCase(string(run), parts[i]))
		}
	}
	b.WriteString(string(rest))
	return b.String()
}

// url replaces the host, and the words and numbers of the path; scheme, slashes and the type
// of a file stay.
func (p *Patient) url(kind Kind, text string, draw int) (string, error) {
	scheme, rest := "", text
	if i := strings.Index(text, "://"); i >= 0 {
		scheme, rest = text[:i+3], text[i+3:]
	}
	host, path := rest, ""
	if i := strings.IndexAny(rest, "/?#"); i >= 0 {
		host, path = rest[:i], rest[i:]
	}
	if squash(host) == "" {
		return "", formless(kind, "it has no host")
	}
	www := ""
	if strings.HasPrefix(strings.ToLower(host), "www.") {
		www = host[:4]
	}
	name, err := p.assign(wish{
		kind: kind, part: "url", canonical: squash(rest), draw: draw, tries: patternTries,
		candidate: func(r *rand.Rand, _ int) string {
			return strings.ToLower(dictionary.Fold(composed(r, p.maker.o.Locale))) + "." + pick(r, hosts) + pathLike(r, path)
		},
	})
	return scheme + www + name, err
}

// pathLike is a path of the same form.
func pathLike(r *rand.Rand, path string) string {
	end := ""
	if i := strings.LastIndexByte(path, '.'); i >= 0 && len(path)-i <= 5 && !strings.ContainsAny(path[i:], "/?=&") {
		path, end = path[:i], path[i:]
	}
	var b strings.Builder
	for _, c := range path {
		switch {
		case unicode.IsDigit(c):
			b.WriteString(random(r, 1))
		case unicode.IsLetter(c):
			b.WriteByte(consonants[r.IntN(len(consonants))])
		default:
			b.WriteRune(c)
		}
	}
	return b.String() + end
}

// ip replaces a network address by one for documentation. A port or a length of a prefix stays.
func (p *Patient) ip(kind Kind, text string, draw int) (string, error) {
	address, rest := text, ""
	if i := strings.IndexAny(text, "/%"); i > 0 {
		address, rest = text[:i], text[i:]
	}
	if strings.Count(address, ".") == 3 {
		if i := strings.LastIndexByte(address, ':'); i > 0 {
			address, rest = address[:i], address[i:]+rest
		}
	}
	made, found := addressMaker(address)
	if !found {
		return p.pattern(kind, text, draw)
	}
	s, err := p.assign(wish{kind: kind, part: "ip", code: true, canonical: squash(address), draw: draw, tries: patternTries, shared: true,
		candidate: func(r *rand.Rand, _ int) string { return made(r) }})
	return s + rest, err
}

// addressMaker makes addresses of the type of an original.
func addressMaker(address string) (func(*rand.Rand) string, bool) {
	parts := strings.FieldsFunc(address, func(c rune) bool { return c == ':' || c == '-' })
	switch {
	case strings.Count(address, ".") == 3 && len(digitsOf(address)) > 3:
		return func(r *rand.Rand) string {
			return pick(r, []string{"192.0.2.", "198.51.100.", "203.0.113."}) + strconv.Itoa(1+r.IntN(254))
		}, true
	case len(parts) == 6 && len(squash(address)) == 12:
		separator := string(address[2])
		return func(r *rand.Rand) string {
			s := strings.Join([]string{"00", "00", "5E", "00", "53", fmt.Sprintf("%02X", r.IntN(256))}, separator)
			return likeCase(address, s)
		}, true
	case strings.Count(address, ":") >= 2:
		return func(r *rand.Rand) string {
			s := "2001:db8"
			for range min(6, max(1, len(parts)-3)) {
				s += fmt.Sprintf(":%x", 1+r.IntN(0xffff))
			}
			if strings.Contains(address, "::") {
				return s + fmt.Sprintf("::%x", 1+r.IntN(0xffff))
			}
			for strings.Count(s, ":") < 7 {
				s += fmt.Sprintf(":%x", 1+r.IntN(0xffff))
			}
			return s
		}, true
	}
	return nil, false
}
