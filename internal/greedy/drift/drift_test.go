// SPDX-License-Identifier: Apache-2.0

package drift

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"hide/internal/annotate"
	"hide/internal/crf"
	"hide/internal/hospital"
	"hide/internal/testsize"
)

// scored are profiles of generated notes of either institution, by a model that
// was trained on other notes of institution a.
var scored = sync.OnceValues(func() (map[string][]Profile, error) {
	var learn []annotate.View
	for d := range hospital.Generate(hospital.Options{Patients: 20, MaxNotes: 2, Seed: 5, Institution: "a"}) {
		learn = append(learn, new(annotate.NewNote(d)).View())
	}
	m, _, err := crf.Train(context.Background(), learn, crf.Options{Binary: true, MaxIterations: 40})
	if err != nil {
		return nil, err
	}
	out := map[string][]Profile{}
	for _, institution := range []string{"a", "b"} {
		for d := range hospital.Generate(hospital.Options{Patients: 240, MaxNotes: 1, Seed: 6, Institution: institution}) {
			out[institution] = append(out[institution], profile(m, d))
		}
	}
	return out, nil
})

func profile(m *crf.Model, d annotate.Annotated) Profile {
	n := annotate.NewNote(d)
	scores := m.Sensitive(n.View())
	redacted := make([]bool, len(scores))
	for i, p := range scores {
		redacted[i] = p >= 1.0/11
	}
	return Describe(&n, scores, redacted)
}

func profiles(t *testing.T, institution string) []Profile {
	t.Helper()
	all, err := scored()
	if err != nil {
		t.Fatal(err)
	}
	return all[institution]
}

func mustCompare(t *testing.T, reference, target []Profile, seed uint64) *Report {
	t.Helper()
	r, err := Compare(t.Context(), reference, target, seed)
	if err != nil {
		t.Fatal(err)
	}
	if !r.Known() {
		t.Fatalf("nothing was compared of %d and %d documents", len(reference), len(target))
	}
	return r
}

func shuffled(docs []Profile, seed uint64) []Profile {
	out := slices.Clone(docs)
	rand.New(rand.NewPCG(seed, 9)).Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out
}

// TestRandomSplitsHardlyEverRing: notes of one source, divided by lot.
func TestRandomSplitsHardlyEverRing(t *testing.T) {
	splits := testsize.Of(25, 200)
	rung := 0
	for seed := range uint64(splits) {
		docs := shuffled(profiles(t, "a"), seed)[:60]
		if mustCompare(t, docs[:25], docs[25:], seed).Warns() {
			rung++
		}
	}
	if rung > splits/20 {
		t.Errorf("%d of %d random splits rang", rung, splits)
	}
}

// TestASplitOfTwoSourcesHardlyEverRings: both sides hold notes of both institutions.
func TestASplitOfTwoSourcesHardlyEverRings(t *testing.T) {
	splits := testsize.Of(15, 200)
	rung := 0
	for seed := range uint64(splits) {
		docs := shuffled(slices.Concat(profiles(t, "a")[:40], profiles(t, "b")[:40]), seed)
		r := mustCompare(t, docs[:40], docs[40:], seed)
		if r.Warns() {
			rung++
		}
		if len(r.Sources) != 2 || !r.Sources[0].Annotated || r.Sources[1].Source != "b" {
			t.Fatalf("sources %+v", r.Sources)
		}
	}
	if rung > splits/20 {
		t.Errorf("%d of %d random splits rang", rung, splits)
	}
}

func TestAnotherInstitutionAlwaysRings(t *testing.T) {
	for seed := range uint64(testsize.Of(4, 40)) {
		a, b := shuffled(profiles(t, "a"), seed), shuffled(profiles(t, "b"), seed)
		r := mustCompare(t, a[:40], b[:40], seed)
		if !r.Warns() || len(r.Sources) != 1 || r.Sources[0].Annotated {
			t.Fatalf("seed %d: %+v", seed, r)
		}
		for i := range b { // whatever the notes say of where they are from
			b[i].Source, b[i].Kind = "a", "note"
			a[i].Kind = "note"
		}
		r = mustCompare(t, a[:40], b[:40], seed)
		if !r.Warns() || len(r.Sources) != 0 {
			t.Fatalf("seed %d, without attributes: %+v", seed, r)
		}
		if words := strings.Join(r.All.Sentences(), "\n"); !strings.Contains(words, "headings and field names") || !strings.Contains(words, "different words") {
			t.Errorf("seed %d: %q", seed, words)
		}
	}
}

// TestASecondSourceAmongManyRings: a fifth of what is published is of b.
func TestASecondSourceAmongManyRings(t *testing.T) {
	for seed := range uint64(4) {
		a, b := shuffled(profiles(t, "a"), seed), shuffled(profiles(t, "b"), seed)
		if r := mustCompare(t, a[:60], slices.Concat(a[60:160], b[:25]), seed); !r.Warns() {
			t.Errorf("seed %d: silent", seed)
		}
	}
}

// TestDocumentsPickedForDoubtAlwaysRing plays active learning: 30 notes at random,
// then the 60 of the rest that the model doubts most, against what remains.
func TestDocumentsPickedForDoubtAlwaysRing(t *testing.T) {
	for seed := range uint64(testsize.Of(4, 40)) {
		docs := shuffled(profiles(t, "a"), seed)
		slices.SortStableFunc(docs[30:], func(a, b Profile) int { return cmp.Compare(b.doubt(), a.doubt()) })
		r := mustCompare(t, docs[:90], docs[90:], seed)
		if !r.Warns() || r.All.Tests[0].Name != Doubt || !r.All.Tests[0].Warns() {
			t.Errorf("seed %d: %+v", seed, r.All.Tests)
		}
	}
}

// TestPatientsAreExchangedWhole: ten notes of each of 12 patients, alike within a
// patient and different between them; a split by patient is no drift, nor is one in
// which the notes of one patient, or of all, are half done.
func TestPatientsAreExchangedWhole(t *testing.T) {
	for _, halfDone := range []int{0, 1, 12} {
		rung := 0
		for seed := range uint64(20) {
			random := rand.New(rand.NewPCG(seed, 1))
			var sides [2][]Profile
			for patient := range 12 {
				length := 50 + random.IntN(500)
				for n := range 10 {
					side := patient % 2
					if patient < halfDone {
						side = n % 2
					}
					sides[side] = append(sides[side], Profile{Group: fmt.Sprint(patient), Tokens: length + random.IntN(10), Kept: length, Doubt: float64(length) / 100})
				}
			}
			if mustCompare(t, sides[0], sides[1], seed).Warns() {
				rung++
			}
		}
		if rung > 1 {
			t.Errorf("%d of 20 splits rang with %d patients half done", rung, halfDone)
		}
	}
}

// TestPatientsOnBothSidesRingToo: the later notes of each patient are longer.
func TestPatientsOnBothSidesRingToo(t *testing.T) {
	var sides [2][]Profile
	for patient := range 8 {
		for n := range 10 {
			tokens := 100*patient + 10*(n%5) + 50*(n/5)
			sides[n/5] = append(sides[n/5], Profile{Group: fmt.Sprint(patient), Tokens: tokens, Kept: tokens})
		}
	}
	if r := mustCompare(t, sides[0], sides[1], 1); !r.Warns() {
		t.Errorf("%+v", r.All.Tests)
	}
}

func TestComparisonsAreTheSameEachTime(t *testing.T) {
	docs := shuffled(profiles(t, "a"), 1)[:60]
	first := mustCompare(t, docs[:30], docs[30:], 4)
	for _, procs := range []int{1, 8} {
		before := runtime.GOMAXPROCS(procs)
		again := mustCompare(t, docs[:30], docs[30:], 4)
		runtime.GOMAXPROCS(before)
		if !reflect.DeepEqual(again, first) {
			t.Errorf("with %d processors %+v, want %+v", procs, again, first)
		}
	}
}

func TestTooFewDocumentsAreNotCompared(t *testing.T) {
	docs := profiles(t, "a")
	for _, c := range [][2][]Profile{{nil, nil}, {docs[:4], docs[4:]}, {docs[:50], nil}, {docs[:50], docs[50:53]}} {
		r, err := Compare(t.Context(), c[0], c[1], 1)
		if err != nil || r.Known() || r.Warns() || r.All.Sentences() != nil {
			t.Errorf("%d and %d documents: %+v, %v", len(c[0]), len(c[1]), r, err)
		}
	}
}

// A line in a script without capitals is no heading for being all alike.
func TestHeadingsAreLinesInCapitalsAndNamesOfFields(t *testing.T) {
	for text, want := range map[string]int{
		"HISTORY\nshe was well\nPlan: rest": 2, "患者は元気です\n次の診察は来週": 0, "既往歴: なし": 1, "المريض بخير": 0, "1234\n": 0, "ΙΣΤΟΡΙΚΟ": 1,
	} {
		if got := len(heads(text)); got != want {
			t.Errorf("%q: %d heads, want %d", text, got, want)
		}
	}
}

func TestOddDocumentsAreCompared(t *testing.T) {
	var odd []Profile
	for i := range 20 {
		odd = append(odd, Describe(&annotate.Note{Group: fmt.Sprint(i)}, nil, nil))
	}
	if r := mustCompare(t, odd[:10], odd[10:], 1); r.Warns() {
		t.Errorf("empty documents differ from empty documents: %+v", r)
	}
	if r := mustCompare(t, profiles(t, "a")[:20], odd, 1); !r.Warns() {
		t.Error("empty documents are like others")
	}
	many := make([]Profile, 5000)
	for i := range many {
		many[i] = odd[i%len(odd)]
		many[i].Group = fmt.Sprint("many", i)
	}
	if r := mustCompare(t, odd, many, 1); r.All.Target != mostDocuments || r.All.Reference != 20 {
		t.Errorf("compared %d with %d", r.All.Reference, r.All.Target)
	}
}

func TestComparingStopsWhenCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Compare(ctx, profiles(t, "a")[:20], profiles(t, "a")[20:60], 1); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

func TestNotesWithoutAnInstitutionHaveARowOfTheirOwn(t *testing.T) {
	a, b := shuffled(profiles(t, "a"), 1), shuffled(profiles(t, "b"), 1)[:20]
	for i := range b {
		b[i].Source = ""
	}
	r := mustCompare(t, a[:40], slices.Concat(a[40:70], b), 1)
	if len(r.Sources) != 2 || r.Sources[0].Source != "" || r.Sources[0].Annotated || r.Sources[0].Target != 20 || r.Sources[1].Source != "a" || r.Sources[1].Target != 30 {
		t.Fatalf("sources %+v", r.Sources)
	}
	if r.All.Target != 50 {
		t.Errorf("%d notes compared in all", r.All.Target)
	}
}
