// SPDX-License-Identifier: Apache-2.0

package verify

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// targetClaim is the target that the threshold of the redaction model was chosen for, in the
// order of the file.
type targetClaim struct {
	Target struct {
		Share  float64  `json:"share"`
		Sure   float64  `json:"sure"`
		Labels []string `json:"labels,omitempty"`
	} `json:"target"`
	Patients      bool    `json:"patients"`
	Partial       bool    `json:"partial,omitempty"`
	Units         int     `json:"units"`
	Allowed       int     `json:"allowed"`
	Leaking       int     `json:"leaking"`
	Threshold     float64 `json:"threshold"`
	Others        int     `json:"others,omitempty"`
	OthersLeaking int     `json:"others_leaking,omitempty"`
	Void          string  `json:"void,omitempty"`
}

// mostUnits bounds what is computed for a claim of a stranger, and targetRounding is what sums of
// as many terms lose, as a share of the limit.
const (
	mostUnits      = 10_000_000
	targetRounding = 1e-6
)

// checkTarget recomputes the test behind the threshold. The calibration notes are not in the
// release, so their number and how many of them leak can only be shown.
func (c *textChecker) checkTarget() {
	t := c.claims.Target
	if t == nil {
		return
	}
	c.report.Target = t.says()
	risk := 1 - t.Target.Sure
	switch {
	case !(t.Target.Share > 0 && t.Target.Share < 1 && t.Target.Sure >= 0.5 && t.Target.Sure < 1):
		c.Add(manifestName, "claims a target that is not one")
		return
	case t.Units < 1 || t.Units > mostUnits || t.Others > mostUnits || t.Allowed < 0 || t.Allowed > t.Units || t.Leaking < 0 || t.Leaking > t.Allowed || t.Others < 0 || t.OthersLeaking < 0 || t.OthersLeaking > t.Others:
		c.Add(manifestName, "claims a target with impossible counts")
		return
	case binomialTail(t.Units, t.Allowed, t.Target.Share) > risk*(1+targetRounding):
		c.Add(manifestName, "claims a target that %d leaking of %d calibration units do not show", t.Allowed, t.Units)
	case t.OthersLeaking < t.Others && drawnTail(t.Units, t.Others, t.Allowed, t.OthersLeaking) > risk*(1+targetRounding):
		c.Add(manifestName, "claims fewer leaking notes among the unread ones than the calibration shows")
	}
	if !c.hasThreshold(t.Threshold) {
		c.Add(manifestName, "claims a target for another threshold than its parameters have")
	}
}

// hasThreshold reports whether the redaction model is the one classifier with this threshold.
func (c *textChecker) hasThreshold(threshold float64) bool {
	var p struct {
		Steps []struct {
			Threshold float64 `json:"threshold"`
			Hard      bool    `json:"hard"`
			Whole     bool    `json:"whole"`
		} `json:"steps"`
	}
	return json.Unmarshal(c.claims.Parameters, &p) == nil && len(p.Steps) == 1 && p.Steps[0].Threshold == threshold && p.Steps[0].Whole && !p.Steps[0].Hard
}

// says is the claim in words.
func (t *targetClaim) says() []string {
	units, what := "notes", "an identifier"
	if t.Patients {
		units = "patients"
	}
	if len(t.Target.Labels) > 0 {
		what = "an identifier with the label " + strings.Join(t.Target.Labels, " or ")
	}
	out := []string{fmt.Sprintf("target: %s remains in at most %s of the %s, %s sure; %d of %d calibration %s leak, and %d may",
		what, shareWords(t.Target.Share), units, shareWords(t.Target.Sure), t.Leaking, t.Units, units, t.Allowed)}
	if t.Others > 0 {
		out = append(out, fmt.Sprintf("target: at most %d of the %d %s that nobody had read leak", t.OthersLeaking, t.Others, units))
	}
	if t.Partial {
		out = append(out, "target: some of these patients have other notes, which do not count here: with all their notes, more patients leak")
	}
	if t.Void != "" {
		return append(out, "the target is void: "+t.Void)
	}
	return append(out, "a target is a choice of threshold, not a certificate; the calibration notes are not in the release")
}

func shareWords(share float64) string {
	return strconv.FormatFloat(math.Round(share*1e5)/1e3, 'f', -1, 64) + " %"
}

// binomialTail is P(X <= k) for n trials with probability x, from the ratio of neighbouring
// terms, which starts at the logarithm of the first.
func binomialTail(n, k int, x float64) float64 {
	if k >= n {
		return 1
	}
	log, sum := float64(n)*math.Log1p(-x), 0.0
	for j := 0; j <= k; j++ {
		sum += math.Exp(log)
		log += math.Log(float64(n-j)/float64(j+1)) + math.Log(x) - math.Log1p(-x)
	}
	return sum
}

// drawnTail is the probability that the first m+k+1 leaking units in a random order of n
// calibration units and the others hold at most k calibration units: hypergeometric, from the
// ratio of neighbouring terms.
func drawnTail(n, others, k, m int) float64 {
	first, leaking := max(0, m+k+1-others), m+k+1
	choose := func(n, k int) float64 {
		a, _ := math.Lgamma(float64(n) + 1)
		b, _ := math.Lgamma(float64(k) + 1)
		c, _ := math.Lgamma(float64(n-k) + 1)
		return a - b - c
	}
	log, sum := choose(n, first)+choose(others, leaking-first)-choose(n+others, leaking), 0.0
	for j := first; j <= min(k, n); j++ {
		sum += math.Exp(log)
		log += math.Log(float64(n-j)/float64(j+1)) + math.Log(float64(leaking-j)/float64(others-leaking+j+1))
	}
	return sum
}
