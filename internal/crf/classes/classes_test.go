// SPDX-License-Identifier: Apache-2.0

package classes_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"

	"hide/internal/crf/classes"
	"hide/internal/hint"
	"hide/internal/wire"
)

func table(t *testing.T, entries ...classes.Entry) *classes.Table {
	t.Helper()
	made, err := classes.New(entries)
	if err != nil {
		t.Fatal(err)
	}
	return made
}

func TestTheProgramsTableIsSmallAndKnowsEnglish(t *testing.T) {
	info, err := os.Stat("english.bin")
	if err != nil || info.Size() > 1<<20 {
		t.Fatalf("the table of the program: %v, %v", info, err)
	}
	own := classes.Builtin()
	if own.Words() != 100_000 || own.Classes() < 1000 || !own.Tree() {
		t.Errorf("the program has %v, in a tree %t", own, own.Tree())
	}
	alike := func(bits int, words ...string) bool {
		first := own.Code(words[0])
		for _, w := range words {
			if code := own.Code(w); len(code) < bits || code[:bits] != first[:bits] {
				return false
			}
		}
		return true
	}
	if !alike(7, "smith", "jones", "allen") || !alike(5, "monday", "tuesday", "friday") || alike(4, "smith", "hospital") {
		t.Error("names, days and hospitals are not where they belong")
	}
	if classes.BuiltinSum() != own.Sum() {
		t.Error("the sum of the program's table is not that of its content")
	}
}

func TestTableFindsWordsInLowerCase(t *testing.T) {
	made := table(t, classes.Entry{"Ana", "00"}, classes.Entry{"LUIS", "00"}, classes.Entry{"ana", "1"}, classes.Entry{"x", "01"})
	for word, want := range map[string]string{"ana": "00", "luis": "00", "x": "01", "ANA": "", "y": "", "": ""} {
		if got := made.Code(word); got != want {
			t.Errorf("%q has code %q, want %q", word, got, want)
		}
	}
	if made.Words() != 3 || made.Classes() != 2 {
		t.Errorf("it has %v", made)
	}
}

func TestCodesAreATreeOrNot(t *testing.T) {
	for _, test := range []struct {
		codes string
		tree  bool
	}{{"00 01 1", true}, {"0", true}, {"0 01", false}, {"0 1 2", false}, {"c17 c18", false}, {"1 10 0", false}} {
		var entries []classes.Entry
		for i, c := range strings.Fields(test.codes) {
			entries = append(entries, classes.Entry{Word: fmt.Sprint("w", i), Code: c})
		}
		if got := table(t, entries...).Tree(); got != test.tree {
			t.Errorf("%s: a tree %t", test.codes, got)
		}
	}
}

func TestTablesAreReadAsTheyAreWritten(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		var entries []classes.Entry
		for range 1 + random.IntN(60) {
			entries = append(entries, classes.Entry{fmt.Sprintf("w%d", random.IntN(90)), fmt.Sprintf("%04b", random.IntN(16))})
		}
		made := table(t, entries...)
		back, err := classes.Decode(made.Append(nil))
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			if back.Code(e.Word) != made.Code(e.Word) {
				t.Fatalf("word %s has another code", e.Word)
			}
		}
		if !bytes.Equal(back.Append(nil), made.Append(nil)) || back.Sum() != made.Sum() || back.Tree() != made.Tree() {
			t.Fatal("a table that was read is another one")
		}
	}
}

func TestReadTakesTextAndFiles(t *testing.T) {
	made := table(t, classes.Entry{"ana", "00"}, classes.Entry{"of", "01"})
	for name, text := range map[string]string{
		"pairs": "# names\nAna\t00\n\nof\t01\n", "paths": "00\tana\t7\n01\tof\t12\n", "a mark and Windows": "\ufeffana\t00\r\nof\t01\r\n", "file": string(made.Append(nil)),
	} {
		got, err := classes.Read(strings.NewReader(text))
		if err != nil || got.Sum() != made.Sum() {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
}

func TestReadRefusesWithoutQuoting(t *testing.T) {
	file := string(table(t, classes.Entry{"secret", "0"}).Append(nil))
	for _, test := range []struct{ name, text, want string }{
		{"nothing", "", "0 words"}, {"one field", "ok\t0\nsecret\n", "line 2: fields between tabs: 1,"}, {"four fields", "0\tsecret\t1\t2", "line 1: fields between tabs: 4,"},
		{"no count", "0\tsecret\tx", "third field"}, {"no code", "secret\t", "line 1: a code"}, {"a space", "secret word\t0", "line 1: a word"},
		{"not text", "secret\t0\n\xff", "byte 9 is not UTF-8"}, {"a long word", strings.Repeat("secret", 20) + "\t0", "line 1: a word"},
		{"cut", file[:len(file)-1], "damaged"}, {"changed", strings.Replace(file, "secret", "secreT", 1), "damaged"},
	} {
		_, err := classes.Read(strings.NewReader(test.text))
		if !errors.Is(err, classes.ErrTable) || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v", test.name, err)
		}
		if !strings.HasPrefix(test.text, classes.Magic) && hint.Of(err) == "" {
			t.Errorf("%s: no hint", test.name)
		}
	}
}

// TestADamagedFileWithARightSumIsRefused seals files that no table has: what the sum protects
// against is damage and not intent.
func TestADamagedFileWithARightSumIsRefused(t *testing.T) {
	for name, body := range map[string]string{
		"no class":              "\x01\x00\x01\x00\x01a\x00",
		"nothing":               "\x01\x00\x00",
		"no word":               "\x01\x01\x010\x00",
		"a class without words": "\x01\x02\x010\x011\x01\x00\x01a\x00",
		"another class":         "\x01\x01\x010\x01\x00\x01a\x01",
	} {
		if _, err := classes.Decode(wire.Seal([]byte(classes.Magic + body))); !errors.Is(err, classes.ErrTable) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := classes.Decode(wire.Seal([]byte(classes.Magic + "\x01\x01\x010\x01\x00\x01a\x00"))); err != nil {
		t.Errorf("one word: %v", err)
	}
}

func TestTablesDoNotPrintWords(t *testing.T) {
	e := classes.Entry{"secret", "0"}
	if s := fmt.Sprintf("%v %+v %v", e, e, table(t, e)); strings.Contains(s, "secret") {
		t.Errorf("it prints %s", s)
	}
}

func FuzzRead(f *testing.F) {
	made, _ := classes.New([]classes.Entry{{"ana", "00"}, {"anna", "01"}, {"x", "1"}})
	f.Add(made.Append(nil))
	f.Add([]byte("ana\t00\nof\t01\n"))
	f.Add([]byte("00\tana\t7\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		got, err := classes.Read(bytes.NewReader(data))
		if err != nil {
			return
		}
		raw := got.Append(nil)
		back, err := classes.Decode(raw)
		if err != nil || !bytes.Equal(back.Append(nil), raw) {
			t.Fatalf("a table that is read is written and read back otherwise: %v", err)
		}
		if bytes.HasPrefix(data, []byte(classes.Magic)) && !bytes.Equal(raw, data) {
			t.Fatal("one table has two files")
		}
	})
}

// notes are of a language with some kinds of words: sentences have a fixed order of kinds.
func notes(random *rand.Rand, n int) [][]string {
	var out [][]string
	for range n {
		var words []string
		for range 5 {
			for _, kind := range []string{"name", "verb", "the", "noun", "in", "city", "."} {
				if len(kind) > 3 {
					kind += fmt.Sprint(random.IntN(40))
				}
				words = append(words, kind)
			}
		}
		out = append(out, words)
	}
	return out
}

func TestLearnFindsWordsThatAreUsedAlike(t *testing.T) {
	l := classes.NewLearner()
	for _, words := range notes(rand.New(rand.NewPCG(3, 4)), 300) {
		l.Add(words)
	}
	shares := []float64{0}
	made, err := l.Learn(t.Context(), classes.Options{Classes: 12}, func(done float64) { shares = append(shares, done) })
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[string]map[string]int{} // class -> kind -> words
	for word, code := range made.All() {
		if kinds[code] == nil {
			kinds[code] = map[string]int{}
		}
		kinds[code][strings.TrimRight(word, "0123456789")]++
	}
	pure := 0 // words in a class that is mostly of their kind
	for _, of := range kinds {
		most := 0
		for _, n := range of {
			most = max(most, n)
		}
		pure += most
	}
	if pure < made.Words()*95/100 {
		t.Errorf("%d of %d words are with words of their kind", pure, made.Words())
	}
	if made.Words() != 4*40+3 || l.Notes() != 300 || l.Tokens() != 300*35 {
		t.Errorf("%v from %d notes with %d tokens", made, l.Notes(), l.Tokens())
	}
	for i := range shares[1:] {
		if shares[i+1] < shares[i] || shares[i+1] > 1 {
			t.Fatalf("progress goes %v", shares)
		}
	}
}

func TestLearnDoesNotDependOnProcessors(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	var first []byte
	for _, n := range []int{1, 5} {
		runtime.GOMAXPROCS(n)
		l := classes.NewLearner()
		for _, words := range notes(rand.New(rand.NewPCG(5, 6)), 60) {
			l.Add(words)
		}
		made, err := l.Learn(t.Context(), classes.Options{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if raw := made.Append(nil); first == nil {
			first = raw
		} else if !bytes.Equal(raw, first) {
			t.Fatalf("another table with GOMAXPROCS %d", n)
		}
	}
}

func TestLearnRefusesTooFewWordsAndStops(t *testing.T) {
	l := classes.NewLearner()
	l.AddText("Ana saw Luis.")
	if _, err := l.Learn(t.Context(), classes.Options{}, nil); !errors.Is(err, classes.ErrTooFew) {
		t.Errorf("three words: %v", err)
	}
	for _, words := range notes(rand.New(rand.NewPCG(7, 8)), 60) {
		l.Add(words)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := l.Learn(ctx, classes.Options{}, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func TestTheProgramsTableCoversEnglish(t *testing.T) {
	const (
		english    = "The patient was seen by Dr. Mary Thompson on the ward and started on oral antibiotics. Pt c/o chest pain, no SOB; hx of HTN and DM, lungs clear."
		telegraph  = "72 yo M s/p CABG, afebrile overnight, tolerating po, ambulating with PT. Labs stable. Plan: d/c home, f/u in clinic."
		upper      = "SHE WAS DISCHARGED TO HER HOME IN ATLANTA WITH HER DAUGHTER. THE WOUND IS HEALING WELL AND HER MEDICATIONS ARE UNCHANGED."
		spanish    = "El paciente fue visto por la Dra. María López en la planta y se inició tratamiento antibiótico por vía oral, sin fiebre ni dolor abdominal."
		french     = "Le patient a été examiné par le Dr Dupont dans le service, un traitement par antibiotiques a été débuté, sans fièvre ni douleur abdominale."
		german     = "Der Patient wurde von Frau Dr. Meier auf der Station untersucht, eine Behandlung mit Antibiotika wurde begonnen, kein Fieber, keine Schmerzen."
		portuguese = "O doente apresenta desde ontem dificuldade respiratória e tosse produtiva; o exame mostrou ruídos diminuídos na base esquerda, sem edemas dos membros inferiores."
		chinese    = "患者由王医生在病房检查，开始口服抗生素治疗，无发热，无腹痛。"
	)
	words := func(text string, times int) [][]string {
		one := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" .,;:/，。", r) })
		var notes [][]string
		for range times {
			notes = append(notes, one)
		}
		return notes
	}
	for _, test := range []struct {
		name, text string
		times      int
		want       bool
	}{
		{"English", english, 9, true}, {"telegraphic", telegraph, 9, true}, {"capitals", upper, 9, true},
		{"Spanish", spanish, 9, false}, {"French", french, 9, false}, {"German", german, 9, false}, {"Portuguese", portuguese, 9, false}, {"Chinese", chinese, 60, false},
		{"many Spanish notes", spanish, 3000, false}, {"many English notes", english, 3000, true},
		{"one Spanish note", spanish, 1, true}, {"nothing", "", 3, true}, {"numbers", "12 34 5/6", 200, true},
	} {
		if got := classes.Builtin().Covers(words(test.text, test.times)); got != test.want {
			t.Errorf("%s: covered %t", test.name, got)
		}
	}
	mixed := append(words(english, 20), words(french, 4)...)
	if !classes.Builtin().Covers(mixed) || classes.Builtin().Covers(append(mixed, words(french, 60)...)) {
		t.Error("the share of words does not decide")
	}
}

func TestTablesThatSuitNotes(t *testing.T) {
	own, builtin := table(t, classes.Entry{"ana", "0"}), classes.Builtin()
	foreign := [][]string{strings.Fields(strings.Repeat("zzxq ", 200))}
	english := [][]string{strings.Fields(strings.Repeat("patient ", 200))}
	for i, test := range []struct {
		tables []*classes.Table
		notes  [][]string
		want   []*classes.Table
		left   bool
	}{
		{nil, english, []*classes.Table{builtin}, false}, {nil, foreign, nil, true}, {nil, nil, []*classes.Table{builtin}, false},
		{[]*classes.Table{nil, own}, english, []*classes.Table{builtin, own}, false}, {[]*classes.Table{own, nil}, foreign, []*classes.Table{own}, true},
		{[]*classes.Table{builtin}, foreign, []*classes.Table{builtin}, false}, {[]*classes.Table{}, english, nil, false},
	} {
		got, left := classes.Suited(test.tables, test.notes)
		if !slices.Equal(got, test.want) || left != test.left {
			t.Errorf("case %d: %v, left out %t", i, got, left)
		}
	}
}

func TestAStoredTableComesBack(t *testing.T) {
	own := table(t, classes.Entry{"ana", "0"})
	for _, one := range []*classes.Table{own, classes.Builtin()} {
		form, raw := one.Stored()
		got, err := classes.FromStored(form, raw)
		if err != nil || got.Sum() != one.Sum() || one == classes.Builtin() && (got != one || len(raw) != 32) {
			t.Errorf("%v comes back as %v, %v", one, got, err)
		}
		raw = append([]byte(nil), raw...)
		raw[len(raw)-1] ^= 1
		if _, err := classes.FromStored(form, raw); !errors.Is(err, classes.ErrOther) && !errors.Is(err, classes.ErrTable) {
			t.Errorf("a changed table is read: %v", err)
		}
	}
}
