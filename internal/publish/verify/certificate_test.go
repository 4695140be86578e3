// SPDX-License-Identifier: Apache-2.0

package verify

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"hide/internal/greedy/audit"
	"hide/internal/testsize"
)

// TestCertificatesAreRecomputed holds both implementations against each other, on random
// readings.
func TestCertificatesAreRecomputed(t *testing.T) {
	random := rand.New(rand.NewPCG(11, 12))
	refusals := map[audit.Refusal]int{}
	for range testsize.Of(300, 6000) {
		r := randomReading(random)
		c := audit.Certify(r)
		refusals[c.Refusal]++
		if differences, err := CheckCertificate(asJSON(t, r), asJSON(t, c)); err != nil || len(differences) > 0 {
			t.Fatalf("%v %q\nreading %s\ncertificate %s", err, differences, asJSON(t, r), asJSON(t, c))
		}
	}
	for _, why := range []audit.Refusal{"", audit.RefusalInvalid, audit.RefusalRecall, audit.RefusalUnread} {
		if refusals[why] == 0 {
			t.Errorf("no reading is refused as %q: %v", why, refusals)
		}
	}
}

func asJSON(t *testing.T, v any) []byte {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// randomReading is small as often as large, complete or not, and sometimes impossible.
func randomReading(random *rand.Rand) audit.Reading {
	size := []int{0, 3, 12, 80, 700, 6000}
	up := func(n int) int { return random.IntN(n + 1) }
	r := audit.Reading{Alpha: []float64{.05, .1, .01, .2}[random.IntN(4)], Anytime: random.IntN(2) == 0}
	r.Doubtful = randomStratum(random, up(size[random.IntN(4)]), 1, .3)
	r.Random = randomStratum(random, up(size[random.IntN(6)]), 600, .05)
	if r.Planned = r.Random.Passages; random.IntN(3) > 0 {
		r.Planned = min(r.Random.Passages, r.Random.Read+up(20)-1)
	}
	if random.IntN(3) > 0 {
		r.Plants.Planned = 17 + up(150)
		if r.Plants.Read = r.Plants.Planned; random.IntN(3) == 0 {
			r.Plants.Read = r.Plants.Planned - up(15)
		}
		for range r.Plants.Read {
			if random.Float64() < .95 {
				r.Plants.Caught++
			}
		}
	}
	for _, label := range []string{"NAME", "DATE", "ID"}[:random.IntN(4)] {
		r.Labels = append(r.Labels, audit.LabelCount{Label: label, StrataCount: audit.StrataCount{Doubtful: up(len(r.Doubtful.Found)), Random: up(len(r.Random.Found))}})
	}
	r.Unlabeled.Random = up(len(r.Random.Found))
	found := r.Found()
	r.Documents = audit.Units{Total: min(r.Passages(), 1+up(r.Passages())), Found: min(found, 1)}
	if random.IntN(2) == 0 {
		r.Patients = r.Documents
	}
	if random.IntN(4) == 0 {
		r.Double = &audit.Double{First: up(9) + 5, Second: up(9) + 5, Both: up(5)}
	}
	if random.IntN(20) == 0 {
		r.Random.Read, r.Random.Found = 0, nil
		r.Labels, r.Unlabeled, r.Documents.Found, r.Patients = nil, audit.StrataCount{}, min(1, r.Found()), audit.Units{}
	}
	if random.IntN(20) == 0 {
		r.Documents.Found = found + 1
	}
	return r
}

func randomStratum(random *rand.Rand, passages, most int, rate float64) audit.Stratum {
	s := audit.Stratum{Passages: passages, Read: passages}
	if most > 1 {
		s.Read = min(passages, random.IntN(most))
	} else if random.IntN(4) == 0 {
		s.Read = random.IntN(passages + 1)
	}
	rate *= random.Float64()
	for i := range s.Read {
		if random.Float64() < rate {
			s.Found = append(s.Found, i+1)
		}
	}
	return s
}

// TestLargeCertificatesAreRecomputed has the worked examples, and the largest reading that
// pages show.
func TestLargeCertificatesAreRecomputed(t *testing.T) {
	found := []int{}
	for i := 40; i <= 3000; i += 37 {
		found = append(found, i)
	}
	for _, r := range []audit.Reading{
		{Alpha: .05, Planned: 450, Random: audit.Stratum{Passages: 15_000, Read: 450, Found: []int{7, 110, 430}}, Documents: audit.Units{Total: 1000, Found: 3}},
		{Alpha: .05, Planned: 450, Random: audit.Stratum{Passages: 15_000, Read: 450, Found: []int{7, 110, 430}}, Plants: audit.PlantCount{Planned: 60, Read: 60, Caught: 57}, Documents: audit.Units{Total: 1000, Found: 3}},
		{Alpha: .05, Anytime: true, Doubtful: audit.Stratum{Passages: 500, Read: 500, Found: found[:12]}, Random: audit.Stratum{Passages: 40_000, Read: 3000, Found: found}, Plants: audit.PlantCount{Planned: 150, Read: 150, Caught: 143}, Documents: audit.Units{Total: 9000, Found: 40}},
		{Alpha: .05, Planned: 3000, Doubtful: audit.Stratum{Passages: 500, Read: 500, Found: found[:12]}, Random: audit.Stratum{Passages: 40_000, Read: 3000, Found: found}, Plants: audit.PlantCount{Planned: 150, Read: 150, Caught: 143}, Documents: audit.Units{Total: 9000, Found: 40}},
	} {
		c := audit.Certify(r)
		if differences, err := CheckCertificate(asJSON(t, r), asJSON(t, c)); err != nil || len(differences) > 0 || c.Refusal != "" {
			t.Errorf("%v %q: %+v", err, differences, c)
		}
	}
}

func TestAlteredCertificatesAreFound(t *testing.T) {
	r := audit.Reading{Alpha: .05, Planned: 450, Random: audit.Stratum{Passages: 15_000, Read: 450, Found: []int{7, 110, 430}}, Plants: audit.PlantCount{Planned: 60, Read: 60, Caught: 57}, Documents: audit.Units{Total: 1000, Found: 3}}
	for name, change := range map[string]func(*audit.Certificate){
		"bound":            func(c *audit.Certificate) { c.Bound-- },
		"recall.lower":     func(c *audit.Certificate) { c.Recall.Lower += 1e-4 },
		"recall":           func(c *audit.Certificate) { c.Recall = nil },
		"confidence":       func(c *audit.Certificate) { c.Confidence = .99 },
		"documents.bound":  func(c *audit.Certificate) { c.Documents.Bound = 3 },
		"refusal":          func(c *audit.Certificate) { c.Refusal = audit.RefusalRecall },
		"worse.bound":      func(c *audit.Certificate) { c.Worse.Bound-- },
		"patients":         func(c *audit.Certificate) { c.Patients = &audit.UnitBound{Total: 1} },
		"alphas.recall":    func(c *audit.Certificate) { c.Alphas.Recall = 0 },
		"labels":           func(c *audit.Certificate) { c.Labels = []audit.LabelBound{{Label: "NAME"}} },
		"recall.caught is": func(c *audit.Certificate) { c.Recall.Caught++ },
	} {
		c := audit.Certify(r)
		change(&c)
		differences, err := CheckCertificate(asJSON(t, r), asJSON(t, c))
		if err != nil || len(differences) != 1 || !strings.HasPrefix(differences[0], name) {
			t.Errorf("%s: %v %q", name, err, differences)
		}
	}
	if _, err := RecomputeCertificate([]byte(`{"alpha":.05,"weight":1}`)); err == nil {
		t.Error("an unknown field was accepted")
	}
}

func TestDrawsAreRecomputed(t *testing.T) {
	secret, candidate := [32]byte{5}, [32]byte{6}
	p := audit.Parameters{Passages: 900, Doubtful: 20, Planned: 50, Plants: 17, Alpha: .05}
	if DrawCommitment(secret, candidate, p.String()) != audit.Commitment(secret, candidate, p) {
		t.Error("another commitment")
	}
	seed := DrawSeed(secret, " 31 ")
	if seed != audit.Seed(secret, "31") {
		t.Error("another seed")
	}
	_, others := audit.Doubtful(make([]float64, 900), 20)
	if !slices.Equal(DrawOrder(seed, others), audit.Order(seed, others)) {
		t.Error("another order")
	}
}
