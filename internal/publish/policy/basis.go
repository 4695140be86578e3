// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"fmt"

	"hide/internal/annotate"
)

// Basis is the rule that a policy follows. The names are stored: do not change them.
type Basis string

// The bases.
const (
	SafeHarbor     Basis = "safe-harbor"      // 45 CFR 164.514(b)(2)
	LimitedDataSet Basis = "limited-data-set" // 45 CFR 164.514(e)
	Statistical    Basis = "statistical"      // 45 CFR 164.514(b)(1), expert determination
	Own            Basis = "own"              // no rule but the project's
)

// Bases lists the bases.
func Bases() []Basis { return []Basis{SafeHarbor, LimitedDataSet, Statistical, Own} }

// Needs are what a release on a basis requires besides its policy.
type Needs struct {
	// Statement is what a person must sign before the release, "" for nothing.
	Statement string
	// Checklist is what the agreement with the recipient must say; each item is confirmed.
	Checklist []string
	// Certificate: only a candidate with a certificate and an approving review is released.
	Certificate bool
}

// Needs are the requirements of a basis.
func (b Basis) Needs() Needs {
	switch b {
	case SafeHarbor:
		return Needs{Statement: "I have no actual knowledge that the information in this release could be used, alone or with other information, to identify a patient (45 CFR 164.514(b)(2)(ii))."}
	case LimitedDataSet:
		return Needs{Checklist: []string{
			"The agreement says for which research, public health or health care operations the data may be used.",
			"The agreement says who may use or receive the data.",
			"The recipient uses and discloses the data only as the agreement or the law permits.",
			"The recipient has appropriate safeguards against other uses.",
			"The recipient reports every use or disclosure that the agreement does not permit.",
			"The recipient's agents agree to the same restrictions.",
			"The recipient does not identify the patients and does not contact them.",
		}}
	case Statistical:
		return Needs{Certificate: true}
	}
	return Needs{}
}

// Statement is what a release on the basis says of itself.
func (b Basis) Statement() string {
	switch b {
	case SafeHarbor:
		return "Prepared by the Safe Harbor method, 45 CFR 164.514(b)(2). The text may still hold identifiers that nobody marked."
	case LimitedDataSet:
		return "A limited data set, 45 CFR 164.514(e): it is not de-identified, and may be used only under a data use agreement."
	case Statistical:
		return "Evidence for an expert's determination under 45 CFR 164.514(b)(1), not the determination. Figures are estimates on annotated notes, with 95 % intervals. The text may still hold identifiers that nobody marked."
	}
	return "Redacted by a policy of the project, which follows no rule of HIPAA. The text may still hold identifiers that nobody marked."
}

// Item is a type of identifier of 45 CFR 164.514(b)(2)(i), with its letter.
type Item struct{ Letter, Words string }

// items are the 18 types.
var items = map[string]string{
	"A": "names", "B": "geographic subdivisions smaller than a state", "C": "dates except years, and ages over 89",
	"D": "telephone numbers", "E": "fax numbers", "F": "e-mail addresses", "G": "social security numbers",
	"H": "medical record numbers", "I": "health plan numbers", "J": "account numbers", "K": "certificate and licence numbers",
	"L": "vehicle identifiers", "M": "device identifiers", "N": "web addresses", "O": "network addresses",
	"P": "biometric identifiers", "Q": "full-face photographs", "R": "any other unique number, characteristic or code",
}

// traits are what the rules of HIPAA say of a label.
type traits struct {
	item    string // letter of 164.514(b)(2)(i), "" for none
	quasi   bool   // identifies in combination only
	limited bool   // a limited data set may keep it
}

var traitsOf = map[annotate.Label]traits{
	"PATIENT": {item: "A"}, "DOCTOR": {quasi: true, limited: true}, "USERNAME": {item: "R"}, "PROFESSION": {quasi: true, limited: true},
	"HOSPITAL": {quasi: true, limited: true}, "DEPARTMENT": {quasi: true, limited: true}, "ROOM": {item: "B", quasi: true}, "ORGANIZATION": {item: "A", quasi: true},
	"STREET": {item: "B"}, "CITY": {item: "B", quasi: true, limited: true}, "STATE": {quasi: true, limited: true}, "COUNTRY": {quasi: true, limited: true},
	"ZIP": {item: "B", quasi: true, limited: true}, "LOCATION-OTHER": {item: "B", quasi: true},
	"AGE": {item: "C", quasi: true, limited: true}, "DATE": {item: "C", quasi: true, limited: true},
	"PHONE": {item: "D"}, "FAX": {item: "E"}, "EMAIL": {item: "F"}, "URL": {item: "N"}, "IPADDR": {item: "O"},
	"SSN": {item: "G"}, "MEDICALRECORD": {item: "H"}, "HEALTHPLAN": {item: "I"}, "ACCOUNT": {item: "J"},
	"LICENSE": {item: "K"}, "VEHICLE": {item: "L"}, "DEVICE": {item: "M"}, "BIOID": {item: "P"}, "IDNUM": {item: "R"}, "OTHER": {item: "R", quasi: true},
}

// ItemOf is the type of identifier of a label of the default set; ok is false for labels that
// HIPAA does not list, such as the names of clinicians.
func ItemOf(l annotate.Label) (Item, bool) {
	letter := traitsOf[l].item
	return Item{letter, items[letter]}, letter != ""
}

// Quasi reports whether values of a label identify in combination only.
func Quasi(l annotate.Label) bool { return traitsOf[l].quasi }

// Allows reports why a basis forbids a rule.
func (b Basis) Allows(r Rule) error {
	switch b {
	case SafeHarbor:
		return safeHarbor(r)
	case LimitedDataSet:
		if r.Action == Keep && !traitsOf[r.Label].limited {
			return fmt.Errorf("%s stays, but 45 CFR 164.514(e)(2) removes it from a limited data set", r.Label)
		}
	}
	return nil
}

// safeHarbor refuses what 164.514(b)(2)(i) forbids for a label that it lists.
func safeHarbor(r Rule) error {
	item, listed := ItemOf(r.Label)
	switch {
	case !listed:
		return nil
	case r.Action == ShiftDate:
		return fmt.Errorf("%s: Safe Harbor allows no dates but years, and a shifted date is a date; generalize it to the year", r.Label)
	case r.Action == Keep:
		return fmt.Errorf("%s stays, but 45 CFR 164.514(b)(2)(i)(%s) removes %s", r.Label, item.Letter, item.Words)
	case r.Action == Generalize && r.Label == "DATE" && r.To != Year:
		return fmt.Errorf("%s: Safe Harbor allows no dates but years", r.Label)
	}
	return nil
}
