// SPDX-License-Identifier: Apache-2.0

package project

import (
	"testing"

	"hide/internal/annotate"
	"hide/internal/publish"
)

// A release redacts a patient's many notes in parts; an audit has to show the same.
func TestAnAuditRedactsTogetherWhatAReleaseDoes(t *testing.T) {
	const n = publish.MostTogether + 7
	ws := &workspace{docs: map[annotate.DocumentID]*status{}}
	patients := new(status)
	patients.Group = "patient"
	for doc := annotate.DocumentID(1); doc <= n; doc++ {
		ws.order, ws.docs[doc] = append(ws.order, doc), patients
	}
	for doc, want := range map[annotate.DocumentID][3]int{1: {1, publish.MostTogether, 0}, publish.MostTogether: {1, publish.MostTogether, publish.MostTogether - 1}, n: {publish.MostTogether + 1, 7, 6}} {
		together, at := ws.sameGroup(doc)
		if int(together[0]) != want[0] || len(together) != want[1] || at != want[2] {
			t.Errorf("note %d is number %d of %d from %d on, want %v", doc, at, len(together), together[0], want)
		}
	}
}
