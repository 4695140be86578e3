// SPDX-License-Identifier: Apache-2.0

package hierarchy

import (
	"bytes"
	"errors"
	"strings"
	"testing"
)

const postcodes = "53710;5371*;*\n53711;5371*;*\n53220;5322*;*\n"

func TestReadAndWriteAreInverse(t *testing.T) {
	h, err := Read(strings.NewReader(postcodes))
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := h.Write(&b); err != nil {
		t.Fatal(err)
	}
	if b.String() != postcodes {
		t.Errorf("got %q, want %q", b.String(), postcodes)
	}
	if path, ok := h.Path("53711"); !ok || strings.Join(path, " ") != "53711 5371* *" {
		t.Errorf("path %q, %v", path, ok)
	}
	if _, ok := h.Path("99999"); ok {
		t.Error("knows a value that no row is about")
	}
}

func TestReadRefusesWhatIsNoTree(t *testing.T) {
	for _, test := range []struct{ name, text, want string }{
		{"nothing", "", "a hierarchy needs at least one row"},
		{"ragged rows", "a;x;*\nb;*\n", "row 2 has 2 levels, the first has 3"},
		{"no level", "a\nb\n", "row 1 has no level above the value"},
		{"two tops", "a;x\nb;y\n", "row 2 ends in another label"},
		{"a value twice", "a;*\na;*\n", "row 2 is about a value that an earlier row is about"},
		{"an empty label", "a;;*\n", "row 1 has an empty label"},
		{"two parents", "a;x;y;*\nb;x;z;*\n", "row 2 puts another label above that of level 1"},
		{"a loop", "a;b;*\nb;a;*\n", "row 2 closes a loop"},
		{"a loop of three", "a;b;*\nb;c;*\nc;a;*\n", "row 3 closes a loop"},
		{"a loop in a row", "a;b;a;*\n", "row 1 closes a loop"},
		{"a quote", "a;\"b\"c;*\n", "row 1 cannot be read"},
		{"other bytes", "a;\xff;*\n", "row 1 is not UTF-8"},
		{"too many levels", strings.Repeat("a;", 64) + "*\n", "row 1 has more than 64 levels"},
	} {
		_, err := Read(strings.NewReader(test.text))
		if wrong := (*Problem)(nil); !errors.As(err, &wrong) || !strings.HasPrefix(err.Error(), test.want) {
			t.Errorf("%s: got %v, want %s", test.name, err, test.want)
		}
	}
}

func TestARowMayRepeatALabel(t *testing.T) {
	if _, err := Read(strings.NewReader("a;a;x;*\nb;y;x;*\n")); err != nil {
		t.Error(err)
	}
}
