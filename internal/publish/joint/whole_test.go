// SPDX-License-Identifier: Apache-2.0

package joint

import (
	"slices"
	"testing"

	"hide/internal/annotate"
)

// TestTermsThatShareAWordAreOneUnderATypeThatCounts: whichever of the two it was,
// the first that counts gives the type, else what no type would hide stays.
func TestTermsThatShareAWordAreOneUnderATypeThatCounts(t *testing.T) {
	c := Config{Types: []annotate.Label{"NAME", "CITY"}}
	const text = "of Weissberg today"
	at := func(from, to int, label annotate.Label) annotate.Span {
		return annotate.Span{Start: annotate.ByteOff(from), End: annotate.ByteOff(to), Label: label}
	}
	for name, one := range map[string]struct {
		terms []annotate.Span
		want  []annotate.Span
	}{
		"both count":        {[]annotate.Span{at(3, 8, "NAME"), at(8, 12, "CITY")}, []annotate.Span{at(3, 12, "NAME")}},
		"the second alone":  {[]annotate.Span{at(3, 8, "HOBBY"), at(8, 12, "CITY")}, []annotate.Span{at(3, 12, "CITY")}},
		"the first alone":   {[]annotate.Span{at(3, 8, "CITY"), at(8, 12, "HOBBY")}, []annotate.Span{at(3, 12, "CITY")}},
		"the third alone":   {[]annotate.Span{at(3, 5, "HOBBY"), at(5, 8, "GAME"), at(8, 12, "NAME")}, []annotate.Span{at(3, 12, "NAME")}},
		"none":              {[]annotate.Span{at(3, 8, "HOBBY"), at(8, 12, "GAME")}, []annotate.Span{at(3, 12, "GAME")}},
		"no word in common": {[]annotate.Span{at(0, 1, "HOBBY"), at(8, 12, "CITY")}, []annotate.Span{at(0, 2, "HOBBY"), at(3, 12, "CITY")}},
	} {
		if got := c.whole(Text{Text: text, Terms: one.terms}); !slices.Equal(got, one.want) {
			t.Errorf("%s: %v, want %v", name, got, one.want)
		}
	}
}
