// SPDX-License-Identifier: Apache-2.0

// Package option declares the settings of a program once, and reads them wherever people
// type them.
//
// An [Option] says what a setting is called, what it means, which values it takes, what it
// is when nobody sets it, and where it is kept: in a field of a struct P. A [Table] lists
// the options of P, in the order in which people see them:
//
//	var options = option.Table[Params]{
//		option.Whole(option.About{Name: "k", Default: "5", Label: "Smallest class",
//			Help: "Each class has at least this number of patients."},
//			option.AtLeast(2), func(p *Params) *int { return &p.K }),
//	}
//
// From the table come the flags of a command ([Table.Bind], [Table.Unused]), the fields of
// a form on a page ([Table.Form], [Table.ReadForm]), the check of values that came some
// other way ([Table.Check]) and the words about a value ([Table.Describe]). The name of an
// option in JSON is the tag of its field ([Table.JSON]).
//
// # Reading
//
// [Whole], [Number], [Share] and the lists read text in one way for commands and pages; see
// [ReadNumber] for the rules. Whatever they refuse is answered by one sentence that says
// what to enter: "k: enter a whole number of at least 2".
//
// The package knows no setting of hide, neither HTTP nor HTML.
package option

import (
	"encoding"
	"errors"
	"reflect"
	"slices"
	"strings"
)

// Place is where options are shown and typed. Places can be added: Command|Page.
type Place uint8

// The places. The zero value in [About].In stands for commands and pages.
const (
	Command Place = 1 << iota // flags, and lists with commas between
	Page                      // fields of a form; shares are in percent
	Stored                    // nobody can set it any more, but what is stored may have it
)

// About is what people are told about an option.
type About struct {
	Name    string // of its flag and its field: "k"
	Label   string // what a page writes before its field: "Smallest class"
	Value   string // what help calls its value: "N"; "" for what is usual for its type
	Help    string // one to three sentences for both places
	Group   string // the heading under which a page shows it
	Example string // values as they are typed, for refusals: "1, 10, 100", or "5 %"
	In      Place  // where it is shown; 0 means everywhere

	// Default is what the option is when it is left out or empty, as it is typed in a
	// command. "" means that nothing is set.
	Default  string
	Required bool   // it cannot be empty
	None     string // of lists: the word for an empty list in a command, such as "none" or "all"
	All      bool   // of lists: an empty one stands for all choices

	// Needs are the conditions under which the option changes anything. A command refuses
	// its flag elsewhere, and a page disables its field. Those about options that a table
	// does not have are left aside.
	Needs []Need
}

// Need is a condition about another option of the same table; see [With] and [Without].
type Need struct {
	Option string
	Values []string // any of them; none: that it is set
	Not    bool     // turns the condition round
}

// With holds where the option has one of the values or, when none is given, is set.
func With(name string, values ...string) Need { return Need{Option: name, Values: values} }

// Without holds where the option has none of the values or, when none is given, is not set.
func Without(name string, values ...string) Need {
	return Need{Option: name, Values: values, Not: true}
}

// Choice is a value that an option can take.
type Choice struct {
	Value string // as it is typed and stored
	Title string // as a page calls it; "" for Value
	Help  string // what it means
}

// Words is how a page calls a choice.
func (c Choice) Words() string {
	if c.Title != "" {
		return c.Title
	}
	return c.Value
}

// Input is the kind of field that a page shows.
type Input int

// The inputs.
const (
	Line     Input = iota // one line of text
	Lines                 // several lines
	Integer               // a whole number
	Decimal               // a number
	Percent               // a number of percent
	Select                // one of few choices, folded
	Radio                 // one of few choices, each with its help
	Checks                // any of the choices
	Tick                  // yes or no
	Grid                  // a number for each choice
	NumberOf              // several numbers in a line
)

// Option is one setting, kept in P. Make it with [Whole], [Number], [Share], [Text] and so
// on.
type Option[P any] struct {
	About
	Bounds  Bounds
	Choices []Choice // empty for an option that takes any value of its type
	Input   Input

	read  func(p *P, texts []string, at Place) error // what is wrong is a sentence; texts are never blank
	write func(p *P, at Place) []string              // none for what is not set
	clear func(p *P)
	field func(p *P) any // the pointer
}

// Table has the options of P in the order in which people see them.
type Table[P any] []Option[P]

// Problem is what is wrong with an option. Its text says what to enter.
type Problem struct {
	Name, Label string
	Text        string
}

// Error is the problem as a command says it.
func (p *Problem) Error() string { return "--" + p.Name + ": " + p.Text }

// OnPage is the problem as a page says it.
func (p *Problem) OnPage() string {
	if p.Label == "" {
		return p.Name + ": " + p.Text
	}
	return p.Label + ": " + p.Text
}

func (o Option[P]) problem(err error) *Problem {
	return &Problem{Name: o.Name, Label: o.Label, Text: err.Error()}
}

func (o Option[P]) shownIn(at Place) bool { return o.In == 0 || o.In&at != 0 }

// set reads texts into p. Blank ones do not count; without any the option takes its
// default.
func (o Option[P]) set(p *P, texts []string, at Place) error {
	texts = slices.DeleteFunc(slices.Clone(texts), func(s string) bool { return strings.TrimSpace(s) == "" })
	if len(texts) > 0 {
		return o.read(p, texts, at)
	}
	empty := at == Page && (o.Input == Checks || o.Input == Tick) // no tick is an answer
	if o.Required && (empty || o.Default == "") {
		return o.missing()
	}
	o.clear(p)
	if empty || o.Default == "" {
		return nil
	}
	return o.read(p, []string{o.Default}, Command)
}

// As is the option with another kind of field on pages.
func (o Option[P]) As(in Input) Option[P] {
	o.Input = in
	return o
}

// Usual is the option with another default, as it is typed in a command.
func (o Option[P]) Usual(text string) Option[P] {
	o.Default = text
	return o
}

// Under is the option under another heading.
func (o Option[P]) Under(group string) Option[P] {
	o.Group = group
	return o
}

// Also is the option with another sentence of help.
func (o Option[P]) Also(help string) Option[P] {
	o.Help = strings.TrimSpace(o.Help + " " + help)
	return o
}

// Needing is the option with further needs.
func (o Option[P]) Needing(needs ...Need) Option[P] {
	o.Needs = append(slices.Clone(o.Needs), needs...)
	return o
}

// In gives the options that are shown in a place.
func (t Table[P]) In(at Place) Table[P] {
	var out Table[P]
	for _, o := range t {
		if o.shownIn(at) {
			out = append(out, o)
		}
	}
	return out
}

// Names are the names of the options.
func (t Table[P]) Names() []string {
	names := make([]string, len(t))
	for i, o := range t {
		names[i] = o.Name
	}
	return names
}

// named is the option of that name, nil when the table has none.
func (t Table[P]) named(name string) *Option[P] {
	if i := slices.IndexFunc(t, func(o Option[P]) bool { return o.Name == name }); i >= 0 {
		return &t[i]
	}
	return nil
}

// Of is a table for P from that of a part of it.
func Of[P, Q any](t Table[Q], part func(*P) *Q) Table[P] {
	out := make(Table[P], len(t))
	for i, o := range t {
		out[i] = Option[P]{
			About: o.About, Bounds: o.Bounds, Choices: o.Choices, Input: o.Input,
			read:  func(p *P, texts []string, at Place) error { return o.read(part(p), texts, at) },
			write: func(p *P, at Place) []string { return o.write(part(p), at) },
			clear: func(p *P) { o.clear(part(p)) },
			field: func(p *P) any { return o.field(part(p)) },
		}
	}
	return out
}

// Default is P with every option at its default. It panics when a default cannot be read,
// which a test of each table rules out.
func (t Table[P]) Default() P {
	var p P
	t.Reset(&p)
	return p
}

// Reset sets every option of p to its default.
func (t Table[P]) Reset(p *P) {
	for _, o := range t {
		o.clear(p)
		if o.Default == "" {
			continue
		}
		if err := o.read(p, []string{o.Default}, Command); err != nil {
			panic("option: the default of " + o.Name + ": " + err.Error())
		}
	}
}

// Check refuses values that nobody could have typed: those out of bounds, those that are
// no choice, and those that change nothing. What is not set means its default.
func (t Table[P]) Check(p *P) []*Problem {
	usual := t.Default()
	var problems []*Problem
	for _, o := range t {
		scratch := *p
		o.clear(&scratch) // reading a list or a map must not write into that of p
		texts := o.write(p, Command)
		if len(texts) == 0 {
			if o.Required && o.Default == "" {
				problems = append(problems, o.problem(o.missing()))
			}
			continue
		}
		need := o.unmet(t, p)
		if err := o.read(&scratch, texts, Command); err != nil {
			problems = append(problems, o.problem(err))
		} else if need != nil && !slices.Equal(texts, o.write(&usual, Command)) {
			problems = append(problems, o.problem(errors.New("has no effect "+onPage(*need, t))))
		}
	}
	return problems
}

// Said is an option with its value in words.
type Said struct{ Name, Label, Text string }

// Describe says the values of the options that are set, as pages write them, without those
// that are of commands alone.
func (t Table[P]) Describe(p *P) []Said {
	var out []Said
	for _, o := range t {
		if o.In == Command { // pages have it in another form
			continue
		}
		if texts := o.said(p); len(texts) > 0 && o.unmet(t, p) == nil {
			out = append(out, Said{o.Name, o.Label, inWords(o.Choices, o.Input, texts)})
		}
	}
	return out
}

// said are the texts of what is set, or of what is meant where nothing is.
func (o Option[P]) said(p *P) []string {
	switch texts := o.write(p, Page); {
	case len(texts) > 0 || o.Input == Tick:
		return texts
	case o.All:
		return []string{"all"}
	case o.None != "":
		return []string{o.None}
	}
	return o.defaultTexts(Page)
}

// inWords are texts as a page says them.
func inWords(choices []Choice, in Input, texts []string) string {
	words := slices.Clone(texts)
	for i, text := range texts {
		if at := slices.IndexFunc(choices, func(c Choice) bool { return c.Value == text }); at >= 0 {
			words[i] = choices[at].Words()
		}
	}
	out := strings.Join(words, ", ")
	if in == Tick {
		out = map[string]string{"true": "yes", "false": "no"}[out]
	}
	if in == Percent && out != "" && !strings.HasSuffix(out, "%") {
		out += " %"
	}
	return out
}

// holds reports whether a need is met; one about an option that the table does not have
// is.
func (n Need) holds(texts []string) bool {
	is := len(texts) > 0
	if len(n.Values) > 0 {
		is = slices.ContainsFunc(texts, func(s string) bool { return slices.Contains(n.Values, s) })
	}
	return is != n.Not
}

// unmet is the first need of the option that p does not meet, nil when it meets all.
func (o Option[P]) unmet(t Table[P], p *P) *Need {
	for _, n := range o.Needs {
		if other := t.named(n.Option); other != nil && !n.holds(other.values(p)) {
			return &n
		}
	}
	return nil
}

// values are the single values of the option: its default's when it is not set, and none
// for a list that is empty.
func (o Option[P]) values(p *P) []string {
	var out []string
	for _, text := range o.texts(p, Command) {
		if text != o.None || o.None == "" {
			out = append(out, strings.Split(text, ",")...)
		}
	}
	return out
}

// texts writes the option, or its default when it is not set. Lists of ticks have no
// default once they are there.
func (o Option[P]) texts(p *P, at Place) []string {
	texts := o.write(p, at)
	if len(texts) > 0 || o.Default == "" || at == Page && (o.Input == Checks || o.Input == Tick) {
		return texts
	}
	return o.defaultTexts(at)
}

// defaultTexts writes the default; none where there is none.
func (o Option[P]) defaultTexts(at Place) []string {
	var p P
	if o.Default == "" || o.read(&p, []string{o.Default}, Command) != nil {
		return nil
	}
	return o.write(&p, at)
}

// JSON is the name that each option has where P is written as JSON: the tags on the way to
// its field, with points between. An option outside of P's JSON has "".
func (t Table[P]) JSON() map[string]string {
	var p P
	t.Reset(&p)
	names := map[string]string{}
	for _, o := range t {
		names[o.Name] = jsonName(reflect.ValueOf(&p).Elem(), reflect.ValueOf(o.field(&p)).Pointer(), reflect.TypeOf(o.field(&p)).Elem())
	}
	return names
}

// jsonName looks for the field of v at an address; its type tells it from the struct that
// begins there.
func jsonName(v reflect.Value, at uintptr, is reflect.Type) string {
	for i := range v.NumField() {
		field, tag := v.Field(i), v.Type().Field(i)
		name, _, _ := strings.Cut(tag.Tag.Get("json"), ",")
		if name == "" && !tag.Anonymous {
			name = tag.Name
		}
		switch {
		case name == "-" || !tag.IsExported():
		case field.Addr().Pointer() == at && field.Type() == is:
			return name
		case field.Kind() == reflect.Struct:
			within := jsonName(field, at, is)
			if _, text := field.Interface().(encoding.TextMarshaler); text && within != "" {
				return name
			}
			if within != "" {
				return strings.TrimPrefix(name+"."+within, ".")
			}
		}
	}
	return ""
}
