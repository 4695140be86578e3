// SPDX-License-Identifier: Apache-2.0

package web

import (
	"strings"
	"testing"

	"hide/internal/account"
	"hide/internal/project/release"
)

// TestAPageOfOneKindSpeaksOfThatKindAlone has releases of text, of which the page of
// tables says neither that they are there nor that nothing is.
func TestAPageOfOneKindSpeaksOfThatKindAlone(t *testing.T) {
	f := madePublish()
	s := newTestServer(t, f)
	u := account.User{ID: "u", Role: account.Broker}
	for kind, want := range map[release.Kind]string{
		release.KindTable: "Nothing of this kind has been published yet.",
		release.KindText:  "release-",
	} {
		v, err := s.released(t.Context(), u, f.overview, kind)
		if err != nil {
			t.Fatal(err)
		}
		body := rendered(t, publishState(v))
		if !strings.Contains(body, want) || strings.Contains(body, "Nothing has been") || strings.Contains(body, "release-") != (kind == release.KindText) {
			t.Errorf("%q: %s", kind, body)
		}
	}
	if body := rendered(t, publishState(publishView{})); !strings.Contains(body, "Nothing has been published yet.") {
		t.Error(body)
	}
}
