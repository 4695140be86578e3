// SPDX-License-Identifier: Apache-2.0

package dp

import (
	"fmt"

	"hide/internal/chart"
	"hide/internal/project/dp"
	"hide/internal/publish/cube"
	"hide/internal/words"
	"hide/web/publishing"
)

// methodChoices are the ways to publish counts, as the form offers them.
var methodChoices = []publishing.Choice{
	{Value: "", Says: "what should be off least"}, {Value: string(cube.Marginals), Says: methodWords(cube.Marginals)}, {Value: string(cube.Identity), Says: methodWords(cube.Identity)},
	{Value: string(cube.DPCube), Says: methodWords(cube.DPCube)}, {Value: string(cube.Uniform), Says: methodWords(cube.Uniform)},
}

func methodWords(m cube.Method) string {
	switch m {
	case cube.Marginals:
		return "Named tables only"
	case cube.Identity:
		return "Every cell"
	case cube.DPCube:
		return "Blocks of like cells"
	}
	return "One count for all"
}

// methodKnown says where an estimate is from.
func methodKnown(m cube.Method) string {
	if m == cube.Uniform {
		return "from noise alone, if all categories have as many patients, to all patients in one category; only the data could tell"
	}
	if m == cube.DPCube {
		return "up to three times as much or as little: measured on generated tables of such a size"
	}
	return "from the noise, which is all that is wrong with it"
}

func betweenWords(b dp.Between) string {
	return "±" + words.Amount(b.Least) + " to ±" + words.Amount(b.Most)
}

// methodReason says why a way was chosen.
func methodReason(e dp.CubeEstimate) string {
	if len(e.Choices) == 0 || e.Method != e.Choices[0].Method {
		return "that was asked for; others are estimated below."
	}
	switch e.Method {
	case cube.Marginals:
		return "only what will be asked for is counted, so that ε is not spent on sums of many noisy cells."
	case cube.Identity:
		return fmt.Sprintf("%s cells are few enough to count one by one, and then every table can be summed from them.", cellWords(e.Cells))
	}
	return fmt.Sprintf("%s cells are more than so many patients and so much ε can fill: cells that look alike are counted together.", cellWords(e.Cells))
}

// methodBars draws the estimates.
func methodBars(e dp.CubeEstimate) *chart.Bars {
	b := chart.NewBars("ways", "By how many patients counts are off in the mean, by way")
	most := e.Choices[len(e.Choices)-1].Error
	for _, c := range e.Choices {
		b.Add(methodWords(c.Method), "±"+words.Amount(c.Error), chart.BarLength*c.Error/most)
	}
	return b
}
