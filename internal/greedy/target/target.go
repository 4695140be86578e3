// SPDX-License-Identifier: Apache-2.0

// Package target chooses the threshold of a detector for a target: "an identifier remains
// in at most 5 % of the notes, 95 % sure".
//
// Part of a random sample is set aside. No learner, fold or threshold reads it before the
// choice. The detector, trained on the other notes, scores every token of it. A unit, which
// is a note or a patient, leaks at a threshold t if one of its identifiers has a token with
// a score below t. A lower threshold redacts everything that a higher one redacts, so the
// thresholds are tried from the most cautious up, while an exact binomial test rejects
// "more than the target leaks" (Angelopoulos et al. 2021, Learn then Test, fixed sequence).
//
//	plan, err := target.NewPlan(units, t)          // how many are set aside, or how many are missing
//	aside := target.Draw(names, plan.Aside, mac)   // which
//	least := target.Least(notes, scores, t)        // where each note begins to leak
//	choice, err := target.Choose(least, false, others, t)
//
// # Caveats
//
// The promise is about units like the calibration units, so it is void when the notes to be
// published differ. It holds for one choice: who tries several runs on the same calibration
// notes and takes the best has a weaker promise. It is a choice of threshold and never a
// certificate: nobody has read what is published.
//
// The package does no I/O and has no state; equal inputs give equal results.
package target

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"hide/internal/annotate"
)

// LeastShare is the smallest share that a target can ask for. Some 300,000 clean units show it
// at 95 %.
const LeastShare = 1e-5

// Target is the requested share of leaking notes.
type Target struct {
	Share  float64          `json:"share"`            // at most this share of the units may leak, from LeastShare to below 1
	Sure   float64          `json:"sure"`             // with this confidence, from .5 to below 1
	Labels []annotate.Label `json:"labels,omitempty"` // identifiers that count; nil: every sensitive label
}

// Check refuses an invalid target.
func (t Target) Check() error {
	if !(t.Share >= LeastShare && t.Share < 1) {
		return fmt.Errorf("the target must be at least %s and below 100 %% of the notes", percent(LeastShare))
	}
	if !(t.Sure >= 0.5 && t.Sure < 1) {
		return errors.New("the confidence must be at least 50 % and below 100 %")
	}
	return nil
}

// risk is the probability with which the promise may fail.
func (t Target) risk() float64 { return 1 - t.Sure }

// percent writes a share with at most three digits that matter.
func percent(share float64) string {
	return strconv.FormatFloat(float64(int64(share*1e5+0.5))/1e3, 'f', -1, 64) + " %"
}

// atLeast writes a share rounded up to one hundredth of a per cent, so that it can be used
// as a target.
func atLeast(share float64) string {
	return strconv.FormatFloat(math.Ceil(share*1e4)/100, 'f', -1, 64) + " %"
}

// units names notes or patients.
func units(patients bool) string {
	if patients {
		return "patients"
	}
	return "notes"
}

// what names the identifiers that count.
func (t Target) what() string {
	if t.Labels == nil {
		return "an identifier"
	}
	names := make([]string, len(t.Labels))
	for i, l := range t.Labels {
		names[i] = string(l)
	}
	return "an identifier with the label " + strings.Join(names, " or ")
}

// Words states the target: "an identifier remains in at most 5 % of the notes (95 % sure)".
func (t Target) Words(patients bool) string {
	return fmt.Sprintf("%s remains in at most %s of the %s (%s sure)", t.what(), percent(t.Share), units(patients), percent(t.Sure))
}

// Counts reports whether a token with this label counts.
func (t Target) Counts(l annotate.Label) bool { return t.Labels == nil || slices.Contains(t.Labels, l) }

// Plan says what is set aside before training.
type Plan struct {
	Units    int     `json:"units"`    // in the random sample
	Aside    int     `json:"aside"`    // of these, set aside for calibration
	Most     int     `json:"most"`     // that may be set aside
	Need     int     `json:"need"`     // for the target, if no unit leaks
	Smallest float64 `json:"smallest"` // share possible with Most units, if none leaks
	Patients bool    `json:"patients"` // units are patients, otherwise notes
}

// NewPlan sets aside half of the units of a random sample, more if the target needs more,
// and two thirds at most: the others train. The error is a [*TooFew] if that is too few.
func NewPlan(sample int, patients bool, t Target) (Plan, error) {
	if err := t.Check(); err != nil {
		return Plan{}, err
	}
	p := Plan{Units: sample, Most: 2 * sample / 3, Need: Need(t.Share, t.risk()), Patients: patients}
	p.Smallest = Smallest(p.Most, t.risk())
	if p.Need > p.Most {
		return p, &TooFew{p, t}
	}
	p.Aside = min(max(p.Need, (sample+1)/2), p.Most)
	return p, nil
}

// Words states how many units are set aside and what they can show.
func (p Plan) Words(t Target) string {
	return fmt.Sprintf("%d %s without a leak are needed for %s at %s. %d of the %d in the random sample are set aside for calibration, and nothing is trained on them. The smallest target possible with them is %s.",
		p.Need, units(p.Patients), percent(t.Share), percent(t.Sure), p.Aside, p.Units, atLeast(Smallest(p.Aside, t.risk())))
}

// Before states, before anybody asks for a target, what targets need and what there is.
func (p Plan) Before() string {
	says := fmt.Sprintf("%d %s without a leak are needed for 5 %% at 95 %%, and %d for 1 %%. The random sample has %d finished", Need(0.05, 0.05), units(p.Patients), Need(0.01, 0.05), p.Units)
	if p.Most == 0 {
		return says + ": none can be set aside."
	}
	return says + fmt.Sprintf(": %d can be set aside, and the smallest target possible at 95 %% is %s.", p.Most, atLeast(Smallest(p.Most, 0.05)))
}

// TooFew says that the random sample is too small for the target.
type TooFew struct {
	Plan   Plan
	Target Target
}

func (e *TooFew) Error() string {
	return fmt.Sprintf("%d %s without a leak are needed for a target of %s at %s; of the %d in the random sample %d can be set aside",
		e.Plan.Need, units(e.Plan.Patients), percent(e.Target.Share), percent(e.Target.Sure), e.Plan.Units, e.Plan.Most)
}

// Hint says what to do.
func (e *TooFew) Hint() string {
	missing := (3*e.Plan.Need+1)/2 - e.Plan.Units
	says := fmt.Sprintf("finish %d more %s of the random sample", missing, units(e.Plan.Patients))
	if e.Plan.Smallest < 1 {
		says += fmt.Sprintf(", or ask for %s, the smallest target possible now", atLeast(e.Plan.Smallest))
	}
	return says
}

// Draw chooses n of the units by the order of their keyed hashes, which nobody without the
// key can foresee. A unit keeps its place when others are added. Names must be distinct.
func Draw(names []string, n int, mac func([]byte) []byte) map[string]bool {
	type placed struct{ at, name string }
	order := make([]placed, len(names))
	for i, name := range names {
		order[i] = placed{string(mac([]byte("calibration unit " + name))), name}
	}
	slices.SortFunc(order, func(a, b placed) int { return strings.Compare(a.at+a.name, b.at+b.name) })
	drawn := map[string]bool{}
	for _, u := range order[:min(n, len(order))] {
		drawn[u.name] = true
	}
	return drawn
}
