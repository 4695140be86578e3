// SPDX-License-Identifier: Apache-2.0

// Package labels knows the label sets in use and how their labels correspond.
//
//	set, found := labels.FindSet("i2b2-2006")
//	m, err := labels.Find("meddocan-to-i2b2-2014")
//	spans, counts := m.Spans(doc.Spans)
//
// A [Mapping] is data: it gives each label of one set a label of another, or drops its spans.
// [Suggest] proposes one for labels that nobody has mapped. [Read] reads one from a file.
package labels

import (
	"slices"
	"strings"

	"hide/internal/annotate"
)

// Set is a label set with a name.
type Set struct {
	Name   string            `json:"name"` // "i2b2-2014"
	Title  string            `json:"title"`
	Labels annotate.LabelSet `json:"labels"`
}

// Default is the name of the set of a new project. The labels of identities are of this set,
// and mappings between two other sets go through it.
const Default = "i2b2-2014"

// Sets lists the label sets, the default first.
func Sets() []Set {
	return []Set{
		{Default, "i2b2 2014: 31 labels, most exact", annotate.I2B2()},
		{"i2b2-2006", "i2b2 2006: eight labels", i2b2006()},
		{"hipaa-18", "HIPAA Safe Harbor: 18 identifiers", hipaa()},
		{"names", "Names of people only", annotate.LabelSet{{Label: "NAME", Key: "p", Help: "name of a person"}}},
		{"tab", "Text Anonymization Benchmark: eight categories", tab()},
		{"direct-quasi", "Direct and quasi-identifiers", directQuasi()},
	}
}

// FindSet finds a label set by its name.
func FindSet(name string) (Set, bool) {
	sets := Sets()
	if i := slices.IndexFunc(sets, func(s Set) bool { return s.Name == name }); i >= 0 {
		return sets[i], true
	}
	return Set{}, false
}

// Parse reads labels with commas between; nil for an empty text.
func Parse(text string) []annotate.Label {
	if text == "" {
		return nil
	}
	list := []annotate.Label{}
	for l := range strings.SplitSeq(text, ",") {
		if l = strings.TrimSpace(l); l != "" {
			list = append(list, annotate.Label(l))
		}
	}
	return list
}

// ParseSet finds a label set by its name, or makes one of labels with commas between; nil for
// an empty text.
func ParseSet(text string) annotate.LabelSet {
	if set, found := FindSet(text); found {
		return set.Labels
	}
	return annotate.LabelSet(nil).With(Parse(text)...)
}

// SetNames lists the names of the sets, for messages.
func SetNames() string {
	var names []string
	for _, s := range Sets() {
		names = append(names, s.Name)
	}
	return strings.Join(names, ", ")
}

// i2b2006 is the label set of the i2b2 2006 challenge (Uzuner, Luo and Szolovits 2007).
func i2b2006() annotate.LabelSet {
	return annotate.LabelSet{
		{Label: "PATIENT", Key: "p", Help: "name of a patient or a relative"},
		{Label: "DOCTOR", Key: "o", Help: "name of a clinician"},
		{Label: "HOSPITAL", Key: "h", Help: "hospital, clinic or practice"},
		{Label: "LOCATION", Key: "y", Help: "address, town, state or other place"},
		{Label: "DATE", Key: "t", Help: "a date or part of a date, except a year alone"},
		{Label: "AGE", Key: "b", Help: "an age over 90"},
		{Label: "PHONE", Key: "v", Help: "telephone, pager or fax"},
		{Label: "ID", Key: "i", Help: "a number that identifies"},
	}
}

// hipaa is the list of 45 CFR 164.514(b)(2)(i), (A) to (R).
func hipaa() annotate.LabelSet {
	return annotate.LabelSet{
		{Label: "NAME", Key: "p", Help: "(A) name"},
		{Label: "LOCATION", Key: "y", Help: "(B) place smaller than a state, with postal code"},
		{Label: "DATE", Key: "t", Help: "(C) date of the person except the year, and an age over 89"},
		{Label: "PHONE", Key: "v", Help: "(D) telephone number"},
		{Label: "FAX", Help: "(E) fax number"},
		{Label: "EMAIL", Help: "(F) e-mail address"},
		{Label: "SSN", Help: "(G) social security number"},
		{Label: "MEDICALRECORD", Key: "w", Help: "(H) medical record number"},
		{Label: "HEALTHPLAN", Help: "(I) health plan number"},
		{Label: "ACCOUNT", Help: "(J) account number"},
		{Label: "LICENSE", Help: "(K) certificate or licence number"},
		{Label: "VEHICLE", Help: "(L) vehicle identifier or licence plate"},
		{Label: "DEVICE", Help: "(M) device identifier or serial number"},
		{Label: "URL", Help: "(N) web address"},
		{Label: "IPADDR", Help: "(O) network address"},
		{Label: "BIOID", Help: "(P) biometric identifier"},
		{Label: "PHOTO", Help: "(Q) photograph of a face, or a reference to one"},
		{Label: "IDNUM", Key: "i", Help: "(R) any other number, code or feature that identifies"},
	}
}

// tab is the set of the Text Anonymization Benchmark (Pilán and others 2022).
func tab() annotate.LabelSet {
	return annotate.LabelSet{
		{Label: "PERSON", Key: "p", Help: "name of a person"},
		{Label: "CODE", Key: "i", Help: "number or code that identifies"},
		{Label: "LOC", Key: "y", Help: "place or address"},
		{Label: "ORG", Key: "g", Help: "organisation, such as a hospital, school or court"},
		{Label: "DEM", Key: "b", Help: "attribute of a person: age, occupation, origin"},
		{Label: "DATETIME", Key: "t", Help: "date, time or duration"},
		{Label: "QUANTITY", Key: "q", Help: "amount or measure that could identify"},
		{Label: "MISC", Key: "h", Help: "anything else that could identify"},
	}
}

func directQuasi() annotate.LabelSet {
	return annotate.LabelSet{
		{Label: "DIRECT", Key: "p", Help: "identifies a person alone: a name, a number, an address"},
		{Label: "QUASI", Key: "q", Help: "identifies a person together with others: a date, a place, an occupation"},
	}
}
