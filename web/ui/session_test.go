// SPDX-License-Identifier: Apache-2.0

package ui

import (
	"net/url"
	"strings"
	"testing"
)

func TestSignInLeadsBackToOwnPagesOnly(t *testing.T) {
	for _, next := range []string{"https://evil.example", "//evil.example", `/\evil.example`, "/%2f/evil.example", "/p/p1\t", "/p/p1\n//x", "javascript:alert(1)", "/p/../sign-out", "/p/p1?x=1", ""} {
		if got := SafeNext(next); got != "/" {
			t.Errorf("next %q leads to %q", next, got)
		}
	}
	for _, next := range []string{"/", "/p/p1", "/p/p1/notes/12", "/people", "/audit"} {
		if got := SafeNext(next); got != next {
			t.Errorf("next %q leads to %q", next, got)
		}
	}
}

func FuzzSafeNextStaysHere(f *testing.F) {
	for _, seed := range []string{"/", "/p/p1", "//evil.example", `/\evil`, "/p/../..", "/%2f/x", "https:x", "\t/p/p1", "/p/p1\n"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, next string) {
		got := SafeNext(next)
		u, err := url.Parse(got)
		if err != nil || u.Host != "" || u.Scheme != "" || !strings.HasPrefix(got, "/") || strings.HasPrefix(got, "//") || strings.ContainsAny(got, "\\\t\r\n") {
			t.Errorf("next %q leads to %q", next, got)
		}
	})
}
