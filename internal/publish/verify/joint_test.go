// SPDX-License-Identifier: Apache-2.0

package verify_test

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"hide/internal/annotate"
	"hide/internal/publish/joint"
	"hide/internal/publish/verify"
	"hide/internal/tabular"
)

const config = `
attributes:
  id: {anonymization_type: direct_identifier, entities: [ID]}
  sex: {type: nominal, anonymization_type: quasi_identifier}
  age: {type: numerical, anonymization_type: quasi_identifier, entities: [AGE]}
  seen: {type: date, anonymization_type: quasi_identifier, entities: [DATE]}
  ward: {}
  text: {type: text, anonymization_type: text}
  remark: {type: text, anonymization_type: text}
`

// published is a release in memory with what the broker keeps.
type published struct {
	files              map[string]string // without manifest and sums
	claims             joint.Claims
	mapping, originals string
}

// surfaces of generated terms, by type.
var surfaces = map[annotate.Label][]string{
	"NAME": {"Weiss", "Dr. Berg", "weiss", "Khan"}, "PLACE": {"Ulm", "ULM", "Bonn", "Köln", "KÖLN"}, "AGE": {"41", "42 years old", "43"},
	"DATE": {"2020", "2020-01-02", "Jan 3, 2020", "yesterday"}, "ID": {"p0", "p1", "p2"},
}

// invent makes a dataset of persons with one to three rows.
func invent(t *testing.T, seed uint64, persons int) *joint.View {
	t.Helper()
	return inventAfter(t, "", seed, persons)
}

// inventAfter is [invent] with texts that begin with some words.
func inventAfter(t *testing.T, words string, seed uint64, persons int) *joint.View {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 1))
	c, err := joint.ReadConfig(strings.NewReader(config))
	if err != nil {
		t.Fatal(err)
	}
	var rows []joint.Row
	for p := range persons {
		sex, age := string("fm"[rng.IntN(2)]), strconv.Itoa(40+rng.IntN(5))
		for range 1 + rng.IntN(3) {
			seen := ""
			if rng.IntN(9) > 0 {
				seen = fmt.Sprintf("2020-01-%02d", 1+rng.IntN(4))
			}
			rows = append(rows, joint.Row{
				Values: []string{"p" + strconv.Itoa(p), sex, age, seen, "w" + strconv.Itoa(rng.IntN(3)), "", ""},
				Texts:  []joint.Text{inventText(rng, words), inventText(rng, words)},
			})
		}
	}
	v, err := joint.NewView(context.Background(), c, rows)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func inventText(rng *rand.Rand, words string) joint.Text {
	t := joint.Text{Text: words}
	for range rng.IntN(4) {
		label := slices.Sorted(maps.Keys(surfaces))[rng.IntN(len(surfaces))]
		surface := surfaces[label][rng.IntN(len(surfaces[label]))]
		t.Text += "Über das\r\n "
		from := len(t.Text)
		t.Text += surface
		t.Terms = append(t.Terms, annotate.Span{Start: annotate.ByteOff(from), End: annotate.ByteOff(len(t.Text)), Label: label})
		t.Text += ", sagt \"sie\". "
	}
	return t
}

// publish writes a release of v in memory.
func publish(t testing.TB, v *joint.View, s joint.Settings) published {
	t.Helper()
	p, err := v.Partition(context.Background(), s)
	if err != nil {
		t.Fatal(err)
	}
	r, err := v.Recode(context.Background(), p)
	if err != nil {
		t.Fatal(err)
	}
	report, err := r.Report(context.Background(), s, p, joint.Exposure{Threshold: 1})
	if err != nil {
		t.Fatal(err)
	}
	release := r.Release(rand.New(rand.NewPCG(1, 2)))
	var rows, table, mapping, originals bytes.Buffer
	cells := tabular.NewWriter(&table)
	for _, err := range []error{release.WriteRows(&rows), release.WriteTable(cells), cells.Flush(), release.WriteMapping(&mapping), v.WriteOriginals(&originals)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	return published{map[string]string{"rows.jsonl": rows.String(), "data.csv": table.String()}, v.Claims(report), mapping.String(), originals.String()}
}

// fs is the release with manifest and sums that fit its files.
func (p published) fs() fstest.MapFS {
	claims, err := json.Marshal(p.claims)
	if err != nil {
		panic(err)
	}
	return sealed("joint", claims, p.files)
}

func (p published) verify(t *testing.T) *verify.Joint {
	t.Helper()
	r, err := p.against(p.mapping, p.originals)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func (p published) against(mapping, originals string) (*verify.Joint, error) {
	r, err := verify.Against(context.Background(), p.fs(), strings.NewReader(mapping), strings.NewReader(originals))
	joint, _ := r.(*verify.Joint)
	return joint, err
}

// TestNotesWithTheirTableRunNoFormula: texts that begin like a list have a prefix in data.csv
// and none in rows.jsonl, and a changed byte of either is found.
func TestNotesWithTheirTableRunNoFormula(t *testing.T) {
	v := inventAfter(t, "- ", 3, 12)
	p, err := v.Partition(t.Context(), jointSettings)
	if err != nil {
		t.Fatal(err)
	}
	r, err := v.Recode(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	report, err := r.Report(t.Context(), jointSettings, p, joint.Exposure{Threshold: 1})
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "release")
	if _, err := r.Release(rand.New(rand.NewPCG(1, 2))).Write(t.Context(), dir, joint.Origin{}, report); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "data.csv"))
	if err != nil || !strings.Contains(string(text), `"'- `) {
		t.Fatalf("no text of data.csv has a prefix, %v", err)
	}
	for i := range text {
		if i%97 != 0 { // every byte takes too long
			continue
		}
		changed := bytes.Clone(text)
		changed[i] ^= 1
		if err := os.WriteFile(filepath.Join(dir, "data.csv"), changed, 0o600); err != nil {
			t.Fatal(err)
		}
		if r, err := verify.Release(os.DirFS(dir)); err == nil && r.Common().OK {
			t.Fatalf("byte %d can change", i)
		}
	}
}

var jointSettings = joint.Settings{K: 2, Lambda: .5}

func TestEveryReleaseOfTheProgramPasses(t *testing.T) {
	settings := []joint.Settings{
		{Strategy: joint.GDF, K: 2}, {Strategy: joint.GDF, K: 5}, {K: 2, Lambda: 0}, {K: 2, Lambda: .5}, {K: 3, Lambda: .3, Cut: joint.Presence}, {K: 7, Lambda: 1},
	}
	kept := 0
	for seed := range uint64(20) {
		v := invent(t, seed, 20)
		for _, s := range settings {
			r := publish(t, v, s).verify(t)
			if !r.OK || r.Leaks != 0 || r.Least < s.K || r.Persons != 20 {
				t.Fatalf("seed %d, %+v: %+v", seed, s, r)
			}
			if r.Compared != r.Kept+r.Recoded+r.Suppressed {
				t.Fatalf("seed %d, %+v: %d terms are compared of %d", seed, s, r.Compared, r.Kept+r.Recoded+r.Suppressed)
			}
			kept += r.Kept
		}
	}
	if kept == 0 {
		t.Error("no term was ever kept: the test shows nothing")
	}
}

// wireRow is rows.jsonl as a forger reads it.
type wireRow struct {
	Row    int        `json:"row"`
	Person int        `json:"person"`
	Values []string   `json:"values"`
	Texts  []wireText `json:"texts"`
}

type wireText struct {
	Text   string      `json:"text"`
	Places []wirePlace `json:"places"`
}

type wirePlace struct {
	Start     int    `json:"start"`
	End       int    `json:"end"`
	Type      string `json:"type"`
	How       string `json:"how"`
	Attribute string `json:"attribute,omitempty"`
}

// forge changes the rows of a release and makes all sums and counts fit again.
func (p published) forge(t *testing.T, change func(rows []wireRow)) published {
	t.Helper()
	var rows []wireRow
	for line := range strings.Lines(p.files["rows.jsonl"]) {
		var r wireRow
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatal(err)
		}
		rows = append(rows, r)
	}
	change(rows)
	out := published{maps.Clone(p.files), p.claims, p.mapping, p.originals}
	var lines, table bytes.Buffer
	enc := json.NewEncoder(&lines)
	enc.SetEscapeHTML(false)
	w := csv.NewWriter(&table)
	header, _, _ := strings.Cut(p.files["data.csv"], "\n")
	w.Write(strings.Split(header, ","))
	counts := map[string]int{}
	for _, r := range rows {
		if err := enc.Encode(r); err != nil {
			t.Fatal(err)
		}
		line := append([]string{strconv.Itoa(r.Person)}, r.Values...)
		for _, x := range r.Texts {
			line = append(line, x.Text)
			for _, place := range x.Places {
				counts[place.How]++
			}
		}
		w.Write(line)
	}
	w.Flush()
	out.files["rows.jsonl"], out.files["data.csv"] = lines.String(), table.String()
	c := &out.claims.Counts
	c.Kept, c.Recoded, c.Suppressed = counts["kept"], counts["recoded"], counts["suppressed"]
	return out
}

// claiming is the release with another k.
func (p published) claiming(k int) published {
	p.claims.K = k
	return p
}

func TestOneLessThanKIsFound(t *testing.T) {
	p := publish(t, invent(t, 3, 20), joint.Settings{K: 2, Lambda: .5})
	least := p.verify(t).Least
	if r := p.claiming(least).verify(t); !r.OK {
		t.Errorf("k = %d: %v", least, r.Problems)
	}
	if r := p.claiming(least + 1).verify(t); r.OK || len(r.Problems) != 1 || !strings.Contains(r.Problems[0].String(), "fewer than") {
		t.Errorf("k = %d with classes of %d: %v", least+1, least, r.Problems)
	}
}

// replace puts other words in the first place that became how.
func replace(t *testing.T, rows []wireRow, how, words, as string) {
	t.Helper()
	for _, r := range rows {
		for x := range r.Texts {
			for i := range r.Texts[x].Places {
				if at := &r.Texts[x].Places[i]; at.How == how {
					runes := []rune(r.Texts[x].Text)
					moved := len([]rune(words)) - (at.End - at.Start)
					r.Texts[x].Text = string(runes[:at.Start]) + words + string(runes[at.End:])
					at.End += moved
					at.How = as
					for j := i + 1; j < len(r.Texts[x].Places); j++ {
						r.Texts[x].Places[j].Start += moved
						r.Texts[x].Places[j].End += moved
					}
					return
				}
			}
		}
	}
	t.Fatalf("nothing is %s", how)
}

func TestEveryForgeryIsFound(t *testing.T) {
	v := invent(t, 3, 20)
	good := publish(t, v, joint.Settings{Strategy: joint.GDF, K: 3})
	for name, c := range map[string]struct {
		change func(rows []wireRow)
		alone  bool // found without the originals
	}{
		"a suppressed term in its place":   {func(rows []wireRow) { replace(t, rows, "suppressed", "Weiss", "suppressed") }, true},
		"a suppressed term called kept":    {func(rows []wireRow) { replace(t, rows, "suppressed", "Anna Weiss", "kept") }, true},
		"a kept term gone for one":         {func(rows []wireRow) { replace(t, rows, "kept", "[PLACE]", "suppressed") }, false},
		"a kept term spelt otherwise":      {func(rows []wireRow) { replace(t, rows, "kept", "uLM", "kept") }, true},
		"a recoded term with its value":    {func(rows []wireRow) { replace(t, rows, "recoded", "41, like Anna", "recoded") }, true},
		"a quasi-identifier of one person": {func(rows []wireRow) { setAll(rows, 0, "41") }, true},
		"a quasi-identifier of one row":    {func(rows []wireRow) { rows[0].Values[1] = "41" }, true},
		"another text":                     {func(rows []wireRow) { addText(rows, " more") }, false},
		"a place left out":                 {func(rows []wireRow) { dropPlace(t, rows) }, false},
		"another person's row":             {func(rows []wireRow) { rows[0].Person = rows[len(rows)-1].Person }, false},
	} {
		bad := good.forge(t, c.change)
		if r := bad.verify(t); r.OK {
			t.Errorf("%s passes", name)
		}
		if r, err := found(bad.fs()); err != nil || c.alone && r.OK {
			t.Errorf("%s passes without the originals: %v", name, err)
		}
	}
	if r := good.forge(t, func([]wireRow) {}).verify(t); !r.OK {
		t.Errorf("a forgery of nothing is refused: %+v", r.Problems)
	}
}

const kinds = `
attributes:
  id: {anonymization_type: direct_identifier}
  sex: {type: nominal, anonymization_type: quasi_identifier}
  age: {type: numerical, anonymization_type: quasi_identifier}
  seen: {type: date, anonymization_type: quasi_identifier}
  zip: {type: nominal, anonymization_type: quasi_identifier, recoding_strategy: string_reduction}
  stage: {type: ordinal, anonymization_type: quasi_identifier, order: [I, I-b, II]}
  unit: {type: nominal, anonymization_type: quasi_identifier, recoding_strategy: hierarchy, hierarchy: {name: all, children: [{name: north, children: [{name: n1}, {name: n2}]}, {name: south, children: [{name: s1}]}]}}
  ward: {}
  text: {type: text, anonymization_type: text}
`

// inventKinds makes a dataset with an attribute of every kind, values missing, and one
// or two texts a row.
func inventKinds(t *testing.T, seed uint64, texts int) *joint.View {
	t.Helper()
	c, err := joint.ReadConfig(strings.NewReader(kinds + strings.Repeat("  remark: {type: text, anonymization_type: text}\n", texts-1)))
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(seed, 7))
	domain := [][]string{{"f", "m, w", ""}, {"-3", "0", "41.5", "90", ""}, {"2019-12-31", "2020-01-02T10:11:12", "2020-01-02", "2021-05-05", ""}, {"53715", "53716", "60000", ""}, {"I", "I-b", "II"}, {"n1", "n2", "s1", ""}, {"a", "b"}}
	var rows []joint.Row
	for i := range 40 {
		row := joint.Row{Values: []string{"p" + strconv.Itoa(i/2)}, Texts: make([]joint.Text, texts)}
		for _, d := range domain {
			row.Values = append(row.Values, d[rng.IntN(len(d))])
		}
		row.Values = append(row.Values, make([]string, texts)...)
		rows = append(rows, row)
	}
	v, err := joint.NewView(context.Background(), c, rows)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestReleasedValuesOfEveryKindCoverTheOriginals(t *testing.T) {
	for seed := range uint64(5) {
		for _, k := range []int{2, 5, 20} {
			r := publish(t, inventKinds(t, seed, 1), joint.Settings{K: k, Lambda: 1}).verify(t)
			if !r.OK || r.Cells != 40*7 {
				t.Fatalf("seed %d, k %d: %d cells, %+v", seed, k, r.Cells, r.Problems)
			}
		}
	}
}

// TestAClassThatLiesAboutItsValuesIsFound: with other values for everybody classes
// are as large as before, and only the originals tell.
func TestAClassThatLiesAboutItsValuesIsFound(t *testing.T) {
	for texts := 1; texts <= 2; texts++ {
		good := publish(t, inventKinds(t, 1, texts), joint.Settings{K: 2, Lambda: 1})
		for column, lie := range []string{"x", "[100-200]", "[1990-1999]", "7*", "[I-I-b]", "west", "c"} {
			bad := good.forge(t, func(rows []wireRow) {
				for i := range rows {
					rows[i].Values[column] = lie
				}
			})
			if r, err := found(bad.fs()); err != nil || !r.OK {
				t.Fatalf("column %d: the lie is no class: %v %+v", column, err, r.Problems)
			}
			if r := bad.verify(t); r.OK || !strings.Contains(r.Problems[0].What, fmt.Sprintf("column %d", column+1)) {
				t.Errorf("%d texts, column %d: the lie passes: %+v", texts, column, r.Problems)
			}
		}
	}
}

// setAll changes a person's value in all rows.
func setAll(rows []wireRow, i int, value string) {
	for _, r := range rows {
		if r.Person == rows[i].Person {
			r.Values[1] = value
		}
	}
}

func addText(rows []wireRow, words string) { rows[0].Texts[0].Text += words }

func dropPlace(t *testing.T, rows []wireRow) {
	for _, r := range rows {
		for x := range r.Texts {
			if len(r.Texts[x].Places) > 0 {
				r.Texts[x].Places = r.Texts[x].Places[1:]
				return
			}
		}
	}
	t.Fatal("there are no places")
}

func TestChangedFilesAreFound(t *testing.T) {
	good := publish(t, invent(t, 5, 12), joint.Settings{K: 2, Lambda: .5})
	edit := func(f fstest.MapFS, name string, change func(string) string) {
		f[name] = &fstest.MapFile{Data: []byte(change(string(f[name].Data)))}
	}
	for name, change := range map[string]func(f fstest.MapFS){
		"rows": func(f fstest.MapFS) {
			edit(f, "rows.jsonl", func(s string) string { return strings.Replace(s, "sagt", "sagte", 1) })
		},
		"table": func(f fstest.MapFS) { edit(f, "data.csv", func(s string) string { return s + "\n" }) },
		"manifest": func(f fstest.MapFS) {
			edit(f, "manifest.json", func(s string) string { return strings.Replace(s, `"k": 2`, `"k": 3`, 1) })
		},
		"sums":   func(f fstest.MapFS) { edit(f, "SHA256SUMS", func(string) string { return "" }) },
		"a file": func(f fstest.MapFS) { f["notes.txt"] = &fstest.MapFile{Data: []byte("more")} },
		"fewer lines": func(f fstest.MapFS) {
			edit(f, "rows.jsonl", func(s string) string { return s[:strings.LastIndex(strings.TrimSpace(s), "\n")+1] })
		},
	} {
		bad := good.fs()
		change(bad)
		if r, err := found(bad); err == nil && r.OK {
			t.Errorf("%s: the change passes", name)
		}
	}
}

func TestWhatIsNoReleaseIsAnError(t *testing.T) {
	for name, fsys := range map[string]fstest.MapFS{
		"nothing":      {},
		"another kind": sealed("cube", []byte("{}"), nil),
		"no JSON":      {"manifest.json": {Data: []byte(`{`)}},
	} {
		if _, err := found(fsys); err == nil {
			t.Errorf("%s passes for a release", name)
		}
	}
	good := publish(t, invent(t, 5, 12), joint.Settings{K: 2, Lambda: .5})
	for name, mapping := range map[string]string{"nothing": "", "another": `{"schema":"x"}`, "too short": `{"schema":"hide joint mapping 1"}`} {
		if _, err := good.against(mapping, good.originals); err == nil {
			t.Errorf("%s passes for a mapping", name)
		}
	}
}

// TestWordsThatStandElsewhereAreCounted: what a tagger overlooked in one note of a
// person and found in another.
func TestWordsThatStandElsewhereAreCounted(t *testing.T) {
	c, err := joint.ReadConfig(strings.NewReader("attributes:\n  id: {anonymization_type: direct_identifier}\n  text: {type: text, anonymization_type: text}\n"))
	if err != nil {
		t.Fatal(err)
	}
	text := func(s string, spans ...annotate.Span) []joint.Text { return []joint.Text{{Text: s, Terms: spans}} }
	v, err := joint.NewView(context.Background(), c, []joint.Row{
		{Values: []string{"1", ""}, Texts: text("Anna Weiss came.", annotate.Span{Start: 0, End: 10, Label: "NAME"})},
		{Values: []string{"1", ""}, Texts: text("Then Anna Weiss left.")},
		{Values: []string{"2", ""}, Texts: text("Weiss came.", annotate.Span{Start: 0, End: 5, Label: "NAME"})},
		{Values: []string{"2", ""}, Texts: text("Weissbrot.")},
	})
	if err != nil {
		t.Fatal(err)
	}
	r := publish(t, v, joint.Settings{K: 2}).verify(t)
	if !r.OK || r.Elsewhere != 1 {
		t.Errorf("%d stand elsewhere, want 1; %+v", r.Elsewhere, r.Problems)
	}
}

// FuzzJoint: no rows.jsonl makes the check fall over, and none with another
// text passes as the good one.
func FuzzJoint(f *testing.F) {
	f.Add([]byte("{\"row\":1,\"person\":1,\"values\":[\"f\",\"[40-41]\",\"2020\",\"w\"],\"texts\":[{\"text\":\"[NAME] x\",\"places\":[{\"start\":0,\"end\":6,\"type\":\"NAME\",\"how\":\"suppressed\"}]},{\"text\":\"\",\"places\":[]}]}\n"))
	f.Add([]byte("{\"row\":1,\"person\":-1,\"values\":[],\"texts\":[]}\n{}"))
	f.Fuzz(func(t *testing.T, rows []byte) {
		c, err := joint.ReadConfig(strings.NewReader(config))
		if err != nil {
			t.Fatal(err)
		}
		v, err := joint.NewView(context.Background(), c, []joint.Row{{Values: []string{"1", "", "", "", "", "", ""}, Texts: make([]joint.Text, 2)}})
		if err != nil {
			t.Fatal(err)
		}
		p := published{claims: v.Claims(joint.Report{K: 2}), files: map[string]string{"rows.jsonl": string(rows), "data.csv": ""}, mapping: `{"schema":"hide joint mapping 1"}{"row":1,"source":1,"person":1,"key":"1"}`, originals: `{"id":"1/1","text":"Weiss x","spans":[{"start":0,"end":5,"label":"NAME"}]}`}
		if r, err := p.against(p.mapping, p.originals); err == nil && r.OK {
			t.Error("one person passes for a class of two")
		}
	})
}

// FuzzAgainst: no mapping and no originals make the comparison fall over, and it
// passes with none that has not every row and text.
func FuzzJointAgainst(f *testing.F) {
	c, err := joint.ReadConfig(strings.NewReader(config))
	if err != nil {
		f.Fatal(err)
	}
	v, err := joint.NewView(context.Background(), c, []joint.Row{{Values: []string{"1", "f", "41", "", "w", "", ""}, Texts: make([]joint.Text, 2)}, {Values: []string{"2", "m", "42", "", "w", "", ""}, Texts: make([]joint.Text, 2)}})
	if err != nil {
		f.Fatal(err)
	}
	good := publish(f, v, joint.Settings{K: 2})
	f.Add(good.mapping, good.originals)
	f.Add(`{"schema":"hide joint mapping 1"}{"row":1,"source":-1,"person":9,"key":""}{"row":2}`, `{"id":"1/1","values":[{"rank":1}],"spans":[{"start":-1,"end":9}]}`)
	f.Fuzz(func(t *testing.T, mapping, originals string) {
		r, err := good.against(mapping, originals)
		if err == nil && r.OK && strings.Count(originals, "\n") < 3 {
			t.Error("fewer texts than there are pass for the originals")
		}
	})
}
