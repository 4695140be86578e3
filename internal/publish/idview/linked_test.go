// SPDX-License-Identifier: Apache-2.0

package idview_test

import (
	"reflect"
	"testing"

	"hide/internal/annotate"
	"hide/internal/publish/idview"
)

// TestLinkedRecordsAreOneRow has two linked keys, a linked note without a key, and others.
func TestLinkedRecordsAreOneRow(t *testing.T) {
	head := annotate.Document{Patient: "a"}.Record()
	people := idview.NewPeople()
	for _, d := range []annotate.Document{
		{Name: "1", Patient: "a", Text: "one", Linked: head, Attributes: map[string]string{"sex": "F"}},
		{Name: "2", Patient: "b", Text: "two"},
		{Name: "3", Patient: "c", Text: "three", Linked: head, Attributes: map[string]string{"sex": "F"}},
		{Name: "4", Patient: "a", Text: "four", Linked: head},
		{Name: "5", Text: "five", Linked: head},
		{Name: "6", Text: "six"},
	} {
		people.Add(d, nil, true)
	}
	keys := people.Keys()
	if people.Rows() != 3 || keys[0] != "a" || keys[1] != "b" || idview.Named(keys[2]) || people.Alone() != 1 {
		t.Errorf("%d rows, %d alone", people.Rows(), people.Alone())
	}
	if notes := people.Notes(); !reflect.DeepEqual(notes, []int{4, 1, 1}) {
		t.Errorf("notes %v", notes)
	}
	records := people.Records()
	if len(records[0]) != 3 || records[0][0] != "a" || records[0][1] != "c" || idview.Named(records[0][2]) || !reflect.DeepEqual(records[1], []string{"b"}) {
		t.Errorf("records %q", records)
	}
	if at, ok := people.Groups()[head]; !ok || at != 0 {
		t.Errorf("the linked records are row %d, %t", at, ok)
	}
	// The key of a note without a key is the same wherever the note is.
	other := idview.NewPeople()
	other.Add(annotate.Document{Name: "elsewhere", Text: "five"}, nil, false)
	if other.Keys()[0] != records[0][2] {
		t.Error("a linked note without a key is not known in another project")
	}
}
