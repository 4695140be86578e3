// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"strings"
	"testing"
)

func summary(t *testing.T, lines ...string) (string, bool) {
	t.Helper()
	var out strings.Builder
	r := newReport(&out)
	if err := r.read(strings.NewReader(strings.Join(lines, "\n"))); err != nil {
		t.Fatal(err)
	}
	ok := r.close()
	return out.String(), ok
}

func TestReportCountsTestsAndNamesTheSlowest(t *testing.T) {
	lines := []string{`{"Action":"start","Package":"p"}`}
	for i := range 12 {
		lines = append(lines, fmt.Sprintf(`{"Action":"pass","Package":"p","Test":"T%d","Elapsed":%d}`, i, i),
			fmt.Sprintf(`{"Action":"pass","Package":"p","Test":"T%d/sub","Elapsed":99}`, i))
	}
	out, ok := summary(t, append(lines, `{"Action":"pass","Package":"p","Elapsed":70}`)...)
	if !ok || !strings.HasSuffix(out, "\n12 passed, 0 failed\n") || !strings.Contains(out, "ok       70.0 s  p\n") {
		t.Errorf("ok %v:\n%s", ok, out)
	}
	if !strings.Contains(out, "The slowest tests:\n   11.0 s  p T11\n") || strings.Contains(out, "T1\n") {
		t.Errorf("not the ten slowest, slowest first:\n%s", out)
	}
}

func TestReportFailsWithWhatFailed(t *testing.T) {
	passed := `{"Action":"pass","Package":"p","Test":"T","Elapsed":1}`
	cases := []struct {
		name  string
		lines []string
		want  string
	}{
		{"a test", []string{passed, `{"Action":"output","Package":"p","Test":"F","Output":"x_test.go:1: got 2\n"}`, `{"Action":"fail","Package":"p","Test":"F","Elapsed":1}`}, "--- FAIL: p F (1.0 s)\nx_test.go:1: got 2\n"},
		{"a package", []string{passed, `{"Action":"output","Package":"p","Output":"exit status 2\n"}`, `{"Action":"fail","Package":"p","Elapsed":1}`}, "FAIL      1.0 s  p\nexit status 2\n"},
		{"a build", []string{passed, `{"ImportPath":"q","Action":"build-output","Output":"q.go:1: undefined: x\n"}`, `{"Action":"fail","Package":"q","FailedBuild":"q"}`}, "q.go:1: undefined: x\n"},
		{"a package that died", []string{`{"Action":"start","Package":"p"}`, passed}, "p ended without a result\n"},
		{"nothing", nil, "\n0 passed, 0 failed\n"},
		{"a message of the go command", []string{"no such package"}, "no such package"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if out, ok := summary(t, c.lines...); ok || !strings.Contains(out, c.want) {
				t.Errorf("ok %v:\n%s", ok, out)
			}
		})
	}
}

func TestReportSaysWhatWasSkipped(t *testing.T) {
	if out, ok := summary(t, `{"Action":"pass","Package":"p","Test":"T"}`, `{"Action":"skip","Package":"p","Test":"S"}`); !ok || !strings.HasSuffix(out, "1 passed, 0 failed, 1 skipped\n") {
		t.Errorf("ok %v:\n%s", ok, out)
	}
}
