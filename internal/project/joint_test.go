// SPDX-License-Identifier: Apache-2.0

package project

import (
	"context"
	"math"
	"slices"
	"testing"

	"hide/internal/publish/idview"
	"hide/internal/publish/joint"
	"hide/internal/publish/table"
)

func TestAJointPreviewWeighsTwoLosses(t *testing.T) {
	b := newBench(t)
	id := b.project(cohort(24), true)
	b.role(id, idview.Attribute{Key: idview.Key{Source: idview.Field, Name: "diagnosis"}, Role: table.Quasi, Kind: table.Nominal})
	set := JointSettings{Ks: []int{2, 6, 25}, Lambdas: []float64{0, .5, 1}, Exposure: joint.Exposure{Leak: .1, Found: .5, Threshold: .5}}
	p, err := b.JointPreview(t.Context(), broker, id, set)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Contains(p.Fields, "sex") || !slices.Contains(p.Fields, "diagnosis") || p.People != 24 || p.Notes != 48 || p.Unfinished != 0 || p.Terms == 0 {
		t.Fatalf("%+v", p)
	}
	if len(p.Points) != 2*(1+3) {
		t.Fatalf("%d points, want GDF and three lambdas for k of 2 and 6", len(p.Points))
	}
	for _, one := range p.Points {
		if one.Published || one.Classes.Least < one.K || one.Relational < 0 || one.Relational > 1 || one.Textual < 0 || one.Textual > 1 {
			t.Errorf("%+v", one)
		}
		if want := 1 - (1-1/float64(one.Classes.Least))*.95*.95; math.Abs(one.MaxRisk-want) > 1e-12 {
			t.Errorf("k %d: the greatest risk is %g, want %g", one.K, one.MaxRisk, want)
		}
	}
	if p.Best == nil || p.Best.MaxRisk > .5 {
		t.Errorf("the best is %+v", p.Best)
	}
	again, err := b.JointPreview(t.Context(), broker, id, set)
	if err != nil || len(again.Points) != len(p.Points) || again.Points[3].Total != p.Points[3].Total {
		t.Errorf("the same preview is another: %v", err)
	}
}

func TestAJointPreviewThatCannotBeIsRefused(t *testing.T) {
	b := newBench(t)
	id := b.project(cohort(3), true)
	good := JointSettings{Ks: []int{2}, Lambdas: []float64{.5}}
	for name, spoil := range map[string]func(*JointSettings){
		"no k":             func(s *JointSettings) { s.Ks = nil },
		"a k of one":       func(s *JointSettings) { s.Ks = []int{1} },
		"no lambda":        func(s *JointSettings) { s.Lambdas = nil },
		"lambda above one": func(s *JointSettings) { s.Lambdas = []float64{1.1} },
		"lambda of none":   func(s *JointSettings) { s.Lambdas = []float64{math.NaN()} },
		"a cut of none":    func(s *JointSettings) { s.Cut = "best" },
		"a risk of two":    func(s *JointSettings) { s.Exposure.Leak = 2 },
	} {
		set := good
		spoil(&set)
		if _, err := b.JointPreview(t.Context(), broker, id, set); KindOf(err) != Invalid {
			t.Errorf("%s: %v", name, err)
		}
	}
	other := newBench(t)
	if _, err := other.JointPreview(t.Context(), broker, other.project(cohort(3), false), good); KindOf(err) != Invalid {
		t.Errorf("no finished notes: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := b.JointPreview(ctx, broker, id, good); err == nil {
		t.Error("a cancelled preview is done")
	}
	if _, err := b.JointPreview(t.Context(), annotator, id, good); KindOf(err) != Forbidden {
		t.Errorf("an annotator sees it: %v", err)
	}
}
