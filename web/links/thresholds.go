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
	Areas       []area
	Bins        []links.Bin // of the drawing
}

// area is a part of the distribution.
type area struct {
	Name    string
	Pairs   float64 // about
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
	return ui.ShowPageStatus(c, status, v.page("Thresholds of links"), thresholdPage(v))
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
	v.Bins = drawnBins(v.State.Run.Histogram)
	var bins []chart.WeightBin
	for _, b := range v.Bins {
		bins = append(bins, chart.WeightBin(b))
	}
	v.Chart = chart.NewWeights("weights", bins, bits(floor), bits(link))
	v.Areas = areasOf(v.Bins, bits(floor), bits(link))
}

// The weights that are drawn. Pairs with lower and higher ones stand at the ends.
const lowestDrawn, highestDrawn = -16, 24

func drawnBins(all []links.Bin) (out []links.Bin) {
	for _, b := range all {
		b.Low = min(max(b.Low, lowestDrawn), highestDrawn)
		switch last := len(out) - 1; {
		case b.Pairs == 0:
		case last >= 0 && out[last].Low == b.Low:
			out[last].Pairs += b.Pairs
			out[last].Matches += b.Matches
		default:
			out = append(out, b)
		}
	}
	return out
}

// areasOf divides the pairs at the thresholds, in bits. A bin with a threshold inside is divided by
// length.
func areasOf(bins []links.Bin, floor, link float64) (all []area) {
	for _, b := range bins {
		for _, part := range chart.CutBin(b.Low, floor, link) {
			name, share := ui.Capitalized(chart.AreaWords(chart.Area((part[0]+part[1])/2, floor, link))), part[1]-part[0]
			if last := len(all) - 1; last < 0 || all[last].Name != name {
				all = append(all, area{Name: name})
			}
			all[len(all)-1].Pairs += share * float64(b.Pairs)
			all[len(all)-1].Matches += share * b.Matches
		}
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
	if f > min(l, .5) {
		return 0, 0, project.Invalidf("choose at most 0.5, and at most the threshold for links", "the threshold for review is too high")
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
func binWords(b links.Bin) string {
	switch b.Low {
	case lowestDrawn:
		return fmt.Sprintf("less than %d", b.Low+1)
	case highestDrawn:
		return fmt.Sprintf("%d and more", b.Low)
	}
	return fmt.Sprintf("%d to %d", b.Low, b.Low+1)
}
