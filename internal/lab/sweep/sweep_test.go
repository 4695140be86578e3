// SPDX-License-Identifier: Apache-2.0

package sweep_test

import (
	"bytes"
	"encoding/csv"
	"errors"
	"io"
	"strings"
	"testing"

	"hide/internal/lab/sweep"
	"hide/internal/publish/joint"
	"hide/internal/tabular"
)

func point(k int, lambda float64, cut joint.Cut, loss float64) joint.SweepPoint {
	p := joint.SweepPoint{Settings: joint.Settings{K: k, Lambda: lambda, Strategy: joint.Mondrian, Cut: cut}, Relational: loss, Textual: loss / 2, Total: loss, Types: []joint.TypeLoss{{Type: "NAME", Terms: 3, Loss: loss}}}
	p.Cuts[0], p.Cuts[1] = 3, 1
	return p
}

func result() sweep.Result {
	r := sweep.Result{Persons: 6, Rows: 8, Terms: 12}
	for _, k := range []int{2, 5} {
		for _, lambda := range []float64{0, 0.2, 1} {
			for _, cut := range []joint.Cut{joint.Median, joint.Least} {
				r.Points = append(r.Points, point(k, lambda, cut, float64(k)/10+lambda/10))
			}
		}
	}
	return r
}

func TestFilesHaveEveryPointAndEveryFigure(t *testing.T) {
	r := result()
	for _, file := range r.Files() {
		var out bytes.Buffer
		write := file.Write
		if file.Table != nil {
			write = func(w io.Writer) error {
				table := tabular.NewWriter(w)
				return errors.Join(file.Table(table), table.Flush())
			}
		}
		if err := write(&out); err != nil {
			t.Fatal(err)
		}
		switch {
		case strings.HasSuffix(file.Name, ".svg"):
			if !strings.Contains(out.String(), `class="marker"`) {
				t.Errorf("%s has no points", file.Name)
			}
		case strings.HasSuffix(file.Name, ".csv"):
			rows, err := csv.NewReader(&out).ReadAll()
			if err != nil || len(rows) != 1+len(r.Points) {
				t.Errorf("%s: %d rows, %v", file.Name, len(rows), err)
			}
		}
	}
}

func TestTheBestSettingIsNamed(t *testing.T) {
	r := result()
	var none, some strings.Builder
	r.Write(&none)
	r.Best = &r.Points[0]
	r.Write(&some)
	if !strings.Contains(none.String(), "no setting keeps the risk") || !strings.Contains(some.String(), "least loss with the risk of every person within the threshold: k 2, lambda 0, mondrian, median, NCP 0.2000") {
		t.Errorf("%s\n%s", none.String(), some.String())
	}
}

func TestRiskIsDrawnFromTheGreatest(t *testing.T) {
	var out strings.Builder
	if err := sweep.DrawRisk(&out, joint.Risk{Persons: []joint.PersonRisk{{Joint: .5, Table: .5, Text: 1}, {Joint: .25, Table: .5, Text: .5}}}); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), "2 persons") || strings.Count(out.String(), `class="series`) != 3 {
		t.Error("the drawing lacks persons or lines")
	}
}
