// SPDX-License-Identifier: Apache-2.0

package annotate

import (
	"fmt"
	"regexp"
	"slices"
)

// LabelSet is the labels of a project in the order that pages list them.
type LabelSet []LabelInfo

// LabelInfo describes one label to the people who use it.
type LabelInfo struct {
	Label Label  `json:"label"`
	Key   string `json:"key"`  // one key that applies it, "" for none
	Help  string `json:"help"` // a sentence for the legend
}

// labelPattern is what a label may look like: it is shown in placeholders,
// written to brat files and used in element attributes.
var labelPattern = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_.-]{0,63}$`)

// CheckLabel reports whether l can be a label: a letter, then up to 63 letters,
// digits, "_", "." or "-".
func CheckLabel(l Label) error {
	if !labelPattern.MatchString(string(l)) {
		return fmt.Errorf("label of %d bytes is not a letter followed by up to 63 letters, digits, '_', '.' or '-'", len(l))
	}
	return nil
}

// Has reports whether the set holds l.
func (s LabelSet) Has(l Label) bool {
	return slices.ContainsFunc(s, func(i LabelInfo) bool { return i.Label == l })
}

// Labels lists the bare labels in order.
func (s LabelSet) Labels() []Label {
	labels := make([]Label, len(s))
	for i, info := range s {
		labels[i] = info.Label
	}
	return labels
}

// With returns the set with the missing ones among labels appended, each with a
// free key while there are any.
func (s LabelSet) With(labels ...Label) LabelSet {
	out := slices.Clone(s)
	for _, l := range labels {
		if !out.Has(l) {
			out = append(out, LabelInfo{Label: l, Key: out.freeKey(l)})
		}
	}
	return out
}

// spareKeys are tried for a label whose own letters are taken. The letters that
// the annotation page uses for itself are not among them.
const spareKeys = "123456789bfghoqtvwyz"

// reservedKeys belong to the annotation page's own commands.
const reservedKeys = "acdejklmnrsuxz"

func (s LabelSet) freeKey(l Label) string {
	for _, r := range spareKeys {
		key := string(r)
		if !slices.ContainsFunc(s, func(i LabelInfo) bool { return i.Key == key }) && !slices.Contains([]rune(reservedKeys), r) {
			return key
		}
	}
	return ""
}

// I2B2 is the label set of the i2b2-2014 de-identification task (Stubbs and
// Uzuner 2015, Table 1), the default of a new project.
func I2B2() LabelSet {
	return LabelSet{
		{"PATIENT", "p", "name of a patient or a relative"},
		{"DOCTOR", "o", "name of a clinician"},
		{"USERNAME", "", "computer account of a person"},
		{"PROFESSION", "f", "occupation of the patient"},
		{"HOSPITAL", "h", "hospital, clinic or practice"},
		{"DEPARTMENT", "", "ward or department"},
		{"ROOM", "", "room or bed"},
		{"ORGANIZATION", "g", "employer, school or other organisation"},
		{"STREET", "", "street and number"},
		{"CITY", "y", "town or city"},
		{"STATE", "", "state or province"},
		{"COUNTRY", "", "country"},
		{"ZIP", "", "postal code"},
		{"LOCATION-OTHER", "", "any other place"},
		{"AGE", "b", "an age, especially over 89"},
		{"DATE", "t", "a date or part of a date, except a year alone"},
		{"PHONE", "v", "telephone or pager"},
		{"FAX", "", "fax number"},
		{"EMAIL", "", "e-mail address"},
		{"URL", "", "web address"},
		{"IPADDR", "", "network address"},
		{"SSN", "", "social security number"},
		{"MEDICALRECORD", "w", "medical record number"},
		{"HEALTHPLAN", "", "health plan number"},
		{"ACCOUNT", "", "account number"},
		{"LICENSE", "", "licence number"},
		{"VEHICLE", "", "vehicle identifier"},
		{"DEVICE", "", "device serial number"},
		{"BIOID", "", "biometric identifier"},
		{"IDNUM", "i", "any other number that identifies"},
		{"OTHER", "q", "anything else that could identify"},
	}
}
