// SPDX-License-Identifier: Apache-2.0

package home

import (
	"testing"

	"hide/internal/annotate"
	"hide/internal/annotate/labels"
)

func TestAProjectTakesASetOrLabelsOfItsOwn(t *testing.T) {
	for _, c := range []struct {
		own, set string
		want     int // labels; 0 for a problem
	}{
		{"", "", 31}, {"", "i2b2-2014", 31}, {"", "i2b2-2006", 8}, {"", "hipaa-18", 18}, {"", "names", 1}, {" ,\n", "tab", 8},
		{"NAME, DATE\nPHONE", "tab", 3}, {"", "nothing", 0}, {"1x", "tab", 0},
	} {
		got, problem := readLabels(c.own, c.set)
		if len(got) != c.want || (problem == "") != (c.want > 0) {
			t.Errorf("%q, %q: %d labels, %q", c.own, c.set, len(got), problem)
		}
	}
	for _, set := range labels.Sets() {
		if got, _ := readLabels("", set.Name); len(got) != len(set.Labels) {
			t.Errorf("the list offers %s, which gives %d labels", set.Name, len(got))
		}
	}
	if got, _ := readLabels("NAME", ""); got[0].Label != annotate.Label("NAME") {
		t.Errorf("got %v", got)
	}
}
