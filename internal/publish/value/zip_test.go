// SPDX-License-Identifier: Apache-2.0

package value_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"hide/internal/publish/value"
)

// smallAreas are the prefixes with 20,000 people or fewer in the census of 2020.
var smallAreas = strings.Fields("036 059 102 202 203 204 205 369 556 692 753 772 821 823 878 879 884 893")

func TestZIPCodes(t *testing.T) {
	for text, want := range map[string]string{
		"10001": "100", "03601": "000", "03601-1234": "000", "03501": "035", "02139": "021", "02139-4307": "021", "021394307": "021", "MA 02139": "021", "Mass. 02139": "021", " 02139 ": "021",
		"09012": "000", "34001": "000", "96201": "000", "00000": "000", "99999": "999", "89301": "000", "20201": "000", "00901": "009", "00801": "000", "96910": "000", "10201": "000", "02139 4307": "021",
	} {
		if got, err := value.ZIP3(text); err != nil || got != want {
			t.Errorf("ZIP3(%q) = %q, %v; want %q", text, got, err, want)
		}
	}
	for _, text := range []string{"", "1234", "123456", "1234a", "10001-12", "10001-", "28 013", "Boston", "Boston 02139", "١٢٣٤٥", "10001-1234-5", "-10001", "Andalucía 29001"} {
		if got, err := value.ZIP3(text); !errors.Is(err, value.ErrNotZIP) {
			t.Errorf("ZIP3(%q) = %q, %v; want an error", text, got, err)
		}
	}
}

// TestPostalCodesOfOtherCountries: the rule of 20,000 people says nothing about them.
func TestPostalCodesOfOtherCountries(t *testing.T) {
	for _, text := range []string{"SW1A 1AA", "sw1a1aa", "M1 1AE", "K1A 0B1", "k1a0b1", "D02 X285", "1012 AB", "1000-001", "100-0001", "D-68159", "DE 68159", "DE-10115", "F-75012", "E-28013", "ES-28013", "CH-8001", " A - 1010 ", "01310-100", "00-001", "114 55"} {
		if got, err := value.ZIP3(text); !errors.Is(err, value.ErrForeignZIP) {
			t.Errorf("ZIP3(%q) = %q, %v; want another country", text, got, err)
		}
	}
	for text, want := range map[string]bool{"DE 19701": true, "MA 02139": true, "02139-4307": true, "021394307": true, "28013": false, "D-28013": false, "Andalucía 29001": false, "x": false} {
		if got := value.IsUSZIP(text); got != want {
			t.Errorf("IsUSZIP(%q) = %v", text, got)
		}
	}
}

// TestEveryPrefix tries all 1,000 prefixes: 894 have people, and 18 of them too few.
func TestEveryPrefix(t *testing.T) {
	kept := 0
	for n := range 1000 {
		prefix := fmt.Sprintf("%03d", n)
		got, err := value.ZIP3(prefix + "01")
		switch {
		case err != nil:
			t.Errorf("%s: %v", prefix, err)
		case got == prefix && slices.Contains(smallAreas, prefix):
			t.Errorf("%s has too few people and is kept", prefix)
		case got == prefix && prefix != value.NoZIP:
			kept++
		case got != value.NoZIP:
			t.Errorf("%s becomes %s", prefix, got)
		}
	}
	if want := 894 - len(smallAreas); kept != want {
		t.Errorf("%d prefixes are kept; want %d", kept, want)
	}
}

func TestStates(t *testing.T) {
	for city, want := range map[string]string{
		"Boston": "MA Massachusetts", "boston": "MA Massachusetts", "BOSTON, MA": "MA Massachusetts", "Springfield, IL": "IL Illinois", "Portland, Ore.": "OR Oregon", "Nowhere, New Hampshire": "NH New Hampshire",
		"St. Louis": "MO Missouri", "Saint Louis": "MO Missouri", "St Paul": "MN Minnesota", "Ft. Worth": "TX Texas", "Winston Salem": "NC North Carolina", "New York": "NY New York", "San Juan": "PR Puerto Rico",
		"Málaga": "ES-AN Andalucía", "San Sebastian": "ES-PV País Vasco", "Castellón de la Plana": "ES-VC Comunidad Valenciana", "León, Castilla y Leon": "ES-CL Castilla y León", "malaga": "ES-AN Andalucía", "Donostia": "ES-PV País Vasco", "Madrid": "ES-MD Comunidad de Madrid", "Washington": "DC District of Columbia",
	} {
		code, name, ok := value.StateOf(city)
		if got := code + " " + name; !ok || got != want {
			t.Errorf("%q is in %q, %v; want %q", city, got, ok, want)
		}
	}
	for _, city := range []string{"", "Springfield", "Portland", "Arlington", "Aurora", "Columbia", "Atlantis", "Boston, England", ", MA", "Paris"} {
		if code, _, ok := value.StateOf(city); ok {
			t.Errorf("%q is in %q; want no state", city, code)
		}
	}
}

func TestTheListOfStates(t *testing.T) {
	codes, american := map[string]bool{}, 0
	for _, s := range value.States() {
		if codes[s.Code] || s.Name == "" {
			t.Errorf("state %q is listed twice or has no name", s.Code)
		}
		codes[s.Code] = true
		if len(s.Code) == 2 {
			american++
		}
	}
	if american != 56 || len(codes) != 56+19 {
		t.Errorf("%d states and territories of the United States, and %d communities", american, len(codes)-american)
	}
}
