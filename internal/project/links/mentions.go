// SPDX-License-Identifier: Apache-2.0

package links

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"hide/internal/annotate"
	"hide/internal/annotate/rules"
	"hide/internal/project"
	"hide/internal/publish/link/compare"
	"hide/internal/publish/personname"
	"hide/internal/publish/value"
)

// contextBytes is how much text beside a place is read to see what it is.
const contextBytes = 24

// mentions gathers what is marked or found in a note. A finished note has only what people
// marked.
func (g *gathering) mentions(e *evidence, n project.StoredNote) {
	taken := slices.Clone(n.Spans)
	free := func(s annotate.Span) bool { return !slices.ContainsFunc(taken, s.Overlaps) }
	aged := false
	for _, s := range n.Spans {
		aged = g.place(e, n, s, FromPeople, aged)
	}
	if st, err := g.ws.Find(n.ID); err != nil || st.State == annotate.Done {
		return
	}
	for _, s := range g.ws.Model().Suggest(n.ID, n.Document) {
		s.Span.Label = g.present.Of(s.Span.Label)
		if !s.Known && free(s.Span) {
			taken = append(taken, s.Span)
			aged = g.place(e, n, s.Span, FromModel, aged)
		}
	}
	for _, f := range rules.Find(n.Text) {
		s := annotate.Span{Start: f.Start, End: f.End, Label: ruleLabels[f.Kind]}
		if s.Label != "" && free(s) {
			e.placed(n, s, FromRules)
		}
	}
}

// ruleLabels are the kinds of rules that find something of the patient rather than of others.
// Dates count behind words for a birth only.
var ruleLabels = map[rules.Kind]annotate.Label{
	rules.Record: "MEDICALRECORD", rules.SSN: "SSN", rules.Email: "EMAIL", rules.Person: "PATIENT", rules.Date: "DATE",
}

// place adds a span of the project's labels. Of the ages in a note only the first counts,
// because it is that of the patient most often; aged says that there was one.
func (g *gathering) place(e *evidence, n project.StoredNote, s annotate.Span, from Origin, aged bool) bool {
	s.Label = g.labels[s.Label]
	if s.Label == "AGE" && !aged {
		e.age(n, s, from)
		return true
	}
	e.placed(n, s, from)
	return aged
}

// placed adds a span of a label of i2b2-2014.
func (e *evidence) placed(n project.StoredNote, s annotate.Span, from Origin) {
	text := s.Surface(n.Text)
	before, after := around(n.Text, s)
	switch f, ok := ofLabel[s.Label]; {
	case s.Label == "PATIENT":
		e.names = append(e.names, mention(text, before, after, from, n.ID))
	case s.Label == "DATE" && birthWords.MatchString(before):
		e.add(born, text, from, n.ID)
	case ok && f == street:
		e.addStreet(text, from, n.ID)
	case ok:
		e.add(f, text, from, n.ID)
	}
}

// around is the text beside a span on its line.
func around(text string, s annotate.Span) (before, after string) {
	before = text[max(0, int(s.Start)-contextBytes):s.Start]
	before = before[strings.LastIndexByte(before, '\n')+1:]
	after = text[s.End:min(len(text), int(s.End)+contextBytes)]
	after, _, _ = strings.Cut(after, "\n")
	return strings.ToValidUTF8(before, ""), strings.ToValidUTF8(after, "")
}

// birthWords announce a birth date in four languages.
var birthWords = regexp.MustCompile(`(?i)(\bborn( on)?|\bd\.?o\.?b\.?|birth ?-?(date|day)|date of birth|\bbirth|geboren( am)?|\bgeb\.?|geburts(datum|tag)|nacid[oa]( el)?|(fecha de )?nacimiento|\bf\.? ?nac\.?|\bn[ée]e?( le)?|(date de )?naissance)[\s:=(\-,*]*$`)

// birthSources are parts of names of structured fields that hold a birth date.
var birthSources = regexp.MustCompile(`(?i)birth|dob|born|bday|pid-7\b|nacim|naiss|geb(urt|\b)|f_?nac`)

// saysBirth reports whether a typed date is the patient's birth and not another day of hers.
func saysBirth(from string) bool { return from == "" || birthSources.MatchString(from) }

// age adds the two years in which somebody of an age was born, if the day of the note is known.
func (e *evidence) age(n project.StoredNote, s annotate.Span, from Origin) {
	a, err := value.ReadAge(s.Surface(n.Text))
	year := noteYear(n.Document)
	if err != nil || a.Years != a.High || year == 0 {
		return
	}
	for _, y := range []int{year - int(a.Years), year - int(a.Years) - 1} {
		e.add(born, strconv.Itoa(y), from, n.ID)
	}
}

// eventDate recognises structured fields with the day of a note.
var eventDate = regexp.MustCompile(`(?i)date|datum|fecha|created|time|\bday\b`)

// noteYear is the year of a note by its structured fields, 0 if they do not say it.
func noteYear(d annotate.Document) int {
	year := ""
	for name, v := range d.Attributes {
		if clean := compare.BirthDate.Clean(v); clean != "" && eventDate.MatchString(name) && !birthSources.MatchString(name) {
			year = max(year, clean[:4])
		}
	}
	for _, i := range d.Identities {
		if clean := compare.BirthDate.Clean(i.Value); i.Label == "DATE" && i.Of == annotate.OfClinician && clean != "" {
			year = max(year, clean[:4])
		}
	}
	y, _ := strconv.Atoi(year)
	return y
}

func mention(text, before, after string, from Origin, doc annotate.DocumentID) nameMention {
	return nameMention{personname.Mention{Text: strings.Clone(text), Before: strings.Clone(before), After: strings.Clone(after)}, from, doc}
}

// mostMentions bounds the names of a record that are read.
const mostMentions = 400

// nameMentions chooses the name of the patient among the names that were gathered.
//
// Names of structured data are the patient's. Of names in notes the person with most mentions
// is, as [weightOf] counts them. Another surname beside the given name of the patient counts too: she
// had it before or after.
func (e *evidence) nameMentions() {
	slices.SortStableFunc(e.names, func(a, b nameMention) int { return rank[a.from] - rank[b.from] })
	e.names = e.names[:min(len(e.names), mostMentions)]
	if len(e.names) == 0 {
		return
	}
	structured := 0
	for structured < len(e.names) && rank[e.names[structured].from] == 0 {
		n := e.names[structured]
		e.addName(personname.Fullest([]personname.Mention{n.Mention}), n.from, n.doc)
		structured++
	}
	if structured == 0 && len(e.values[surname]) == 0 {
		e.mostMentioned()
	}
	e.otherSurnames(e.names[structured:])
	e.names = nil
}

// mostMentioned adds the name of the person with most mentions. A word of kinship beside a name
// counts against its person, and a word that announces the patient counts for it.
func (e *evidence) mostMentioned() {
	all := make([]personname.Mention, len(e.names))
	for i, n := range e.names {
		all[i] = n.Mention
	}
	numbers := personname.Cluster(all)
	counts := map[int]int{}
	for i, n := range numbers {
		counts[n] += weightOf(all[i])
	}
	best := numbers[0]
	for _, n := range numbers {
		if counts[n] > counts[best] {
			best = n
		}
	}
	var own []personname.Mention
	for i, n := range numbers {
		if n == best {
			own = append(own, all[i])
		}
	}
	p := personname.Fullest(own)
	for i, n := range numbers {
		if n == best {
			e.addName(p, e.names[i].from, e.names[i].doc)
		}
	}
}

// announced are words for the patient right before a name, in four languages.
var announced = regexp.MustCompile(`(?i)\b(patient(e|in)?( name)?|pt|name|re|paciente|nombre|nom)\s*[:#]\s*$`)

// weightOf is how much a mention says that its person is the patient. A relative is often named
// as often as the patient, but then seldom without a word of kinship.
func weightOf(m personname.Mention) int {
	switch {
	case personname.IsRelative(m):
		return -2
	case announced.MatchString(m.Before):
		return 3
	}
	return 1
}

// otherSurnames adds surnames that stand beside the given name of the patient. They count as
// certain as the name that they are beside.
func (e *evidence) otherSurnames(names []nameMention) {
	if len(e.values[given]) == 0 {
		return
	}
	for _, n := range names {
		p := personname.Fullest([]personname.Mention{n.Mention})
		clean := given.clean(p.Given)
		if len([]rune(clean)) < 3 || p.Family == "" {
			continue
		}
		for _, own := range e.values[given] {
			if own.clean == clean {
				e.addAlternative(p.Family, own.from, n.doc)
				break
			}
		}
	}
}

// addAlternative adds a surname that is not there yet.
func (e *evidence) addAlternative(family string, from Origin, doc annotate.DocumentID) {
	if e.find(surname, surname.clean(family)) == nil {
		e.add(surname, family, from, doc)
	}
}
