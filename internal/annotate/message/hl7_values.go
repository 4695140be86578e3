// SPDX-License-Identifier: Apache-2.0

package message

import (
	"slices"
	"strings"
	"time"

	"hide/internal/annotate"
)

// maxComponents is more than any data type of HL7 has. The rest of a longer field is not read.
const maxComponents = 32

// hl7Part is an identifier in a repetition of a field.
type hl7Part struct {
	of    annotate.Whose // empty: whose the field is
	label annotate.Label
	value string
	at    []int // its components, from 0; what replaces it is written into the first
}

// hl7Form is a data type with identifiers.
type hl7Form struct {
	// parts finds the identifiers among the components, which are as in the message.
	parts func(c hl7Components, label annotate.Label) []hl7Part
	// codes are the components that say what the others are. They are kept.
	codes []int
}

// hl7Components are the components of one repetition.
type hl7Components struct {
	raw []string
	sep hl7Separators
}

func (sep hl7Separators) components(repetition string) hl7Components {
	separator := string(rune(sep.component))
	n := min(strings.Count(repetition, separator), maxComponents) + 1
	return hl7Components{strings.SplitN(repetition, separator, n), sep}
}

// sub returns a subcomponent as text, both counted from 0.
func (c hl7Components) sub(component, n int) string {
	if component >= len(c.raw) {
		return ""
	}
	s := c.raw[component]
	for ; n > 0; n-- {
		_, rest, found := strings.Cut(s, string(rune(c.sep.sub)))
		if !found {
			return ""
		}
		s = rest
	}
	s, _, _ = strings.Cut(s, string(rune(c.sep.sub)))
	return c.sep.decode(hl7Null(strings.TrimSpace(s)))
}

// all returns the subcomponents of a component as text, with blanks between.
func (c hl7Components) all(component int) string {
	if component >= len(c.raw) {
		return ""
	}
	joined := strings.ReplaceAll(c.raw[component], string(rune(c.sep.sub)), " ")
	return c.sep.decode(hl7Null(strings.Join(strings.Fields(joined), " ")))
}

// hl7Null takes the value "" in quotes, which deletes a value at the receiver, as no value.
func hl7Null(s string) string {
	if s == `""` {
		return ""
	}
	return s
}

// hl7Parts collects the parts that have a value.
type hl7Parts []hl7Part

func (p *hl7Parts) add(label annotate.Label, value string, at ...int) {
	p.addOf("", label, value, at...)
}

func (p *hl7Parts) addOf(of annotate.Whose, label annotate.Label, value string, at ...int) {
	if value != "" {
		*p = append(*p, hl7Part{of, label, value, at})
	}
}

// The data types, with the names that HL7 gives them.
var (
	hl7XPN  = hl7Form{hl7PersonParts, []int{6}}
	hl7XCN  = hl7Form{hl7ClinicianParts, nil}
	hl7CX   = hl7Form{hl7NumberParts, []int{4}}
	hl7XAD  = hl7Form{hl7AddressParts, []int{6}}
	hl7XTN  = hl7Form{hl7PhoneParts, []int{1, 2}}
	hl7XON  = hl7Form{hl7OrganizationParts, nil}
	hl7PL   = hl7Form{hl7LocationParts, []int{5}}
	hl7HD   = hl7Form{hl7FirstParts, nil}
	hl7EI   = hl7Form{hl7FirstParts, nil}
	hl7EIP  = hl7Form{hl7PairParts, nil}
	hl7ST   = hl7Form{hl7PlainParts, nil}
	hl7Time = hl7Form{hl7DateParts, nil}
	hl7Own  = hl7Form{hl7OwnParts, nil}
)

// hl7FullName puts a name together: given, middle, family.
func hl7FullName(words ...string) string {
	var name []string
	for _, w := range words {
		if w != "" {
			name = append(name, w)
		}
	}
	return strings.Join(name, " ")
}

// hl7PersonParts reads XPN: family^given^middle^suffix^prefix. The family name may have a
// maiden name and a spouse's as subcomponents 3 and 5.
func hl7PersonParts(c hl7Components, label annotate.Label) (parts []hl7Part) {
	return hl7NameParts(c, label, 0)
}

func hl7NameParts(c hl7Components, label annotate.Label, family int) []hl7Part {
	var p hl7Parts
	p.add(label, hl7FullName(c.sub(family+1, 0), c.sub(family+2, 0), c.sub(family, 0)), family, family+1, family+2)
	for _, n := range []int{2, 4} {
		if other := c.sub(family, n); other != c.sub(family, 0) {
			p.add(label, other, family)
		}
	}
	return p
}

// hl7ClinicianParts reads XCN: number^family^given^middle. Many senders write only a name
// into the number. NDL has all of this as subcomponents of the first component, and a place
// from the fourth.
func hl7ClinicianParts(c hl7Components, label annotate.Label) []hl7Part {
	if strings.IndexByte(c.raw[0], c.sep.sub) < 0 {
		name := hl7NameParts(c, label, 1)
		return append(hl7ClinicianNumber(c.sub(0, 0), len(name) > 0, label), name...)
	}
	name := hl7FullName(c.sub(0, 2), c.sub(0, 3), c.sub(0, 1))
	p := hl7ClinicianNumber(c.sub(0, 0), name != "", label)
	p.add(label, name, 0)
	return append(p, hl7LocationPartsAt(c, 3)...)
}

// hl7ClinicianNumber takes a number without digits as the name if there is no other.
func hl7ClinicianNumber(number string, named bool, label annotate.Label) hl7Parts {
	if named || strings.ContainsAny(number, "0123456789") {
		label = "IDNUM"
	}
	var p hl7Parts
	p.add(label, number, 0)
	return p
}

// hl7NumberTypes are codes of HL7 table 0203 that say more of a number than its field.
var hl7NumberTypes = map[string]annotate.Label{
	"MR": "MEDICALRECORD", "SS": "SSN", "AN": "ACCOUNT", "BA": "ACCOUNT", "DL": "LICENSE", "LN": "LICENSE", "MD": "LICENSE", "DN": "LICENSE", "RN": "LICENSE",
	"NH": "HEALTHPLAN", "MA": "HEALTHPLAN", "MC": "HEALTHPLAN", "MB": "HEALTHPLAN", "HC": "HEALTHPLAN", "NI": "IDNUM", "PPN": "IDNUM", "VN": "IDNUM",
	"DI": "DEVICE", "VIN": "VEHICLE", "BIO": "BIOID",
}

// hl7NumberParts reads CX: number^check digit^scheme^authority^type.
func hl7NumberParts(c hl7Components, label annotate.Label) []hl7Part {
	if known, ok := hl7NumberTypes[c.sub(4, 0)]; ok {
		label = known
	}
	var p hl7Parts
	p.add(label, c.sub(0, 0), 0)
	if strings.ContainsAny(c.sub(5, 0), "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") {
		p.addOf(annotate.OfPlace, "HOSPITAL", c.sub(5, 0), 5)
	}
	return p
}

// hl7AddressParts reads XAD: street^other designation^city^state^zip^country^type^other^county.
func hl7AddressParts(c hl7Components, _ annotate.Label) []hl7Part {
	var p hl7Parts
	for i, label := range []annotate.Label{"STREET", "STREET", "CITY", "STATE", "ZIP", "COUNTRY", "", "LOCATION-OTHER", "LOCATION-OTHER"} {
		if label != "" {
			p.add(label, c.all(i), i)
		}
	}
	return p
}

// hl7PhoneParts reads XTN: number^use^equipment^mail^country^area^number^extension, and the
// number as text in component 12.
func hl7PhoneParts(c hl7Components, _ annotate.Label) []hl7Part {
	label := annotate.Label("PHONE")
	if c.sub(2, 0) == "FX" {
		label = "FAX"
	}
	var p hl7Parts
	for _, i := range []int{0, 3, 11} {
		value := c.all(i)
		switch {
		case strings.Contains(value, "@"):
			p.add("EMAIL", value, i)
		case strings.Contains(value, "://"):
			p.add("URL", value, i)
		default:
			p.add(label, value, i)
		}
	}
	p.add(label, hl7FullName(c.sub(5, 0), c.sub(6, 0)), 6, 4, 5, 7)
	return p
}

// hl7OrganizationParts reads XON: name^type^number, and the number in component 10.
func hl7OrganizationParts(c hl7Components, label annotate.Label) []hl7Part {
	var p hl7Parts
	p.add(label, c.sub(0, 0), 0)
	p.add("IDNUM", c.sub(2, 0), 2)
	p.add("IDNUM", c.sub(9, 0), 9)
	return p
}

// hl7LocationParts reads PL: point of care^room^bed^facility^status^type^building.
func hl7LocationParts(c hl7Components, _ annotate.Label) []hl7Part { return hl7LocationPartsAt(c, 0) }

func hl7LocationPartsAt(c hl7Components, first int) []hl7Part {
	var p hl7Parts
	for i, label := range []annotate.Label{"DEPARTMENT", "ROOM", "ROOM", "HOSPITAL", "", "", "LOCATION-OTHER"} {
		if label != "" {
			p.addOf(annotate.OfPlace, label, c.sub(first+i, 0), first+i)
		}
	}
	return p
}

// hl7FirstParts reads types whose first component is the identifier: EI, HD.
func hl7FirstParts(c hl7Components, label annotate.Label) []hl7Part {
	var p hl7Parts
	p.add(label, c.sub(0, 0), 0)
	return p
}

// hl7PairParts reads EIP, a number of the placer and one of the filler. Senders also write
// EI here, where the second component is a system and not a number.
func hl7PairParts(c hl7Components, label annotate.Label) []hl7Part {
	p := hl7Parts(hl7FirstParts(c, label))
	if strings.ContainsAny(c.sub(1, 0), "0123456789") {
		p.add(label, c.sub(1, 0), 1)
	}
	return p
}

// hl7PlainParts reads a field that is one value, or a code with a text.
func hl7PlainParts(c hl7Components, label annotate.Label) []hl7Part {
	value, at := c.all(0), []int{0, 1}
	if text := c.all(1); text != "" {
		value = text
	}
	var p hl7Parts
	p.add(label, value, at...)
	return p
}

// hl7OwnParts reads what [WriteHL7] writes into ZHI: label^value.
func hl7OwnParts(c hl7Components, _ annotate.Label) []hl7Part {
	var p hl7Parts
	label := annotate.Label(c.sub(0, 0))
	known := slices.ContainsFunc(annotate.I2B2(), func(l annotate.LabelInfo) bool { return l.Label == label })
	if len(c.raw) > 1 && known { // another sender may mean something else by ZHI
		p.add(label, c.sep.decode(c.raw[1]), 0, 1)
	}
	return p
}

// hl7DateParts reads a time, or the two ends of a range.
func hl7DateParts(c hl7Components, label annotate.Label) []hl7Part {
	var p hl7Parts
	for i := range 2 {
		p.add(label, hl7ISODate(c.sub(i, 0)), i)
	}
	return p
}

// hl7ISODate turns 19610514, with or without a time behind it, into 1961-05-14; "" if it is
// not a date.
func hl7ISODate(s string) string {
	digits := len(s) - len(strings.TrimLeft(s, "0123456789"))
	for _, f := range []struct {
		length      int
		layout, iso string
	}{{8, "20060102", time.DateOnly}, {6, "200601", "2006-01"}, {4, "2006", "2006"}} {
		if digits < f.length {
			continue
		}
		t, err := time.Parse(f.layout, s[:f.length])
		if err != nil {
			return ""
		}
		return t.Format(f.iso)
	}
	return ""
}

// hl7Date is the opposite: it turns 1961-05-14, 1961-05 or 1961 into a date of HL7; "" if
// it is not one, such as a placeholder.
func hl7Date(iso string) string {
	for _, layout := range []string{time.DateOnly, "2006-01", "2006"} {
		if _, err := time.Parse(layout, iso); err == nil {
			return strings.ReplaceAll(iso, "-", "")
		}
	}
	return ""
}
