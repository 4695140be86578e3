// SPDX-License-Identifier: Apache-2.0

package hospital

import (
	"bytes"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"time"
	"unicode"
	"unicode/utf8"

	"hide/internal/annotate"
)

// scribe writes one note. It has all the data it needs; the text and the spans grow
// together.
type scribe struct {
	rng     *rand.Rand
	grammar *grammar
	site    *institution
	patient *patient
	day     time.Time // of the note

	author, attending, other person // clinicians of this note
	kin                      relative

	text  []byte
	spans []annotate.Span
}

// staff selects the author, the attending clinician and another clinician.
func (s *scribe) staff() {
	roster := s.site.roster
	s.author = roster[s.rng.IntN(len(roster))]
	s.attending = roster[s.rng.IntN(len(roster))]
	s.other = s.site.person(s.rng)
	s.kin = s.patient.kin[s.rng.IntN(len(s.patient.kin))]
}

// write expands a slot, or a rule when there is no slot of that name.
func (s *scribe) write(name string) {
	if slot := s.grammar.slots[name]; slot != nil {
		slot(s)
		return
	}
	r := s.grammar.rules[name]
	r.alternatives[r.pick(s.rng)].write(s)
}

func (s *scribe) put(text string) { s.text = append(s.text, text...) }

// mark writes text and labels it.
func (s *scribe) mark(label annotate.Label, text string) {
	start := len(s.text)
	s.put(text)
	s.label(label, start)
}

// label marks everything written since start.
func (s *scribe) label(label annotate.Label, start int) {
	if start < len(s.text) {
		s.spans = append(s.spans, annotate.Span{Start: annotate.ByteOff(start), End: annotate.ByteOff(len(s.text)), Label: label})
	}
}

func (n literal) write(s *scribe) { s.put(string(n)) }
func (n call) write(s *scribe)    { s.write(string(n)) }
func (n choice) write(s *scribe)  { n[s.rng.IntN(len(n))].write(s) }

func (n sequence) write(s *scribe) {
	for _, part := range n {
		part.write(s)
	}
}

func (n maybe) write(s *scribe) {
	if s.rng.IntN(2) == 0 {
		n.body.write(s)
	}
}

func (n marked) write(s *scribe) {
	start := len(s.text)
	n.body.write(s)
	s.label(n.label, start)
}

func (n changed) write(s *scribe) {
	start := len(s.text)
	n.body.write(s)
	n.by(s, s.text[start:])
}

func (n number) write(s *scribe) {
	steps := math.Pow10(n.decimals)
	low, high := math.Round(n.low*steps), math.Round(n.high*steps)
	x := (low + float64(s.rng.IntN(int(high-low)+1))) / steps
	s.put(strconv.FormatFloat(x, 'f', n.decimals, 64))
}

func (n digits) write(s *scribe) {
	for i := range len(n) {
		c := n[i]
		switch c {
		case '#':
			c = byte('0' + s.rng.IntN(10))
		case '@':
			c = byte('A' + s.rng.IntN(26))
		}
		s.text = append(s.text, c)
	}
}

// write samples without replacement, so that no sentence comes twice in one repeat.
func (n repeat) write(s *scribe) {
	r := s.grammar.rules[n.rule]
	order := s.rng.Perm(len(r.alternatives))
	count := min(n.least+s.rng.IntN(n.most-n.least+1), len(order))
	for i, k := range order[:count] {
		if i > 0 {
			s.put(n.joint)
		}
		r.alternatives[k].write(s)
	}
}

// wear adds noise: sometimes the whole text in capitals or small letters, sometimes two
// letters of an ordinary word swapped.
func (s *scribe) wear() {
	switch s.rng.IntN(24) {
	case 0, 1:
		capitals(s, s.text)
	case 2:
		small(s, s.text)
	}
	at := 0
	for _, span := range append(slices.Clone(s.spans), annotate.Span{Start: annotate.ByteOff(len(s.text))}) {
		s.slip(s.text[at:span.Start])
		at = int(span.End)
	}
}

// slip misspells one in eighty of the words.
func (s *scribe) slip(text []byte) {
	for _, word := range bytes.Fields(text) {
		if s.rng.IntN(80) == 0 {
			misspell(s, word)
		}
	}
}

// capitals changes text in place. It skips letters whose capital has another number of
// bytes.
func capitals(_ *scribe, text []byte) { replaceSameSize(text, bytes.ToUpper) }

func small(_ *scribe, text []byte) { replaceSameSize(text, bytes.ToLower) }

func replaceSameSize(text []byte, change func([]byte) []byte) {
	for i := 0; i < len(text); {
		_, size := utf8.DecodeRune(text[i:])
		if to := change(text[i : i+size]); len(to) == size {
			copy(text[i:], to)
		}
		i += size
	}
}

// misspell swaps two neighbouring small letters of the longest word.
func misspell(s *scribe, text []byte) {
	words := bytes.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) })
	if len(words) == 0 {
		return
	}
	word := slices.MaxFunc(words, func(a, b []byte) int { return len(a) - len(b) })
	if len(word) < 4 {
		return
	}
	for i := 1 + s.rng.IntN(len(word)-2); i+1 < len(word); i++ {
		if a, b := word[i], word[i+1]; a != b && a < utf8.RuneSelf && b < utf8.RuneSelf {
			word[i], word[i+1] = b, a
			return
		}
	}
}

// slot writes text that depends on the patient, the day or the staff.
type slot func(*scribe)

// slots has all names that are not rules.
func slots() map[string]slot {
	all := map[string]slot{
		"Mr":  func(s *scribe) { s.put(bySex(s.patient.female, "Ms.", "Mr.")) },
		"he":  func(s *scribe) { s.put(bySex(s.patient.female, "she", "he")) },
		"He":  func(s *scribe) { s.put(bySex(s.patient.female, "She", "He")) },
		"his": func(s *scribe) { s.put(bySex(s.patient.female, "her", "his")) },
		"His": func(s *scribe) { s.put(bySex(s.patient.female, "Her", "His")) },
		"him": func(s *scribe) { s.put(bySex(s.patient.female, "her", "him")) },
		"man": func(s *scribe) { s.put(bySex(s.patient.female, "woman", "man")) },
		"sex": func(s *scribe) { s.put(s.patient.sex()) },

		"kin":     func(s *scribe) { s.put(s.kin.relation) },
		"kin.age": func(s *scribe) { s.mark("AGE", strconv.Itoa(s.kin.age)) },
		"age":     func(s *scribe) { s.mark("AGE", s.age()) },
		"an age":  func(s *scribe) { s.put(article(s.age()) + " "); s.mark("AGE", s.age()) },

		"author.user":  func(s *scribe) { s.mark("USERNAME", s.site.user(s.author)) },
		"author.email": func(s *scribe) { s.mark("EMAIL", s.email(s.author)) },
		"other.email":  func(s *scribe) { s.mark("EMAIL", s.email(s.other)) },
	}
	addFields(all)
	addNames(all)
	addDates(all)
	return all
}

// addFields adds the slots that are single facts of the patient.
func addFields(all map[string]slot) {
	field := func(name string, label annotate.Label, of func(*patient) string) {
		all[name] = func(s *scribe) { s.mark(label, of(s.patient)) }
	}
	field("mrn", "MEDICALRECORD", func(p *patient) string { return p.mrn })
	field("phone", "PHONE", func(p *patient) string { return p.phone })
	field("email", "EMAIL", func(p *patient) string { return p.email })
	field("home.street", "STREET", func(p *patient) string { return p.street })
	field("city", "CITY", func(p *patient) string { return p.city })
	field("state", "STATE", func(p *patient) string { return p.state })
	field("zip", "ZIP", func(p *patient) string { return p.zip })
	field("work", "PROFESSION", func(p *patient) string { return p.job })
	field("workplace", "ORGANIZATION", func(p *patient) string { return p.employer })
	field("plan", "HEALTHPLAN", func(p *patient) string { return p.planNumber })
	field("device", "DEVICE", func(p *patient) string { return p.device })
	field("account", "ACCOUNT", func(p *patient) string { return p.chartNo })
	all["dx"] = func(s *scribe) { s.put(s.patient.condition) }
}

// patientName is the person that the record has. One in four names in the notes of a later
// registration is the first one's, because somebody knows the patient.
func (s *scribe) patientName() person {
	if own := s.patient.own; own != nil && s.rng.IntN(4) == 0 {
		return *own
	}
	return s.patient.person
}

// addNames adds the ways to write a name, for each role.
func addNames(all map[string]slot) {
	roles := map[string]func(*scribe) person{
		"pt":        (*scribe).patientName,
		"rel":       func(s *scribe) person { return s.kin.person },
		"author":    func(s *scribe) person { return s.author },
		"attending": func(s *scribe) person { return s.attending },
		"other":     func(s *scribe) person { return s.other },
		"pcp":       func(s *scribe) person { return s.patient.doctor },
		"any":       func(s *scribe) person { return s.site.roster[s.rng.IntN(rosterSize)] },
		"new":       func(s *scribe) person { return s.site.person(s.rng) },
	}
	forms := map[string]func(person) string{
		"":           func(p person) string { return p.first + " " + p.last },
		".middle":    func(p person) string { return p.first + " " + p.middle + ". " + p.last },
		".last":      func(p person) string { return p.last },
		".first":     func(p person) string { return p.first },
		".lastfirst": func(p person) string { return p.last + ", " + p.first },
		".initials":  person.initials,
		".short":     func(p person) string { return initial(p.first) + ". " + p.last },
	}
	for role, who := range roles {
		label := annotate.Label("DOCTOR")
		if role == "pt" || role == "rel" {
			label = "PATIENT"
		}
		for form, spell := range forms {
			all[role+form] = func(s *scribe) { s.mark(label, spell(who(s))) }
		}
	}
}

// addDates adds the slots for days before, on and after the day of the note.
func addDates(all map[string]slot) {
	on := func(name string, pick func(*scribe) time.Time, layouts func(*institution) []string) {
		all[name] = func(s *scribe) {
			choices := layouts(s.site)
			s.mark("DATE", pick(s).Format(choices[s.rng.IntN(len(choices))]))
		}
	}
	full := func(in *institution) []string { return in.dates }
	short := func(in *institution) []string { return in.short }
	header := func(in *institution) []string { return in.dates[:1] }
	on("today", func(s *scribe) time.Time { return s.day }, full)
	on("today.header", func(s *scribe) time.Time { return s.day }, header)
	on("birth", func(s *scribe) time.Time { return s.patient.born }, header)
	on("date", func(s *scribe) time.Time { return s.daysOff(-90, -1) }, full)
	on("date.short", func(s *scribe) time.Time { return s.daysOff(-40, -1) }, short)
	on("date.old", func(s *scribe) time.Time { return s.daysOff(-5000, -400) }, full)
	on("date.soon", func(s *scribe) time.Time { return s.daysOff(1, 60) }, full)
	on("date.next", func(s *scribe) time.Time { return s.daysOff(1, 20) }, short)
	on("date.month", func(s *scribe) time.Time { return s.daysOff(-3000, -60) }, func(in *institution) []string { return []string{in.months} })
	on("weekday", func(s *scribe) time.Time { return s.daysOff(-6, 6) }, func(in *institution) []string { return []string{in.weekday} })
	all["year"] = func(s *scribe) { s.put(s.daysOff(-8000, -400).Format("2006")) }
}

// daysOff is a day between from and to days after the note.
func (s *scribe) daysOff(from, to int) time.Time {
	return s.day.AddDate(0, 0, from+s.rng.IntN(to-from+1))
}

func (s *scribe) age() string { return strconv.Itoa(s.patient.ageOn(s.day)) }

// email is an address at the institution.
func (s *scribe) email(p person) string {
	return s.site.address(s.rng, p, s.site.say(s.rng, "mail.work"))
}

func bySex(female bool, woman, man string) string {
	if female {
		return woman
	}
	return man
}

// article is "an" before a number that starts with a vowel sound.
func article(number string) string {
	if number[0] == '8' || number == "11" || number == "18" {
		return "an"
	}
	return "a"
}
