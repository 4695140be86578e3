// SPDX-License-Identifier: Apache-2.0

package publish

import (
	"bytes"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"hide/internal/greedy"
	"hide/internal/greedy/target"
)

// targetBundle is a bundle whose threshold was chosen for a target.
func targetBundle(t *testing.T) *Bundle {
	t.Helper()
	b := *testBundle(t)
	b.Ensemble = greedy.Ensemble{b.Ensemble[0]}
	b.Ensemble[0].Whole = true
	asked := target.Target{Share: 0.05, Sure: 0.95}
	b.Provenance.Target = &target.Choice{Target: asked, Units: 59, Threshold: b.Ensemble[0].Threshold}
	return &b
}

func TestABundleKeepsItsTarget(t *testing.T) {
	b := targetBundle(t)
	again, err := Decode(bytes.NewReader(encoded(t, b)))
	if err != nil || !reflect.DeepEqual(again.Provenance.Target, b.Provenance.Target) {
		t.Errorf("%+v, %v", again, err)
	}
}

// TestATargetIsVoidWhereItSaysSo: for a reason of the project, and always where people decide.
func TestATargetIsVoidWhereItSaysSo(t *testing.T) {
	for _, c := range []struct {
		name string
		meta func() Meta
		void string
	}{
		{"nothing speaks against it", testMeta, ""},
		{"drift", func() Meta { m := testMeta(); m.TargetVoid = "the notes differ"; return m }, "the notes differ"},
		{"a policy", func() Meta { return policyMeta(t, "placeholders") }, "the release follows a policy"},
	} {
		t.Run(c.name, func(t *testing.T) {
			in := replacingInput(t, 1, "p", "Seen for pain, given aspirin.\n")
			if c.meta().Policy == nil {
				in.Replacements = nil
			}
			dir := filepath.Join(t.TempDir(), "r")
			w, err := WriteRelease(t.Context(), dir, each(in), targetBundle(t), c.meta(), nil)
			if err != nil {
				t.Fatal(err)
			}
			if claim := w.Claims.Target; claim == nil || claim.Units != 59 || (claim.Void != "") != (c.void != "") || !strings.HasPrefix(claim.Void, c.void) {
				t.Errorf("the release claims %+v", claim)
			}
			r := checkAll(t, dir, w, in)
			if says := strings.Join(r.Target, "\n"); !r.OK || strings.Contains(says, "void") != (c.void != "") {
				t.Errorf("%v, the verifier says %q", r.Problems, says)
			}
		})
	}
}
