// SPDX-License-Identifier: Apache-2.0

package tables

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/a-h/templ"

	"hide/internal/project"
	"hide/internal/project/audit"
	"hide/internal/project/release"
	"hide/internal/project/sanitize"
	"hide/internal/publish/idview"
	"hide/internal/publish/joint"
	"hide/internal/publish/table"
	"hide/internal/words"
	"hide/web/publishing"
	"hide/web/ui"
)

// jointView is everything the page of notes with fields shows.
type jointView struct {
	Released    publishing.View // notes with fields
	Project     project.Overview
	Identifiers release.Identifiers
	Preview     release.JointPreview
	Earlier     release.Earlier
	Counted     release.Counted
	Open        audit.OpenFindings // that would be published
	Bundles     []sanitize.Bundle  // newest first
	Point       *joint.SweepPoint  // that is shown, nil without any
	Risk        joint.Risk         // of Point
	Refused     string             // why nothing was published
	form        jointForm
	at          jointAt
}

// nothingFinished reports whether there is nothing to preview.
func (v jointView) nothingFinished() bool {
	return v.Project.Done == 0 && len(v.Preview.Points) == 0
}

// known is at with a bundle that exists: the newest unless at names another.
func (v jointView) known(at jointAt) jointAt {
	if !slices.ContainsFunc(v.Bundles, func(b sanitize.Bundle) bool { return b.Number == at.Bundle }) {
		at.Bundle = 0
		if len(v.Bundles) > 0 {
			at.Bundle = v.Bundles[0].Number
		}
	}
	return at
}

// tooLargeWords say which k were not computed because there are too few patients.
func tooLargeWords(p release.JointPreview) string {
	var large []string
	for _, k := range p.Settings.Ks {
		if k > p.People && len(p.Points) > 0 {
			large = append(large, strconv.Itoa(k))
		}
	}
	if len(large) == 0 {
		return ""
	}
	return fmt.Sprintf("Not computed: k = %s. Only %s finished notes.", ui.Listed(large), ui.Count(p.People, "patient has", "patients have"))
}

// bundleChoices are the redaction models whose estimate of missed PHI can be used.
func (v jointView) bundleChoices() []publishing.Choice {
	var all []publishing.Choice
	for _, b := range v.Bundles {
		all = append(all, publishing.Choice{Value: strconv.Itoa(b.Number), Says: fmt.Sprintf("redaction model %d: run %d, L/C %s", b.Number, b.Run, ui.Ratio(b.LC))})
	}
	return all
}

// choose finds the point that is asked for, else the one with the least loss among those
// where nobody is above the threshold, else the one with the least loss of a usual k.
func (v *jointView) choose() {
	for i, p := range v.Preview.Points {
		if p.K == v.at.K && byOf(p) == v.at.By {
			v.Point = &v.Preview.Points[i]
		}
	}
	if v.Point == nil {
		v.Point = v.best()
	}
	if v.Point != nil {
		v.at.K, v.at.By = v.Point.K, byOf(*v.Point)
		v.Risk = v.exposure().Of(v.Point.Alike)
	}
}

func (v jointView) best() *joint.SweepPoint {
	var best *joint.SweepPoint
	rank := func(p joint.SweepPoint) (worse int, loss float64) {
		if v.exposure().Of(p.Alike).OverLimits > 0 {
			worse++
		}
		if p.K < usualK {
			worse++
		}
		return worse, p.Total
	}
	for i, p := range v.Preview.Points {
		if best == nil {
			best = &v.Preview.Points[i]
			continue
		}
		worse, loss := rank(p)
		than, most := rank(*best)
		if worse < than || worse == than && loss < most {
			best = &v.Preview.Points[i]
		}
	}
	return best
}

// byOf is how a point is found, as an address has it.
func byOf(p joint.SweepPoint) string {
	if p.Strategy == joint.GDF {
		return byGDF
	}
	return ui.TypedNumber(p.Lambda)
}

// byWords names how a point is found.
func byWords(by string) string {
	if by == byGDF {
		return "GDF (most shared terms first)"
	}
	return "λ " + by
}

// exposure is what risks are computed with.
func (v jointView) exposure() joint.Exposure {
	e := joint.Exposure{Found: v.at.Found, Threshold: v.at.Threshold}
	if v.Preview.Leak != nil {
		e.Leak = v.Preview.Leak.Leak
	}
	return e
}

// choice is the setting that is shown, as the release takes it.
func (v jointView) choice() release.JointChoice {
	return release.JointChoice{
		Strategy: v.Point.Strategy, K: v.Point.K, Lambda: v.Point.Lambda, Cut: v.Preview.Settings.Cut, Known: v.Preview.Settings.Known, Own: v.Preview.Settings.Own,
		Found: v.at.Found, Bundle: v.at.Bundle, Threshold: v.at.Threshold,
	}
}

// warnings are those that a release with this setting would have.
func (v jointView) warnings() []string {
	r := joint.Report{Persons: v.Preview.People, Classes: v.Point.Classes, Mentions: v.Point.Mentions, Differ: v.Point.Differ, Risk: v.Risk}
	for _, f := range v.Preview.Fields {
		if f.Role != table.Quasi {
			r.AsTheyAre = append(r.AsTheyAre, f.Name)
		}
	}
	warnings := r.Warnings()
	if n := v.Preview.Elsewhere; n > 0 {
		warnings = append(warnings, fmt.Sprintf("of %s, the words of up to %s occur again in notes of the same patient, where nobody marked them; they can be read there although the marked place is suppressed", ui.Count(v.Point.Mentions.Places, "sensitive place", "sensitive places"), ui.Number(n)))
	}
	return warnings
}

// url is the page that shows another setting.
func (v jointView) url(k int, by string) templ.SafeURL {
	at := v.at
	at.K, at.By = k, by
	return jointURL(v.Project.ID) + templ.SafeURL("?"+at.query().Encode()+"#look")
}

// ks are the k that were computed, ascending.
func (v jointView) ks() []int {
	var ks []int
	for _, p := range v.Preview.Points {
		if !slices.Contains(ks, p.K) {
			ks = append(ks, p.K)
		}
	}
	return ks
}

// bys are the methods that were computed, as choices of a select.
func (v jointView) bys() []publishing.Choice {
	var all []publishing.Choice
	for _, p := range v.Preview.Points {
		if by := (publishing.Choice{Value: byOf(p), Says: byWords(byOf(p))}); !slices.Contains(all, by) {
			all = append(all, by)
		}
	}
	return all
}

func (v jointView) kChoices() []publishing.Choice {
	var all []publishing.Choice
	for _, k := range v.ks() {
		all = append(all, publishing.Choice{Value: strconv.Itoa(k), Says: "k = " + strconv.Itoa(k)})
	}
	return all
}

// where gives the points that satisfy wanted.
func (v jointView) where(wanted func(joint.SweepPoint) bool) []joint.SweepPoint {
	return slices.DeleteFunc(slices.Clone(v.Preview.Points), func(p joint.SweepPoint) bool { return !wanted(p) })
}

// ofK are the points of the k that is shown.
func (v jointView) ofK() []joint.SweepPoint {
	return v.where(func(p joint.SweepPoint) bool { return p.K == v.at.K })
}

// ofBy are the points of the method that is shown.
func (v jointView) ofBy() []joint.SweepPoint {
	return v.where(func(p joint.SweepPoint) bool { return byOf(p) == v.at.By })
}

// rival is the best point of the other method at the k that is shown, for comparison:
// GDF beside Mondrian, Mondrian beside GDF. It is nil if the other was not computed.
func (v jointView) rival() *joint.SweepPoint {
	var best *joint.SweepPoint
	for _, p := range v.ofK() {
		if (p.Strategy == joint.GDF) != (v.at.By == byGDF) && (best == nil || p.Total < best.Total) {
			best = &p
		}
	}
	return best
}

// fields are those with a role.
func (v jointView) fields(role table.Role) []string {
	var names []string
	for _, a := range v.Identifiers.Attributes {
		if a.Source == idview.Field && a.Role == role {
			names = append(names, a.Name)
		}
	}
	return names
}

// share is the progress of a preview.
func (v jointView) share() string {
	return ui.ProgressValue(float64(v.Preview.Done) / float64(max(1, v.Preview.All)))
}

// noteLeakWords say where the risk through the notes comes from.
func noteLeakWords(l *release.TextLeak) string {
	from := fmt.Sprintf("Redaction model %d (run %d, L/C %s)", l.Bundle, l.Run, ui.Ratio(l.LC))
	if l.Bundle == 0 {
		from = fmt.Sprintf("No redaction model is chosen yet. The one of run %d with L/C %s, which misses most,", l.Run, ui.Ratio(l.LC))
	}
	return fmt.Sprintf("%s is expected to miss a sensitive term in %s of the notes (95 %% interval %s to %s, from %s). "+
		"The joint risk assumes the same for these notes. People have read them, so the real risk is probably lower.",
		from, words.Percent(l.Leak), words.Percent(l.Low), words.Percent(l.High), ui.Count(l.Documents, "note", "notes"))
}

// jointLeft says how many patients and terms the release has, and what was done to the
// terms.
func jointLeft(r joint.Report) string {
	m := r.Mentions
	return fmt.Sprintf("%s in %s of %s to %s. Of %s with a sensitive term, %s were kept, %s were generalized like their field and %s were replaced by their type.",
		ui.Count(r.Persons, "patient", "patients"), ui.Count(r.Classes.Count, "class", "classes"), ui.Number(r.Classes.Least), ui.Number(r.Classes.Most),
		ui.Count(m.Places, "place", "places"), ui.Number(m.Kept), ui.Number(m.Recoded), ui.Number(m.Suppressed))
}

// main is the main action of the page: what audits found comes before publishing.
func (v jointView) main() publishing.Main {
	if v.Open.Found > 0 {
		return publishing.MainElsewhere
	}
	return publishing.MainPublish
}
