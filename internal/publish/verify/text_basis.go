// SPDX-License-Identifier: Apache-2.0

package verify

import (
	"fmt"
	"maps"
	"slices"
)

// The bases of policies.
const (
	safeHarbor     = "safe-harbor"      // 45 CFR 164.514(b)(2)
	limitedDataSet = "limited-data-set" // 45 CFR 164.514(e)
	statistical    = "statistical"      // 45 CFR 164.514(b)(1)
	own            = "own"
)

// The actions of rules.
const (
	keep         = "keep"
	placeholder  = "placeholder"
	numbered     = "numbered"
	generalize   = "generalize"
	shift        = "shift"
	surrogate    = "surrogate"
	dropSentence = "drop-sentence"
)

var actions = []string{keep, placeholder, numbered, generalize, shift, surrogate, dropSentence}

// hidden reports whether notes.jsonl does not list the places of an action.
func hidden(action string) bool { return action == surrogate || action == shift }

// unlisted are the labels of the default set that 45 CFR 164.514(b)(2)(i) does not list.
var unlisted = []string{"DOCTOR", "PROFESSION", "HOSPITAL", "DEPARTMENT", "STATE", "COUNTRY"}

// letters are the items of 45 CFR 164.514(b)(2)(i) of the other labels of the default set.
var letters = map[string]string{
	"PATIENT": "A", "ORGANIZATION": "A", // names of the individual, relatives, employers, household members
	"ROOM": "B", "STREET": "B", "CITY": "B", "ZIP": "B", "LOCATION-OTHER": "B",
	"DATE": "C", "AGE": "C",
	"PHONE": "D", "FAX": "E", "EMAIL": "F", "SSN": "G", "MEDICALRECORD": "H", "HEALTHPLAN": "I", "ACCOUNT": "J",
	"LICENSE": "K", "VEHICLE": "L", "DEVICE": "M", "URL": "N", "IPADDR": "O", "BIOID": "P",
	"USERNAME": "R", "IDNUM": "R", "OTHER": "R",
}

// removed are the labels that 45 CFR 164.514(e)(2) removes from a limited data set.
var removed = []string{
	"PATIENT", "STREET", "PHONE", "FAX", "EMAIL", "SSN", "MEDICALRECORD", "HEALTHPLAN", "ACCOUNT",
	"LICENSE", "VEHICLE", "DEVICE", "URL", "IPADDR", "BIOID",
}

func listedLabels() []string { return slices.Sorted(maps.Keys(letters)) }

// mustSay is a part of the statement of each basis.
var mustSay = map[string]string{
	safeHarbor:     "Safe Harbor method, 45 CFR 164.514(b)(2)",
	limitedDataSet: "not de-identified",
	statistical:    "not the determination",
	own:            "no rule of HIPAA",
}

// agreementItems is how many items the checklist of a data use agreement has.
const agreementItems = 7

// forbidden says which rule of the basis an action breaks, "" for none.
func forbidden(basis, label, action, to string) string {
	letter := letters[label]
	switch {
	case basis == limitedDataSet && action == keep && slices.Contains(removed, label):
		return label + " stays, but 45 CFR 164.514(e)(2) removes it from a limited data set"
	case basis != safeHarbor || letter == "":
		return ""
	case action == keep:
		return fmt.Sprintf("%s stays, but 45 CFR 164.514(b)(2)(i)(%s) removes it", label, letter)
	case action == shift, label == "DATE" && action == surrogate, label == "DATE" && action == generalize && to != "year":
		return label + " has other dates than years, but 45 CFR 164.514(b)(2)(i)(C) allows years only"
	case label == "AGE" && action == surrogate:
		return label + " has an invented age, and nobody can see whether it is over 89"
	case action == generalize && !slices.Contains([]string{"year", "age-90", "age-5", "age-10", "zip-3", "state"}, to):
		return label + " is generalized to an unknown level"
	}
	return ""
}
