// SPDX-License-Identifier: Apache-2.0

package audit

// Outlook is what a board asks before anybody reads: how much reading gives which bound.
type Outlook struct {
	Passages int       `json:"passages"` // to draw from: without the doubtful ones
	Alpha    float64   `json:"alpha"`
	Plants   int       `json:"plants"` // taken to be caught, all of them
	Steps    []Step    `json:"steps"`
	Need     PlantNeed `json:"need"`          // with a number of passages fixed before
	Anytime  PlantNeed `json:"need_any_time"` // with looks while people read
}

// Step is one amount of reading. Bounds are leaking passages among the random ones; each
// is about what was found in as many passages.
type Step struct {
	Read    int     `json:"read"`    // random passages
	Words   float64 `json:"words"`   // to read, with those of the doubtful passages
	Minutes float64 `json:"minutes"` // for one reader

	None         int `json:"none"`           // bound when none is found
	Three        int `json:"three"`          // when three are found
	AnytimeNone  int `json:"none_any_time"`  // the same with looks while people read
	AnytimeThree int `json:"three_any_time"` // at most, whenever they are found
}

// OutlookOptions describe a candidate.
type OutlookOptions struct {
	Passages       int     // of the candidate
	Doubtful       int     // of them read whole
	Read           []int   // numbers of random passages
	Plants         int     // 0: readers are taken to miss nothing
	Alpha          float64 // as in [Reading]
	MeanWords      float64 // of a passage
	WordsPerMinute float64 // the readers' pace; 0: minutes are not known
}

// NewOutlook computes the plan. Plants too few to show the recall that a certificate needs
// give bounds of all passages.
func NewOutlook(o OutlookOptions) Outlook {
	rest := max(0, o.Passages-o.Doubtful)
	r := Reading{Alpha: o.Alpha, Doubtful: Stratum{Passages: o.Doubtful}, Random: Stratum{Passages: rest}, Plants: PlantCount{o.Plants, o.Plants, o.Plants}}
	alphas := alphasOf(&r)
	fixed, live := recallShown(&r, alphas.Recall, false), recallShown(&r, alphas.Recall, true)
	out := Outlook{Passages: rest, Alpha: o.Alpha, Plants: o.Plants, Need: PlantsNeeded(o.Alpha, false), Anytime: PlantsNeeded(o.Alpha, true)}
	for _, n := range o.Read {
		n = max(0, min(n, rest))
		s := Step{Read: n, Words: float64(n+o.Doubtful) * o.MeanWords}
		if o.WordsPerMinute > 0 {
			s.Minutes = s.Words / o.WordsPerMinute
		}
		s.None, s.Three = ThinnedBound(rest, n, 0, alphas.Random, fixed), ThinnedBound(rest, n, min(3, n), alphas.Random, fixed)
		s.AnytimeNone, s.AnytimeThree = anytimeLast(rest, n, 0, alphas.Random, live), anytimeLast(rest, n, min(3, n), alphas.Random, live)
		out.Steps = append(out.Steps, s)
	}
	return out
}

// recallShown is the recall bound when all plants are caught, 0 if that is not enough.
func recallShown(r *Reading, alpha float64, anytime bool) float64 {
	r.Anytime = anytime
	switch c := recallOf(r, alpha); {
	case c == nil:
		return 1
	case c.Lower > LeastRecall:
		return c.Lower
	}
	return 0
}

// PlantNeed is how many planted identifiers show that recall is above [LeastRecall].
type PlantNeed struct {
	Least  int `json:"least"`  // if all are caught
	Likely int `json:"likely"` // from which on readers of recall .9 are accepted in nine of ten cases
}

// likelyRecall is the recall of careful readers, and likely the chance that they should
// have to be accepted.
const (
	likelyRecall = .9
	likely       = .9
	mostNeeded   = 2000
)

// PlantsNeeded computes both numbers at a total alpha, of which recall has half.
func PlantsNeeded(alpha float64, anytime bool) PlantNeed {
	var out PlantNeed
	needed := 0
	for m := 1; m <= mostNeeded; m++ {
		needed = leastCaught(m, needed, alpha, anytime)
		if needed <= m && out.Least == 0 {
			out.Least = m
		}
		if atLeast(m, needed, likelyRecall) < likely {
			out.Likely = 0
		} else if out.Likely == 0 {
			out.Likely = m
		}
		if out.Likely > 0 && m > out.Likely+out.Likely/4 { // acceptance rises in a saw's teeth
			break
		}
	}
	return out
}

// Acceptance is the probability that readers of a recall catch so many of m planted
// identifiers that there is a certificate at a total alpha.
func Acceptance(m int, recall, alpha float64, anytime bool) float64 {
	return atLeast(m, leastCaught(m, 0, alpha, anytime), recall)
}

// leastCaught is how many of m plants must be caught, at least from; m+1 if all are not
// enough.
func leastCaught(m, from int, alpha float64, anytime bool) int {
	return from + largest(0, m+1-from, func(i int) bool {
		return recallBound(PlantCount{m, m, from + i - 1}, alpha/2, anytime) <= LeastRecall
	})
}
