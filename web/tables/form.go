// SPDX-License-Identifier: Apache-2.0

package tables

import (
	"cmp"
	"net/url"
	"slices"

	"hide/internal/option"
	"hide/internal/project/release"
	"hide/internal/publish/kanonymity"
	"hide/internal/publish/mondrian"
	"hide/internal/publish/settings"
	"hide/internal/publish/table"
)

// tableRequest is a request for a preview: several k, l and t in all combinations.
type tableRequest struct {
	Ks             []int
	Ls, Ts         []float64
	Diversity, Cut string
	C, Suppression float64
	People         int    // of the population; 0 if it is not known
	Among          string // what k counts, table.CountRows or table.CountPeople; "" without the population
}

var tableFields = option.Table[tableRequest]{
	settings.Ks("2,5,10,25", func(a *tableRequest) *[]int { return &a.Ks }),
	settings.Ls(func(a *tableRequest) *[]float64 { return &a.Ls }),
	settings.Diversity(func(a *tableRequest) *string { return &a.Diversity }),
	settings.C(func(a *tableRequest) *float64 { return &a.C }),
	settings.Ts(func(a *tableRequest) *[]float64 { return &a.Ts }),
	settings.Method(func(a *tableRequest) *string { return &a.Cut }),
	settings.Suppression(func(a *tableRequest) *float64 { return &a.Suppression }),
	settings.Among(func(a *tableRequest) *string { return &a.Among }),
	settings.People(func(a *tableRequest) *int { return &a.People }),
}

// tableForm is the form that asks for a preview.
type tableForm struct {
	option.Form
	problem string // what the project refuses
}

// formOf shows the settings of the last preview, or the defaults.
func formOf(p release.TablePreview) tableForm {
	ask := tableFields.Default()
	if len(p.Tried) > 0 {
		ask = requestOf(p.Tried)
	}
	return tableForm{Form: tableFields.Form(&ask)}
}

// requestOf is the request for these settings.
func requestOf(tried []release.TableSettings) tableRequest {
	one := tried[0]
	ask := tableRequest{Cut: cmp.Or(one.Method.Cut, string(mondrian.NCP)), C: one.Diversity.C, Suppression: one.Method.Suppression, People: one.People}
	if one.Method.Name == kanonymity.Incognito {
		ask.Cut = kanonymity.Incognito
	}
	if one.Among {
		ask.Among = table.CountRows
	}
	if one.Map {
		ask.Among = table.CountPeople
	}
	for _, set := range tried {
		ask.Diversity = cmp.Or(ask.Diversity, set.Diversity.Kind)
		ask.Ks, ask.Ls, ask.Ts = append(ask.Ks, set.K), append(ask.Ls, set.Diversity.L), append(ask.Ts, set.Diversity.T)
	}
	ask.Ks, ask.Ls, ask.Ts = different(ask.Ks), differentNumbers(ask.Ls), differentNumbers(ask.Ts)
	return ask
}

func different[T cmp.Ordered](all []T) []T {
	slices.Sort(all)
	return slices.Compact(all)
}

// differentNumbers are the numbers without duplicates; nil if there is only 0.
func differentNumbers(all []float64) []float64 {
	if all = different(all); len(all) == 1 && all[0] == 0 {
		return nil
	}
	return all
}

func readTableForm(values url.Values) (tableForm, tableRequest) {
	var ask tableRequest
	form := tableFields.ReadForm(values, &ask)
	return tableForm{Form: form}, ask
}

// settings are all combinations of l, t and k, in this order.
func (a tableRequest) settings() ([]release.TableSettings, error) {
	one := release.TableSettings{Method: table.Method{Cut: a.Cut, Suppression: a.Suppression}, Among: a.Among != "", Map: a.Among == table.CountPeople, People: a.People}
	switch a.Cut {
	case kanonymity.Incognito:
		one.Method.Name, one.Method.Cut = kanonymity.Incognito, ""
	case string(mondrian.NCP):
		one.Method.Cut = "" // which stands for it
	}
	one.Diversity.C = a.C
	if n := len(a.Ks) * len(orNone(a.Ls)) * len(orNone(a.Ts)); n > release.MaxPreviews {
		return nil, release.TooManyTables(n)
	}
	var sets []release.TableSettings
	for _, l := range different(orNone(a.Ls)) {
		for _, t := range different(orNone(a.Ts)) {
			for _, k := range different(slices.Clone(a.Ks)) {
				set := one
				set.K, set.Diversity.L, set.Diversity.T = k, l, t
				if l > 0 {
					set.Diversity.Kind = a.Diversity
				}
				sets = append(sets, set)
			}
		}
	}
	return sets, nil
}

// orNone is a copy, or a single 0, which asks for nothing.
func orNone(all []float64) []float64 {
	if len(all) == 0 {
		return []float64{0}
	}
	return slices.Clone(all)
}
