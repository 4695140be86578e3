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

// methodChoices are the methods that the form offers.
var methodChoices = []publishing.Choice{
	{Value: "", Says: "recommended: smallest expected error"}, {Value: string(cube.Marginals), Says: methodWords(cube.Marginals)}, {Value: string(cube.Identity), Says: methodWords(cube.Identity)},
	{Value: string(cube.DPCube), Says: methodWords(cube.DPCube)}, {Value: string(cube.Uniform), Says: methodWords(cube.Uniform)},
}

func methodWords(m cube.Method) string {
	switch m {
	case cube.Marginals:
		return "Named tables only"
	case cube.Identity:
		return "Every cell"
	case cube.DPCube:
		return "Blocks of similar cells"
	}
	return "Total only"
}

// methodKnown is the basis of an estimate.
func methodKnown(m cube.Method) string {
	if m == cube.Uniform {
		return "from the noise alone, if all categories have the same number of patients, up to all patients in one category; only the data could tell"
	}
	if m == cube.DPCube {
		return "measured on generated tables of similar size, within a factor of three"
	}
	return "computed from the noise, which is the only error"
}

func betweenWords(b dp.Between) string {
	return "±" + words.Amount(b.Least) + " to ±" + words.Amount(b.Most)
}

// methodReason says why a method was chosen.
func methodReason(e dp.CubeEstimate) string {
	if len(e.Choices) == 0 || e.Method != e.Choices[0].Method {
		return "your choice; the other methods are estimated below."
	}
	switch e.Method {
	case cube.Marginals:
		return "only the tables that are needed are counted, so no error adds up over many noisy cells."
	case cube.Identity:
		return fmt.Sprintf("%s cells are few enough to be counted one by one, and every table can be summed from them.", cellWords(e.Cells))
	}
	return fmt.Sprintf("%s cells are too many for this number of patients and this ε: similar cells are counted together.", cellWords(e.Cells))
}

// methodBars draws the estimates.
func methodBars(e dp.CubeEstimate) *chart.Bars {
	b := chart.NewBars("ways", "Expected error of a count, in patients, by method")
	most := e.Choices[len(e.Choices)-1].Error
	for _, c := range e.Choices {
		b.Add(methodWords(c.Method), "±"+words.Amount(c.Error), chart.BarLength*c.Error/most)
	}
	return b
}
