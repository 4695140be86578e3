// SPDX-License-Identifier: Apache-2.0

package filename

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"hide/internal/tabular"
)

func TestOrdinaryNamesStay(t *testing.T) {
	for _, name := range []string{"plain-1", "a/b.c", "Zoë", "ward 3/note (2), copy", "con-1", "console", "com10", "nulls", "2026-01-31", "סיכום", "a.b.c"} {
		if got := Portable(name); got != name {
			t.Errorf("%q becomes %q", name, got)
		}
		if err := Check(name); err != nil {
			t.Error(err)
		}
	}
}

func TestOtherNamesAreEscaped(t *testing.T) {
	for name, want := range map[string]string{
		"../../etc": "%2E%2E/%2E%2E/etc", "/etc/passwd": "%/etc/passwd", `C:\x`: "C%3A%5Cx", ".hidden": "%2Ehidden", "a<b>|?*\"": "a%3Cb%3E%7C%3F%2A%22", "50%": "50%25",
		"ends.": "ends%2E", "ends ": "ends%20", " starts": "%20starts", "a~2": "a%7E2", "a\x01b": "a%01b", "a\xffb": "a%FFb", "é\xe9": "é%E9",
		"CON": "%43ON", "con.x": "%63on.x", "nul .x": "%6Eul .x", "COM1": "%43OM1", "lpt9.tar.gz": "%6Cpt9.tar.gz", "COM¹": "%43OM%C2%B9", "aux/prn": "%61ux/%70rn",
		"a.txt/b": "a%2Etxt/b", "": "%",
	} {
		if got := Portable(name); got != want {
			t.Errorf("%q becomes %q, want %q", name, got, want)
		}
		if name != "" && Check(name) == nil {
			t.Errorf("%q passes", name)
		}
	}
}

func TestPathsOfASetDifferOnEverySystem(t *testing.T) {
	s, taken := NewSet(), map[string]bool{}
	names := []string{"x", "X", "x", "é", "e\u0301", "É", "x~2", "straße", "STRASSE"}
	for i := range 3 {
		names = append(names, strings.Repeat("é", 300)+fmt.Sprint(i), strings.Repeat("%", 300)+fmt.Sprint(i), strings.Repeat("a/", 200)+fmt.Sprint(i), strings.Repeat("a.", 200)+fmt.Sprint(i))
	}
	for _, name := range names {
		got := s.Path(name, ".txt", ".jsonl")
		if taken[tabular.Fold(got)] {
			t.Errorf("%q is there twice", got)
		}
		taken[tabular.Fold(got)] = true
		if problem := wrongAnywhere(got + ".jsonl"); problem != "" {
			t.Errorf("%q: %s", got, problem)
		}
	}
	for _, want := range []string{"x", "x~2", "x~3", "é", "x%7e2"} {
		if !taken[want] {
			t.Errorf("there is no %q", want)
		}
	}
}

var (
	badBytes = regexp.MustCompile(`[<>:"\\|?*\x00-\x1f\x7f]`)
	devices  = regexp.MustCompile(`(?i)^(con|prn|aux|nul|(com|lpt)[0-9\x{b9}\x{b2}\x{b3}]) *(\.|$)`)
)

// wrongAnywhere says what some system has against a path. It follows the systems' own
// rules and not the package.
func wrongAnywhere(name string) string {
	if !utf8.ValidString(name) || len(name) > 240 || badBytes.MatchString(name) {
		return "has bytes that are not allowed, or too many"
	}
	for part := range strings.SplitSeq(name, "/") {
		if part == "" || part == "." || part == ".." || strings.HasSuffix(part, ".") || strings.HasSuffix(part, " ") || devices.MatchString(part) {
			return fmt.Sprintf("%q is no name", part)
		}
	}
	return ""
}

func FuzzPath(f *testing.F) {
	f.Add("CON", "nul.txt")
	f.Add("a/b", "A/B")
	f.Fuzz(func(t *testing.T, a, b string) {
		s := NewSet()
		one, other := s.Path(a, ".txt"), s.Path(b, ".txt")
		if tabular.Fold(one) == tabular.Fold(other) {
			t.Errorf("%q and %q become %q and %q", a, b, one, other)
		}
		for _, name := range []string{one, other} {
			if problem := wrongAnywhere(name + ".txt"); problem != "" {
				t.Errorf("%q: %s", name, problem)
			}
		}
	})
}
