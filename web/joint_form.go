// SPDX-License-Identifier: Apache-2.0

package web

import (
	"net/url"
	"strconv"
	"strings"

	"hide/internal/project/release"
	"hide/internal/publish/joint"
)

// jointForm is what a preview is asked for, as it stands in the form.
type jointForm struct {
	ks, lambdas, cut string
	known, own       bool
	problem          string
}

// usualJoint is tried when nobody says otherwise.
var usualJoint = release.JointSettings{Ks: []int{2, 3, 5, 10, 25}, Lambdas: []float64{0, 0.2, 0.4, 0.5, 0.6, 0.8, 1}, Known: true}

var cutChoices = []choice{
	{string(joint.Least), "where least is lost"},
	{string(joint.Median), "at the middle"},
	{string(joint.Presence), "who has a term from who has not"},
}

func jointFormOf(set release.JointSettings) jointForm {
	if len(set.Ks) == 0 {
		set = usualJoint
	}
	f := jointForm{cut: string(set.Cut), known: set.Known, own: set.Own}
	for _, k := range set.Ks {
		f.ks = strings.TrimSpace(f.ks + " " + strconv.Itoa(k))
	}
	for _, lambda := range set.Lambdas {
		f.lambdas = strings.TrimSpace(f.lambdas + " " + typedNumber(lambda))
	}
	return f
}

func readJointForm(values url.Values) jointForm {
	return jointForm{
		ks: strings.TrimSpace(values.Get("ks")), lambdas: strings.TrimSpace(values.Get("lambdas")),
		cut: values.Get("cut"), known: values.Get("known") != "", own: values.Get("own") != "",
	}
}

// settings reads the numbers of the form.
func (f jointForm) settings() (release.JointSettings, error) {
	set := release.JointSettings{Cut: joint.Cut(f.cut), Known: f.known, Own: f.known && f.own}
	for _, word := range typedWords(f.ks) {
		k, err := strconv.Atoi(word)
		if err != nil {
			return set, noNumber("k")
		}
		set.Ks = append(set.Ks, k)
	}
	for _, word := range typedWords(f.lambdas) {
		lambda, err := strconv.ParseFloat(word, 64)
		if err != nil {
			return set, noNumber("lambda")
		}
		set.Lambdas = append(set.Lambdas, lambda)
	}
	return set, nil
}

// jointAt is what of a preview is looked at, as the address says it.
type jointAt struct {
	K                int
	By               string  // a lambda, or "gdf"
	Bundle           int     // whose leaks count, 0 without any
	Found, Threshold float64 // shares
}

// byGDF stands where a lambda does not.
const byGDF = "gdf"

func (a jointAt) query() url.Values {
	q := url.Values{"found": {typedNumber(100 * a.Found)}, "threshold": {typedNumber(100 * a.Threshold)}}
	if a.Bundle > 0 {
		q.Set("bundle", strconv.Itoa(a.Bundle))
	}
	if a.K > 0 {
		q.Set("k", strconv.Itoa(a.K))
		q.Set("by", a.By)
	}
	return q
}

// named reports whether values name this k and this way, and not another that is
// looked at instead.
func (a jointAt) named(values url.Values) bool {
	return values.Get("k") == strconv.Itoa(a.K) && values.Get("by") == a.By
}

// readJointAt reads what it can and takes what is usual for the rest.
func readJointAt(q url.Values) jointAt {
	a := jointAt{By: q.Get("by"), Found: 1, Threshold: 0.33}
	a.K, _ = strconv.Atoi(q.Get("k")) // what is no number is no choice
	a.Bundle, _ = strconv.Atoi(q.Get("bundle"))
	for name, to := range map[string]*float64{"found": &a.Found, "threshold": &a.Threshold} {
		if v, err := strconv.ParseFloat(q.Get(name), 64); err == nil && v >= 0 && v <= 100 {
			*to = v / 100
		}
	}
	return a
}
