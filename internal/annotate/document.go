// SPDX-License-Identifier: Apache-2.0

package annotate

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// DocumentID numbers a document inside its project, from 1, in order of import. URLs and
// audit rows use it, because the name a document had outside may identify a patient.
type DocumentID uint64

// Document is one note. Its fields never change after import.
type Document struct {
	Name       string            // its id outside hide, unique in a project
	Text       string            // valid UTF-8, byte for byte as imported
	Patient    string            // the person it is about; empty when unknown
	Attributes map[string]string // structured fields that came with it; may be nil
	Identities []Identity        `json:",omitempty"` // what structured data says of the people in it; may be nil

	// Linked names the person if the patient has several records: it is the record that leads
	// them, as [Document.Record] gives it, or empty without links. It belongs to the project, so
	// it is neither imported nor exported.
	Linked string `json:"-"`
	// Also is the structured data of the other linked records about the patient.
	Also []Identity `json:"-"`
}

// Annotated is a document with the spans that a file or a person gave it, in
// order and without overlap.
type Annotated struct {
	Document
	Spans []Span
	Work  *Work // what people did to get there; nil where a file does not say
}

// Work is the layer of a document with everything that it remembers, and the suggestions
// that nobody has decided about. The spans of the layer are those of the document.
type Work struct {
	Layer       *Layer
	Suggestions []Suggestion
}

const (
	ofPatient  = "patient\x00"
	ofDocument = "document\x00"
)

// Record names the record of the source: all documents with one patient's key are one record,
// and a document without a key is a record of its own.
func (d Document) Record() string {
	if d.Patient != "" {
		return ofPatient + d.Patient
	}
	return ofDocument + d.Name
}

// Group names the person of the document, in folds, rows, k, epsilon and shifts of dates. Linked
// records have one group. Without links it is the record.
func (d Document) Group() string { return cmp.Or(d.Linked, d.Record()) }

// Person is the key of the group, as a release counts patients: the patient's key, or the key of
// the leading record if records are linked. It is empty for a document without key and links.
func (d Document) Person() string {
	if d.Linked == "" {
		return d.Patient
	}
	return strings.TrimPrefix(d.Linked, ofPatient)
}

// Keyed reports whether the group has a patient's key.
func (d Document) Keyed() bool { return strings.HasPrefix(d.Group(), ofPatient) }

// About is the structured data about the people in the document, with the data of linked
// records.
func (d Document) About() []Identity {
	if len(d.Also) == 0 {
		return d.Identities
	}
	return slices.Concat(d.Identities, d.Also)
}

// Known lists the identifiers from the structured fields, in a fixed order; nil for none.
// Where a source says what its identities are, the attributes beside them are none.
func (d Document) Known() []string {
	var known []string
	if d.Patient != "" {
		known = append(known, d.Patient)
	}
	for _, i := range d.About() {
		known = append(known, i.Value)
	}
	if len(d.Identities) > 0 {
		return known
	}
	for _, key := range slices.Sorted(maps.Keys(d.Attributes)) {
		if value := d.Attributes[key]; value != "" {
			known = append(known, value)
		}
	}
	return known
}

// String names a document without its text, so that a document printed in a log line
// reveals nothing.
func (d Document) String() string { return fmt.Sprintf("document of %d bytes", len(d.Text)) }

// GoString is String: %#v must not show text either.
func (d Document) GoString() string { return d.String() }

// Label is a kind of sensitive information, such as "NAME" or "DATE".
type Label string

// Span covers text[Start:End] of a document with a label.
type Span struct {
	Start, End ByteOff
	Label      Label
}

// Len is the number of bytes covered.
func (s Span) Len() int { return int(s.End - s.Start) }

// Overlaps reports whether the two spans share a byte.
func (s Span) Overlaps(t Span) bool { return s.Start < t.End && t.Start < s.End }

// Surface is the text covered. The span must have passed [CheckSpans].
func (s Span) Surface(text string) string { return text[s.Start:s.End] }

// CompareSpans orders spans by start, then end, then label.
func CompareSpans(a, b Span) int {
	return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.End, b.End), cmp.Compare(a.Label, b.Label))
}

// Span errors that callers distinguish.
var (
	// ErrSpanRange is returned when a span is empty or reaches outside its text.
	ErrSpanRange = errors.New("span out of range")
	// ErrSpanCut is returned when a span begins or ends inside a code point.
	ErrSpanCut = errors.New("span cuts a character")
	// ErrSpanOverlap is returned when two spans of one layer share text.
	ErrSpanOverlap = errors.New("spans overlap")
)

// CheckSpans sorts spans in place and reports the first that does not fit the text or
// overlaps another. Its errors give offsets, never text.
func CheckSpans(text string, spans []Span) error {
	slices.SortFunc(spans, CompareSpans)
	for i, s := range spans {
		if err := checkSpan(text, s); err != nil {
			return err
		}
		if i > 0 && spans[i-1].Overlaps(s) {
			return fmt.Errorf("%w: bytes %d to %d and %d to %d", ErrSpanOverlap, spans[i-1].Start, spans[i-1].End, s.Start, s.End)
		}
	}
	return nil
}

func checkSpan(text string, s Span) error {
	if s.Start < 0 || s.End > ByteOff(len(text)) || s.Start >= s.End {
		return fmt.Errorf("%w: bytes %d to %d of %d", ErrSpanRange, s.Start, s.End, len(text))
	}
	if !onBoundary(text, s.Start) || !onBoundary(text, s.End) {
		return fmt.Errorf("%w: bytes %d to %d", ErrSpanCut, s.Start, s.End)
	}
	return nil
}

// LabelSet is the labels of a project in the order that pages list them.
type LabelSet []LabelInfo

// LabelInfo describes one label for pages.
type LabelInfo struct {
	Label Label  `json:"label"`
	Key   string `json:"key"`  // one key that applies it, "" for none
	Help  string `json:"help"` // a sentence for the legend
}

// labelPattern limits labels, as they appear in placeholders, brat files and element
// attributes.
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
func (s LabelSet) Has(l Label) bool { return s.Index(l) >= 0 }

// Index is the place of l in the set, -1 if it is not there.
func (s LabelSet) Index(l Label) int {
	return slices.IndexFunc(s, func(i LabelInfo) bool { return i.Label == l })
}

// Labels lists the bare labels in order.
func (s LabelSet) Labels() []Label {
	labels := make([]Label, len(s))
	for i, info := range s {
		labels[i] = info.Label
	}
	return labels
}

// With returns the set with the missing labels appended, each with a free key as long as
// there are free keys.
func (s LabelSet) With(labels ...Label) LabelSet {
	out := slices.Clone(s)
	for _, l := range labels {
		if !out.Has(l) {
			out = append(out, LabelInfo{Label: l, Key: out.freeKey(l)})
		}
	}
	return out
}

// spareKeys are tried for a label whose own letters are taken. They exclude the keys that
// the annotation page uses.
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
