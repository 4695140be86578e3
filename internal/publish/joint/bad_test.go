// SPDX-License-Identifier: Apache-2.0

package joint

import (
	"context"
	"errors"
	"strings"
	"testing"

	"hide/internal/annotate"
)

func TestPartitionRefusesWhatCannotBe(t *testing.T) {
	v := paperView(t)
	for name, s := range map[string]Settings{
		"k of 1": {K: 1, Lambda: .5}, "k of 0": {}, "a negative k": {K: -3}, "lambda above 1": {K: 2, Lambda: 1.01}, "a negative lambda": {K: 2, Lambda: -.1},
		"a strategy of none": {K: 2, Strategy: "best"}, "a cut of none": {K: 2, Cut: "best"},
	} {
		if _, err := v.Partition(context.Background(), s); err == nil || errors.Is(err, ErrTooFew) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, s := range []Settings{{K: 7}, {K: 7, Strategy: GDF}, {K: 1 << 40, Strategy: GDF, Published: true}} {
		if _, err := v.Partition(context.Background(), s); !errors.Is(err, ErrTooFew) {
			t.Errorf("k above the number of persons: %v", err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, s := range []Settings{{K: 2, Lambda: .5}, {K: 2, Strategy: GDF}, {K: 2, Strategy: GDF, Published: true}} {
		if _, err := v.Partition(ctx, s); !errors.Is(err, context.Canceled) {
			t.Errorf("a cancelled context: %v", err)
		}
	}
}

func TestNewViewRefusesRowsThatDoNotFit(t *testing.T) {
	c, err := ReadConfig(strings.NewReader(leakConfig))
	if err != nil {
		t.Fatal(err)
	}
	good := func() Row {
		return Row{[]string{"1", "Ulm", "30", "2004-01-17", ""}, []Text{{"Anna Weiß came.", []annotate.Span{{Start: 0, End: 4, Label: "NAME"}}}}}
	}
	for name, c2 := range map[string]struct {
		spoil func(r *Row)
		want  string
	}{
		"a value too few":           {func(r *Row) { r.Values = r.Values[:4] }, "row 2 has 4 values"},
		"a text too many":           {func(r *Row) { r.Texts = append(r.Texts, Text{}) }, "row 2 has 5 values and 2 texts"},
		"no person":                 {func(r *Row) { r.Values[0] = " " }, `row 2 has no "id"`},
		"a word for a number":       {func(r *Row) { r.Values[2] = "Weiss" }, `row 2: column "age"`},
		"a word for a date":         {func(r *Row) { r.Values[3] = "Weiss" }, `row 2: column "seen"`},
		"a term outside the text":   {func(r *Row) { r.Texts[0].Terms[0].End = 99 }, "row 2: sensitive terms: span out of range"},
		"a term of nothing":         {func(r *Row) { r.Texts[0].Terms[0].End = 0 }, "span out of range"},
		"a term that cuts a rune":   {func(r *Row) { r.Texts[0].Terms[0].End = 9 }, "cuts a character"},
		"terms over one another":    {func(r *Row) { r.Texts[0].Terms = append(r.Texts[0].Terms, annotate.Span{Start: 2, End: 5}) }, "overlap"},
		"a term before the text":    {func(r *Row) { r.Texts[0].Terms[0].Start = -1 }, "span out of range"},
		"a term that ends too soon": {func(r *Row) { r.Texts[0].Terms[0].Start = 6 }, "span out of range"},
	} {
		bad := good()
		c2.spoil(&bad)
		if _, err := NewView(context.Background(), c, []Row{good(), bad}); err == nil || !strings.Contains(err.Error(), c2.want) || strings.Contains(err.Error(), "Weiss") {
			t.Errorf("%s: %v, want %q in it", name, err, c2.want)
		}
	}
	if _, err := NewView(context.Background(), c, nil); err == nil {
		t.Error("no rows make a view")
	}
}

// Data that leaves nothing to choose gives one class, and defined losses.
func TestDataWithNothingToCutIsOneClass(t *testing.T) {
	for name, lines := range map[string][]string{
		"no terms and no difference": {"1|Ulm|30|2004-01-17|One.", "2|Ulm|30|2004-01-17|Two.", "3|Ulm|30|2004-01-17|.", "4|Ulm|30|2004-01-17|"},
		"all values missing":         {"1||||One.", "2||||Two.", "3||||Three.", "4||||Four."},
	} {
		v := viewOf(t, leakConfig, lines)
		for _, s := range []Settings{{K: 2, Lambda: 0}, {K: 2, Lambda: .5}, {K: 2, Lambda: 1}, {K: 2, Lambda: .5, Cut: Presence}, {K: 2, Strategy: GDF}, {K: 2, Lambda: .5, Published: true}, {K: 2, Strategy: GDF, Published: true}} {
			p := partition(t, v, s)
			if len(p.Classes) != 1 {
				t.Errorf("%s, %+v: %d classes", name, s, len(p.Classes))
			}
			r := recode(v, p)
			if l := r.Loss(); l.Total != 0 || l.Relational != 0 || l.Textual != 0 || l.WithTerms != 0 {
				t.Errorf("%s, %+v loses %+v", name, s, l)
			}
			if a, x := r.PublishedLoss(); a != 0 || x != 0 {
				t.Errorf("%s, %+v: the program's losses are %g and %g", name, s, a, x)
			}
		}
	}
}

func TestConfigurationWithoutQuasiIdentifiersOrTextsWorks(t *testing.T) {
	for _, config := range []string{
		"attributes:\n  id: {anonymization_type: direct_identifier}\n  text: {type: text, anonymization_type: text}\n",
		"attributes:\n  id: {anonymization_type: direct_identifier}\n",
		"attributes:\n  id: {anonymization_type: direct_identifier}\n  age: {type: numerical, anonymization_type: quasi_identifier}\n",
	} {
		c, err := ReadConfig(strings.NewReader(config))
		if err != nil {
			t.Fatal(err)
		}
		row := func(key string) Row {
			return Row{Values: []string{key, "7"}[:len(c.Attributes)], Texts: make([]Text, len(c.TextAttributes()))}
		}
		v, err := NewView(context.Background(), c, []Row{row("a"), row("b"), row("c")})
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range []Settings{{K: 3, Lambda: .5}, {K: 2, Strategy: GDF}} {
			p := partition(t, v, s)
			if l := recode(v, p).Loss(); len(p.Classes) != 1 || l.Total != 0 {
				t.Errorf("%d classes, loss %g", len(p.Classes), l.Total)
			}
		}
	}
}

func TestRiskRefusesWhatIsNoProbability(t *testing.T) {
	v := paperView(t)
	r := recode(v, partition(t, v, Settings{K: 2, Lambda: .5}))
	for _, e := range []Exposure{{Leak: -1}, {Found: 2}, {Threshold: 1.5}} {
		if _, err := r.Risk(e); err == nil {
			t.Errorf("%+v passes", e)
		}
		if _, err := v.Sweep(context.Background(), SweepOptions{K: []int{2}, Exposure: e}, nil); err == nil {
			t.Errorf("a sweep with %+v passes", e)
		}
	}
}
