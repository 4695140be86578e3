// SPDX-License-Identifier: Apache-2.0

package option_test

import (
	"encoding/json"
	"errors"
	"flag"
	"io"
	"maps"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"testing"

	"hide/internal/option"
)

// toy are settings as a command and a page may have them.
type toy struct {
	K       int                `json:"k"`
	Mode    string             `json:"mode"`
	Ceiling float64            `json:"ceiling,omitempty"`
	LC      []float64          `json:"lc"`
	Kinds   []string           `json:"kinds,omitempty"`
	Loss    map[string]float64 `json:"loss_by_label,omitempty"`
	Seed    uint64             `json:"seed"`
	Own     bool               `json:"own,omitempty"`
	Near    struct {
		Window int `json:"window"`
	} `json:"near"`
	Jitter float64 `json:"jitter,omitempty"`
}

var toyOptions = option.Table[toy]{
	option.Whole(option.About{Name: "k", Label: "Smallest class", Help: "Each class has at least this number of patients.", Default: "5"},
		option.AtLeast(2), func(p *toy) *int { return &p.K }),
	option.One(option.About{Name: "mode", Label: "Mode", Help: "How to measure.", Default: "default"},
		[]option.Choice{{Value: "default", Title: "hide's default"}, {Value: "paper"}}, func(p *toy) *string { return &p.Mode }),
	option.Share(option.About{Name: "ceiling", Label: "Ceiling", Help: "What may be found.", Example: "1 %", Needs: []option.Need{option.With("mode", "default")}},
		option.Above(0).Below(1), func(p *toy) *float64 { return &p.Ceiling }),
	option.Numbers(option.About{Name: "lc", Label: "L/C", Help: "Values to try.", Default: "1,10", Required: true, Example: "1, 10, 100"},
		option.Above(0).AtMost(1e9).Most(3), func(p *toy) *[]float64 { return &p.LC }),
	option.Some(option.About{Name: "kinds", Label: "Kinds", Help: "What counts.", Default: "all", None: "all", All: true, Required: true},
		nil, func(p *toy) *[]string { return &p.Kinds }),
	option.Times(option.About{Name: "loss", Label: "Loss", Help: "What a label costs."},
		option.From(0, 1000), nil, func(p *toy) *map[string]float64 { return &p.Loss }),
	option.Seed(option.About{Name: "seed", Label: "Seed", Help: "Decides what is random.", Default: "1", In: option.Command}, func(p *toy) *uint64 { return &p.Seed }),
	option.Switch(option.About{Name: "own", Label: "Own values", Help: "Take them out.", Needs: []option.Need{option.Without("mode", "paper")}}, func(p *toy) *bool { return &p.Own }),
	option.Whole(option.About{Name: "window", Label: "Near", Help: "Greatest distance in words.", Default: "5", Group: "Near words"}, option.From(1, 1000), func(p *toy) *int { return &p.Near.Window }),
}

func parse(t *testing.T, table option.Table[toy], args ...string) (toy, *flag.FlagSet, error) {
	t.Helper()
	var p toy
	f := flag.NewFlagSet("toy", flag.ContinueOnError)
	f.SetOutput(io.Discard)
	table.Bind(f, &p)
	err := f.Parse(args)
	return p, f, err
}

// A new option is one entry: its flag, its field, its name in JSON and its help follow.
func TestANewOptionIsOneDeclaration(t *testing.T) {
	table := append(slices.Clone(toyOptions), option.Share(option.About{Name: "jitter", Label: "Jitter", Help: "How far dates are moved.", Default: "0.05"},
		option.From(0, 0.5), func(p *toy) *float64 { return &p.Jitter }))

	p, f, err := parse(t, table, "--jitter", "25 %")
	if err != nil || p.Jitter != 0.25 {
		t.Errorf("the flag gives %v, %v", p.Jitter, err)
	}
	value, help, _ := option.Usage(f.Lookup("jitter"))
	if value != "SHARE" || help != "Jitter. How far dates are moved." || f.Lookup("jitter").DefValue != "0.05" {
		t.Errorf("help says %q %q, default %q", value, help, f.Lookup("jitter").DefValue)
	}

	form := table.ReadForm(url.Values{"jitter": {"12,5"}, "kinds": {"NAME"}}, &p)
	if field := form.Field("jitter"); p.Jitter != 0.125 || field.Text() != "12,5" || field.Label != "Jitter" || field.Input != option.Percent || !form.OK() {
		t.Errorf("the form gives %v, %+v, %v", p.Jitter, field, form.Problems())
	}
	if form := table.Form(&p); form.Field("jitter").Text() != "12.5" {
		t.Errorf("a page shows %q", form.Field("jitter").Text())
	}
	form = table.ReadForm(url.Values{"jitter": {"60 %"}, "kinds": {"NAME"}}, &p)
	if got := form.Problems(); len(got) != 1 || got[0].OnPage() != "Jitter: enter a percentage from 0 to 50" || p.Jitter != 0.05 {
		t.Errorf("60 %% gives %v and %v", p.Jitter, got)
	}

	written, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	var fields map[string]any
	if err := json.Unmarshal(written, &fields); err != nil {
		t.Fatal(err)
	}
	if name := table.JSON()["jitter"]; fields[name] != 0.05 {
		t.Errorf("JSON has %v as %q: %s", fields[name], name, written)
	}
}

func TestDefaultsAreSetByBind(t *testing.T) {
	p, _, err := parse(t, toyOptions)
	want := toy{K: 5, Mode: "default", LC: []float64{1, 10}, Seed: 1}
	want.Near.Window = 5
	if err != nil || !reflect.DeepEqual(p, want) {
		t.Errorf("got %+v, %v", p, err)
	}
}

func TestFlagsAreRead(t *testing.T) {
	p, f, err := parse(t, toyOptions, "--k", "10,000", "--mode=paper", "--lc", "0.5, 2", "--kinds", "NAME,DATE", "--loss", "NAME=3, DATE=.5", "--seed", "18446744073709551615", "--own")
	want := toy{K: 10000, Mode: "paper", LC: []float64{0.5, 2}, Kinds: []string{"NAME", "DATE"}, Loss: map[string]float64{"NAME": 3, "DATE": .5}, Seed: 1<<64 - 1, Own: true}
	want.Near.Window = 5
	if err != nil || !reflect.DeepEqual(p, want) {
		t.Fatalf("got %+v, %v", p, err)
	}
	if got := toyOptions.Unused(f, &p); got == nil || got.Error() != "--own: has no effect with --mode paper: leave it out" {
		t.Errorf("unused: %v", got)
	}
	p, f, _ = parse(t, toyOptions, "--ceiling", ".01")
	if got := toyOptions.Unused(f, &p); got != nil || p.Ceiling != .01 {
		t.Errorf("unused in default mode: %v, %v", got, p.Ceiling)
	}
}

func TestHelpNamesNeedsAndChoices(t *testing.T) {
	_, f, _ := parse(t, toyOptions)
	if _, text, choices := option.Usage(f.Lookup("ceiling")); text != "Ceiling. What may be found. Only with --mode default." || choices != nil {
		t.Errorf("ceiling: %q, %v", text, choices)
	}
	if value, _, choices := option.Usage(f.Lookup("mode")); value != "NAME" || len(choices) != 2 {
		t.Errorf("mode: %q, %v", value, choices)
	}
	if _, text, _ := option.Usage(f.Lookup("own")); text != "Own values. Take them out. Not with --mode paper." {
		t.Errorf("own: %q", text)
	}
	f.Int("bundle", 0, "the `N` of a bundle")
	if value, text, _ := option.Usage(f.Lookup("bundle")); value != "N" || text != "the N of a bundle" {
		t.Errorf("another flag: %q, %q", value, text)
	}
}

func TestARefusedFlagSaysWhatToEnter(t *testing.T) {
	for _, c := range []struct{ flag, text, want string }{
		{"k", "1", "--k: enter a whole number of at least 2"},
		{"k", "2.5", "--k: enter a whole number of at least 2"},
		{"ceiling", "0", "--ceiling: enter a share above 0 and below 1, such as 1 %"},
		{"lc", "1,zwei", "--lc: enter numbers above 0 and at most 1,000,000,000, such as 1, 10, 100"},
		{"lc", "1,2,3,4", "--lc: 4 values are too many: enter at most 3"},
		{"lc", "1,2,1", "--lc: 1 is there twice"},
		{"lc", "", ""},
		{"mode", "best", `--mode: unknown value "best"; choose from default, paper`},
		{"loss", "NAME", "--loss: enter each name with its number, as NAME=2, with commas between"},
		{"loss", "NAME=1001", "--loss: NAME: enter a number from 0 to 1,000"},
		{"loss", "A=1,A=2", "--loss: A is there twice"},
		{"seed", "-1", "--seed: enter a whole number of at least 0"},
		{"window", "1001", "--window: enter a whole number from 1 to 1,000"},
	} {
		_, f, err := parse(t, toyOptions, "--"+c.flag, c.text)
		if c.want == "" {
			if err != nil {
				t.Errorf("--%s %q: %v", c.flag, c.text, err)
			}
			continue
		}
		if got := option.Refused(f); err == nil || got == nil || got.Error() != c.want {
			t.Errorf("--%s %q: %v, want %q", c.flag, c.text, got, c.want)
		}
	}
}

func TestAFormKeepsWhatWasTyped(t *testing.T) {
	var p toy
	form := toyOptions.ReadForm(url.Values{
		"k": {" two "}, "mode": {"default"}, "ceiling": {" 2,5 % "}, "lc": {"1; 10 100"}, "kinds": {"NAME", "DATE"},
		"loss:NAME": {"3"}, "loss:DATE": {"1"}, "loss:AGE": {" "}, "seed": {"7"}, "own": {"on"},
	}, &p)
	want := toy{K: 5, Mode: "default", Ceiling: 0.025, LC: []float64{1, 10, 100}, Kinds: []string{"NAME", "DATE"}, Loss: map[string]float64{"NAME": 3}, Seed: 1, Own: true}
	want.Near.Window = 5
	if !reflect.DeepEqual(p, want) {
		t.Errorf("read %+v", p)
	}
	if got := form.Problems(); len(got) != 1 || got[0].OnPage() != "Smallest class: enter a whole number of at least 2" {
		t.Errorf("problems %v", got)
	}
	if k := form.Field("k"); k.Text() != "two" || !k.Unusual || form.Field("ceiling").Text() != "2,5 %" || form.Field("lc").Text() != "1; 10 100" {
		t.Errorf("not what was typed: %+v", form.Fields)
	}
	if loss := form.Field("loss"); loss.Cell("NAME") != "3" || loss.Cell("AGE") != "" || loss.CellName("AGE") != "loss:AGE" {
		t.Errorf("the grid has %v", loss.Texts)
	}
	groups := form.Groups()
	if len(groups) != 2 || groups[1].Name != "Near words" || groups[1].Words() != "" || groups[1].Wrong() || !groups[0].Wrong() {
		t.Errorf("groups %+v", groups)
	}
	shown := toyOptions.Form(&p)
	if shown.Field("ceiling").Text() != "2.5" || shown.Field("lc").Text() != "1 10 100" || !shown.Field("kinds").Has("DATE") || shown.Field("window").Unusual {
		t.Errorf("a page shows %+v", shown.Fields)
	}
}

func TestNoTickIsAnAnswer(t *testing.T) {
	var p toy
	form := toyOptions.ReadForm(url.Values{"mode": {"default"}}, &p)
	if got := form.Problems(); len(got) != 1 || got[0].Name != "kinds" || got[0].Text != "choose at least one" {
		t.Errorf("problems %v", got)
	}
	p = toyOptions.Default()
	form = toyOptions.Form(&p)
	form.Offer("kinds", []option.Choice{{Value: "NAME"}, {Value: "DATE"}})
	if !form.Field("kinds").Has("NAME") || !form.Field("kinds").Has("DATE") {
		t.Error("all are not ticked where all count")
	}
}

func TestAnIdleFieldIsRefusedOrNotSet(t *testing.T) {
	var p toy
	form := toyOptions.ReadForm(url.Values{"mode": {"paper"}, "ceiling": {"1"}, "kinds": {"A"}}, &p)
	if got := form.Problems(); len(got) != 1 || got[0].OnPage() != "Ceiling: has no effect unless Mode is hide's default: leave it as it was" || p.Ceiling != 0 {
		t.Errorf("problems %v, ceiling %v", got, p.Ceiling)
	}
	if !form.Field("ceiling").Idle || form.Field("k").Idle {
		t.Error("the wrong fields are idle")
	}
	if ceiling, own := form.Field("ceiling").When, form.Field("own").When; ceiling != "mode=default" || own != "!mode=paper" {
		t.Errorf("the page is told %q and %q", ceiling, own)
	}
	if form := toyOptions.ReadForm(url.Values{"mode": {"paper"}, "ceiling": {""}, "kinds": {"A"}}, &p); !form.OK() {
		t.Errorf("an empty idle field: %v", form.Problems())
	}
}

func TestValuesThatNobodyCouldTypeAreRefused(t *testing.T) {
	p := toyOptions.Default()
	p.Loss = map[string]float64{"NAME": 2}
	if got := toyOptions.Check(&p); len(got) != 0 {
		t.Errorf("the defaults are refused: %v", got)
	}
	p.K, p.Mode, p.Ceiling, p.LC, p.Loss["NAME"] = 1, "best", 1, []float64{0}, -1
	var names []string
	for _, problem := range toyOptions.Check(&p) {
		names = append(names, problem.Name)
	}
	if !slices.Equal(names, []string{"k", "mode", "ceiling", "lc", "loss"}) || p.K != 1 || p.Loss["NAME"] != -1 {
		t.Errorf("refused %v, left %+v", names, p)
	}
	p = toy{Mode: "paper", Ceiling: .5}
	if got := toyOptions.Check(&p); len(got) != 1 || got[0].OnPage() != "Ceiling: has no effect unless Mode is hide's default" {
		t.Errorf("what has no effect: %v", got)
	}
	p = toy{} // what is not set means its default
	if got := toyOptions.Check(&p); len(got) != 0 {
		t.Errorf("what is not set is refused: %v", got)
	}
}

func TestWhatIsSetIsDescribed(t *testing.T) {
	p := toyOptions.Default()
	p.Ceiling = 0.07
	said := map[string]string{}
	for _, s := range toyOptions.Describe(&p) {
		said[s.Label] = s.Text
	}
	if said["Ceiling"] != "7 %" || said["Mode"] != "hide's default" || said["Loss"] != "" || said["Kinds"] != "all" || said["L/C"] != "1 10" || said["Seed"] != "" {
		t.Errorf("described as %v", said)
	}
	p.Mode = "paper"
	if slices.ContainsFunc(toyOptions.Describe(&p), func(s option.Said) bool { return s.Name == "ceiling" }) {
		t.Error("an idle option is described")
	}
}

func TestJSONNamesAreThoseOfTheFields(t *testing.T) {
	want := map[string]string{"k": "k", "mode": "mode", "ceiling": "ceiling", "lc": "lc", "kinds": "kinds", "loss": "loss_by_label", "seed": "seed", "own": "own", "window": "near.window"}
	if got := toyOptions.JSON(); !maps.Equal(got, want) {
		t.Errorf("got %v", got)
	}
}

func TestAPartOfATableIsATable(t *testing.T) {
	type command struct {
		Out string
		toy toy
	}
	table := append(option.Table[command]{option.Text(option.About{Name: "out"}, func(c *command) *string { return &c.Out })},
		option.Of(toyOptions[:1], func(c *command) *toy { return &c.toy })...)
	if !slices.Equal(table.Names(), []string{"out", "k"}) {
		t.Fatalf("names %v", table.Names())
	}
	var c command
	f := flag.NewFlagSet("", flag.ContinueOnError)
	table.Bind(f, &c)
	if err := f.Parse([]string{"--k", "7", "--out", "FILE"}); err != nil || c.toy.K != 7 || c.Out != "FILE" {
		t.Errorf("got %+v, %v", c, err)
	}
}

func TestAValueOfItsOwnIsReadByItsFunctions(t *testing.T) {
	type held struct{ Pair [2]string }
	table := option.Table[held]{option.Value(option.About{Name: "pair", Label: "Pair", Example: "a:b"}, func(h *held) *[2]string { return &h.Pair },
		func(text string, _ option.Place) (pair [2]string, err error) {
			a, b, is := strings.Cut(text, ":")
			if !is {
				return pair, errors.New("enter two words with a colon between")
			}
			return [2]string{a, b}, nil
		},
		func(pair [2]string, _ option.Place) string {
			if pair == ([2]string{}) {
				return ""
			}
			return pair[0] + ":" + pair[1]
		}).As(option.Lines)}
	var h held
	if form := table.ReadForm(url.Values{"pair": {"x:y"}}, &h); !form.OK() || h.Pair != [2]string{"x", "y"} {
		t.Errorf("read %v", h)
	}
	form := table.ReadForm(url.Values{"pair": {"x"}}, &h)
	if got := form.Field("pair"); got.Problem != "enter two words with a colon between, such as a:b" || got.Text() != "x" || h.Pair != [2]string{} {
		t.Errorf("field %+v, read %v", got, h)
	}
}
