// SPDX-License-Identifier: Apache-2.0

package web

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"hide/internal/annotate"
	"hide/internal/greedy"
	"hide/internal/project"
)

// Limits of what may be asked of a run.
const (
	mostLCs  = 20
	greatest = 1e6
	mostFold = 20
)

// readSanitizeForm is what was sent, kept for showing it again.
func readSanitizeForm(v url.Values, all annotate.LabelSet) sanitizeForm {
	f := sanitizeForm{Mode: greedy.Mode(v.Get("mode")), LC: v.Get("lc"), Folds: v.Get("folds"), Labels: []annotate.Label{}}
	for _, l := range all {
		if slices.Contains(v["label"], string(l.Label)) {
			f.Labels = append(f.Labels, l.Label)
		}
	}
	return f
}

// params checks the form. Its errors are for the person who filled it in.
func (f sanitizeForm) params(all annotate.LabelSet) (project.SanitizeParams, error) {
	if f.Mode != greedy.Default && f.Mode != greedy.Paper {
		return project.SanitizeParams{}, errors.New("choose how to measure")
	}
	lcs, err := readLCs(f.LC)
	if err != nil {
		return project.SanitizeParams{}, err
	}
	folds, err := strconv.Atoi(strings.TrimSpace(f.Folds))
	if err != nil || folds < 2 || folds > mostFold {
		return project.SanitizeParams{}, fmt.Errorf("folds must be a whole number from 2 to %d", mostFold)
	}
	if len(f.Labels) == 0 {
		return project.SanitizeParams{}, errors.New("choose at least one kind of sensitive text")
	}
	p := project.SanitizeParams{Mode: f.Mode, LC: lcs, Folds: folds, Labels: f.Labels}
	if len(f.Labels) == len(all) {
		p.Labels = nil
	}
	return p, nil
}

// readLCs reads "1, 2, 5": numbers above 0, commas or blanks between. They come
// back ascending, each once.
func readLCs(s string) ([]float64, error) {
	words := strings.FieldsFunc(s, func(r rune) bool { return r == ',' || r == ';' || r == ' ' || r == '\t' || r == '\n' || r == '\r' })
	if len(words) == 0 {
		return nil, errors.New("give at least one L/C")
	}
	var out []float64
	for i, w := range words {
		lc, err := strconv.ParseFloat(w, 64)
		if err != nil || !(lc > 0) || lc > greatest {
			return nil, fmt.Errorf("L/C number %d is not a number above 0 and up to 1,000,000", i+1)
		}
		out = append(out, lc)
	}
	slices.Sort(out)
	if out = slices.Compact(out); len(out) > mostLCs {
		return nil, fmt.Errorf("at most %d values of L/C at once", mostLCs)
	}
	return out, nil
}
