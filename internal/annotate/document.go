// SPDX-License-Identifier: Apache-2.0

package annotate

import (
	"fmt"
	"maps"
	"slices"
)

// DocumentID numbers a document inside its project, from 1, in order of import.
// It is what URLs and audit rows carry, because the name a document had outside
// may itself identify a patient.
type DocumentID uint64

// Document is one note. Its fields never change after import.
type Document struct {
	Name       string            // the id it had outside, unique in a project
	Text       string            // valid UTF-8, byte for byte as imported
	Patient    string            // the person it is about; empty when unknown
	Attributes map[string]string // structured fields that came with it; may be nil
}

// Annotated is a document with the spans that a file or a person gave it, in
// order and without overlap.
type Annotated struct {
	Document
	Spans []Span
}

// Group is the unit that must not be split between training and testing: the
// patient when known, otherwise the document itself.
func (d Document) Group() string {
	if d.Patient != "" {
		return "patient\x00" + d.Patient
	}
	return "document\x00" + d.Name
}

// Known lists what the structured fields say of the patient, in a fixed order; nil
// when they say nothing.
func (d Document) Known() []string {
	var known []string
	if d.Patient != "" {
		known = append(known, d.Patient)
	}
	for _, key := range slices.Sorted(maps.Keys(d.Attributes)) {
		if value := d.Attributes[key]; value != "" {
			known = append(known, value)
		}
	}
	return known
}

// String names a document without showing any of it, so that a document that
// strays into a log line tells nothing.
func (d Document) String() string { return fmt.Sprintf("document of %d bytes", len(d.Text)) }

// GoString is String: %#v must not show text either.
func (d Document) GoString() string { return d.String() }
