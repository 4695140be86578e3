// SPDX-License-Identifier: Apache-2.0

package publishing

import (
	"strings"
	"testing"

	"hide/internal/account"
	"hide/internal/project/release"
	"hide/web/webtest"
)

// fakeReleases has one release, of text.
type fakeReleases struct {
	*webtest.Frame
	*webtest.Published
}

// TestAPageOfOneKindSpeaksOfThatKindAlone has releases of text, of which the page of
// tables says neither that they are there nor that nothing is.
func TestAPageOfOneKindSpeaksOfThatKindAlone(t *testing.T) {
	frame, published := webtest.MadePublished()
	f := fakeReleases{frame, published}
	for kind, want := range map[release.Kind]string{
		release.KindTable: "Nothing of this kind has been published yet.",
		release.KindText:  "release-",
	} {
		v, err := Load(t.Context(), f, webtest.As(account.Broker), f.Overview, kind)
		if err != nil {
			t.Fatal(err)
		}
		body := webtest.Rendered(t, State(v))
		if !strings.Contains(body, want) || strings.Contains(body, "Nothing has been") || strings.Contains(body, "release-") != (kind == release.KindText) {
			t.Errorf("%q: %s", kind, body)
		}
	}
	if body := webtest.Rendered(t, State(View{})); !strings.Contains(body, "Nothing has been published yet.") {
		t.Error(body)
	}
}
