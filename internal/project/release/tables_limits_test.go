// SPDX-License-Identifier: Apache-2.0

package release_test

import (
	"testing"

	"hide/internal/project/release"
	"hide/internal/publish/table"
)

// TestOnlyKAndDiversityAreSaidToBeTooMuch: of other reasons nobody is helped by asking
// for less of them.
func TestOnlyKAndDiversityAreSaidToBeTooMuch(t *testing.T) {
	b, err := table.NewBuilder([]table.Attribute{{Name: "q", Role: table.Quasi}, {Name: "s", Role: table.Sensitive}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range [][]string{{"a", "x"}, {"a", "x"}, {"b", "y"}, {"b", "x"}} {
		if err := b.Add(row); err != nil {
			t.Fatal(err)
		}
	}
	full := table.Method{Name: "incognito"}
	for _, c := range []struct {
		set  release.TableSettings
		want bool
	}{
		{release.TableSettings{K: 5}, true},
		{release.TableSettings{K: 5, Method: full}, true},
		{release.TableSettings{K: 2, Diversity: table.Diversity{L: 3}}, true},
		{release.TableSettings{K: 2, Diversity: table.Diversity{T: -1}}, false},
		{release.TableSettings{K: 2, Diversity: table.Diversity{T: 3}}, false},
		{release.TableSettings{K: 2, Diversity: table.Diversity{L: 2, Kind: "recursive"}}, false},
		{release.TableSettings{K: 2, Method: table.Method{Name: "incognito", Suppression: 150}}, false},
	} {
		one, err := release.TryTable(t.Context(), b.Table().WithTrees(), c.set)
		if err != nil || one.Error == "" || one.TooMuch != c.want {
			t.Errorf("%+v: %q, too much: %v, want %v, %v", c.set, one.Error, one.TooMuch, c.want, err)
		}
	}
}
