// SPDX-License-Identifier: Apache-2.0

package publish

import (
	"bytes"
	"testing"
)

func TestAReleaseSaysByHowMuchOddsWereRaised(t *testing.T) {
	b := *testBundle(t)
	b.Provenance.Attuned = 1.7
	back, err := Decode(bytes.NewReader(encoded(t, &b)))
	if err != nil || back.Provenance.Attuned != 1.7 {
		t.Fatalf("%v; the bundle says %+v", err, back)
	}
	if m := back.claims(""); m.Provenance.Attuned != 1.7 {
		t.Errorf("the manifest says %+v", m.Provenance)
	}
}
