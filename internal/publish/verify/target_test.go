// SPDX-License-Identifier: Apache-2.0

package verify_test

import (
	"fmt"
	"strings"
	"testing"

	"hide/internal/greedy/target"
	"hide/internal/publish/verify"
)

// withTarget is a fixture whose manifest has this target, for a classifier with the threshold .004.
func withTarget(t *testing.T, claim string) (*verify.Text, error) {
	t.Helper()
	f := newFixture(t)
	claims := strings.Replace(textClaims, `"parameters":{"lc":10}`, `"parameters":{"lc":249,"steps":[{"learner":"crf","threshold":0.004,"hard":false,"whole":true}]}`, 1)
	f.resealWith(strings.TrimSuffix(claims, "}") + `,"target":` + claim + `}`)
	r, err := verify.Release(f.release)
	text, _ := r.(*verify.Text)
	return text, err
}

const honestTarget = `{"target":{"share":0.05,"sure":0.95},"patients":false,"units":150,"allowed":2,"leaking":2,"threshold":0.004,"others":300,"others_leaking":14}`

func TestTargetsAreRecomputed(t *testing.T) {
	r, err := withTarget(t, honestTarget)
	if err != nil || !r.OK {
		t.Fatalf("%v, %+v", err, r)
	}
	for _, want := range []string{"an identifier remains in at most 5 % of the notes, 95 % sure; 2 of 150 calibration notes leak, and 2 may", "at most 14 of the 300 notes", "not a certificate"} {
		if says := strings.Join(r.Target, "\n"); !strings.Contains(says, want) {
			t.Errorf("no %q in %q", want, says)
		}
	}
	partial := strings.Replace(honestTarget, `"patients":false`, `"patients":true,"partial":true`, 1)
	if r, err = withTarget(t, partial); err != nil || !r.OK || !strings.Contains(strings.Join(r.Target, "\n"), "with all their notes, more patients leak") {
		t.Errorf("%v, %+v", err, r)
	}
	void := strings.TrimSuffix(honestTarget, "}") + `,"void":"the notes to be published differ"}`
	if r, err = withTarget(t, void); err != nil || !r.OK || !strings.Contains(strings.Join(r.Target, "\n"), "the target is void: the notes to be published differ") {
		t.Errorf("void: %v, %+v", err, r)
	}
	for _, c := range []struct{ old, new, want string }{
		{`"allowed":2`, `"allowed":3`, "3 leaking of 150 calibration units do not show"},
		{`"units":150`, `"units":120`, "do not show"},
		{`"share":0.05`, `"share":0.04`, "do not show"},
		{`"sure":0.95`, `"sure":0.99`, "do not show"},
		{`"units":150,"allowed":2`, `"units":9000000000000000000,"allowed":8000000000000000000`, "impossible counts"},
		{`"leaking":2`, `"leaking":3`, "impossible counts"},
		{`"others":300`, `"others":13`, "impossible counts"},
		{`"others_leaking":14`, `"others_leaking":13`, "fewer leaking notes"},
		{`"threshold":0.004`, `"threshold":0.005`, "another threshold"},
		{`"share":0.05`, `"share":0`, "is not one"},
		{`"sure":0.95`, `"sure":1`, "is not one"},
	} {
		r, err := withTarget(t, strings.Replace(honestTarget, c.old, c.new, 1))
		if err != nil || r.OK || !strings.Contains(fmt.Sprint(r.Problems), c.want) {
			t.Errorf("%s: %v, %+v; want %q", c.new, err, r.Problems, c.want)
		}
	}
	if r, err := withTarget(t, strings.Replace(honestTarget, `"units"`, `"Units"`, 1)); err == nil && r.OK {
		t.Error("a field in another case is read")
	}
}

// TestTargetsAgreeWithTheWriter: the checker accepts what the program claims, and nothing
// stronger.
func TestTargetsAgreeWithTheWriter(t *testing.T) {
	for _, n := range []int{59, 90, 150, 700} {
		for _, others := range []int{1, 40, 300} {
			asked := target.Target{Share: 0.05, Sure: 0.95}
			allowed := target.Allowed(n, asked.Share, 0.05)
			most := target.MostAmong(n, allowed, others, 0.05)
			claim := func(allowed, most int) string {
				bound := ""
				if most > 0 {
					bound = fmt.Sprintf(`,"others_leaking":%d`, most)
				}
				return fmt.Sprintf(`{"target":{"share":0.05,"sure":0.95},"patients":false,"units":%d,"allowed":%d,"leaking":0,"threshold":0.004,"others":%d%s}`, n, allowed, others, bound)
			}
			if r, err := withTarget(t, claim(allowed, most)); err != nil || !r.OK {
				t.Errorf("%d units, %d others: %v, %+v", n, others, err, r.Problems)
			}
			if r, err := withTarget(t, claim(allowed+1, most)); err != nil || r.OK {
				t.Errorf("%d units: one more than %d is accepted, %v", n, allowed, err)
			}
			if r, err := withTarget(t, claim(allowed, most-1)); most > 0 && (err != nil || r.OK) {
				t.Errorf("%d units, %d others: one less than %d is accepted, %v", n, others, most, err)
			}
		}
	}
}
