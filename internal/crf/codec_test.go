// SPDX-License-Identifier: Apache-2.0

package crf

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"reflect"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"

	"hide/internal/annotate"
	"hide/internal/annotate/dictionary"
)

// smallModels are real models of a few kilobytes. Together they contain everything that
// a file can hold.
func smallModels(t testing.TB) (map[string]*Model, []sequence) {
	docs, _ := notes(20, 3)
	lists := []dictionary.List{{Name: "given", Phrases: []string{"Ana", "José", "Mary John"}}, {Name: "empty"}}
	models := map[string]*Model{}
	for name, o := range map[string]Options{
		"chain":  {Dictionaries: lists},
		"sparse": {L1: 0.5, Pairs: Observed, Sampling: Sampling{O: 0.5, Seed: 2}},
		"binary": {Binary: true, Features: HIDE},
		"bayes":  {Learner: Bayes, Dictionaries: lists},
	} {
		o.MaxIterations = 5
		models[name], _ = train(t, docs, o)
	}
	return models, docs
}

func smallModel(t testing.TB) (*Model, []sequence) {
	models, docs := smallModels(t)
	return models["chain"], docs
}

func decoded(t testing.TB, file []byte) *Model {
	t.Helper()
	m, err := Decode(iotest.OneByteReader(bytes.NewReader(file)))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestModelSurvivesEncoding(t *testing.T) {
	models, docs := smallModels(t)
	for name, m := range models {
		file := encoded(t, m)
		back := decoded(t, file)
		if !bytes.Equal(encoded(t, back), file) {
			t.Errorf("%s: encoding it again gives other bytes", name)
		}
		if back.Features() != m.Features() || back.Binary() != m.Binary() || back.Learner() != m.Learner() || !slices.Equal(back.Labels(), m.Labels()) {
			t.Errorf("%s: its properties differ", name)
		}
		if !reflect.DeepEqual(back.Card(), m.Card()) || back.Hash() != m.Hash() {
			t.Errorf("%s: its card or its hash changed", name)
		}
		for _, d := range docs {
			if !reflect.DeepEqual(back.Tag(d.view()), m.Tag(d.view())) || !slices.Equal(back.Sensitive(d.view()), m.Sensitive(d.view())) {
				t.Errorf("%s: its tags differ", name)
			}
		}
	}
}

func TestModelsHaveNoWeightOfZero(t *testing.T) {
	models, _ := smallModels(t)
	for name, m := range models {
		first := m.states.transitions()
		if slices.Contains(m.weights[first:], 0) {
			t.Errorf("%s: a weight is 0", name)
		}
		for a, attribute := range sortedNames(m) {
			if m.rows[a] == m.rows[a+1] {
				t.Errorf("%s: %s has no weight", name, attribute)
			}
		}
		if len(m.rows) != m.attrs.Len()+1 || len(m.weights) != len(m.pairs) {
			t.Errorf("%s: %d rows of %d attributes, %d weights for %d pairs", name, len(m.rows), m.attrs.Len(), len(m.weights), len(m.pairs))
		}
	}
	if sparse := models["sparse"]; sparse.Weights() >= sparse.Card().Training.Weights {
		t.Error("training with L1 leaves no weight at 0")
	}
}

func TestModelIsAboutSevenBytesPerWeight(t *testing.T) {
	docs, _ := notes(30, 40)
	m, _ := train(t, docs, Options{Features: HIDE, Pairs: Observed, MaxIterations: 2})
	size, names, before := len(encoded(t, m)), 0, ""
	for _, name := range sortedNames(m) {
		names += len(name) - commonPrefix(before, name)
		before = name
	}
	card, _ := m.card.encode()
	// Of each attribute three bytes of lengths and set, of each weight four.
	if most := len(card) + names + 3*m.attrs.Len() + 4*m.Weights() + 200; size > most {
		t.Errorf("%d bytes for %d attributes and %d weights, want at most %d", size, m.attrs.Len(), m.Weights(), most)
	}
}

func sortedNames(m *Model) []string {
	names := make([]string, m.attrs.Len())
	for a := range names {
		names[a] = m.attrs.At(a)
	}
	return names
}

// TestLeavingOutNegligibleWeightsChangesNextToNothing compares with a model that keeps
// all weights.
func TestLeavingOutNegligibleWeightsChangesNextToNothing(t *testing.T) {
	docs, _ := notes(32, 40)
	unseen, _ := notes(33, 40)
	trainer, err := NewTrainer(Options{})
	if err != nil {
		t.Fatal(err)
	}
	m, stats, err := trainer.Train(t.Context(), views(docs))
	if err != nil {
		t.Fatal(err)
	}
	f := fitting{data: trainer.last.data, options: trainer.options, names: trainer.corpus.collector.names, gazette: trainer.gazette}
	f.options.Learner = Bayes // whose weights are all kept
	whole := f.model(trainer.last.w)
	if m.Weights() == whole.Weights() || whole.Weights() < stats.Weights/2 {
		t.Errorf("%d weights kept, %d of %d with the negligible ones", m.Weights(), whole.Weights(), stats.Weights)
	}
	for _, d := range unseen {
		if !reflect.DeepEqual(SpansOf(m.Tag(d.view())), SpansOf(whole.Tag(d.view()))) {
			t.Error("other spans are found")
		}
		was := whole.Sensitive(d.view())
		for i, p := range m.Sensitive(d.view()) {
			if math.Abs(p-was[i]) > 1e-3 {
				t.Errorf("a probability is %g instead of %g", p, was[i])
			}
		}
	}
}

func TestHashIsOfTheModelAndNotOfItsCard(t *testing.T) {
	models, _ := smallModels(t)
	m := models["chain"]
	c := m.Card()
	c.Note = "Ward 3, consent 17"
	other, err := m.WithCard(c)
	if err != nil {
		t.Fatal(err)
	}
	if other.Hash() != m.Hash() || bytes.Equal(encoded(t, other), encoded(t, m)) {
		t.Error("the card changes the hash, or does not change the file")
	}
	if m.Hash() == models["bayes"].Hash() {
		t.Error("two models have one hash")
	}
}

func TestDecodeRefusesEveryTruncationAndEveryFlippedBit(t *testing.T) {
	m, _ := train(t, []sequence{{words: []string{"Ana", "x"}, labels: []annotate.Label{"N", ""}}}, Options{Features: HIDE})
	file := encoded(t, m)
	for n := range file {
		if _, err := Decode(bytes.NewReader(file[:n])); !errors.Is(err, ErrModel) {
			t.Fatalf("the first %d of %d bytes: %v", n, len(file), err)
		}
	}
	for i := range file {
		for bit := range 8 {
			damaged := bytes.Clone(file)
			damaged[i] ^= 1 << bit
			if _, err := Decode(bytes.NewReader(damaged)); !errors.Is(err, ErrModel) {
				t.Fatalf("bit %d of byte %d flipped: %v", bit, i, err)
			}
		}
	}
	if _, err := Decode(bytes.NewReader(append(file, 0))); !errors.Is(err, ErrModel) {
		t.Errorf("a byte more: %v", err)
	}
}

// sealed appends the right checksum, so that only the content can be wrong.
func sealed(parts ...[]byte) []byte {
	b := slices.Concat(parts...)
	sum := sha256.Sum256(b)
	return append(b, sum[:]...)
}

func varints(ns ...uint64) []byte {
	var b []byte
	for _, n := range ns {
		b = binary.AppendUvarint(b, n)
	}
	return b
}

func singles(values ...float32) []byte {
	var b []byte
	for _, v := range values {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
	}
	return b
}

// begun is a file up to the model, with an empty card.
func begun(t testing.TB) []byte {
	card, err := Card{}.encode()
	if err != nil {
		t.Fatal(err)
	}
	return slices.Concat([]byte(magic), varints(version, uint64(len(card))), card, varints(1))
}

func TestDecodeSaysWhatIsWrongThoughTheChecksumIsRight(t *testing.T) {
	head := begun(t)
	plain := varints(1, 0, 0, 0) // families, flags, labels, dictionaries
	bare := slices.Concat(head, plain, singles(0))
	one := varints(1, 0) // a new set of states: its size and, for O, 0
	attribute := func(shared uint64, rest string) []byte {
		return slices.Concat(varints(shared, uint64(len(rest))), []byte(rest))
	}
	tests := []struct {
		name, want string
		file       []byte
	}{
		{"empty", "header is wrong (byte 0)", nil},
		{"something else", "header is wrong (byte 0)", []byte("HIDE bundle and more than that")},
		{"version 1", "version is 1 and this program reads 3: train it again (byte 8)", sealed([]byte(magic), varints(1, 1, 0))},
		{"later version", "version is 4 and this program reads 3: a newer program wrote it", sealed([]byte(magic), varints(4))},
		{"only a beginning", "ends too early", sealed([]byte(magic), varints(version))},
		{"no checksum", "ends too early", append([]byte(magic), version)},
		{"wrong checksum", "checksum is wrong: it was damaged or cut short", append(slices.Concat(bare, varints(0)), make([]byte, 32)...)},
		{"huge card", "length of the card is 1073741824", sealed([]byte(magic), varints(version, 1<<30))},
		{"card cut short", "ends too early", sealed([]byte(magic), varints(version, 1000), []byte("{}"))},
		{"card is no JSON", "its card: not in the form that this program writes", sealed([]byte(magic), varints(version, 1), []byte("x"), varints(1))},
		{"card with more", "its card: not in the form that this program writes", sealed([]byte(magic), varints(version, 9), []byte(`{"mrn":7}`), varints(1))},
		{"no model", "contains no model", sealed(head[:len(head)-1], varints(0), plain, singles(0), varints(0))},
		{"three models", "number of models is 3", sealed(head[:len(head)-1], varints(3), plain, singles(0), varints(0))},
		{"a first pass nobody hears", "do not fit its 2 models", sealed(head[:len(head)-1], varints(2), plain, singles(0), varints(0), plain, singles(0), varints(0))},
		{"no first pass", "do not fit its 1 models", sealed(head, varints(uint64(Consistency), 0, 0, 0), singles(0), varints(0))},
		{"a first pass that hears", "do not fit its 2 models", sealed(head[:len(head)-1], varints(2),
			varints(uint64(Consistency), 0, 0, 0), singles(0), varints(0), varints(uint64(Consistency), 0, 0, 0), singles(0), varints(0))},
		{"unknown features", "feature families is", sealed(head, varints(1<<30))},
		{"unknown flag", "flags is 4", sealed(head, varints(1, 4))},
		{"too many labels", "number of labels is", sealed(head, varints(1, 0, 1<<33))},
		{"more labels than bytes", "more than the rest of the file can hold", sealed(head, varints(1, 0, 900))},
		{"labels out of order", "a name is out of order", sealed(head, varints(1, 0, 2), attribute(0, "b"), attribute(0, "a"), make([]byte, 99))},
		{"same label twice", "a name is out of order", sealed(head, varints(1, 0, 2), attribute(0, "b"), attribute(1, ""), make([]byte, 99))},
		{"an empty label", "a label is empty", sealed(head, varints(1, 0, 1), attribute(0, ""), make([]byte, 99))},
		{"huge name", "length of a name is", sealed(head, varints(1, 0, 1, 0, 1<<30), make([]byte, 99))},
		{"huge dictionaries", "number of dictionaries is", sealed(head, varints(1, 0, 0, 1<<40))},
		{"weight is no number", "not a usable number", sealed(head, plain, singles(float32(math.NaN())), varints(0))},
		{"weight is infinite", "not a usable number", sealed(head, plain, singles(float32(math.Inf(-1))), varints(0))},
		{"huge count of attributes", "more than the rest of the file can hold", sealed(bare, varints(1<<30))},
		{"count above 64 bits", "is too large", sealed(bare, bytes.Repeat([]byte{0xff}, 12))},
		{"count written too long", "written too long", sealed(bare, []byte{0x81, 0x00})},
		{"shares with nothing", "shared bytes is 3, at most 0", sealed(bare, varints(1, 3, 0), one, singles(1))},
		{"shares more than it says", "shares more bytes than the name before it has", sealed(bare, varints(2), attribute(0, "ab"), varints(0), one, singles(1), attribute(0, "ac"), varints(0), singles(1))},
		{"attributes out of order", "a name is out of order", sealed(bare, varints(2), attribute(0, "b"), varints(0), one, singles(1), attribute(0, "a"), varints(0), singles(1))},
		{"a set from nowhere", "set of states is 1, at most 0", sealed(bare, varints(1), attribute(0, "a"), varints(1), singles(1))},
		{"an empty set", "an attribute has no weight", sealed(bare, varints(1), attribute(0, "a"), varints(0, 0), singles(1))},
		{"a state too many", "size of a set of states is 2, at most 1", sealed(bare, varints(1), attribute(0, "a"), varints(0, 2, 0, 0), singles(1, 1))},
		{"a state beyond the last", "state is 1, at most 0", sealed(bare, varints(1), attribute(0, "a"), varints(0, 1, 1), singles(1))},
		{"a set twice", "set of states occurs twice", sealed(bare, varints(2), attribute(0, "a"), varints(0), one, singles(1), attribute(0, "b"), varints(1), one, singles(1))},
		{"a weight of 0", "a weight is 0", sealed(bare, varints(1), attribute(0, "a"), varints(0), one, singles(0))},
		{"a weight missing", "ends too early", sealed(bare, varints(1), attribute(0, "a"), varints(0), one, []byte{1})},
		{"more behind", "data follows its end", sealed(bare, varints(0, 7))},
	}
	for _, test := range tests {
		_, err := Decode(bytes.NewReader(test.file))
		if !errors.Is(err, ErrModel) || !strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), "(byte ") {
			t.Errorf("%s: error %v, want one with %q", test.name, err, test.want)
		}
	}
	good := sealed(bare, varints(2), attribute(0, "a"), varints(0), one, singles(1), attribute(1, "b"), varints(0), singles(2))
	if _, err := Decode(bytes.NewReader(good)); err != nil {
		t.Errorf("a small model: %v", err)
	}
}

func TestDecodeNamesTheByteInQuestion(t *testing.T) {
	head := begun(t)
	_, err := Decode(bytes.NewReader(sealed(head, varints(1, 0, 0, 0), singles(float32(math.NaN())), varints(0))))
	if want := len(head) + 4; err == nil || !strings.Contains(err.Error(), "(byte "+strconv.Itoa(want)+")") {
		t.Errorf("error %v, want byte %d", err, want)
	}
}

// TestDecodeKeepsItsMemoryInProportion decodes files with a right checksum that need as
// much memory as possible.
func TestDecodeKeepsItsMemoryInProportion(t *testing.T) {
	long := bytes.Repeat([]byte("x"), maxName)
	var stretched []byte // names that share almost all of a kilobyte
	const many = 20_000
	for i := range many {
		shared, rest := uint64(0), append(bytes.Clone(long[:maxName-3]), byte(i>>14), byte(i>>7)&0x7f, byte(i)&0x7f)
		if i > 0 {
			shared, rest = maxName-3, rest[maxName-3:]
			if i&0x7f != 0 {
				shared, rest = maxName-1, rest[2:]
			} else if i>>7&0x7f != 0 {
				shared, rest = maxName-2, rest[1:]
			}
		}
		stretched = append(stretched, varints(shared, uint64(len(rest)))...)
		stretched = append(stretched, rest...)
		stretched = append(stretched, 0)
		if i == 0 {
			stretched = append(stretched, 1, 0)
		}
		stretched = append(stretched, singles(1)...)
	}
	plain := slices.Concat(begun(t), varints(1, 0, 0, 0), singles(0))
	for name, file := range map[string][]byte{
		"counts":    sealed(plain, varints(1<<31-1), make([]byte, 100_000)),
		"stretched": sealed(plain, varints(many), stretched),
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := Decode(bytes.NewReader(file))
		runtime.ReadMemStats(&after)
		if !errors.Is(err, ErrModel) {
			t.Errorf("%s: error %v", name, err)
		}
		if got, most := after.TotalAlloc-before.TotalAlloc, uint64(64*len(file)+1<<20); got > most {
			t.Errorf("%s: %d bytes of a file took %d of memory, want at most %d", name, len(file), got, most)
		}
	}
}

func TestDecodeReportsReadingErrorsAsTheyAre(t *testing.T) {
	m, _ := smallModel(t)
	broken := errors.New("disk on fire")
	r := io.MultiReader(bytes.NewReader(encoded(t, m)[:100]), iotest.ErrReader(broken))
	if _, err := Decode(r); !errors.Is(err, broken) || errors.Is(err, ErrModel) {
		t.Errorf("error is %v", err)
	}
}

type fullDisk struct{ room int }

func (w *fullDisk) Write(p []byte) (int, error) {
	if w.room -= len(p); w.room < 0 {
		return 0, io.ErrShortWrite
	}
	return len(p), nil
}

func TestEncodeReportsAFailingWriter(t *testing.T) {
	m, _ := smallModel(t)
	size := len(encoded(t, m))
	for _, room := range []int{0, 100, size - 1} {
		if err := m.Encode(&fullDisk{room}); !errors.Is(err, io.ErrShortWrite) {
			t.Errorf("with room for %d of %d bytes: %v", room, size, err)
		}
	}
}

func TestNoMoreIsWrittenThanCanBeRead(t *testing.T) {
	var out bytes.Buffer
	w := &bounded{&out, 4}
	if n, err := w.Write([]byte("four")); n != 4 || err != nil {
		t.Fatalf("%d bytes, %v, within the limit", n, err)
	}
	if n, err := w.Write([]byte("s")); n != 0 || err == nil || out.Len() != 4 {
		t.Errorf("%d bytes, %v, beyond the limit", n, err)
	}
}

// endless returns zeros after the beginning of a model.
type endless struct{ given int }

func (e *endless) Read(p []byte) (int, error) {
	clear(p)
	if e.given == 0 {
		copy(p, magic+"\x03")
	}
	e.given += len(p)
	return len(p), nil
}

func TestAnEndlessModelFileIsRefused(t *testing.T) {
	const most = 1 << 20 // of a file's 1 << 28, which cost 3 GiB under the race detector
	r := &endless{}
	if _, err := decode(r, most); !errors.Is(err, ErrModel) || !strings.Contains(err.Error(), "larger than") {
		t.Errorf("error is %v", err)
	}
	if r.given > 2*most {
		t.Errorf("%d bytes were read", r.given)
	}
}

// tinyModels are of a few hundred bytes.
func tinyModels(t testing.TB) []*Model {
	docs := []sequence{{words: []string{"Ana", "x"}, labels: []annotate.Label{"N", ""}}}
	lists := []dictionary.List{{Name: "given", Phrases: []string{"Ana", "Mary John"}}, {Name: "empty"}}
	var models []*Model
	for _, o := range []Options{{Dictionaries: lists}, {Learner: Bayes}, {L1: 0.1, Binary: true}} {
		o.Features, o.MaxIterations = Regex|Dictionary, 3
		m, _ := train(t, docs, o)
		models = append(models, m)
	}
	return models
}

func FuzzDecode(f *testing.F) {
	for _, m := range tinyModels(f) {
		file := encoded(f, m)
		f.Add(file)
		f.Add(file[:len(file)/2])
		f.Add(file[:len(file)-sha256.Size])
		flipped := bytes.Clone(file)
		flipped[len(flipped)/3] ^= 4
		f.Add(flipped)
	}
	tiny := slices.Concat(begun(f), varints(1, 0, 0, 0), singles(0))
	f.Add([]byte(magic))
	f.Add(slices.Concat(tiny, varints(0)))
	f.Add(slices.Concat(tiny, varints(1<<31-1)))
	f.Add(slices.Concat(tiny, varints(1, 0, 1), []byte("a"), varints(0, 1, 0), singles(1)))
	d := noteSequence(annotate.Annotated{Document: annotate.Document{Text: "Name: Ana Ruiz\nseen 3/4/1999"}})
	f.Fuzz(func(t *testing.T, data []byte) {
		// Seal what the fuzzer made as well, so that it gets past the checksum.
		for _, file := range [][]byte{data, sealed(data)} {
			m, err := Decode(bytes.NewReader(file))
			if err != nil {
				continue
			}
			if !bytes.Equal(encoded(t, m), file) {
				t.Fatal("a file that Encode would not write was accepted")
			}
			for _, p := range m.Sensitive(d.view()) {
				if !(p >= 0 && p <= 1) {
					t.Fatalf("probability %g", p)
				}
			}
			m.Tag(d.view())
		}
	})
}

// A model trained with any list can be read again.
func TestModelsWithAnyDictionaryTermCanBeReadAgain(t *testing.T) {
	terms := []string{"O\u00b4Brien", "D\u00a8x", "\u00bd", "\ufdfa", "\u02dc"}
	for r := rune(0x80); r < 0x3000; r++ {
		terms = append(terms, "a"+string(r)+"b", string(r))
	}
	d := sequence{words: []string{"see", "Brien", "x"}, labels: []annotate.Label{"", "NAME", ""}}
	m, _ := train(t, []sequence{d, d}, Options{Features: HIDE, MaxIterations: 1, Dictionaries: []dictionary.List{{Name: "names", Phrases: terms}}})
	if _, err := Decode(bytes.NewReader(encoded(t, m))); err != nil {
		t.Error(err)
	}
}

func TestBayesOfAlmostNothingCanBeReadAgain(t *testing.T) {
	d := sequence{words: []string{"see"}, labels: []annotate.Label{"NAME"}}
	m, _ := train(t, []sequence{d}, Options{Learner: Bayes})
	if _, err := Decode(bytes.NewReader(encoded(t, m))); err != nil {
		t.Error(err)
	}
}
