// SPDX-License-Identifier: Apache-2.0

package web

import (
	"cmp"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"hide/internal/project"
	"hide/internal/project/release"
	"hide/internal/publish/table"
	"hide/internal/publish/weak"
)

// tableForm is what a preview is asked for, as it stands in the form: several k, l
// and t, each tried with each.
type tableForm struct {
	ks, l, diversity, c, t, cut, suppression string
	people                                   string // of the population; "" when nobody knows
	among                                    string // "rows" or "people" that k counts, "" without the population
	problem                                  string
}

func formOf(p release.TablePreview) tableForm {
	f := tableForm{ks: "2 5 10 25"}
	if len(p.Tried) == 0 {
		return f
	}
	one := p.Tried[0]
	f.cut = one.Method.Cut
	if one.Method.Name == weak.Incognito {
		f.cut = weak.Incognito
	}
	if one.Among {
		f.among = table.CountRows
	}
	if one.Map {
		f.among = table.CountPeople
	}
	var ks, ls, ts []float64
	for _, set := range p.Tried {
		f.diversity = cmp.Or(f.diversity, set.Diversity.Kind)
		ks, ls, ts = append(ks, float64(set.K)), append(ls, set.Diversity.L), append(ts, set.Diversity.T)
	}
	f.ks, f.l, f.t = typedNumbers(ks), typedNumbers(ls), typedNumbers(ts)
	f.c, f.suppression, f.people = typedNumbers([]float64{one.Diversity.C}), typedNumbers([]float64{one.Method.Suppression}), typedNumbers([]float64{float64(one.People)})
	return f
}

// typedNumbers writes different numbers in ascending order; 0 is nothing, and said
// only beside others.
func typedNumbers(all []float64) string {
	slices.Sort(all)
	all = slices.Compact(all)
	if len(all) == 1 && all[0] == 0 {
		return ""
	}
	words := make([]string, len(all))
	for i, v := range all {
		words[i] = typedNumber(v)
	}
	return strings.Join(words, " ")
}

func readTableForm(values url.Values) tableForm {
	text := func(name string) string { return strings.TrimSpace(values.Get(name)) }
	return tableForm{
		ks: text("ks"), l: text("l"), diversity: text("diversity"), c: text("c"), t: text("t"), cut: text("cut"), suppression: text("suppression"),
		people: text("people"), among: text("among"),
	}
}

// settings are all combinations of what the form asks for: by l, then t, then k.
func (f tableForm) settings() ([]release.TableSettings, error) {
	fields := map[string][]float64{}
	for _, field := range []struct{ name, text string }{{"k", f.ks}, {"l", f.l}, {"c", f.c}, {"t", f.t}, {"suppression", f.suppression}, {"people", f.people}} {
		var err error
		if fields[field.name], err = readNumbers(field.name, field.text); err != nil {
			return nil, err
		}
	}
	one := release.TableSettings{Method: table.Method{Cut: f.cut}, Among: f.among != "", Map: f.among == table.CountPeople}
	if f.cut == weak.Incognito {
		one.Method = table.Method{Name: weak.Incognito}
	}
	for _, name := range []string{"c", "suppression", "people"} {
		if len(fields[name]) > 1 {
			return nil, &project.Error{Kind: project.Invalid, Message: "the field " + strconv.Quote(name) + " holds more than one number", Hint: "leave one of them"}
		}
	}
	one.Diversity.C, one.Method.Suppression, one.People = onlyOne(fields["c"]), onlyOne(fields["suppression"]), int(onlyOne(fields["people"]))
	if n := len(fields["k"]) * len(orNone(fields["l"])) * len(orNone(fields["t"])); n > release.MaxPreviews {
		return nil, release.TooManyTables(n)
	}
	var sets []release.TableSettings
	for _, l := range orNone(fields["l"]) {
		for _, t := range orNone(fields["t"]) {
			for _, k := range fields["k"] {
				set := one
				set.K, set.Diversity.L, set.Diversity.T = int(k), l, t
				if l > 0 {
					set.Diversity.Kind = f.diversity
				}
				sets = append(sets, set)
			}
		}
	}
	return sets, nil
}

// mostNumber is the largest that any field takes.
const mostNumber = 1 << 40

// readNumbers reads different numbers with blanks, commas or semicolons between, in
// ascending order.
func readNumbers(name, text string) ([]float64, error) {
	var all []float64
	for _, word := range typedWords(text) {
		v, err := strconv.ParseFloat(word, 64)
		whole := v == float64(int64(v))
		if err != nil || !finite(v) || v > mostNumber || v < -mostNumber || !whole && (name == "k" || name == "people") {
			return nil, noNumber(name)
		}
		all = append(all, v)
	}
	slices.Sort(all)
	return slices.Compact(all), nil
}

// typedWords cuts what was typed at blanks, commas and semicolons.
func typedWords(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" ,;", r) })
}

func noNumber(field string) error {
	return &project.Error{Kind: project.Invalid, Message: "the field " + strconv.Quote(field) + " holds something that is no number for it", Hint: "correct it, or leave it empty"}
}

// onlyOne is the number of a field that takes one, 0 for none.
func onlyOne(all []float64) float64 { return orNone(all)[0] }

// orNone asks nothing once when there is nothing.
func orNone(all []float64) []float64 {
	if len(all) == 0 {
		return []float64{0}
	}
	return all
}
