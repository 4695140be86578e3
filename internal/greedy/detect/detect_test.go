// SPDX-License-Identifier: Apache-2.0

package detect

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"hide/internal/annotate"
	"hide/internal/annotate/dictionary"
	"hide/internal/crf"
	"hide/internal/greedy"
	"hide/internal/greedy/boost"
	"hide/internal/greedy/dense"
	"hide/internal/hospital"
)

// notes are a generated hospital's, with names and dates to be found.
func notes(seed uint64, patients int) []annotate.View {
	var views []annotate.View
	for a := range hospital.Generate(hospital.Options{Patients: patients, Seed: seed, Institution: "a", MinNotes: 1, MaxNotes: 2}) {
		d := annotate.NewNote(a)
		views = append(views, annotate.View{Note: &d})
	}
	return views
}

// small is a detector that trains fast.
func small(parts Parts) Detector {
	return Detector{Options{Parts: parts, Folds: 3, CRF: crf.Options{Features: crf.HIDE, MaxIterations: 10},
		Trees: boost.Options{Trees: 10, Rate: 0.3, Bins: 64}, Second: boost.Options{Trees: 10, Rate: 0.3, Bins: 64}}}
}

func mustTrain(t testing.TB, d Detector, views []annotate.View) *Classifier {
	t.Helper()
	h, err := d.Train(context.Background(), views)
	if err != nil {
		t.Fatal(err)
	}
	return h.(*Classifier)
}

// trained is one small detector of every part.
var trained = sync.OnceValue(func() *Classifier {
	h, err := small(endOfParts-1).Train(context.Background(), notes(1, 5))
	if err != nil {
		panic(err)
	}
	return h.(*Classifier)
})

// leftAt counts the sensitive tokens that stay when the threshold keeps this share
// of the others.
func leftAt(kept float64, views []annotate.View, scores [][]float64) int {
	var yes, no []float64
	for i, v := range views {
		for t, p := range scores[i] {
			if v.Sensitive[t] {
				yes = append(yes, p)
			} else {
				no = append(no, p)
			}
		}
	}
	slices.Sort(no)
	threshold, left := no[int(kept*float64(len(no)))], 0
	for _, p := range yes {
		if p < threshold {
			left++
		}
	}
	return left
}

// TestTheDetectorLeavesFewerThanItsBaseLearners adds up hospitals, because how many
// tokens a learner leaves in one is a matter of luck.
func TestTheDetectorLeavesFewerThanItsBaseLearners(t *testing.T) {
	var hide, crfs, trees, full int
	for seed := range uint64(2) {
		train, test := notes(seed+10, 6), notes(seed+20, 10)
		h, err := greedy.CRF{Options: crf.Options{Features: crf.HIDE}}.Train(t.Context(), train)
		if err != nil {
			t.Fatal(err)
		}
		hide += leftAt(0.99, test, greedy.ScoreAll(h, test))
		c := mustTrain(t, Detector{Options{Folds: 3}}, train)
		full += leftAt(0.99, test, c.ScoreAll(test))
		for i, sum := range []*int{&crfs, &trees} {
			scores := make([][]float64, len(test))
			for k, v := range test {
				scores[k] = c.bases.logOdds(c.bases.crf.Scores(v), c.encoder.Columns(v))[i]
			}
			*sum += leftAt(0.99, test, scores)
		}
	}
	t.Logf("left at .99 kept: HIDE's CRF %d, CRF %d, trees %d, detector %d", hide, crfs, trees, full)
	if full >= crfs || full >= trees || 2*full > hide {
		t.Errorf("left at .99 kept: HIDE's CRF %d, CRF %d, trees %d, detector %d", hide, crfs, trees, full)
	}
}

// TestScoresAreCalibrated compares the sum of out-of-fold probabilities with the
// number of sensitive tokens, in all and among the unsure.
func TestScoresAreCalibrated(t *testing.T) {
	views := notes(3, 16)
	groups := make([]string, len(views))
	for i, v := range views {
		groups[i] = v.Group
	}
	fold, err := crf.Folds(groups, 4, 1)
	if err != nil {
		t.Fatal(err)
	}
	d := small(Default &^ Bonus)
	scores, hard, full, err := d.CrossFit(t.Context(), views, fold, 4)
	if err != nil || full == nil {
		t.Fatal(err)
	}
	expected, true_, variance := 0.0, 0.0, 0.0
	for i, v := range views {
		for k, p := range scores[i] {
			if hard[i][k] != (p >= 0.5) {
				t.Fatalf("hard label %v of probability %g", hard[i][k], p)
			}
			expected += p
			variance += p * (1 - p)
			if v.Sensitive[k] {
				true_++
			}
		}
	}
	if math.Abs(expected-true_) > 6*math.Sqrt(variance)+0.01*true_ {
		t.Errorf("%g expected, %g true, variance %g", expected, true_, variance)
	}
}

// TestNoScoreComesFromItsFoldsLabels turns all labels of a fold around: what the
// base learners and the flags say of that fold stays, bit by bit.
func TestNoScoreComesFromItsFoldsLabels(t *testing.T) {
	views := notes(4, 6)
	fold := make([]int, len(views))
	for i := range fold {
		fold[i] = i * 3 / len(views)
	}
	say := func() [][][]float64 {
		s, err := small(Default).session(t.Context(), views, fold, 3)
		if err != nil {
			t.Fatal(err)
		}
		known, _, err := s.fit(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		docs, err := s.witnesses(t.Context(), known[:3], fold)
		if err != nil {
			t.Fatal(err)
		}
		var said [][][]float64
		for _, d := range docs {
			said = append(said, d.logOdds)
		}
		return said
	}
	before := say()
	for i, v := range views {
		if fold[i] == 1 {
			for k := range v.Sensitive {
				v.Sensitive[k] = !v.Sensitive[k]
			}
		}
	}
	after := say()
	for i := range views {
		if same := reflect.DeepEqual(before[i], after[i]); same != (fold[i] == 1) {
			t.Errorf("document %d of fold %d: same scores: %v", i, fold[i], same)
		}
	}
}

func TestResultIsTheSameForAnyNumberOfWorkers(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	views := notes(5, 4)
	var first []byte
	for _, n := range []int{1, 8} {
		runtime.GOMAXPROCS(n)
		raw, err := mustTrain(t, small(Default), views).MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = raw
		}
		if !bytes.Equal(first, raw) {
			t.Errorf("GOMAXPROCS %d: other bytes", n)
		}
	}
}

// TestHiddenTokensSayNothing changes what hidden words are, and what is sensitive.
func TestHiddenTokensSayNothing(t *testing.T) {
	c, v := trained(), notes(6, 1)[0]
	v.Redacted = make([]bool, len(v.Words))
	for k := range v.Redacted {
		v.Redacted[k] = k%5 == 1
	}
	before := c.Scores(v)
	changed := *v.Note
	changed.Words, changed.Sensitive = slices.Clone(v.Words), nil
	for k, hidden := range v.Redacted {
		if hidden {
			changed.Words[k] = "Saavedra"
			if before[k] != 0 {
				t.Fatalf("hidden token %d has score %g", k, before[k])
			}
		}
	}
	if !slices.Equal(before, c.Scores(annotate.View{Note: &changed, Redacted: v.Redacted})) {
		t.Error("scores depend on hidden words")
	}
}

// TestLaterRoundsTrainOnWhatIsLeft hides what a first detector is sure of: what the
// hidden words are, and whether they are sensitive, does not reach the next one.
func TestLaterRoundsTrainOnWhatIsLeft(t *testing.T) {
	trainWith := func(change func(d *annotate.Note, k int, hidden bool)) []byte {
		views := notes(7, 8)
		for i, v := range views {
			views[i].Redacted = make([]bool, len(v.Words))
			for k, p := range trained().Scores(v) {
				views[i].Redacted[k] = p > 0.9 && (i+k)%9 > 0
			}
			for k, hidden := range views[i].Redacted {
				change(v.Note, k, hidden)
			}
		}
		return mustMarshal(t, mustTrain(t, small(Default), views))
	}
	hides, others := 0, 0
	asIs := trainWith(func(*annotate.Note, int, bool) {})
	hiddenChanged := trainWith(func(d *annotate.Note, k int, hidden bool) {
		if hidden {
			d.Words[k], d.Sensitive[k], d.SpanOf[k], d.Labels[k] = "Saavedra", false, -1, ""
			hides++
		}
	})
	visibleChanged := trainWith(func(d *annotate.Note, k int, hidden bool) {
		if !hidden && d.Words[k] == "." {
			d.Words[k] = ";"
			others++
		}
	})
	if hides == 0 || !bytes.Equal(hiddenChanged, asIs) {
		t.Errorf("%d hidden words changed, and the detector with them", hides)
	}
	if others == 0 || bytes.Equal(visibleChanged, asIs) {
		t.Errorf("%d visible words changed, and the detector did not", others)
	}
}

func mustMarshal(t *testing.T, c *Classifier) []byte {
	t.Helper()
	out, err := c.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestGroupsAndBatchesAreEvidence scores a document alone, beside one of its group
// and beside a stranger's.
func TestGroupsAndBatchesAreEvidence(t *testing.T) {
	for _, test := range []struct {
		parts           Parts
		group, stranger bool // whether they count
	}{{Default, false, false}, {Default | Group, true, false}, {Default | Group | Corpus, true, true}, {Default | Corpus, false, true}} {
		c := *trained()
		c.parts = test.parts
		views := notes(8, 2)
		a, b := *views[0].Note, *views[0].Note
		if err := retrainSecond(t, &c); err != nil {
			t.Fatal(err)
		}
		alone := c.Scores(annotate.View{Note: &a})
		for _, group := range []string{a.Group, "another"} {
			b.Group = group
			beside := c.ScoreAll([]annotate.View{{Note: &a}, {Note: &b}})[0]
			counts := test.group && group == a.Group || test.stranger && group != a.Group
			if same := slices.Equal(alone, beside); same == counts {
				t.Errorf("%s: group %v: same scores: %v", test.parts, group == a.Group, same)
			}
		}
	}
}

// retrainSecond gives c a second stage for its parts: a sum over all columns.
func retrainSecond(t *testing.T, c *Classifier) error {
	n := secondColumns(c.parts)
	r := rand.New(rand.NewPCG(1, 1))
	x, y := make(boost.Matrix, n), make([]bool, 2000)
	for k := range x {
		x[k] = make([]float32, len(y))
	}
	for row := range y {
		sum := float32(0)
		for k := n - len(dense.Flags()) - 9; k < n-len(dense.Flags()); k++ {
			x[k][row] = float32(r.NormFloat64() * 4)
			if r.IntN(3) == 0 {
				x[k][row] = float32(math.NaN())
			} else {
				sum += x[k][row]
			}
		}
		y[row] = sum > 0
	}
	m, err := boost.Train(t.Context(), x, y, boost.Options{Trees: 60, Rate: 0.2})
	c.second = &stage{make([]float64, c.parts.bases()+1), m}
	return err
}

// TestTalliesCountAllSourcesButOne compares with lists.
func TestTalliesCountAllSourcesButOne(t *testing.T) {
	for seed := range uint64(500) {
		r := rand.New(rand.NewPCG(seed, 1))
		type entry struct {
			from int
			v    float64
		}
		var list []entry
		var whole tally
		for range 1 + r.IntN(8) {
			e := entry{r.IntN(4), float64(r.IntN(7) - 3)}
			list = append(list, e)
			whole.add(e.from, 1, e.v, e.v)
		}
		own, n, sum := r.IntN(4), 0, 0.0
		want, rest := [3]float64{math.Inf(-1)}, 0.0
		for _, e := range list {
			if e.from == own {
				n++
				sum += e.v
				continue
			}
			want[0] = max(want[0], e.v)
			rest += e.v
			want[2]++
		}
		want[1] = rest / want[2]
		if want[2] == 0 {
			want[0], want[1] = math.NaN(), math.NaN()
		}
		got := whole.others(own, n, sum)
		for k := range want {
			if got[k] != want[k] && !(got[k] != got[k] && want[k] != want[k]) {
				t.Fatalf("seed %d: %v without %d is %v, want %v", seed, list, own, got, want)
			}
		}
	}
}

// TestAUsersListsReachTheTrees has words that nothing but a list tells apart: no word
// occurs twice, and all are written alike.
func TestAUsersListsReachTheTrees(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	word := func() string {
		b := make([]byte, 8)
		for i := range b {
			b[i] = "bdfgklmnprstvz"[r.IntN(14)]
		}
		return string(b)
	}
	list := dictionary.List{Name: "staff"}
	views := make([]annotate.View, 40)
	for i := range views {
		d := &annotate.Note{Group: word()}
		for range 10 {
			w, listed := word(), r.IntN(3) == 0
			if listed {
				list.Phrases = append(list.Phrases, w)
			}
			d.Words, d.Sensitive = append(d.Words, w), append(d.Sensitive, listed)
		}
		d.SpanOf, d.Group = make([]int, len(d.Words)), word()
		views[i] = annotate.View{Note: d}
	}
	o := Options{Parts: Trees | SecondStage, Trees: boost.Options{Trees: 10, Rate: 0.3}, Second: boost.Options{Trees: 10, Rate: 0.3}}
	o.CRF.Dictionaries = []dictionary.List{list}
	h := mustTrain(t, Detector{o}, views[:30])
	if left := leftAt(0.95, views[30:], h.ScoreAll(views[30:])); left > 0 {
		t.Errorf("%d words of the list are left", left)
	}
	raw, err := h.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	if back, err := Decode(raw); err != nil || !reflect.DeepEqual(back.ScoreAll(views[30:]), h.ScoreAll(views[30:])) {
		t.Errorf("it comes back different: %v", err)
	}
}

// TestForestsRankWhatIsSensitiveFirst also reads each back from its bytes.
func TestForestsRankWhatIsSensitiveFirst(t *testing.T) {
	train, test := notes(10, 5), notes(20, 3)
	for _, f := range []Forest{{Trees: boost.Options{Trees: 20, Rate: 0.3}}, {Ada: &boost.AdaOptions{Rounds: 20, Leaves: 4}}} {
		h, err := f.Train(t.Context(), train)
		if err != nil {
			t.Fatal(err)
		}
		tokens := 0
		for _, v := range test {
			for _, s := range v.Sensitive {
				if s {
					tokens++
				}
			}
		}
		if left := leftAt(0.95, test, greedy.ScoreAll(h, test)); 5*left > tokens {
			t.Errorf("%s leaves %d of %d", f.Name(), left, tokens)
		}
		raw, err := f.EncodeClassifier(h)
		if err != nil {
			t.Fatal(err)
		}
		if back, err := f.DecodeClassifier(raw); err != nil || !slices.Equal(back.Scores(test[0]), h.Scores(test[0])) {
			t.Errorf("%s comes back different: %v", f.Name(), err)
		}
	}
}

// TestAdaBoostIsCalibratedOnDocumentsHeldOut: in fresh notes its probabilities fit
// what is sensitive better than its sums of votes do, taken for log-odds.
func TestAdaBoostIsCalibratedOnDocumentsHeldOut(t *testing.T) {
	train, fresh := notes(10, 12), notes(20, 12)
	f := Forest{Ada: &boost.AdaOptions{Rounds: 40, Leaves: 4}}
	h, err := f.Train(t.Context(), train)
	if err != nil {
		t.Fatal(err)
	}
	corpus, err := dense.Prepare(t.Context(), train, crf.NewLists(nil))
	if err != nil {
		t.Fatal(err)
	}
	all := make([]int, len(train))
	for i := range all {
		all[i] = i
	}
	fit, m, err := f.fit(t.Context(), corpus, all)
	if err != nil {
		t.Fatal(err)
	}
	sums := &Classifier{parts: Trees | NameLikeness, bases: bases{trees: m}, encoder: fit.Encoder()}
	after, expected, sensitive := fitTo(fresh, h)
	if before, _, _ := fitTo(fresh, sums); after >= before {
		t.Errorf("log loss of %.4f a token, that of the sums of votes is %.4f", after, before)
	}
	if expected < 0.7*sensitive || expected > 1.4*sensitive {
		t.Errorf("%.0f sensitive tokens expected, there are %.0f", expected, sensitive)
	}
	one := notes(10, 1)
	for i := range one {
		one[i].Group = "the same"
	}
	if h, err := f.Train(t.Context(), one); err != nil || len(h.Scores(one[0])) != len(one[0].Words) {
		t.Errorf("of one patient: %v", err)
	}
}

// fitTo is the log loss a token, how many tokens are expected to be sensitive, and
// how many are.
func fitTo(views []annotate.View, h greedy.Classifier) (loss, expected, sensitive float64) {
	tokens := 0.0
	for _, v := range views {
		for t, p := range h.Scores(v) {
			tokens, expected = tokens+1, expected+p
			if v.Sensitive[t] {
				sensitive, loss = sensitive+1, loss-math.Log(p)
			} else {
				loss -= math.Log(1 - p)
			}
		}
	}
	return loss / tokens, expected, sensitive
}

func TestEveryPartCanBeSwitchedOff(t *testing.T) {
	views := notes(9, 3)
	full := secondColumns(endOfParts - 1)
	for _, row := range PartTable() {
		parts := (endOfParts - 1) &^ row.Parts
		c := mustTrain(t, small(parts), views)
		if p := c.Scores(views[0]); len(p) != len(views[0].Words) {
			t.Errorf("without %s: %d scores", row.Name, len(p))
		}
		if (c.bases.crf == nil) != (row.Parts == CRF) || (c.bases.trees == nil) != (row.Parts == Trees) || (c.second == nil) != (row.Parts == SecondStage) {
			t.Errorf("without %s: other models", row.Name)
		}
		if n := secondColumns(parts); n == full && row.Parts&(NameLikeness|SecondStage|Bonus|Share|Strangers) == 0 {
			t.Errorf("without %s: as many columns", row.Name)
		}
	}
}

func TestPartsAreLeftOutByName(t *testing.T) {
	for _, row := range PartTable() {
		got, err := Without([]string{row.Name})
		if !Default.has(row.Parts) {
			if err == nil {
				t.Errorf("%s was left out, which the detector has not", row.Name)
			}
			continue
		}
		if err != nil || got != Default&^row.Parts {
			t.Errorf("without %s: %s, %v", row.Name, got, err)
		}
	}
	for _, names := range [][]string{{"nonsense"}, {"crf", "crf"}, {"crf", "trees"}} {
		if _, err := Without(names); err == nil {
			t.Errorf("%v were left out", names)
		}
	}
}

// TestTheBonusIsForPatternsThatTrainingJustifies counts dates, nine of ten or half
// of them sensitive.
func TestTheBonusIsForPatternsThatTrainingJustifies(t *testing.T) {
	w := &evidence{View: annotate.View{Note: &annotate.Note{}}}
	for k := range 40 {
		w.forms = append(w.forms, dense.FullDate, dense.Email)
		w.Sensitive = append(w.Sensitive, k > 1, k%2 == 0)
	}
	want := bonus{dense.FullDate: 4}
	if got := learnBonus([]*evidence{w}, 4); got != want {
		t.Errorf("%v, want %v", got, want)
	}
	if got := learnBonus([]*evidence{{View: annotate.View{Note: &annotate.Note{}}}}, 4); got != (bonus{}) {
		t.Errorf("without documents: %v", got)
	}
}

func TestOddTrainingDocumentsAreHandled(t *testing.T) {
	doc := func(group string, words string, sensitive ...int) annotate.View {
		d := annotate.Note{Words: strings.Fields(words), Group: group}
		d.Sensitive, d.SpanOf = make([]bool, len(d.Words)), make([]int, len(d.Words))
		for k := range d.SpanOf {
			d.SpanOf[k] = -1
		}
		for i, k := range sensitive {
			d.Sensitive[k], d.SpanOf[k] = true, i
		}
		return annotate.View{Note: &d}
	}
	d := small(Default)
	for name, views := range map[string][]annotate.View{
		"a fold has all there is": {doc("1", "seen Ana Ruiz", 1, 2), doc("2", "no fever"), doc("3", "no pain")},
		"an empty document":       {doc("1", "seen Ana", 1), doc("2", ""), doc("3", "seen Eva", 1), doc("4", "no pain")},
		"two documents":           {doc("1", "seen Ana", 1), doc("2", "seen Eva", 1)},
	} {
		c, err := d.Train(t.Context(), views)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for _, p := range c.Scores(doc("", "seen Ana by Eva")) {
			if !(p >= 0 && p <= 1) {
				t.Errorf("%s: probability %g", name, p)
			}
		}
		if len(c.Scores(doc("", ""))) != 0 {
			t.Errorf("%s: an empty document has scores", name)
		}
	}
	for name, views := range map[string][]annotate.View{
		"none":            {},
		"nothing to find": {doc("1", "no pain"), doc("2", "no fever")},
	} {
		if _, err := d.Train(t.Context(), views); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	views := notes(1, 2)
	if _, _, _, err := d.CrossFit(t.Context(), views, make([]int, len(views)), 1); !errors.Is(err, greedy.ErrFewDocuments) {
		t.Errorf("one fold: %v", err)
	}
	if _, _, _, err := d.CrossFit(t.Context(), views, make([]int, len(views)-1), 2); err == nil {
		t.Error("a document without a fold is not refused")
	}
	if _, _, _, err := d.CrossFit(t.Context(), views, slices.Repeat([]int{2}, len(views)), 2); err == nil {
		t.Error("a fold beyond the last is not refused")
	}
	d.Options.Bonus = math.NaN()
	if _, err := d.Train(t.Context(), views); err == nil {
		t.Error("a bonus that is no number is not refused")
	}
}

// An attacker who labels a tenth of few documents may have one patient's.
func TestOfOnePatientTheBaseLearnersStandAlone(t *testing.T) {
	views := notes(4, 1)
	for i := range views {
		views[i].Group = "the same"
	}
	c := mustTrain(t, small(Default), views)
	if c.Parts() != Default&^(SecondStage|Bonus) || c.second != nil {
		t.Errorf("trained with %s, want no second stage and no bonus", c.Parts())
	}
	found, sensitive := 0, 0
	for i, marks := range c.HardAll(views) {
		for x, marked := range marks {
			if views[i].Sensitive[x] {
				sensitive++
				if marked {
					found++
				}
			}
		}
	}
	if 2*found < sensitive {
		t.Errorf("%d of the %d sensitive tokens that it learnt from are found", found, sensitive)
	}
}

func TestTrainingEndsEarlyWhenCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := small(Default).Train(ctx, notes(1, 3)); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

func TestDetectorsReadBackAsTheyWere(t *testing.T) {
	c := trained()
	raw, err := c.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	back, err := Decode(raw)
	if err != nil {
		t.Fatal(err)
	}
	again, err := Detector{}.EncodeClassifier(back)
	if err != nil || !bytes.Equal(raw, again) {
		t.Errorf("other bytes: %v", err)
	}
	views := notes(12, 2)
	if !reflect.DeepEqual(c.ScoreAll(views), back.ScoreAll(views)) {
		t.Error("other scores")
	}
}

// sealed puts the right checksum at the end of what may be nonsense.
func sealed(content []byte) []byte {
	sum := sha256.Sum256(content)
	return append(slices.Clone(content), sum[:]...)
}

func TestDecodeRefusesDamage(t *testing.T) {
	raw, err := trained().MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	content := raw[:len(raw)-sha256.Size]
	r := rand.New(rand.NewPCG(1, 1))
	for range 30 {
		damaged := slices.Clone(raw)
		damaged[r.IntN(len(raw))] ^= 1
		if _, err := Decode(damaged); !errors.Is(err, ErrDetector) {
			t.Fatalf("a wrong bit: %v", err)
		}
		if _, err := Decode(sealed(content[:r.IntN(len(content))])); !errors.Is(err, ErrDetector) {
			t.Fatalf("cut and sealed: %v", err)
		}
	}
	const numbers = 11 // after the magic, the version and the parts
	for name, change := range map[string]func([]byte) []byte{
		"something after the end": func(b []byte) []byte { return append(b, 0) },
		"another version":         func(b []byte) []byte { b[8] = 1; return b },
		"other parts":             func(b []byte) []byte { b[9] ^= byte(Neighbours); return b },
		"no base learner":         func(b []byte) []byte { b[9] &^= byte(CRF | Trees); return b },
		"a bonus without bounds":  func(b []byte) []byte { copy(b[numbers+16:], []byte{0, 0, 0, 0, 0, 0, 240, 127}); return b },
		"no trust":                func(b []byte) []byte { clear(b[numbers+8 : numbers+16]); return b },
		"nothing but news":        func(b []byte) []byte { copy(b[numbers:], []byte{0, 0, 0, 0, 0, 0, 240, 63}); return b },
		"a blend without bounds": func(b []byte) []byte {
			copy(b[numbers+8*(2+dense.Patterns):], []byte{0, 0, 0, 0, 0, 0, 240, 127})
			return b
		},
		"a CRF beyond the end": func(b []byte) []byte { b[numbers+8*(2+dense.Patterns+3)+1] |= 0xff; return b },
	} {
		if _, err := Decode(sealed(change(slices.Clone(content)))); !errors.Is(err, ErrDetector) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func FuzzDecode(f *testing.F) {
	raw, err := trained().MarshalBinary()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(raw[len(Magic) : len(Magic)+100])
	f.Add(raw[len(Magic) : len(raw)-sha256.Size])
	v := annotate.View{Note: &annotate.Note{Words: []string{"seen", "Ana"}}}
	f.Fuzz(func(t *testing.T, content []byte) {
		file := sealed(append([]byte(Magic), content...))
		c, err := Decode(file)
		if err != nil {
			return
		}
		if again, err := c.MarshalBinary(); err != nil || !bytes.Equal(again, file) {
			t.Fatalf("two files of one detector: %v", err)
		}
		c.Scores(v)
	})
}

// BenchmarkCrossFit is what a sanitizing run pays for its first round.
func BenchmarkCrossFit(b *testing.B) {
	views := notes(1, 60)
	groups, tokens := make([]string, len(views)), 0
	for i, v := range views {
		groups[i] = v.Group
		tokens += len(v.Words)
	}
	fold, err := crf.Folds(groups, 4, 1)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, _, _, err := (Detector{}).CrossFit(b.Context(), views, fold, 4); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(tokens*b.N)/b.Elapsed().Seconds(), "tokens/s")
}

// TestACrossFitTellsHowFarItIs also trains, which takes fewer second stages.
func TestACrossFitTellsHowFarItIs(t *testing.T) {
	views := notes(5, 6)
	fold := make([]int, len(views))
	for i := range fold {
		fold[i] = i % 3
	}
	var said, want [][2]int
	d := small(Default).Telling(func(_ string, done, total int) { said = append(said, [2]int{done, total}) })
	if _, _, _, err := d.CrossFit(t.Context(), views, fold, 3); err != nil {
		t.Fatal(err)
	}
	const all = 2*(3+1+4) + 3 + 1 // base learners of the folds, of everything and of quarters; second stages
	for done := range all {
		want = append(want, [2]int{done + 1, all})
	}
	if !slices.Equal(said, want) {
		t.Errorf("told %v", said)
	}
	said = nil
	mustTrain(t, d.(Detector), views)
	if last := said[len(said)-1]; last[0] != last[1] || len(said) != last[0] {
		t.Errorf("a training told %v", said)
	}
}
