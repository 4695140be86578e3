// SPDX-License-Identifier: Apache-2.0

package publish

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"hide/internal/annotate"
	"hide/internal/crf"
	"hide/internal/greedy"
)

// corpus is n short notes with names and dates marked.
func corpus(t testing.TB, n int) []annotate.Annotated {
	t.Helper()
	rng := rand.New(rand.NewPCG(7, 8))
	first := []string{"Anna", "Rose", "Karl", "May", "Ivo", "Lena"}
	last := []string{"Weiss", "Berg", "Ortiz", "Khan", "Novak", "Silva"}
	what := []string{"Seen by", "Referred to", "Discussed with", "Called"}
	docs := make([]annotate.Annotated, n)
	for i := range docs {
		var b strings.Builder
		var spans []annotate.Span
		add := func(words string, label annotate.Label) {
			start := annotate.ByteOff(b.Len())
			b.WriteString(words)
			if label != "" {
				spans = append(spans, annotate.Span{Start: start, End: annotate.ByteOff(b.Len()), Label: label})
			}
		}
		for range 1 + rng.IntN(3) {
			add(what[rng.IntN(len(what))]+" Dr. ", "")
			add(first[rng.IntN(len(first))]+" "+last[rng.IntN(len(last))], "NAME")
			add(" on ", "")
			add(fmt.Sprintf("%d/%d", 1+rng.IntN(12), 1+rng.IntN(28)), "DATE")
			add(" for pain, given aspirin.\n", "")
		}
		docs[i] = annotate.Annotated{Document: annotate.Document{Name: fmt.Sprintf("mrn-%d", 90000+i), Text: b.String()}, Spans: spans}
	}
	return docs
}

// trained is a bundle of two classifiers and a namer, made once.
var trained = sync.OnceValues(func() (*Bundle, error) {
	docs := corpus(&testing.T{}, 40)
	plain := make([]annotate.View, len(docs))
	for i, d := range docs {
		plain[i] = new(annotate.NewNote(d)).View()
	}
	o := crf.Options{Features: crf.Affix | crf.Context, MaxIterations: 15}
	namer, _, err := crf.Train(context.Background(), plain, o)
	if err != nil {
		return nil, err
	}
	o.Binary = true
	finder, _, err := crf.Train(context.Background(), plain, o)
	return &Bundle{
		Ensemble: greedy.Ensemble{
			{Learner: "crf", Classifier: &greedy.Model{CRF: finder}, Threshold: 0.3},
			{Learner: "crf", Classifier: &greedy.Model{CRF: finder}, Hard: true},
		},
		Namer:  namer,
		Policy: testPolicy(),
		Provenance: Provenance{Tool: "test", Created: time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC), Project: "p1", Run: 3, Mode: greedy.Default,
			LC: 10, Documents: 40, Corpus: strings.Repeat("c", 64), Figures: greedy.Outcome{LC: 10, Tokens: 100, Attack: greedy.Attack{Ranked: map[int]greedy.Estimate{25: {Value: 1, High: 2}}}}},
	}, err
})

func testBundle(t testing.TB) *Bundle {
	t.Helper()
	b, err := trained()
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func encoded(t testing.TB, b *Bundle) []byte {
	t.Helper()
	var file bytes.Buffer
	if err := b.Encode(&file); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

func TestBundleFindsAndNames(t *testing.T) {
	got, redactions := testBundle(t).Redact("Seen by Dr. Anna Khan on 3/14 for pain, given aspirin.\n")
	if want := "Seen by Dr. [NAME] on [DATE] for pain, given aspirin.\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if len(redactions) != 2 || redactions[0].Start != 12 || redactions[0].End != 21 {
		t.Errorf("redactions %+v", redactions)
	}
}

func TestSpansOfPeopleAreAdded(t *testing.T) {
	text, spans := marked(t, "Seen by Dr. [[DATE:Anna Khan]] on 3/14, given [[NAME:aspirin]].")
	got, _ := testBundle(t).Redact(text, spans...)
	if want := "Seen by Dr. [DATE] on [DATE], given [NAME]."; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestLabelsOutsideThePolicyAreNotUsed(t *testing.T) {
	b := *testBundle(t)
	b.Policy.Labels = []annotate.Label{"DATE"}
	got, _ := b.Redact("Seen by Dr. Anna Khan on 3/14 for pain, given aspirin.\n")
	if want := "Seen by Dr. [DATE] on [DATE] for pain, given aspirin.\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestBundleRoundTrips(t *testing.T) {
	b := testBundle(t)
	file := encoded(t, b)
	again, err := Decode(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(encoded(t, again), file) {
		t.Error("encoding what was decoded gives other bytes")
	}
	for _, d := range corpus(t, 20) {
		want, _ := b.Redact(d.Text)
		if got, _ := again.Redact(d.Text); got != want {
			t.Fatalf("got %q, want %q", got, want)
		}
	}
	sum, err := b.SHA256()
	if err != nil || sum != fmt.Sprintf("%x", sha256.Sum256(file)) {
		t.Errorf("sum %s, %v", sum, err)
	}
}

func TestDecodeRefusesDamage(t *testing.T) {
	file := encoded(t, testBundle(t))
	rng := rand.New(rand.NewPCG(9, 10))
	refuse := func(what string, damaged []byte) {
		t.Helper()
		if _, err := Decode(bytes.NewReader(damaged)); !errors.Is(err, ErrBundle) {
			t.Fatalf("%s: got %v", what, err)
		}
	}
	for range 300 {
		n := rng.IntN(len(file))
		refuse(fmt.Sprintf("cut to %d of %d bytes", n, len(file)), file[:n])
		flipped := bytes.Clone(file)
		flipped[n] ^= byte(1 + rng.IntN(255))
		refuse(fmt.Sprintf("byte %d changed", n), flipped)
	}
	refuse("a byte more", append(bytes.Clone(file), 0))
	refuse("nothing", nil)
}

// TestDecodeRefusesHugeClaims gives lengths that the file does not have; taking
// them at their word would need more memory than there is.
func TestDecodeRefusesHugeClaims(t *testing.T) {
	for _, length := range []uint64{1 << 30, sectionLimit, sectionLimit + 1, math.MaxInt64, math.MaxUint64} {
		file := append([]byte(bundleMagic), byte(len(metaSection)))
		file = append(file, metaSection...)
		file = binary.BigEndian.AppendUint64(file, length)
		if _, err := Decode(bytes.NewReader(append(file, "few bytes"...))); !errors.Is(err, ErrBundle) {
			t.Errorf("%d: got %v", length, err)
		}
	}
}

// TestDecodeRefusesWellSealedNonsense makes files with right sums and wrong
// contents.
func TestBundleKeepsPrices(t *testing.T) {
	plain, dear := testBundle(t), *testBundle(t)
	if bytes.Contains(encoded(t, plain), []byte("prices")) {
		t.Error("a bundle without prices speaks of them")
	}
	dear.Ensemble = slices.Clone(plain.Ensemble[:1])
	dear.Ensemble[0].Threshold, dear.Ensemble[0].Prices = 0.9, greedy.Prices{greedy.Number: 1000, greedy.Punctuation: 1000}
	again, err := Decode(bytes.NewReader(encoded(t, &dear)))
	if err != nil {
		t.Fatal(err)
	}
	if got, _ := again.Redact("Seen by Dr. Anna Khan on 3/14 for pain, given aspirin.\n"); got != "Seen by Dr. [NAME] on 3/14 for pain, given aspirin.\n" {
		t.Errorf("with dear numbers %q", got)
	}
}

func TestDecodeRefusesWellSealedNonsense(t *testing.T) {
	whole, err := readSections(bytes.NewReader(encoded(t, testBundle(t))))
	if err != nil {
		t.Fatal(err)
	}
	meta := func(old, new string) []section {
		text := strings.Replace(string(whole[0].content), old, new, 1)
		if text == string(whole[0].content) {
			t.Fatalf("no %q in the description", old)
		}
		return append([]section{{metaSection, []byte(text)}}, whole[1:]...)
	}
	for name, sections := range map[string][]section{
		"no sections":      nil,
		"no namer":         whole[:1],
		"a step missing":   whole[:len(whole)-1],
		"a step more":      append(whole[:len(whole):len(whole)], whole[len(whole)-1]),
		"steps swapped":    {whole[0], whole[1], whole[3], whole[2]},
		"empty model":      {whole[0], whole[1], whole[2], {"step 2", nil}},
		"longer model":     {whole[0], whole[1], whole[2], {"step 2", append(bytes.Clone(whole[3].content), 0)}},
		"unknown field":    meta(`{"policy"`, `{"more":1,"policy"`),
		"bad threshold":    meta(`"threshold":0.3`, `"threshold":1.3`),
		"bad price":        meta(`"whole":false`, `"whole":false,"prices":{"number":0}`),
		"bad kind":         meta(`"whole":false`, `"whole":false,"prices":{"verb":2}`),
		"no prices":        meta(`"whole":false`, `"whole":false,"prices":{}`),
		"bad placeholder":  meta(`[LABEL]`, `LABEL`),
		"unknown labels":   meta(`["NAME","DATE"]`, `["CITY"]`),
		"two descriptions": {{metaSection, append(bytes.Clone(whole[0].content), "{}"...)}, whole[1], whole[2], whole[3]},
	} {
		var file bytes.Buffer
		if err := writeSections(&file, sections); err != nil {
			t.Fatal(err)
		}
		if _, err := Decode(&file); !errors.Is(err, ErrBundle) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

func TestEncodeRefusesWhatCannotBeUsed(t *testing.T) {
	for name, change := range map[string]func(*Bundle){
		"no namer":      func(b *Bundle) { b.Namer = nil },
		"no policy":     func(b *Bundle) { b.Policy = Policy{} },
		"no classifier": func(b *Bundle) { b.Ensemble = greedy.Ensemble{{}} },
		"threshold is NaN": func(b *Bundle) {
			b.Ensemble = greedy.Ensemble{{Classifier: b.Ensemble[0].Classifier, Threshold: math.NaN()}}
		},
		"figure is NaN": func(b *Bundle) { b.Provenance.Figures.LC = math.NaN() },
		"another kind":  func(b *Bundle) { b.Ensemble = greedy.Ensemble{{Classifier: strange{}}} },
	} {
		b := *testBundle(t)
		change(&b)
		if err := b.Encode(&bytes.Buffer{}); err == nil {
			t.Errorf("%s: was encoded", name)
		}
	}
}

type strange struct{ greedy.Classifier }

func FuzzDecode(f *testing.F) {
	f.Add([]byte(bundleMagic))
	f.Add(encoded(f, testBundle(f)))
	var empty bytes.Buffer
	if err := writeSections(&empty, []section{{metaSection, []byte("{}")}, {namerSection, nil}}); err != nil {
		f.Fatal(err)
	}
	f.Add(empty.Bytes())
	f.Fuzz(func(t *testing.T, file []byte) {
		b, err := Decode(bytes.NewReader(file))
		if err != nil {
			if !errors.Is(err, ErrBundle) {
				t.Errorf("got %v", err)
			}
			return
		}
		if !bytes.Equal(encoded(t, b), file) {
			t.Error("a file that is not what Encode writes was accepted")
		}
	})
}
