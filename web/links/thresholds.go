// SPDX-License-Identifier: Apache-2.0

package links

import (
	"fmt"
	"math"
	"net/http"
	"strconv"
	"strings"

	"hide/internal/chart"
	"hide/internal/project"
	"hide/internal/project/links"
	"hide/web/ui"
)

// thresholdView is the page of the thresholds.
type thresholdView struct {
	frame
	Link, Floor string // as typed
	Now         links.Threshold
	Tried       *links.Threshold // nil if the present thresholds are shown
	Chart       *chart.Weights
	Areas       [3]area
}

// area is a part of the distribution: not linked, to review, linked.
type area struct {
	Name    string
	Pairs   int
	Matches float64 // expected pairs of one person among them
}

// thresholds shows what the thresholds of the address would give, and changes nothing.
func (h *Handlers) thresholds(c ui.Context) error {
	v, err := h.loadThresholds(c, c.QueryParam("link"), c.QueryParam("floor"))
	if err != nil {
		return err
	}
	status := http.StatusOK
	if v.Error != "" {
		status = http.StatusUnprocessableEntity
	}
	return answerThresholds(c, status, v)
}

func answerThresholds(c ui.Context, status int, v thresholdView) error {
	return ui.ShowPageStatus(c, status, v.page("Thresholds of links", nil), thresholdPage(v))
}

func (h *Handlers) loadThresholds(c ui.Context, link, floor string) (v thresholdView, err error) {
	if v.frame, err = h.loadFrame(c, "thresholds"); err != nil || !v.State.Linked {
		return v, err
	}
	f := v.State.Figures
	v.Link, v.Floor = probabilityText(f.Link), probabilityText(f.Floor)
	v.Now = links.Threshold{Link: f.Link, Links: f.Links, False: f.False, Missed: f.Missed, Precision: f.Precision, Recall: f.Recall, Patients: f.Patients}
	at, low := f.Link, f.Floor
	if link != "" || floor != "" {
		v.Link, v.Floor = link, floor
		if at, low, err = readThresholds(link, floor); err == nil {
			var tried links.Threshold
			tried, err = h.projects.TryLinkThreshold(c.Request().Context(), ui.User(c), v.Project.ID, at)
			v.Tried = &tried
		}
		if said := ui.Refused(err); said != nil {
			v.Error, v.Tried, err = said.What+" "+said.Next, nil, nil
			at, low = f.Link, f.Floor
		}
	}
	v.draw(at, low)
	return v, err
}

// draw draws the distribution, cut at the thresholds.
func (v *thresholdView) draw(link, floor float64) {
	var bins []chart.WeightBin
	for _, b := range v.State.Run.Histogram {
		bins = append(bins, chart.WeightBin{Low: b.Low, Pairs: b.Pairs, Matches: b.Matches})
	}
	v.Chart = chart.NewWeights("weights", bins, bits(floor), bits(link))
	v.Areas = areasOf(v.State.Run.Histogram, bits(floor), bits(link))
}

// areasOf divides the pairs at two weights. A bin that has one inside is divided by length.
func areasOf(bins []links.Bin, floor, link float64) [3]area {
	all := [3]area{{Name: "Not linked"}, {Name: "To review"}, {Name: "Linked"}}
	var pairs [3]float64
	for _, b := range bins {
		low, high := float64(b.Low), float64(b.Low+1)
		below, above := min(max(floor-low, 0), 1), min(max(high-link, 0), 1)
		for i, share := range [3]float64{below, 1 - below - above, above} {
			pairs[i] += share * float64(b.Pairs)
			all[i].Matches += share * b.Matches
		}
	}
	for i := range all {
		all[i].Pairs = int(math.Round(pairs[i]))
	}
	return all
}

// setThresholds puts thresholds to use.
func (h *Handlers) setThresholds(c ui.Context) error {
	typed := [2]string{c.FormValue("link"), c.FormValue("floor")}
	link, floor, err := readThresholds(typed[0], typed[1])
	if err == nil {
		err = h.projects.SetLinkThresholds(c.Request().Context(), ui.User(c), ui.ProjectID(c), link, floor)
	}
	if err == nil {
		return back(c, "/thresholds")
	}
	said := ui.Refused(err)
	if said == nil {
		return err
	}
	v, err := h.loadThresholds(c, "", "")
	if err != nil {
		return err
	}
	v.Error, v.Link, v.Floor = said.What+" "+said.Next, typed[0], typed[1]
	return answerThresholds(c, http.StatusUnprocessableEntity, v)
}

func readThresholds(link, floor string) (l, f float64, err error) {
	for _, one := range []struct {
		name, text string
		to         *float64
	}{{"for links", link, &l}, {"for review", floor, &f}} {
		v, err := strconv.ParseFloat(strings.TrimSpace(one.text), 64)
		if err != nil || !(v > 0 && v < 1) {
			return 0, 0, ui.Refuse("The threshold "+one.name+" is not a probability.", "Type a number between 0 and 1, such as 0.95.")
		}
		*one.to = v
	}
	if f > l {
		return 0, 0, project.Invalidf("choose at most the threshold for links", "the threshold for review is above the one for links")
	}
	return l, f, nil
}

// bits is the weight of a probability: log2 of its odds.
func bits(p float64) float64 { return math.Log2(p / (1 - p)) }

// probability is the inverse of [bits].
func probability(weight float64) float64 { return 1 / (1 + math.Exp2(-weight)) }

// probabilityText writes a probability as somebody would type it, exact near 1.
func probabilityText(p float64) string {
	digits := 2
	if 0 < p && p < 1 {
		digits = max(2, 1-int(math.Floor(math.Log10(min(p, 1-p)))))
	}
	return strings.TrimRight(strings.TrimRight(strconv.FormatFloat(p, 'f', digits, 64), "0"), ".")
}

// binWords are the weights of a bin.
func binWords(b links.Bin) string { return fmt.Sprintf("%d to %d", b.Low, b.Low+1) }
