// SPDX-License-Identifier: Apache-2.0

package personname

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"hide/internal/annotate/dictionary"
)

// form writes a person in one of the ways of notes. The truth of the simulation comes from
// needs: the parts of the name that a mention shows.
type form struct {
	pattern string // G given, g initial, M middle initial, F family, f its initial, H one of two, S with a slip, N short form, T title
	family  shown
	given   shown
	title   bool
}

type shown byte

const (
	hidden shown = iota
	letter
	whole
)

var randomForms = []form{
	{"G F", whole, whole, false}, {"F, G", whole, whole, false}, {"G M. F", whole, whole, false}, {"F, G M.", whole, whole, false},
	{"g. F", whole, letter, false}, {"F, g.", whole, letter, false}, {"T. F", whole, hidden, true}, {"F", whole, hidden, false}, {"F's", whole, hidden, false},
	{"G", hidden, whole, false}, {"g.f.", letter, letter, false}, {"T. G F", whole, whole, true}, {"T. g. F", whole, letter, true},
	{"Dr. F", whole, hidden, false}, {"F, MD", whole, hidden, false}, {"N F", whole, whole, false}, {"N", hidden, whole, false},
	{"T. H", whole, hidden, true}, {"G H", whole, whole, false}, {"G S", whole, whole, false}, {"S, G", whole, whole, false}, {"G F Jr.", whole, whole, false},
}

// invented makes people with names of the lists.
type inventor struct {
	*rand.Rand
	given   map[Gender][]string
	surname []string
}

func newInventor(seed uint64) *inventor {
	in := &inventor{Rand: rand.New(rand.NewPCG(seed, 1)), given: map[Gender][]string{}}
	for _, name := range dictionary.Terms("given") {
		_, short := abbreviations[foldWord(name)]
		if g := GenderOf(name); !short && g != Unknown && len(name) > 3 && !strings.ContainsAny(name, " -") {
			in.given[g] = append(in.given[g], name)
		}
	}
	for _, name := range dictionary.Terms("surnames") {
		if l := lists(); len(name) > 3 && !l.given[foldWord(name)] && !l.particles[foldWord(name)] && !l.titles[foldWord(name)] && !strings.Contains(name, " ") {
			in.surname = append(in.surname, name)
		}
	}
	return in
}

func pick[T any](r *inventor, from []T) T { return from[r.IntN(len(from))] }

func (r *inventor) person() Person {
	p := Person{Gender: Female + Gender(r.IntN(2))}
	p.Given, p.Family = pick(r, r.given[p.Gender]), pick(r, r.surname)
	if r.IntN(2) == 0 {
		p.Middle = string(rune('A' + r.IntN(26)))
	}
	if r.IntN(8) == 0 {
		p.Family += "-" + pick(r, r.surname)
	}
	if short := Nicknames(p.Given); len(short) > 0 {
		p.Nick = short[0]
	}
	return p
}

func first(s string) string { return string([]rune(s)[:1]) }

func (f form) write(r *inventor, p Person) string {
	title := map[Gender][]string{Female: {"Ms", "Mrs"}, Male: {"Mr"}}
	nick := p.Nick
	if nick == "" {
		nick = p.Given
	}
	pattern := f.pattern
	if p.Middle == "" {
		pattern = strings.ReplaceAll(pattern, " M.", "")
	}
	text := strings.NewReplacer("T", pick(r, title[p.Gender]), "Dr", "Dr", "MD", "MD", "N", nick, "G", p.Given, "g", first(p.Given), "M", p.Middle, "F", p.Family, "f", first(p.Family),
		"H", pick(r, strings.Split(p.Family, "-")), "S", r.slip(p.Family), "Jr", "Jr").Replace(pattern)
	switch r.IntN(8) {
	case 0:
		return strings.ToUpper(text)
	case 1:
		if f.given != letter {
			return strings.ToLower(text)
		}
	case 2:
		return withoutAccents(text)
	}
	return text
}

// slip exchanges two letters in the middle of a long word.
func (r *inventor) slip(word string) string {
	letters := []rune(word)
	if len(letters) < 6 {
		return word
	}
	i := 1 + r.IntN(len(letters)-3)
	letters[i], letters[i+1] = letters[i+1], letters[i]
	return string(letters)
}

// fits says whether a mention in this form, of person p, could mean person q.
func (f form) fits(p, q Person) bool {
	part := func(s shown, a, b string) bool {
		a, b = foldWord(a), foldWord(b)
		return s == hidden || a == b || s == letter && first(a) == first(b)
	}
	family := func(a, b string) bool {
		x, y := nameWords(a), nameWords(b)
		return part(f.family, a, b) || x[0] == y[0] || x[len(x)-1] == y[len(y)-1] || x[0] == y[len(y)-1] || x[len(x)-1] == y[0]
	}
	given := part(f.given, p.Given, q.Given) || f.given == whole && shareNickname(foldWord(p.Given), foldWord(q.Given))
	return family(p.Family, q.Family) && given && (!f.title || p.Gender == q.Gender)
}

// simulated is the mentions of a patient with the truth about them.
type simulated struct {
	mentions  []Mention
	who       []int
	decidable []bool
	people    []Person
}

func (r *inventor) patient() simulated {
	var s simulated
	for range 1 + r.IntN(4) {
		p := r.person()
		if len(s.people) > 0 && r.IntN(3) == 0 {
			p.Family = s.people[0].Family
		}
		s.people = append(s.people, p)
	}
	add := func(who int, f form) {
		p := s.people[who]
		fits := 0
		for _, q := range s.people {
			if f.fits(p, q) {
				fits++
			}
		}
		s.mentions = append(s.mentions, Mention{Text: f.write(r, p)})
		s.who, s.decidable = append(s.who, who), append(s.decidable, fits == 1)
	}
	for who := range s.people {
		add(who, randomForms[r.IntN(4)])
	}
	for range 2 + r.IntN(12) {
		add(r.IntN(len(s.people)), pick(r, randomForms))
	}
	r.Shuffle(len(s.mentions), func(i, j int) {
		s.mentions[i], s.mentions[j] = s.mentions[j], s.mentions[i]
		s.who[i], s.who[j] = s.who[j], s.who[i]
		s.decidable[i], s.decidable[j] = s.decidable[j], s.decidable[i]
	})
	return s
}

// eachPair calls fn for all pairs.
func eachPair(n int, fn func(i, j int)) {
	for i := range n {
		for j := range i {
			fn(i, j)
		}
	}
}

func TestRandomMentionsOfRandomPeopleAreClustered(t *testing.T) {
	r := newInventor(1)
	var joined, right, decidable, found int
	for range 2000 {
		s := r.patient()
		numbers := Cluster(s.mentions)
		eachPair(len(numbers), func(i, j int) {
			same, truth := numbers[i] == numbers[j], s.who[i] == s.who[j]
			if s.decidable[i] && s.decidable[j] && truth {
				decidable++
				if same {
					found++
				} else if testing.Verbose() && decidable%40 == 0 {
					t.Log("apart:", s.mentions[i].Text, "|", s.mentions[j].Text)
				}
			}
			if same && s.decidable[i] && s.decidable[j] {
				joined++
				if truth {
					right++
				} else if testing.Verbose() {
					t.Log("joined:", s.mentions[i].Text, "|", s.mentions[j].Text)
				}
			}
		})
	}
	precision, recall := float64(right)/float64(joined), float64(found)/float64(decidable)
	t.Logf("%d pairs joined, precision %.4f; %d decidable pairs of one person, recall %.4f", joined, precision, decidable, recall)
	if precision < .98 || recall < .95 {
		t.Error("the precision must be .98 and the recall .95")
	}
}

// invent is another person with a name of the same shape, whose words are not in taken.
func (r *inventor) invent(real Person, taken *[]string) Person {
	for {
		p := Person{Gender: real.Gender}
		if p.Gender == Unknown {
			p.Gender = Female
		}
		if real.Given != "" {
			p.Given = pick(r, r.given[p.Gender])
		}
		if real.Middle != "" {
			p.Middle = string(rune('A' + r.IntN(26)))
		}
		var families []string
		for range nameWords(real.Family) {
			families = append(families, pick(r, r.surname))
		}
		p.Family = strings.Join(families, "-")
		words := nameWords(p.Given + " " + p.Family)
		if !slices.ContainsFunc(words, func(w string) bool { return slices.Contains(*taken, w) || slices.Contains(*taken, first(w)) }) {
			for _, w := range words {
				*taken = append(*taken, w, first(w))
			}
			return p
		}
	}
}

// shape is the roles and initials of a name's pieces. A short form counts as a given name,
// and a word that can be either name as a name.
func shape(text string) string {
	name, _ := Read(text)
	var b strings.Builder
	for _, p := range name.Pieces {
		role := "tgmnpfsco"[p.Role : p.Role+1]
		if len(name.Pieces) == 1 && (p.Role == Given || p.Role == Family) {
			role = "x"
		}
		b.WriteString(role)
		if p.Initial {
			b.WriteString(".")
		}
	}
	return b.String()
}

func TestWrittenNamesKeepFormAndRelationAndNothingOfTheRealName(t *testing.T) {
	r := newInventor(2)
	for range 500 {
		s := r.patient()
		numbers := Cluster(s.mentions)
		var taken, secret []string
		for _, p := range s.people {
			secret = append(secret, nameWords(p.Given+" "+p.Family+" "+p.Nick)...)
		}
		taken = append(taken, secret...)
		written := make([]Mention, len(s.mentions))
		for n := range slices.Max(numbers) + 1 {
			var own []Mention
			for i, m := range s.mentions {
				if numbers[i] == n {
					own = append(own, m)
				}
			}
			real := Fullest(own)
			person := r.invent(real, &taken)
			for i, m := range s.mentions {
				if numbers[i] != n {
					continue
				}
				written[i].Text = Write(m, real, person)
				if before, after := shape(m.Text), shape(written[i].Text); before != after {
					t.Fatalf("%q (%s) became %q (%s)", m.Text, before, written[i].Text, after)
				}
				for _, w := range nameWords(written[i].Text) {
					if len(w) > 2 && slices.Contains(secret, w) {
						t.Fatalf("%q became %q", m.Text, written[i].Text)
					}
				}
			}
		}
		if after := Cluster(written); !slices.Equal(numbers, after) {
			t.Fatalf("%q: %v; written %q: %v", s.mentions, numbers, written, after)
		}
	}
}
