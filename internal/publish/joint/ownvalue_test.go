// SPDX-License-Identifier: Apache-2.0

package joint

import (
	"context"
	"slices"
	"strings"
	"testing"
)

// ownConfig lists no entities: what a note says of these attributes has no type.
const ownConfig = `
entities: {native: [PERSON]}
attributes:
  id: {anonymization_type: direct_identifier}
  zip: {type: nominal, anonymization_type: quasi_identifier}
  seen: {type: date, anonymization_type: quasi_identifier}
  age: {type: numerical, anonymization_type: quasi_identifier}
  city: {type: nominal, anonymization_type: quasi_identifier}
  sex: {type: nominal, anonymization_type: quasi_identifier}
  text: {type: text, anonymization_type: text}
`

func ownRows(text string) []Row {
	return []Row{
		{[]string{"1", "12345", "2020-02-17", "36", "Bad Ems", "male", ""}, []Text{{Text: text}}},
		{[]string{"2", "12399", "2021-04-18", "39", "Ulm", "male", ""}, []Text{{Text: "Nothing."}}},
	}
}

// reportOwn makes one class of both rows and gives its report and what became of the
// first text.
func reportOwn(t *testing.T, own bool, text string) (Report, string) {
	t.Helper()
	c, err := ReadConfig(strings.NewReader(ownConfig))
	if err != nil {
		t.Fatal(err)
	}
	c.OwnValues = own
	rows := ownRows(text)
	findKnown(c, rows)
	v, err := NewView(context.Background(), c, rows)
	if err != nil {
		t.Fatal(err)
	}
	p := Partition{Classes: [][]int{v.everybody()}}
	r := recode(v, p)
	report, err := r.Report(context.Background(), Settings{K: 2, Lambda: 0.5}, p, Exposure{})
	if err != nil {
		t.Fatal(err)
	}
	out, _ := r.Rewrite(0, 0, 0)
	return report, out
}

// TestANoteThatUndoesTheTableIsWarnedAboutAndCanBeMended: the table says 123** and a
// range of dates, and the note the zip code and the month. What the table says too,
// what is another's, and short numbers without a word beside are no matter.
func TestANoteThatUndoesTheTableIsWarnedAboutAndCanBeMended(t *testing.T) {
	for _, c := range []struct {
		text, mended string
		want         []OwnValues
	}{
		{"Seen 2020-02 at 12345.", "Seen [IDENTIFIER] at [IDENTIFIER].", []OwnValues{{"zip", 1, 1}, {"seen", 1, 1}}},
		{"From bad ems, Bad Ems.", "From [IDENTIFIER], [IDENTIFIER].", []OwnValues{{"city", 2, 1}}},
		{"36-year-old, took 36 mg.", "[IDENTIFIER], took 36 mg.", []OwnValues{{"age", 1, 1}}},
		{"In 12399, Ulm, 2021-04, 39-year-old, 123 in 2020.", "In 12399, Ulm, 2021-04, 39-year-old, 123 in 2020.", nil},
	} {
		report, as := reportOwn(t, false, c.text)
		if !slices.Equal(report.OwnValues, c.want) || as != c.text {
			t.Errorf("%q: %+v, want %+v; published as %q", c.text, report.OwnValues, c.want, as)
		}
		words := strings.Join(report.Warnings(), "\n")
		for _, own := range c.want {
			if !strings.Contains(words, `own "`+own.Attribute+`"`) {
				t.Errorf("%q: no warning of %s in %q", c.text, own.Attribute, words)
			}
		}
		report, as = reportOwn(t, true, c.text)
		if as != c.mended || len(report.OwnValues) > 0 {
			t.Errorf("%q: published as %q, want %q; still %+v", c.text, as, c.mended, report.OwnValues)
		}
	}
}

// TestWhatTheTableSaysTooIsNoMatter: all of the class are male, and the table says so.
func TestWhatTheTableSaysTooIsNoMatter(t *testing.T) {
	if report, _ := reportOwn(t, false, "A male."); len(report.OwnValues) > 0 {
		t.Errorf("%+v", report.OwnValues)
	}
}

func TestOwnValuesIsReadFromTheConfiguration(t *testing.T) {
	c, err := ReadConfig(strings.NewReader("parameters: {own_values: true}\n" + strings.TrimPrefix(ownConfig, "\n")))
	if err != nil || !c.OwnValues {
		t.Errorf("%v, %v", c.OwnValues, err)
	}
}
