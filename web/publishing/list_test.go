// SPDX-License-Identifier: Apache-2.0

package publishing

import (
	"strings"
	"testing"

	"hide/internal/account"
	"hide/internal/project/release"
	"hide/web/webtest"
)

// TestAPageOfOneKindSpeaksOfThatKindAlone has releases of text, of which the page of
// tables says neither that they are there nor that nothing is.
func TestAPageOfOneKindSpeaksOfThatKindAlone(t *testing.T) {
	f := madePublish()
	s := newServer(t, f)
	u := account.User{ID: "u", Role: account.Broker}
	for kind, want := range map[release.Kind]string{
		release.KindTable: "Nothing of this kind has been published yet.",
		release.KindText:  "release-",
	} {
		v, err := s.released(t.Context(), u, f.Overview, kind)
		if err != nil {
			t.Fatal(err)
		}
		body := webtest.Rendered(t, State(v))
		if !strings.Contains(body, want) || strings.Contains(body, "Nothing has been") || strings.Contains(body, "release-") != (kind == release.KindText) {
			t.Errorf("%q: %s", kind, body)
		}
	}
	if body := webtest.Rendered(t, State(publishView{})); !strings.Contains(body, "Nothing has been published yet.") {
		t.Error(body)
	}
}
