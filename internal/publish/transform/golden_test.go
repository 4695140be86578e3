// SPDX-License-Identifier: Apache-2.0

package transform_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"hide/internal/annotate"
	"hide/internal/publish/policy"
	"hide/internal/publish/surrogate"
	"hide/internal/publish/transform"
	"hide/internal/publish/value"
)

// golden is a case of the files testdata/golden_*.txt:
//
//	policy NAME          the policy of the cases below, of the program's
//	rule LABEL ACTION    changes a rule of it; its basis is then the project's own
//	case NAME
//	order ORDER          of numeric dates in the corpus
//	corpus DATE          a date of the corpus
//	locale LOCALE        the language of notes that do not show theirs
//	shift DAYS           the case is for a patient whose dates move so
//	known LABEL VALUE    structured data of the patient
//	note DATE TEXT       an identifier stands in brackets: [LABEL words]; \n is a line break
//	choose N CHOICE      a choice for the identifier N of all notes, from 1: action, level, text=, person=
//	want TEXT            one for each note
//	problems CODE...     in the order of the notes; without this line there are none
type golden struct {
	name     string
	policy   policy.Policy
	order    value.Order
	corpus   time.Time
	locale   surrogate.Locale
	shift    int
	patient  transform.Patient
	want     []string
	problems []string
}

func TestGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/golden_*.txt")
	if err != nil || len(files) < 4 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		for _, g := range readGolden(t, file) {
			t.Run(filepath.Base(file)+"/"+g.name, func(t *testing.T) { g.check(t) })
		}
	}
}

func (g golden) check(t *testing.T) {
	o := newOptions(t, g.policy, nil, surrogate.En)
	o.Order, o.Reference, o.Locale = g.order, g.corpus, g.locale
	planner, err := transform.New(o)
	if err != nil {
		t.Fatal(err)
	}
	plan := planFor(t, planner, g.patient)
	for i := 0; g.shift != 0 && plan.Shift != g.shift; i++ {
		if i > 20000 {
			t.Fatal("no patient has the shift")
		}
		g.patient.ID = fmt.Sprint("patient ", i)
		plan = planFor(t, planner, g.patient)
	}
	var problems []string
	for i, n := range g.patient.Notes {
		if got := transform.Apply(n.Text, plan.Notes[i]); i >= len(g.want) || got != g.want[i] {
			t.Errorf("note %d: got %q, want %q", i+1, got, at(g.want, i))
		}
		for _, d := range plan.Notes[i] {
			if d.Problem != "" {
				problems = append(problems, string(d.Problem))
			}
		}
	}
	if !slices.Equal(problems, g.problems) {
		t.Errorf("problems %q, want %q", problems, g.problems)
	}
}

func at(all []string, i int) string {
	if i < len(all) {
		return all[i]
	}
	return "no such line"
}

func planFor(t *testing.T, p *transform.Planner, patient transform.Patient) transform.Plan {
	t.Helper()
	plan, err := p.Plan(patient)
	if err != nil {
		t.Fatal(err)
	}
	return plan
}

// newPlanner makes a planner with a key that is always the same.
func newPlanner(t testing.TB, p policy.Policy, order value.Order, real *surrogate.Corpus) *transform.Planner {
	t.Helper()
	o := newOptions(t, p, real, surrogate.En)
	o.Order = order
	planner, err := transform.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return planner
}

func newOptions(t testing.TB, p policy.Policy, real *surrogate.Corpus, locale surrogate.Locale) transform.Options {
	t.Helper()
	o := transform.Options{Policy: p.Resolve(annotate.I2B2().Labels(), nil)}
	if !p.Hides() {
		return o
	}
	key, err := surrogate.NewKey(bytes.NewReader(bytes.Repeat([]byte{7}, 64)))
	if err == nil {
		o.Maker, err = surrogate.New(surrogate.Options{Key: key, Locale: locale, Repeat: p.Repeat,
			Days: p.Shift.Days, Weekday: p.Shift.Weeks, Real: real})
	}
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func readGolden(t *testing.T, file string) []golden {
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var all []golden
	var p policy.Policy
	for i, line := range strings.Split(strings.TrimRight(string(text), "\n"), "\n") {
		word, rest, _ := strings.Cut(line, " ")
		switch word {
		case "#", "":
		case "policy":
			p, err = policy.Find(rest)
		case "rule":
			p = withRule(p, strings.Fields(rest))
			err = p.Check()
		case "case":
			all = append(all, golden{name: rest, policy: p})
		default:
			if len(all) == 0 {
				t.Fatalf("%s:%d: no case", file, i+1)
			}
			err = all[len(all)-1].read(word, rest)
		}
		if err != nil {
			t.Fatalf("%s:%d: %v", file, i+1, err)
		}
	}
	return all
}

// withRule is p with another rule for a label. LABEL ACTION LEVEL; weeks shifts whole weeks.
func withRule(p policy.Policy, words []string) policy.Policy {
	p.Basis, p.Rules = policy.Own, slices.Clone(p.Rules)
	for i := range p.Rules {
		if r := &p.Rules[i]; string(r.Label) == words[0] {
			r.Action, r.To = policy.Action(words[1]), ""
			if len(words) > 2 {
				r.To = policy.Level(words[2])
			}
		}
	}
	p.Shift = policy.Shift{}
	if p.Has(policy.ShiftDate) {
		p.Shift.Days = 365
	}
	return p
}

func (g *golden) read(word, rest string) (err error) {
	first, after, _ := strings.Cut(rest, " ")
	switch word {
	case "order":
		g.order = map[string]value.Order{"month": value.MonthFirst, "day": value.DayFirst}[rest]
	case "corpus":
		g.corpus, err = time.Parse("2006-01-02", rest)
	case "locale":
		g.locale = surrogate.Locale(rest)
	case "shift":
		g.shift, err = strconv.Atoi(rest)
	case "known":
		g.patient.Identities = append(g.patient.Identities, annotate.Identity{Of: annotate.OfPatient, Label: annotate.Label(first), Value: after})
	case "note":
		n := marked(after)
		if first != "-" {
			n.Date, err = time.Parse("2006-01-02", first)
		}
		n.ID = annotate.DocumentID(len(g.patient.Notes) + 1)
		g.patient.Notes = append(g.patient.Notes, n)
	case "choose":
		return g.choose(first, after)
	case "want":
		g.want = append(g.want, strings.ReplaceAll(rest, `\n`, "\n"))
	case "problems":
		g.problems = strings.Fields(rest)
	default:
		return fmt.Errorf("unknown line %q", word)
	}
	return err
}

var markup = regexp.MustCompile(`\[([A-Z-]+) ([^\]]*)\]`)

// marked is a note from a text with its identifiers in brackets.
func marked(text string) transform.Note {
	var n transform.Note
	text = strings.ReplaceAll(text, `\n`, "\n")
	done := 0
	for _, m := range markup.FindAllStringSubmatchIndex(text, -1) {
		n.Text += text[done:m[0]]
		start := annotate.ByteOff(len(n.Text))
		n.Text += text[m[4]:m[5]]
		n.Spans = append(n.Spans, transform.Span{Start: start, End: annotate.ByteOff(len(n.Text)), Label: annotate.Label(text[m[2]:m[3]]), By: transform.ByPerson})
		done = m[1]
	}
	n.Text += text[done:]
	return n
}

// choose adds a choice: the place is the number of an identifier, or NOTE:WORDS, with underscores for blanks, for words that
// nobody marked.
func (g *golden) choose(place, words string) error {
	var c transform.Choice
	fields := strings.Fields(words)
	for i, f := range fields {
		key, value, found := strings.Cut(f, "=")
		switch {
		case !found && i == 0:
			c.Action = policy.Action(f)
		case !found:
			c.To = policy.Level(f)
		case key == "text":
			c.Text = strings.ReplaceAll(value, "_", " ")
		case key == "person":
			c.Person, _ = strconv.Atoi(value)
		}
	}
	if g.patient.Choices == nil {
		g.patient.Choices = map[transform.Place]transform.Choice{}
	}
	if note, words, found := strings.Cut(strings.ReplaceAll(place, "_", " "), ":"); found {
		i, _ := strconv.Atoi(note)
		start := annotate.ByteOff(strings.LastIndex(g.patient.Notes[i-1].Text, words))
		g.patient.Choices[transform.Place{Note: annotate.DocumentID(i), Start: start, End: start + annotate.ByteOff(len(words))}] = c
		return nil
	}
	number, err := strconv.Atoi(place)
	for _, n := range g.patient.Notes {
		if number <= len(n.Spans) {
			s := n.Spans[number-1]
			g.patient.Choices[transform.Place{Note: n.ID, Start: s.Start, End: s.End}] = c
			return err
		}
		number -= len(n.Spans)
	}
	return fmt.Errorf("there is no identifier %s", place)
}
