// SPDX-License-Identifier: Apache-2.0

package option

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// usual fills in what a type calls its value.
func (a About) usual(value string) About {
	a.Value = cmp.Or(a.Value, value)
	return a
}

// such: ", such as 1, 10, 100".
func (a About) such() string {
	if a.Example == "" {
		return ""
	}
	return ", such as " + a.Example
}

// refuse adds the example to what is wrong.
func (a About) refuse(err error) error {
	if err == nil || a.Example == "" || !strings.HasPrefix(err.Error(), "enter ") {
		return err
	}
	return errors.New(err.Error() + a.such())
}

func (o Option[P]) missing() error {
	switch {
	case o.Input == Checks:
		return errors.New("choose at least one")
	case len(o.Choices) > 0:
		return errors.New("choose one")
	case o.Input == Integer:
		return errors.New("enter a whole number" + o.Bounds.words(1) + o.such())
	case o.Input == Percent:
		return errors.New("enter " + o.Bounds.shareWords(Page) + o.such())
	case o.Input == Decimal:
		return errors.New("enter a number" + o.Bounds.words(1) + o.such())
	}
	return errors.New("enter a value" + o.such())
}

// single makes an option of one value. The zero value stands for one that is not set,
// unless the option has a default and zero is a value like others.
func single[P any, V comparable](a About, b Bounds, in Input, zeroCounts bool, of func(*P) *V, read func(string, Place) (V, error), write func(V, Place) string) Option[P] {
	var zero V
	return Option[P]{
		About: a, Bounds: b, Input: in,
		read: func(p *P, texts []string, at Place) error {
			if len(texts) != 1 {
				return errors.New("enter one value")
			}
			v, err := read(strings.TrimSpace(texts[0]), at)
			if err == nil {
				*of(p) = v
			}
			return a.refuse(err)
		},
		write: func(p *P, at Place) []string {
			if v := *of(p); v != zero || zeroCounts && a.Default != "" {
				return []string{write(v, at)}
			}
			return nil
		},
		clear: func(p *P) { *of(p) = zero },
		field: func(p *P) any { return of(p) },
	}
}

// Whole is a whole number.
func Whole[P any, N ~int | ~int64](a About, b Bounds, of func(*P) *N) Option[P] {
	return single(a.usual("N"), b, Integer, b.Has(0), of,
		func(text string, _ Place) (N, error) {
			n, err := b.whole(text)
			return N(n), err
		},
		func(n N, _ Place) string { return strconv.FormatInt(int64(n), 10) })
}

// Seed is a whole number of 0 and more that decides what is chosen at random.
func Seed[P any](a About, of func(*P) *uint64) Option[P] {
	b := AtLeast(0)
	return single(a.usual("N"), b, Integer, true, of,
		func(text string, _ Place) (uint64, error) {
			n, err := strconv.ParseUint(ungrouped(text), 10, 64)
			if err != nil {
				err = errors.New("enter a whole number" + b.words(1))
			}
			return n, err
		},
		func(n uint64, _ Place) string { return strconv.FormatUint(n, 10) })
}

// Number is a number.
func Number[P any](a About, b Bounds, of func(*P) *float64) Option[P] {
	return single(a.usual("NUMBER"), b, Decimal, b.Has(0), of,
		func(text string, _ Place) (float64, error) { return b.number(text, "enter a number") },
		func(v float64, _ Place) string { return typed(v) })
}

// Share is a share of 1, which pages show and read in percent.
func Share[P any](a About, b Bounds, of func(*P) *float64) Option[P] {
	return single(a.usual("SHARE"), b, Percent, b.Has(0), of, b.share,
		func(v float64, at Place) string {
			if at == Page {
				return typed(rounded(100 * v))
			}
			return typed(v)
		})
}

// Switch is yes or no. Its Default is "" for no, or "true".
func Switch[P any](a About, of func(*P) *bool) Option[P] {
	return single(a, Bounds{}, Tick, true, of,
		func(text string, at Place) (bool, error) {
			if at == Page {
				return true, nil // a field that is not ticked is not sent
			}
			v, err := strconv.ParseBool(text)
			if err != nil {
				err = errors.New("enter true or false")
			}
			return v, err
		},
		func(v bool, _ Place) string { return strconv.FormatBool(v) })
}

// Text is a line of text.
func Text[P any, S ~string](a About, of func(*P) *S) Option[P] {
	return single(a.usual("TEXT"), Bounds{}, Line, false, of,
		func(text string, _ Place) (S, error) { return S(text), nil },
		func(s S, _ Place) string { return string(s) })
}

// One is one of several choices.
func One[P any, S ~string](a About, choices []Choice, of func(*P) *S) Option[P] {
	in := Select
	if slices.ContainsFunc(choices, func(c Choice) bool { return c.Help != "" }) {
		in = Radio
	}
	o := single(a.usual("NAME"), Bounds{}, in, false, of,
		func(text string, _ Place) (S, error) { return S(text), Among(choices, text) },
		func(s S, _ Place) string { return string(s) })
	o.Choices = choices
	return o
}

// Among refuses a text that is no value of the choices.
func Among(choices []Choice, text string) error {
	names := make([]string, len(choices))
	for i, c := range choices {
		if c.Value == text {
			return nil
		}
		names[i] = c.Value
	}
	return fmt.Errorf("unknown value %s; choose from %s", shortened(text), strings.Join(names, ", "))
}

// Value is anything that its own functions read from text and write as text. What read
// refuses must be said without repeating what was typed at length.
func Value[P any, V any](a About, of func(*P) *V, read func(string, Place) (V, error), write func(V, Place) string) Option[P] {
	return Option[P]{
		About: a.usual("VALUE"),
		read: func(p *P, texts []string, at Place) error {
			v, err := read(strings.TrimSpace(strings.Join(texts, "\n")), at)
			if err == nil {
				*of(p) = v
			}
			return a.refuse(err)
		},
		write: func(p *P, at Place) []string {
			if text := write(*of(p), at); text != "" {
				return []string{text}
			}
			return nil
		},
		clear: func(p *P) { *of(p) = *new(V) },
		field: func(p *P) any { return of(p) },
	}
}

// several makes an option of a list, which a command writes with commas between.
func several[P any, V cmp.Ordered](a About, b Bounds, in Input, of func(*P) *[]V, one func(string) (V, error), text func(V) string) Option[P] {
	return Option[P]{
		About: a, Bounds: b, Input: in,
		read: func(p *P, texts []string, at Place) error {
			if at == Command && a.None != "" && len(texts) == 1 && texts[0] == a.None {
				*of(p) = nil
				return nil
			}
			all, err := list(texts, at, in, b, one)
			if b.ascending {
				slices.Sort(all)
			}
			if err == nil {
				*of(p) = all
			}
			return a.refuse(err)
		},
		write: func(p *P, at Place) []string {
			var words []string
			for _, v := range *of(p) {
				words = append(words, text(v))
			}
			switch {
			case len(words) == 0 && at == Command && a.None != "":
				return []string{a.None}
			case len(words) == 0:
				return nil
			case at == Command:
				return []string{strings.Join(words, ",")}
			case in == Checks:
				return words
			}
			return []string{strings.Join(words, " ")}
		},
		clear: func(p *P) { *of(p) = nil },
		field: func(p *P) any { return of(p) },
	}
}

// Numbers is a list of different numbers.
func Numbers[P any](a About, b Bounds, of func(*P) *[]float64) Option[P] {
	return several(a.usual("NUMBERS"), b, NumberOf, of, func(text string) (float64, error) { return b.number(text, "enter numbers") }, typed)
}

// Wholes is a list of different whole numbers.
func Wholes[P any, N ~int | ~int64](a About, b Bounds, of func(*P) *[]N) Option[P] {
	enter := errors.New("enter whole numbers" + b.words(1))
	return several(a.usual("NUMBERS"), b, NumberOf, of, func(text string) (N, error) {
		n, err := ReadWhole(text)
		if err != nil || !b.Has(float64(n)) {
			return 0, enter
		}
		return N(n), nil
	}, func(n N) string { return strconv.FormatInt(int64(n), 10) })
}

// Some are any of several choices. Without choices every word is taken: a page gives those
// that there are to [Form.Offer].
func Some[P any, S ~string](a About, choices []Choice, of func(*P) *[]S) Option[P] {
	o := several(a.usual("NAMES"), Bounds{}, Checks, of, func(text string) (S, error) {
		if len(choices) == 0 {
			return S(text), nil
		}
		return S(text), Among(choices, text)
	}, func(s S) string { return string(s) })
	o.Choices = choices
	return o
}

// Times is a number for some names: "PATIENT=3,DATE=.5" in a command, a field for each name
// on a page, where 1 is as nothing.
func Times[P any, M ~map[K]float64, K ~string](a About, b Bounds, choices []Choice, of func(*P) *M) Option[P] {
	a = a.usual("NAME=NUMBER")
	return Option[P]{
		About: a, Bounds: b, Choices: choices, Input: Grid,
		read: func(p *P, texts []string, at Place) error {
			m, err := readTimes[M](texts, at, b, choices)
			if err == nil {
				*of(p) = m
			}
			return a.refuse(err)
		},
		write: func(p *P, at Place) []string {
			var words []string
			for _, name := range slices.Sorted(maps.Keys(*of(p))) {
				words = append(words, string(name)+"="+typed((*of(p))[name]))
			}
			if len(words) > 0 && at == Command {
				return []string{strings.Join(words, ",")}
			}
			return words
		},
		clear: func(p *P) { *of(p) = nil },
		field: func(p *P) any { return of(p) },
	}
}

func readTimes[M ~map[K]float64, K ~string](texts []string, at Place, b Bounds, choices []Choice) (M, error) {
	words := texts
	if at == Command {
		words = strings.Split(strings.Join(texts, ","), ",")
	}
	out := M{}
	for _, word := range words {
		name, number, is := strings.Cut(strings.TrimSpace(word), "=")
		name = strings.TrimSpace(name)
		if !is || name == "" {
			return nil, errors.New("enter each name with its number, as NAME=2, with commas between")
		}
		if len(choices) > 0 {
			if err := Among(choices, name); err != nil {
				return nil, err
			}
		}
		if _, twice := out[K(name)]; twice {
			return nil, fmt.Errorf("%s is there twice", name)
		}
		v, err := b.number(number, "enter a number")
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		out[K(name)] = v
	}
	if at == Page {
		maps.DeleteFunc(out, func(_ K, v float64) bool { return v == 1 })
	}
	if len(out) == 0 {
		return nil, nil
	}
	return out, nil
}
