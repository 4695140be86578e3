// SPDX-License-Identifier: Apache-2.0

package note

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"hide/internal/account"
	"hide/internal/annotate"
)

// hardTexts are texts in which browsers and servers have counted differently.
func hardTexts() []string {
	texts := []string{
		"", "plain", "Zoe\u0308 Weiß", "👩🏽‍⚕️ and 🇩🇪 and 𝔘𝔫𝔦", "a\r\nb\rc\nd\te\u00a0f\u2028g", "name יעל כהן and مريم", "\n\n\nleading",
		"\u200bzero\ufeffwidth", "e\u0301\u0302\u0303", "１２３ ٤٥٦ x_1", strings.Repeat("👩a", 3000), strings.Repeat("x", 5000),
	}
	r := rand.New(rand.NewPCG(7, 7))
	alphabet := []rune("aé0_ \t\r\n\u00a0.-👩𝔘\u0308\u05d9\u200d<&\u0001\ufffd")
	for range 20 {
		runes := make([]rune, r.IntN(4000))
		for i := range runes {
			runes[i] = alphabet[r.IntN(len(alphabet))]
		}
		texts = append(texts, string(runes))
	}
	return texts
}

// module opens a page of the server and gives the URL of a module.
func module(t *testing.T, name string) (browser, string) {
	t.Helper()
	v := openBrowser(t, account.Broker, newFakeNotes("x"))
	v.Open(v.Base + "/p/p1/notes")
	return v, v.Module(name)
}

func inJS(t *testing.T, value any) string {
	t.Helper()
	b, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestBrowserCountsCodePointsAsGoDoes compares each position of each text, both
// ways.
func TestBrowserCountsCodePointsAsGoDoes(t *testing.T) {
	v, path := module(t, "offsets.js")
	for i, text := range hardTexts() {
		var got struct {
			Length        int
			Points, Units []int
		}
		v.Eval(fmt.Sprintf(`import(%q).then(({ Offsets }) => {
			const text = %s, o = new Offsets(text);
			const Points = [], Units = [];
			for (let u = 0; u <= text.length; u++) Points.push(o.toPoint(u));
			for (let p = 0; p <= o.length; p++) Units.push(o.toUnit(p));
			return { Length: o.length, Points, Units };
		})`, path, inJS(t, text)), &got)
		points, units := countInGo(text)
		if got.Length != utf8.RuneCountInString(text) || !slices.Equal(got.Points, points) || !slices.Equal(got.Units, units) {
			t.Errorf("text %d: the browser counts otherwise", i)
		}
	}
}

// countInGo is the plain definition: points[u] for each UTF-16 unit (the second
// half of a pair counts as its first), units[p] for each code point.
func countInGo(text string) (points, units []int) {
	at := 0
	for _, r := range text {
		for range utf16.RuneLen(r) {
			points = append(points, len(units))
		}
		units = append(units, at)
		at += utf16.RuneLen(r)
	}
	return append(points, len(units)), append(units, at)
}

func TestBrowserRefusesPositionsOutside(t *testing.T) {
	v, path := module(t, "offsets.js")
	var refused []string
	v.Eval(fmt.Sprintf(`import(%q).then(({ Offsets }) => {
		const o = new Offsets("a👩");
		return [() => o.toPoint(-1), () => o.toPoint(4), () => o.toPoint(0.5), () => o.toUnit(3), () => o.toUnit(-1), () => o.toUnit(NaN)]
			.map((f) => { try { f(); return "accepted"; } catch (e) { return e.name; } });
	})`, path), &refused)
	for i, r := range refused {
		if r != "RangeError" {
			t.Errorf("case %d: %s", i, r)
		}
	}
}

func TestBrowserCutsTokensAsGoDoes(t *testing.T) {
	v, path := module(t, "tokens.js")
	for i, text := range hardTexts() {
		var got []struct{ Start, End int }
		v.Eval(fmt.Sprintf(`import(%q).then(({ Tokens }) => new Tokens(%s).list.map(({ start, end }) => ({ Start: start, End: end })))`, path, inJS(t, text)), &got)
		tokens := annotate.Tokenize(text)
		if len(got) != len(tokens) {
			t.Errorf("text %d: %d tokens, want %d", i, len(got), len(tokens))
			continue
		}
		units := unitOfByte(text)
		for j, tok := range tokens {
			if got[j].Start != units[tok.Start] || got[j].End != units[tok.End] {
				t.Errorf("text %d: token %d is %v", i, j, got[j])
				break
			}
		}
	}
}

// unitOfByte maps each code point boundary in bytes to UTF-16 units.
func unitOfByte(text string) map[annotate.ByteOff]int {
	units, at := map[annotate.ByteOff]int{}, 0
	for i, r := range text {
		units[annotate.ByteOff(i)] = at
		at += utf16.RuneLen(r)
	}
	units[annotate.ByteOff(len(text))] = at
	return units
}

// snapped widens a span to the borders of the tokens that it touches.
func snapped(text string, s annotate.Span) annotate.Span {
	tokens := annotate.Tokenize(text)
	if from, to := annotate.Covered(tokens, s); from < to {
		s.Start, s.End = tokens[from].Start, tokens[to-1].End
	}
	return s
}

func TestBrowserSnapsAsGoDoes(t *testing.T) {
	v, path := module(t, "tokens.js")
	text := "Dr. Frank  Okafor-Lee\r\n(0731) 555 👩🏽 Zoe\u0308, יעל כהן"
	offsets := unitOfByte(text)
	var bounds []annotate.ByteOff
	for b := range offsets {
		bounds = append(bounds, b)
	}
	slices.Sort(bounds)
	var queries [][2]int
	var want []annotate.Span
	for _, start := range bounds {
		for _, end := range bounds {
			if start < end && strings.TrimSpace(text[start:end]) != "" {
				queries = append(queries, [2]int{offsets[start], offsets[end]})
				want = append(want, snapped(text, annotate.Span{Start: start, End: end}))
			}
		}
	}
	var got []struct{ Start, End int }
	v.Eval(fmt.Sprintf(`import(%q).then(({ Tokens }) => {
		const tokens = new Tokens(%s);
		return %s.map(([start, end]) => tokens.snap({ start, end })).map(({ start, end }) => ({ Start: start, End: end }));
	})`, path, inJS(t, text), inJS(t, queries)), &got)
	for i := range want {
		if got[i].Start != offsets[want[i].Start] || got[i].End != offsets[want[i].End] {
			t.Errorf("selection %v: browser %v, Go %v", queries[i], got[i], want[i])
		}
	}
}
