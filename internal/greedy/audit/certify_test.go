// SPDX-License-Identifier: Apache-2.0

package audit

import (
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"hide/internal/testsize"
)

func someReading() Reading {
	return Reading{
		Alpha: .05, Planned: 450,
		Doubtful:  Stratum{Passages: 100, Read: 100, Found: []int{1, 2, 3, 9, 40}},
		Random:    Stratum{Passages: 15_000, Read: 450, Found: []int{7, 110, 430}},
		Plants:    PlantCount{150, 150, 143},
		Labels:    []LabelCount{{"NAME", StrataCount{4, 2}}, {"DATE", StrataCount{1, 0}}, {"ID", StrataCount{}}},
		Unlabeled: StrataCount{0, 1},
		Documents: Units{1_000, 7}, Patients: Units{400, 5},
	}
}

func TestCertificate(t *testing.T) {
	c := Certify(someReading())
	s := RecallBound(150, 143, .025)
	want := WholeBound(100, 5, .005, s) + ThinnedBound(15_000, 450, 3, .02, s)
	if c.Refusal != "" || c.Bound != want || c.Left != want-8 || c.Found != 8 || c.Method != MethodFixed || c.Recall.Lower != s {
		t.Errorf("%+v, want bound %d", c, want)
	}
	if c.Worse == nil || c.Worse.Bound <= c.Bound || c.Worse.Recall != 1-2*(1-s) {
		t.Errorf("worse: %+v", c.Worse)
	}
	if *c.Documents != (UnitBound{1000, 7, min(1000, 7+want-8), want - 8}) || c.Patients.Bound != 400-max(0, 400-5-(want-8)) {
		t.Errorf("units: %+v %+v", c.Documents, c.Patients)
	}
	if len(c.Labels) != 3 || c.Labels[2].Found != 1 || c.Labels[0].Bound != WholeBound(100, 4, .005/3, s)+ThinnedBound(15_000, 450, 3, .02/3, s) {
		t.Errorf("labels: %+v", c.Labels)
	}
	raw, err := json.Marshal(someReading())
	var again Reading
	if err != nil || json.Unmarshal(raw, &again) != nil || !reflect.DeepEqual(again, someReading()) {
		t.Errorf("%v: %s comes back as %+v", err, raw, again)
	}
}

// TestCertificateWithoutPlantsIsPlain: everything goes to the random passages.
func TestCertificateWithoutPlantsIsPlain(t *testing.T) {
	r := someReading()
	r.Plants = PlantCount{}
	if c := Certify(r); c.Bound != 5+254-0 || c.Bound != 5+Bound(15_000, 450, 3, .05) || c.Recall != nil || c.Worse != nil || c.Exact {
		t.Errorf("%+v", c)
	}
	r.Doubtful, r.Labels, r.Unlabeled, r.Documents, r.Patients = Stratum{}, nil, StrataCount{}, Units{50, 3}, Units{}
	for plants, want := range map[PlantCount]int{{}: 254, {60, 60, 57}: 334, {60, 60, 60}: 305, {100, 100, 95}: 324} {
		r.Plants = plants
		if c := Certify(r); c.Bound != want || c.Documents.Bound != 50 || c.Patients != nil {
			t.Errorf("%+v: %+v, want %d", plants, c, want)
		}
	}
	r.Plants, r.Anytime = PlantCount{}, true
	if c := Certify(r); c.Method != MethodAnytime || c.Bound <= 254 || c.Bound > 700 {
		t.Errorf("any time: %+v", c)
	}
}

func TestAllReadIsExact(t *testing.T) {
	for _, anytime := range []bool{false, true} {
		r := Reading{Alpha: .05, Anytime: anytime, Planned: 3, Doubtful: Stratum{2, 2, []int{2}}, Random: Stratum{3, 3, []int{1, 3}}, Documents: Units{4, 2}}
		if c := Certify(r); !c.Exact || c.Bound != 3 || c.Left != 0 || c.Documents.Bound != 2 {
			t.Errorf("any time %t: %+v", anytime, c)
		}
		if c := Certify(Reading{Alpha: .05, Anytime: anytime}); !c.Exact || c.Bound != 0 || c.Refusal != "" || c.Documents != nil {
			t.Errorf("no passages, any time %t: %+v", anytime, c)
		}
	}
}

func TestCertificatesAreRefused(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*Reading)
		want   Refusal
		says   string
	}{
		"recall .8":           {func(r *Reading) { r.Plants.Caught = 120 }, RefusalRecall, "caught 120 of 150"},
		"one plant too few":   {func(r *Reading) { r.Plants = PlantCount{16, 16, 16} }, RefusalRecall, "16 of 16"},
		"plants not read yet": {func(r *Reading) { r.Plants = PlantCount{150, 60, 60} }, RefusalRecall, "90 more"},
		"nothing read": {func(r *Reading) {
			r.Random.Read, r.Random.Found, r.Unlabeled, r.Labels = 0, nil, StrataCount{}, nil
			r.Documents.Found = 5
		}, RefusalUnread, "No random"},
		"found where nobody read":    {func(r *Reading) { r.Random.Found[2] = 451 }, RefusalInvalid, "not read"},
		"found twice":                {func(r *Reading) { r.Random.Found[1] = 7 }, RefusalInvalid, "rise"},
		"more read than planned":     {func(r *Reading) { r.Random.Read++ }, RefusalInvalid, "planned"},
		"more planned than there is": {func(r *Reading) { r.Planned = 20_000 }, RefusalInvalid, "planned"},
		"more caught than planted":   {func(r *Reading) { r.Plants.Caught = 151 }, RefusalInvalid, "planted"},
		"alpha 0":                    {func(r *Reading) { r.Alpha = 0 }, RefusalInvalid, "alpha"},
		"more documents than found":  {func(r *Reading) { r.Documents.Found = 9 }, RefusalInvalid, "documents"},
		"a label found too often":    {func(r *Reading) { r.Labels[2].Random = 4 }, RefusalInvalid, `"ID"`},
	} {
		r := someReading()
		c.change(&r)
		got := Certify(r)
		if got.Refusal != c.want || !strings.Contains(got.Reason, c.says) || got.Bound != r.Passages() || got.Exact || got.Worse != nil {
			t.Errorf("%s: %+v", name, got)
		}
	}
	for caught, want := range map[int]Refusal{129: RefusalRecall, 130: ""} {
		r := someReading()
		if r.Plants.Caught = caught; Certify(r).Refusal != want {
			t.Errorf("%d of 150 caught: %+v", caught, Certify(r))
		}
	}
}

// TestBoundsFallWhileReading: what is not read yet counts as the worst, so that a look
// before the end never shows less than the end.
func TestBoundsFallWhileReading(t *testing.T) {
	whole := someReading()
	last := whole.Passages()
	for read := 0; read <= 450; read += 50 {
		r := whole.Clone()
		r.Plants = PlantCount{}
		r.Random = first(r.Random, read)
		r.Doubtful = first(r.Doubtful, min(100, read/2))
		r.Labels, r.Unlabeled = nil, StrataCount{}
		r.Documents, r.Patients = Units{1_000, min(1, r.Found())}, Units{}
		c := Certify(r)
		if c.Bound > last || c.Refusal != "" && read > 0 {
			t.Errorf("%d read: %+v after %d", read, c, last)
		}
		last = c.Bound
	}
}

// first is a stratum after its first answers.
func first(s Stratum, read int) Stratum {
	s.Read = read
	for i, at := range s.Found {
		if at > read {
			s.Found = s.Found[:i]
			break
		}
	}
	return s
}

// TestCertificatesCover simulates whole sessions: readers who miss, planted identifiers,
// doubtful passages that do leak more often, and looks after every fiftieth answer.
func TestCertificatesCover(t *testing.T) {
	random := rand.New(rand.NewPCG(9, 9))
	for _, c := range []struct {
		recall  float64
		plants  int
		anytime bool
	}{{1, 0, false}, {1, 0, true}, {.92, 150, false}, {.92, 150, true}} {
		sessions, failed, certified := testsize.Of(50, 1500), 0, 0
		for range sessions {
			s := newSession(random, c.recall, c.plants, c.anytime)
			ok, shown := true, false
			for read := 0; read <= s.planned; read += 50 {
				if got := Certify(s.after(read)); got.Refusal == "" {
					shown = true
					ok = ok && got.Bound >= s.leaking
				}
			}
			if shown {
				certified++
			}
			if !ok {
				failed++
			}
		}
		if failed > sessions*6/100 || certified < sessions*3/4 {
			t.Errorf("%+v: of %d sessions %d failed, %d were certified", c, sessions, failed, certified)
		}
	}
}

// session is a simulated reading.
type session struct {
	doubtful, random []bool // found, in the order of reading
	caught           []bool
	leaking, planned int
	reading          Reading
}

func newSession(random *rand.Rand, recall float64, plants int, anytime bool) *session {
	s := &session{planned: 300}
	s.reading = Reading{Alpha: .05, Anytime: anytime, Doubtful: Stratum{Passages: 40}, Random: Stratum{Passages: 2_000}, Planned: s.planned, Plants: PlantCount{Planned: plants}, Documents: Units{Total: 200}}
	leak := func(p float64) bool {
		if random.Float64() >= p {
			return false
		}
		s.leaking++
		return random.Float64() < recall
	}
	for range 40 {
		s.doubtful = append(s.doubtful, leak(.3))
	}
	for range 2_000 { // drawn in random order
		s.random = append(s.random, leak(.015))
	}
	for range plants {
		s.caught = append(s.caught, random.Float64() < recall)
	}
	return s
}

// after is the reading after so many random passages; the doubtful ones and the planted
// identifiers are read along with them.
func (s *session) after(read int) Reading {
	r := s.reading
	r.Doubtful = answers(r.Doubtful.Passages, s.doubtful[:40*read/s.planned])
	r.Random = answers(r.Random.Passages, s.random[:read])
	r.Plants.Read = len(s.caught) * read / s.planned
	for _, caught := range s.caught[:r.Plants.Read] {
		r.Plants.Caught += one(caught)
	}
	r.Documents.Found = min(1, r.Found())
	return r
}

func answers(passages int, found []bool) Stratum {
	s := Stratum{Passages: passages, Read: len(found)}
	for i, f := range found {
		if f {
			s.Found = append(s.Found, i+1)
		}
	}
	return s
}
