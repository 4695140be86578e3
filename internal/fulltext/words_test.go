// SPDX-License-Identifier: Apache-2.0

package fulltext_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"hide/internal/fulltext"
)

func wordsOf(text string) (all []string) {
	fulltext.Words(text, func(folded []byte, _, _ int) { all = append(all, string(folded)) })
	return all
}

func TestWords(t *testing.T) {
	for text, want := range map[string]string{
		"":                              "",
		" .,–\n":                        "",
		"Mrs. Anna MÜLLER-Weiß":         "mrs anna muller weiss",
		"Mu\u0308ller, Łódź":            "muller lodz",
		"O'Brien's O’Brien":             "o brien s o brien",
		"12/03 98.6°F 5mg B12":          "12 03 98 6 f 5mg b12",
		"user_name@st-mary.org":         "user name st mary org",
		"يוסי и Жуков":                  "י" + "" + "",
		"王小明 and ﬁne":                   "王 小 明 and fine",
		"Mül\u00adler\u200b A\u2060nna": "muller anna",
		"\u00ad\ufeff \u200dx":          "x",
		"\xff\xfebad \xffbytes":         "bad bytes",
		strings.Repeat("Ab", 100):       strings.Repeat("ab", 32),
	} {
		if strings.Contains(text, "Жуков") {
			want = strings.Join(wordsOf("يוסי"), " ") + " и жуков"
		}
		if got := strings.Join(wordsOf(text), " "); got != want {
			t.Errorf("%q: words %q, want %q", text, got, want)
		}
	}
}

func TestParse(t *testing.T) {
	for typed, want := range map[string]string{
		"":                        "[]",
		`""" *`:                   "[]",
		"Anna Müller anna":        "[{[anna] false} {[muller] false}]",
		`"Anna Müller" Ulm`:       "[{[anna muller] false} {[ulm] false}]",
		`„Anna Müller“ mill*`:     "[{[anna muller] false} {[mill] true}]",
		"12/03":                   "[{[12 03] false}]",
		`"Rose Str*`:              "[{[rose str] true}]",
		"Muller muller* müller *": "[{[muller] false} {[muller] true}]",
	} {
		if got := fmt.Sprint(fulltext.Parse(typed).Terms); got != want {
			t.Errorf("%q: %s, want %s", typed, got, want)
		}
	}
	if q := fulltext.Parse("a b/c"); q.Len() != 3 || !q.Ordered() || fulltext.Parse("a b").Ordered() {
		t.Errorf("%+v has %d words, ordered %v", q, q.Len(), q.Ordered())
	}
}

// TestFind marks the places in the text with brackets.
func TestFind(t *testing.T) {
	const text = "Mrs. O’Brien-Weiß came on 12/03/2019. O brien, weiss; 12 03."
	for typed, want := range map[string]string{
		"weiss":        "true Weiß weiss",
		"O'BRIEN":      "true O’Brien O brien",
		"12/03":        "true 12/03 12 03",
		`"came 12"`:    "false",
		"weiss nobody": "false Weiß weiss",
		"brie* 2019":   "true Brien brien 2019",
		`"weiss ca*"`:  "true Weiß came",
		"wei":          "false",
	} {
		q := fulltext.Parse(typed)
		places, all := q.Find(text)
		got := fmt.Sprint(all)
		for _, p := range places {
			got += " " + text[p.Start:p.End]
		}
		if got != want {
			t.Errorf("%s: %s, want %s", typed, got, want)
		}
	}
}

func TestPassage(t *testing.T) {
	filler := strings.Repeat("nothing of note ", 40)
	text := "Weiss.\n" + filler + "Dr. Anna Weiss of Ulm " + filler + "Ulm"
	for typed, want := range map[string]string{
		"weiss ulm":      "…of note Dr. Anna [Weiss] of [Ulm] nothing of note nothing of note nothing of note…",
		"dr":             "…nothing of note [Dr]. Anna Weiss of Ulm nothing of note nothing of note nothing…",
		"nobody":         "",
		`"dr anna" anna`: "…nothing of note [Dr. Anna] Weiss of Ulm nothing of note nothing of note nothing…",
	} {
		passage := fulltext.Parse(typed).Passage(text, 80)
		got := ""
		for _, p := range passage.Parts {
			if p.Match {
				p.Text = "[" + p.Text + "]"
			}
			got += p.Text
		}
		if passage.CutBefore {
			got = "…" + got
		}
		if passage.CutAfter {
			got += "…"
		}
		if got != want {
			t.Errorf("%s: %q, want %q", typed, got, want)
		}
	}
}

func FuzzPassage(f *testing.F) {
	f.Add("Mrs. O’Brien-Weiß came on 12/03/2019.", `"o brien" 12/03 wei*`, uint(30))
	f.Add("王小明\xff", "小明", uint(1))
	f.Fuzz(func(t *testing.T, text, typed string, width uint) {
		last := 0
		fulltext.Words(text, func(folded []byte, start, end int) {
			if start < last || end <= start || end > len(text) || len(folded) == 0 || len(folded) > 64 {
				t.Fatalf("word %d-%d after %d, %d bytes folded", start, end, last, len(folded))
			}
			last = end
		})
		q := fulltext.Parse(typed)
		passage := q.Passage(text, int(width%500))
		whole, marked := "", false
		for _, p := range passage.Parts {
			whole += p.Text
			marked = marked || p.Match
		}
		if places, _ := q.Find(text); marked != (len(places) > 0) {
			t.Errorf("%d places, a mark in the passage: %v", len(places), marked)
		}
		if first := passage.First; marked && !strings.Contains(whole, text[first.Start:first.End]) {
			t.Errorf("the first place %d-%d is not in the passage", first.Start, first.End)
		}
		if !strings.Contains(text, whole) || utf8.ValidString(text) && !utf8.ValidString(whole) {
			t.Errorf("the passage %q is cut wrongly", whole)
		}
	})
}
