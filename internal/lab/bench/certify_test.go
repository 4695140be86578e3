// SPDX-License-Identifier: Apache-2.0

package bench

import (
	"context"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"hide/internal/annotate"
	"hide/internal/hospital"
)

// clumpedPublication has documents of twelve passages; one document in six leaks in a third
// of them.
func clumpedPublication(random *rand.Rand) *publication {
	p := &publication{}
	for d := range 80 {
		p.groups, p.units = append(p.groups, []int{d}), p.units+1
		p.leaking, p.tokens, p.sensitive, p.doubts = append(p.leaking, 0), append(p.tokens, 0), append(p.sensitive, 6), append(p.doubts, 0)
		leaky := random.IntN(6) == 0
		for range 12 {
			leaks := leaky && random.IntN(3) == 0
			doubt := float64(count(leaks)) + random.NormFloat64()
			p.leaks, p.document, p.doubt = append(p.leaks, leaks), append(p.document, d), append(p.doubt, doubt)
			p.leaking[d] += count(leaks)
			p.tokens[d] += 2 * count(leaks)
			p.doubts[d] += doubt
		}
	}
	return p
}

// TestBoundsHoldForClumps draws from a publication whose leaks are known.
func TestBoundsHoldForClumps(t *testing.T) {
	p := clumpedPublication(rand.New(rand.NewPCG(1, 2)))
	b := &certifyBench{o: CertifyOptions{Draws: 20, Documents: 30, Plants: 150, Seed: 4}, published: p, finished: p}
	r := b.describe()
	if err := b.run(context.Background(), r); err != nil {
		t.Fatal(err)
	}
	for _, m := range r.Methods {
		ofPassages := m.Method != "forecast" && !strings.HasPrefix(m.Method, "document")
		if ofPassages && (m.Coverage < .85 || m.Truth != float64(r.Leaking) || m.MeanBound > float64(r.Passages)) {
			t.Errorf("%+v of %d passages", m, r.Passages)
		}
		if refused := m.Refused > .5; refused != (m.Recall == .8) {
			t.Errorf("%+v", m)
		}
	}
	if i := slices.IndexFunc(r.Methods, func(m CertifyMethod) bool { return m.Method == "forecast" }); r.Methods[i].MeanBound < 1 || r.Methods[i].Truth >= float64(r.Leaking) {
		t.Errorf("%+v", r.Methods[i])
	}
}

// TestCertifyPublishesOtherFolds measures a few notes with a fast learner.
func TestCertifyPublishesOtherFolds(t *testing.T) {
	var notes []annotate.Annotated
	for n := range hospital.Generate(hospital.Options{Patients: 4, Seed: 3}) {
		notes = append(notes, n)
	}
	o := CertifyOptions{Draws: 2, Documents: 8, Plants: 17, LC: .5, Mode: "cost", Learners: []string{"bayes"}, First: "none", Preset: "default", Folds: 2, Workers: 1, Seed: 1}
	r, err := Certify(context.Background(), notes, nil, o, nil)
	if err != nil {
		t.Fatal(err)
	}
	if r.Documents != len(notes) || r.Leaking == 0 || r.Leaking > r.Missed || r.Leaky > r.Leaking || r.PassagesRead >= r.Passages || r.Words < 20*r.Passages {
		t.Errorf("%+v", r)
	}
	o.Mode = "none"
	if _, err := Certify(context.Background(), notes, nil, o, nil); err == nil {
		t.Error("an unknown mode was accepted")
	}
}
