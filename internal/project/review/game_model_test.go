// SPDX-License-Identifier: Apache-2.0

package review_test

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode"

	"hide/internal/account"
	"hide/internal/annotate"
	"hide/internal/project"
	"hide/internal/project/projecttest"
	"hide/internal/project/review"
)

// word is a readable word of a passage: at is where it stands in the passage of the candidate,
// in bytes, or -1 for a planted one.
type word struct {
	span annotate.Span // as shown
	at   int
	run  int // words of one run have neither a placeholder nor a plant between them
}

// wordsOf compares a passage as shown with that of the candidate: what is added is planted.
func wordsOf(p *review.Passage, plain string) (out []word, planted bool) {
	added, from := len(p.Text)-len(plain), 0
	for added > 0 && (p.Text[:from]+p.Text[from+added:] != plain || from > 0 && p.Text[from] != ' ') {
		from++ // a plant begins with the blank before it
	}
	run, end := 0, annotate.ByteOff(0)
	for _, t := range annotate.Tokenize(p.Text) {
		if !strings.ContainsFunc(p.Text[t.Start:t.End], func(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }) || inside(p.Places, t) {
			continue
		}
		w := word{span: annotate.Span{Start: t.Start, End: t.End}, at: int(t.Start)}
		if added > 0 && int(t.Start) >= from && int(t.End) <= from+added {
			w.at = -1
			run++
		} else if int(t.Start) >= from+added {
			w.at -= added
		}
		if inside(p.Places, annotate.Token{Start: end, End: t.Start}) {
			run++
		}
		w.run, end = run, t.End
		out = append(out, w)
		if w.at < 0 {
			run++
		}
	}
	return out, added > 0
}

// told is one mark of the model: the places of its words in the candidate, in runs.
type told struct {
	position int
	caught   bool
	runs     [][]int
	sure     review.Sureness
}

// model plays a game beside the service.
type model struct {
	*board
	t       *testing.T
	plain   []string // passages of the candidate by position
	planted map[int]bool
	seen    map[string]map[int]bool
	marks   map[string][]told
}

func newModel(t *testing.T, b *board) *model {
	m := &model{board: b, t: t, planted: map[int]bool{}, seen: map[string]map[int]bool{}, marks: map[string][]told{}}
	passages, _, err := b.GamePassages(b.id, b.number)
	b.must(err)
	all, err := b.Passages(b.id, b.review().Candidate)
	b.must(err)
	text, err := b.TextOf(b.id, b.review().Candidate)
	b.must(err)
	for _, i := range passages {
		n, err := text.Note(t.Context(), int(all[i].Note))
		b.must(err)
		m.plain = append(m.plain, n.Text[all[i].Start:all[i].End])
	}
	return m
}

// play lets a member answer up to n passages with random marks.
func (m *model) play(who account.User, random *rand.Rand, n int) {
	m.t.Helper()
	m.seen[who.ID] = map[int]bool{}
	for range n {
		p, err := m.NextGuess(m.t.Context(), who, m.id, m.number)
		m.must(err)
		if p == nil {
			return
		}
		all, planted := wordsOf(p, m.plain[p.Position])
		m.planted[p.Position] = planted
		m.seen[who.ID][p.Position] = true
		var found []review.Suspicion
		for range random.IntN(4) {
			from := random.IntN(len(all))
			to := min(len(all)-1, from+random.IntN(3))
			one := told{position: p.Position, sure: review.Sureness(1 + random.IntN(3))}
			for i, w := range all[from : to+1] {
				if w.at < 0 {
					one.caught = true
					continue
				}
				if i == 0 || len(one.runs) == 0 || w.run != all[from+i-1].run {
					one.runs = append(one.runs, nil)
				}
				last := &one.runs[len(one.runs)-1]
				*last = append(*last, w.at)
			}
			start, end := annotate.NewOffsets(p.Text).Range(annotate.Span{Start: all[from].span.Start, End: all[to].span.End})
			found = append(found, review.Suspicion{Selection: review.Selection{Start: start, End: end}, Sure: one.sure})
			m.marks[who.ID] = append(m.marks[who.ID], one)
		}
		m.must(m.Guess(m.t.Context(), who, m.id, m.number, p.Draw, p.Position, found, []float64{60, 0.5}[random.IntN(2)]))
	}
}

// things joins words that one mark covers, until nothing changes: what is left apart is a find.
func (m *model) things() map[[2]int][2]int {
	of := map[[2]int][2]int{} // position and place of a word -> its smallest
	for changed := true; changed; {
		changed = false
		for _, all := range m.marks {
			for _, one := range all {
				for _, run := range one.runs {
					least := [2]int{one.position, run[0]}
					for _, at := range run {
						if first, known := of[[2]int{one.position, at}]; known && first[1] < least[1] {
							least = first
						}
					}
					for _, at := range run {
						at := [2]int{one.position, at}
						if first, known := of[at]; !known || first != least {
							of[at], changed = least, true
						}
					}
				}
			}
		}
	}
	return of
}

func isReal(thing [2]int) bool { return (thing[0]+thing[1])%3 != 0 }

// score recomputes the scores of some members as if they were one.
func (m *model) score(of map[[2]int][2]int, people ...string) (p review.PlayerScore) {
	looked, caught, found, real := map[int]bool{}, map[int]bool{}, map[[2]int]bool{}, map[[2]int]bool{}
	for _, person := range people {
		for at := range m.seen[person] {
			looked[at] = true
		}
		for _, one := range m.marks[person] {
			right := one.caught
			for _, run := range one.runs {
				thing := of[[2]int{one.position, run[0]}]
				if isReal(thing) {
					right, found[thing] = true, true
				}
			}
			p.Marks++
			if right {
				p.Right, p.SureRight = p.Right+1, p.SureRight+int(one.sure)
			} else {
				p.Wrong, p.SureWrong = p.Wrong+1, p.SureWrong+int(one.sure)
			}
			if one.caught {
				caught[one.position] = true
			}
		}
	}
	for at := range looked {
		if m.planted[at] {
			p.Planted++
		}
	}
	for _, thing := range of {
		if looked[thing[0]] && isReal(thing) {
			real[thing] = true
		}
	}
	p.Passages, p.Caught, p.Found, p.Confirmed = len(looked), len(caught), len(found), len(real)
	return p
}

// TestAGameIsScoredAsBySimpleCounting plays at random, and recomputes every figure.
func TestAGameIsScoredAsBySimpleCounting(t *testing.T) {
	b := newBoard(t, project.DefaultRule())
	ctx := t.Context()
	random := rand.New(rand.NewPCG(1, 2))
	b.draw(review.Sampling{Random: 8, Doubtful: 4})
	b.must(b.StartGame(ctx, projecttest.Broker, b.id, b.number, 20, 8))
	m := newModel(t, b)
	m.chosenByRank(12)
	m.play(members[0], random, 20)
	m.play(members[1], random, 20)
	b.Reopen()
	m.play(members[2], random, 7)
	b.must(b.EndGame(ctx, projecttest.Broker, b.id, b.number))
	of := m.things()
	distinct := map[[2]int]bool{}
	for _, thing := range of {
		distinct[thing] = true
	}
	finds, err := b.GameFinds(ctx, projecttest.Broker, b.id, b.number)
	b.must(err)
	if len(finds) != len(distinct) {
		t.Fatalf("%d finds are listed, want %d", len(finds), len(distinct))
	}
	for i, f := range finds {
		thing := [2]int{f.Position, len(f.Before)}
		if !distinct[thing] || f.Before+f.Text+f.After != m.plain[f.Position] {
			t.Fatalf("find %d is not one of the model", f.Number)
		}
		if g := m.state(); g.Scores.Final() || g.ToJudge != len(finds)-i {
			t.Errorf("before find %d is judged the scores are final: %v, to judge %d", f.Number, g.Scores.Final(), g.ToJudge)
		}
		b.must(b.JudgeGuess(ctx, projecttest.Broker, b.id, b.number, f.Game, f.Number, isReal(thing), "PATIENT"))
	}
	b.Reopen()
	g := m.state()
	if !g.Scores.Final() || len(g.Scores.Players) != 3 {
		t.Fatalf("the scores are %+v", g.Scores)
	}
	for _, p := range g.Scores.Players {
		want := m.score(of, p.ID)
		want.ID, want.Hasty = p.ID, p.Hasty
		if p != want {
			t.Errorf("%s scored %+v, want %+v", p.ID, p, want)
		}
		if p.Hasty == 0 || p.Hasty == p.Passages {
			t.Errorf("%s has %d hasty answers of %d", p.ID, p.Hasty, p.Passages)
		}
	}
	all, want := g.Scores.All, m.score(of, members[0].ID, members[1].ID, members[2].ID)
	if all.Passages != 20 || all.Planted != want.Planted || all.Caught != want.Caught || all.Found != want.Found || all.Confirmed != want.Confirmed || all.Right != want.Found+want.Caught || all.Marks != len(distinct)+want.Caught || all.Wrong != len(distinct)-want.Found {
		t.Errorf("all together scored %+v, want %+v of %d things", all, want, len(distinct))
	}
	m.halves(g.Scores, distinct)
}

func (m *model) state() *review.GameState {
	m.t.Helper()
	g, err := m.GameState(m.t.Context(), members[0], m.id, m.number)
	m.must(err)
	return g
}

// chosenByRank: half of the passages are those of greatest doubt among the passages that are
// not in the sample, all others are not in the sample either.
func (m *model) chosenByRank(sample int) {
	m.t.Helper()
	passages, ranked, err := m.GamePassages(m.id, m.number)
	m.must(err)
	all, err := m.Passages(m.id, m.candidate.Number)
	m.must(err)
	taken := map[int]bool{}
	for at := range sample {
		i, err := m.SamplePassage(m.id, m.number, at)
		m.must(err)
		taken[i] = true
	}
	var rest []int
	for i := range all {
		if !taken[i] {
			rest = append(rest, i)
		}
	}
	slices.SortStableFunc(rest, func(a, b int) int { return cmp.Compare(all[b].Doubt, all[a].Doubt) })
	want := slices.Sorted(slices.Values(rest[:len(passages)/2]))
	if !slices.Equal(ranked, want) || len(passages) != 20 || !slices.IsSorted(passages) || len(slices.Compact(slices.Clone(passages))) != 20 {
		m.t.Errorf("ranked are %v of %v, want %v", ranked, passages, want)
	}
	for _, i := range passages {
		if taken[i] {
			m.t.Errorf("passage %d is in the sample, too", i)
		}
	}
}

// halves recounts what the machine has, and the interval of the attackers' utility.
func (m *model) halves(s *review.GameScores, distinct map[[2]int]bool) {
	m.t.Helper()
	passages, ranked, err := m.GamePassages(m.id, m.number)
	m.must(err)
	var want [2]review.Half
	for at, i := range passages {
		h := &want[0]
		if slices.Contains(ranked, i) {
			h = &want[1]
		}
		before := h.Identifiers
		for thing := range distinct {
			if thing[0] == at && isReal(thing) {
				h.Identifiers++
			}
		}
		h.Passages++
		if h.Identifiers > before {
			h.With++
		}
	}
	if s.Random != want[0] || s.Ranked != want[1] {
		m.t.Errorf("random %+v, ranked %+v, want %+v", s.Random, s.Ranked, want)
	}
	for _, h := range []review.Half{s.Ranked, s.Random, {Passages: 10}, {}} {
		u := h.Utility(7, 20)
		tail := func(share float64, from, to int) (p float64) { // P(from <= X <= to)
			for k := from; k <= to; k++ {
				c := 1.
				for j := range k {
					c = c * float64(h.Passages-j) / float64(j+1)
				}
				p += c * math.Pow(share, float64(k)) * math.Pow(1-share, float64(h.Passages-k))
			}
			return p
		}
		low, high := u.Low/140, u.High/140
		if h.With > 0 && math.Abs(tail(low, h.With, h.Passages)-.025) > 1e-6 || h.With == 0 && low != 0 {
			m.t.Errorf("%+v: the lower end is %g", h, low)
		}
		if h.With < h.Passages && math.Abs(tail(high, 0, h.With)-.025) > 1e-6 || h.With == h.Passages && high != 1 {
			m.t.Errorf("%+v: the upper end is %g", h, high)
		}
	}
}
