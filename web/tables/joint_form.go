// SPDX-License-Identifier: Apache-2.0

package tables

import (
	"net/url"
	"strconv"

	"hide/internal/option"
	"hide/internal/project/release"
	"hide/internal/publish/joint"
	"hide/internal/publish/settings"
	"hide/web/ui"
)

const groupJointClasses = "How classes are found, and what counts as sensitive"

var jointSettings = option.Table[release.JointSettings]{
	settings.Ks("2,3,5,10,25", func(s *release.JointSettings) *[]int { return &s.Ks }).Also("Notes vary a lot: expect that few terms remain with a large k."),
	settings.Lambdas("0,0.2,0.4,0.5,0.6,0.8,1", func(s *release.JointSettings) *[]float64 { return &s.Lambdas }).Also("Near 1 the fields are released more exactly, near 0 more terms remain in the notes."),
	settings.TextCut(func(s *release.JointSettings) *joint.Cut { return &s.Cut }).Usual(string(joint.Least)).Under(groupJointClasses),
	settings.Known(func(s *release.JointSettings) *bool { return &s.Known }).Under(groupJointClasses),
	settings.Own(func(s *release.JointSettings) *bool { return &s.Own }).Under(groupJointClasses),
}

// jointForm is the form that asks for a preview.
type jointForm struct {
	option.Form
	problem string // what the project refuses
}

// jointFormOf shows the settings of the last preview, or the defaults.
func jointFormOf(set release.JointSettings) jointForm {
	if len(set.Ks) == 0 {
		set = jointSettings.Default()
	}
	return jointForm{Form: jointSettings.Form(&set)}
}

func readJointForm(values url.Values) (jointForm, release.JointSettings) {
	var set release.JointSettings
	form := jointSettings.ReadForm(values, &set)
	return jointForm{Form: form}, set
}

// jointAt is the setting of a preview that is shown, as the address says it.
type jointAt struct {
	K                int
	By               string  // a lambda, or "gdf"
	Bundle           int     // whose estimate of missed PHI counts, 0 without any
	Found, Threshold float64 // shares
}

// byGDF is the method GDF, in the place of a lambda.
const byGDF = "gdf"

func (a jointAt) query() url.Values {
	q := url.Values{"found": {ui.TypedNumber(100 * a.Found)}, "threshold": {ui.TypedNumber(100 * a.Threshold)}}
	if a.Bundle > 0 {
		q.Set("bundle", strconv.Itoa(a.Bundle))
	}
	if a.K > 0 {
		q.Set("k", strconv.Itoa(a.K))
		q.Set("by", a.By)
	}
	return q
}

// named reports whether values name this k and this method. If they name one that was
// not previewed, another one is shown.
func (a jointAt) named(values url.Values) bool {
	return values.Get("k") == strconv.Itoa(a.K) && values.Get("by") == a.By
}

// readJointAt reads what it can and takes the defaults for the rest.
func readJointAt(q url.Values) jointAt {
	a := jointAt{By: q.Get("by")}
	a.K, _ = strconv.Atoi(q.Get("k")) // anything but a number is no choice
	a.Bundle, _ = strconv.Atoi(q.Get("bundle"))
	var e joint.Exposure
	settings.Exposure(func(e *joint.Exposure) *joint.Exposure { return e }).ReadForm(q, &e)
	a.Found, a.Threshold = e.Found, e.Threshold
	return a
}
