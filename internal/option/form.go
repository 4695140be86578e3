// SPDX-License-Identifier: Apache-2.0

package option

import (
	"cmp"
	"flag"
	"net/url"
	"slices"
	"strings"
)

// Field is an option as a page shows it: with what was typed, and what is wrong with it.
type Field struct {
	About
	Bounds  Bounds
	Input   Input
	Choices []Choice
	Texts   []string // as they were typed, or as the value is written
	Problem string   // what to enter instead; "" when nothing is wrong
	Unusual bool     // it is not what it is when nobody sets it
	Idle    bool     // what it needs is not so: it has no effect
	When    string   // what it needs of other fields, for the script that disables it: "mode=default|paper;!gdf"
}

// Text is what stands in a field of one line.
func (f Field) Text() string { return strings.Join(f.Texts, " ") }

// Has reports whether a choice is taken.
func (f Field) Has(value string) bool { return slices.Contains(f.Texts, value) }

// Cell is what stands in the field of one name of a [Grid].
func (f Field) Cell(name string) string {
	for _, text := range f.Texts {
		if number, is := strings.CutPrefix(text, name+"="); is {
			return number
		}
	}
	return ""
}

// CellName is the name of the field of one name of a [Grid].
func (f Field) CellName(name string) string { return f.Name + ":" + name }

// Form has the fields of a page in the order of the table.
type Form struct{ Fields []Field }

// Group is the fields under one heading.
type Group struct {
	Name   string
	Fields []Field
}

// Words say which values of the group are not as usual, "" when all are.
func (g Group) Words() string {
	var words []string
	for _, f := range g.Fields {
		if !f.Unusual || f.Idle {
			continue
		}
		texts := f.Texts
		if f.Input == Grid { // 1 is as nothing
			texts = slices.DeleteFunc(slices.Clone(texts), func(text string) bool { return strings.HasSuffix(text, "=1") })
		}
		value := inWords(f.Choices, f.Input, texts)
		value = cmp.Or(value, "none")
		words = append(words, f.Label+": "+value)
	}
	return strings.Join(words, "; ")
}

// Wrong reports whether a field of the group has a problem.
func (g Group) Wrong() bool {
	return slices.ContainsFunc(g.Fields, func(f Field) bool { return f.Problem != "" })
}

// Groups are the fields by heading, in the order of the first of each.
func (f Form) Groups() []Group {
	var groups []Group
	for _, one := range f.Fields {
		at := slices.IndexFunc(groups, func(g Group) bool { return g.Name == one.Group })
		if at < 0 {
			at = len(groups)
			groups = append(groups, Group{Name: one.Group})
		}
		groups[at].Fields = append(groups[at].Fields, one)
	}
	return groups
}

// Field is the field of that name. It panics when there is none.
func (f Form) Field(name string) Field { return *f.at(name) }

func (f Form) at(name string) *Field {
	i := slices.IndexFunc(f.Fields, func(one Field) bool { return one.Name == name })
	if i < 0 {
		panic("option: no field is called " + name)
	}
	return &f.Fields[i]
}

// Offer gives a field the choices that are known only when the page is made.
func (f Form) Offer(name string, choices []Choice) {
	one := f.at(name)
	one.Choices = choices
	if one.All && len(one.Texts) == 0 && one.Problem == "" {
		for _, c := range choices {
			one.Texts = append(one.Texts, c.Value)
		}
	}
}

// Drop is the form without a field.
func (f Form) Drop(name string) Form {
	f.Fields = slices.DeleteFunc(slices.Clone(f.Fields), func(one Field) bool { return one.Name == name })
	return f
}

// OK reports whether no field has a problem.
func (f Form) OK() bool { return len(f.Problems()) == 0 }

// Problems are those of all fields.
func (f Form) Problems() []*Problem {
	var out []*Problem
	for _, one := range f.Fields {
		if one.Problem != "" {
			out = append(out, &Problem{Name: one.Name, Label: one.Label, Text: one.Problem})
		}
	}
	return out
}

// Form shows the values of p.
func (t Table[P]) Form(p *P) Form {
	usual := t.Default()
	var form Form
	for _, o := range t.In(Page) {
		f := Field{About: o.About, Bounds: o.Bounds, Input: o.Input, Choices: o.Choices, Texts: o.texts(p, Page), Idle: o.unmet(t, p) != nil, When: o.conditions(t)}
		f.Unusual = !slices.Equal(f.Texts, o.texts(&usual, Page))
		form.Fields = append(form.Fields, f)
	}
	return form
}

// ReadForm reads what a form sent into p, and keeps it for the page to show again. All
// fields are read; those that are refused have a problem, and leave their part of p at its
// default. An option whose needs are not met is not set; it is refused when what was sent
// is not its default.
func (t Table[P]) ReadForm(values url.Values, p *P) Form {
	t.Reset(p)
	problems, sent := map[string]string{}, map[string][]string{}
	for _, o := range t.In(Page) {
		sent[o.Name] = o.sent(values)
		if err := o.set(p, sent[o.Name], Page); err != nil {
			problems[o.Name] = err.Error()
		}
	}
	form := t.Form(p)
	var idle []Option[P]
	for i := range form.Fields {
		f := &form.Fields[i]
		o := t.named(f.Name)
		if o.Input == Checks || o.Input == Tick || len(sent[f.Name]) > 0 {
			f.Unusual = f.Unusual || problems[f.Name] != ""
			f.Texts = sent[f.Name]
		}
		f.Problem = problems[f.Name]
		if f.Idle {
			f.Problem = ""
			if f.Unusual && len(sent[f.Name]) > 0 {
				f.Problem = "has no effect " + onPage(*o.unmet(t, p), t) + ": leave it as it was"
			}
			idle = append(idle, *o)
		}
	}
	for _, o := range idle { // all needs are judged before
		o.clear(p)
	}
	return form
}

// conditions writes what the option needs of others that a page shows.
func (o Option[P]) conditions(t Table[P]) string {
	var out []string
	for _, n := range o.Needs {
		if other := t.named(n.Option); other == nil || !other.shownIn(Page) {
			continue
		}
		text := n.Option
		if len(n.Values) > 0 {
			text += "=" + strings.Join(n.Values, "|")
		}
		if n.Not {
			text = "!" + text
		}
		out = append(out, text)
	}
	return strings.Join(out, ";")
}

// sent is what a form holds for an option, without what is blank.
func (o Option[P]) sent(values url.Values) []string {
	var texts []string
	for _, text := range values[o.Name] {
		if text = strings.TrimSpace(text); text != "" {
			texts = append(texts, text)
		}
	}
	if o.Input != Grid {
		return texts
	}
	var names []string
	for field := range values {
		if name, is := strings.CutPrefix(field, o.Name+":"); is && strings.TrimSpace(values.Get(field)) != "" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		texts = append(texts, name+"="+strings.TrimSpace(values.Get(o.Name+":"+name)))
	}
	return texts
}

// onPage says when an option has no effect: "unless Mode is hide's default".
func onPage[P any](n Need, t Table[P]) string {
	other, is := t.named(n.Option), "set"
	if len(n.Values) > 0 {
		titles := slices.Clone(n.Values)
		for i, value := range titles {
			if at := slices.IndexFunc(other.Choices, func(c Choice) bool { return c.Value == value }); at >= 0 {
				titles[i] = other.Choices[at].Words()
			}
		}
		is = strings.Join(titles, " or ")
	}
	word := "unless "
	if n.Not {
		word = "while "
	}
	return word + other.Label + " is " + is
}

// flagValue is an option as package flag sees it.
type flagValue[P any] struct {
	o       Option[P]
	p       *P
	needs   string   // sentences about what o needs, each after a blank
	problem *Problem // of the last value that was refused
}

func (v *flagValue[P]) String() string {
	if v.p == nil { // package flag asks a zero value
		return ""
	}
	return strings.Join(v.o.write(v.p, Command), ",")
}

func (v *flagValue[P]) Set(text string) error {
	if err := v.o.set(v.p, []string{text}, Command); err != nil {
		v.problem = v.o.problem(err)
		return err
	}
	return nil
}

func (v *flagValue[P]) IsBoolFlag() bool { return v.o.Input == Tick }

func (v *flagValue[P]) refused() *Problem { return v.problem }

func (v *flagValue[P]) usage() (value, text string, choices []Choice) {
	text = v.o.Help
	if v.o.Label != "" {
		text = v.o.Label + ". " + text
	}
	if v.needs != "" {
		text = strings.TrimSuffix(text, ".") + "." + v.needs
	}
	value = v.o.Value
	if v.o.Input == Tick {
		value = ""
	}
	return value, text, v.o.Choices
}

// Bind sets p to the defaults and declares a flag for each option that commands show.
func (t Table[P]) Bind(f *flag.FlagSet, p *P) {
	t.Reset(p)
	for _, o := range t.In(Command) {
		f.Var(&flagValue[P]{o: o, p: p, needs: o.needs(t)}, o.Name, o.Help)
	}
}

// Usage is what help says of a flag: what its value is called, its text, and the values that
// it can have when these are few. It knows the flags that [Table.Bind] declared and takes
// others as [flag.UnquoteUsage] does.
func Usage(f *flag.Flag) (value, text string, choices []Choice) {
	if v, is := f.Value.(interface {
		usage() (string, string, []Choice)
	}); is {
		return v.usage()
	}
	value, text = flag.UnquoteUsage(f)
	return value, text, nil
}

// Refused is the problem for which parsing f failed, nil when it was no value of an option.
func Refused(f *flag.FlagSet) *Problem {
	var found *Problem
	f.VisitAll(func(one *flag.Flag) {
		if v, is := one.Value.(interface{ refused() *Problem }); is && found == nil {
			found = v.refused()
		}
	})
	return found
}

// Unused is the first flag that was given although what it needs is not so: it would
// change nothing, although its user expects an effect. It is nil when all are used.
func (t Table[P]) Unused(f *flag.FlagSet, p *P) *Problem {
	var found *Problem
	f.Visit(func(given *flag.Flag) {
		o := t.named(given.Name)
		if o == nil || found != nil {
			return
		}
		if need := o.unmet(t, p); need != nil {
			found = &Problem{Name: o.Name, Label: o.Label, Text: "has no effect " + need.opposite() + ": leave it out"}
		}
	})
	return found
}

// flags: "--mode default".
func (n Need) flags() string {
	values := strings.Join(n.Values, ", ")
	if last := strings.LastIndex(values, ", "); last >= 0 {
		values = values[:last] + " or" + values[last+1:]
	}
	return strings.TrimSpace("--" + n.Option + " " + values)
}

// opposite: "without --mode default".
func (n Need) opposite() string {
	if n.Not {
		return "with " + n.flags()
	}
	return "without " + n.flags()
}

// needs: " Only with --mode default. Not with --gdf." Values that the table does not offer are
// left out.
func (o Option[P]) needs(t Table[P]) string {
	var out strings.Builder
	for _, n := range o.Needs {
		of := t.named(n.Option)
		if of == nil {
			continue
		}
		if offered := n.offered(of.Choices); len(offered) > 0 || len(n.Values) == 0 {
			n.Values = offered
		} else if n.Not {
			continue
		}
		only := " Only with "
		if n.Not {
			only = " Not with "
		}
		out.WriteString(only + n.flags() + ".")
	}
	return out.String()
}

// offered are the values that are among the choices, all values where there are no choices.
func (n Need) offered(choices []Choice) []string {
	return slices.DeleteFunc(slices.Clone(n.Values), func(v string) bool {
		return choices != nil && !slices.ContainsFunc(choices, func(c Choice) bool { return c.Value == v })
	})
}
