// SPDX-License-Identifier: Apache-2.0

package note

import (
	"fmt"
	"regexp"
	"testing"

	"hide/internal/account"
	"hide/internal/annotate"
	"hide/internal/project"
	"hide/internal/project/services"
	"hide/web/webtest"
)

// TestColoursStayWhenOtherLabelsChange: annotators read by colour.
func TestColoursStayWhenOtherLabelsChange(t *testing.T) {
	s, id := webtest.RealProject(t, 2)
	server := webtest.New(t, s, New(s, webtest.Accounts{}))
	button := regexp.MustCompile(`data-label="([^"]+)"[^>]* data-tint="(\d)"`)
	tints := func() map[string]string {
		found := map[string]string{}
		for _, m := range button.FindAllStringSubmatch(server.Get(account.Annotator, fmt.Sprintf("/p/%s/notes/1", id)).Body.String(), -1) {
			found[m[1]] = m[2]
		}
		return found
	}
	before := tints()
	if len(before) != len(annotate.I2B2()) {
		t.Fatalf("the page offers %d labels", len(before))
	}
	ctx, by := t.Context(), webtest.As(account.Broker)
	for _, change := range []func(version int) error{
		func(v int) error { return s.RetireLabel(ctx, by, id, v, "USERNAME") },
		func(v int) error { return s.MergeLabel(ctx, by, id, v, "DOCTOR", "PATIENT", "DOCTOR") },
		func(v int) error { return s.MergeLabel(ctx, by, id, v, "USERNAME", "ROOM", "USERNAME") },
	} {
		if err := change(labelVersion(t, s, id)); err != nil {
			t.Fatal(err)
		}
		for label, tint := range tints() {
			if tint != before[label] {
				t.Errorf("%s had the tint %s, and has %s after a change of other labels", label, before[label], tint)
			}
		}
	}
}

func labelVersion(t *testing.T, s *services.All, id project.ID) int {
	t.Helper()
	table, err := s.LabelTable(t.Context(), webtest.As(account.Broker), id)
	if err != nil {
		t.Fatal(err)
	}
	return table.Version
}
