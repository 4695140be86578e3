// SPDX-License-Identifier: Apache-2.0

package option

import (
	"flag"
	"strings"
)

// flagValue is an option as package flag sees it.
type flagValue[P any] struct {
	o       Option[P]
	p       *P
	needs   string   // of o, in the words of a command
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
		text = strings.TrimSuffix(text, ".") + ". Only " + v.needs + "."
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
	return strings.TrimSpace("--" + n.Option + " " + strings.Join(n.Values, " or "))
}

// opposite: "without --mode default".
func (n Need) opposite() string {
	if n.Not {
		return "with " + n.flags()
	}
	return "without " + n.flags()
}

// needs: "with --mode default, without --gdf".
func (o Option[P]) needs(t Table[P]) string {
	var words []string
	for _, n := range o.Needs {
		if t.named(n.Option) != nil {
			n.Not = !n.Not
			words = append(words, n.opposite())
		}
	}
	return strings.Join(words, ", ")
}
