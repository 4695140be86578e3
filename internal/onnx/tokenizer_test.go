// SPDX-License-Identifier: Apache-2.0

package onnx

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"hide/internal/annotate"
)

// words is a vocabulary of these pieces, after the marks.
func words(pieces ...string) map[string]int64 {
	ids := map[string]int64{}
	for _, p := range append([]string{"[PAD]", "[UNK]", "[CLS]", "[SEP]"}, pieces...) {
		ids[p] = int64(len(ids))
	}
	return ids
}

// shown writes pieces as their number in the vocabulary, by name, and the text they cover.
func shown(ids map[string]int64, text string, pieces []piece) string {
	var out []string
	for _, p := range pieces {
		for name, id := range ids {
			if id == p.id {
				out = append(out, name+"="+text[p.from:p.to])
			}
		}
	}
	return strings.Join(out, " ")
}

func TestWordPiecesLieWhereTheyCameFrom(t *testing.T) {
	ids := words("una", "##ff", "##able", "want", "##want", "##ed", "runn", "##ing", ",", "munoz", "ana", "'", "i", "##ss", "stra", "##e", "中", "dr", ".")
	for text, want := range map[string]string{
		"":                       "",
		" \n ":                   "",
		"UNwanted running":       "[UNK]=UNwanted runn=runn ##ing=ing",
		"unaffable,":             "una=una ##ff=ff ##able=able ,=,",
		"Muñoz":                  "munoz=Muñoz",
		"MUN\u0303OZ":            "munoz=MUN\u0303OZ",
		"Dr. Ana's":              "dr=Dr .=. ana=Ana '='",
		"ana中ana":                "ana=ana 中=中 ana=ana",
		"a\u200bna":              "ana=a\u200bna",
		"want\x00ed":             "want=want ##ed=ed",
		"anax ana":               "[UNK]=anax ana=ana",
		strings.Repeat("a", 101): "[UNK]=" + strings.Repeat("a", 101),
	} {
		w, err := newWordPiece(ids, true, true)
		if err != nil {
			t.Fatal(err)
		}
		got := shown(ids, text, w.pieces(text))
		if text == "Dr. Ana's" {
			want += " [UNK]=s"
		}
		if got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
	cased, err := newWordPiece(ids, false, false)
	if err != nil || shown(ids, "Ana ana", cased.pieces("Ana ana")) != "[UNK]=Ana ana=ana" {
		t.Errorf("cased: %v", err)
	}
}

// byteTokenizer merges as its file says.
func byteTokenizer(t *testing.T, prefix bool, merges ...string) *bytePairs {
	t.Helper()
	vocab := map[string]int{"<s>": 0, "</s>": 1, "<unk>": 2}
	add := func(s string) {
		if _, is := vocab[s]; !is {
			vocab[s] = len(vocab)
		}
	}
	for _, l := range byteLetters() {
		add(l)
	}
	for _, m := range merges {
		add(strings.ReplaceAll(m, " ", ""))
	}
	var f tokenizerFile
	f.Model.Vocab, _ = json.Marshal(vocab)
	for k, m := range merges {
		raw, _ := json.Marshal(m)
		if k%2 == 1 { // newer files write pairs
			raw, _ = json.Marshal(strings.Split(m, " "))
		}
		f.Model.Merges = append(f.Model.Merges, raw)
	}
	f.PreTokenizer.Prefix = prefix
	b, err := f.bytePairs()
	if err != nil {
		t.Fatal(err)
	}
	return b.(*bytePairs)
}

// TestALongWordIsCut: merging takes the square of the bytes of a word, so that a line of
// underscores in a note must not be one. A space and 255 of 300 underscores are merged first,
// in 127 pairs, and the other 45 in 22.
func TestALongWordIsCut(t *testing.T) {
	b := byteTokenizer(t, false, "_ _")
	text := " " + strings.Repeat("_", 300)
	pieces := b.pieces(text)
	for k := 1; k < len(pieces); k++ {
		if pieces[k].from != pieces[k-1].to {
			t.Fatalf("piece %d begins at byte %d, the one before ends at %d", k, pieces[k].from, pieces[k-1].to)
		}
	}
	if n := len(pieces); n != 1+128+23 || pieces[n-1].to != len(text) {
		t.Errorf("%d pieces to byte %d of %d", n, pieces[n-1].to, len(text))
	}
}

func TestBytePairsMergeByRank(t *testing.T) {
	b := byteTokenizer(t, false, "l o", "lo w", "e r", "Ġ low", "Ġlow er", "Ã ±", "' s", "Ġ Ġ")
	for text, want := range map[string]string{
		"low":       "low=low",
		"low lower": "low=low Ġlower=lower",
		"lower":     "low=low er=er",
		"ñ":         "Ã±=ñ",
		"low's":     "low=low 's='s",
		"low  low":  "low=low Ġ=  Ġlow=low",
		"low   low": "low=low ĠĠ=  Ġlow=low",
		"low ":      "low=low Ġ= ",
		"lo2low":    "lo=lo 2=2 low=low",
		"low, low":  "low=low ,=, Ġlow=low",
		"low\nlow":  "low=low Ċ=\n low=low",
	} {
		if got := shown(b.ids, text, b.pieces(text)); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
	if got := shown(b.ids, "low", byteTokenizer(t, true, "l o", "lo w", "Ġ low").pieces("low")); got == "" {
		t.Error("no prefix")
	}
}

func TestTokenizersAreReadFromTheirFiles(t *testing.T) {
	for name, k := range map[string]struct {
		files map[string]string
		want  string // kind, or the error
	}{
		"vocab":       {map[string]string{"vocab.txt": "[UNK]\n[CLS]\r\n[SEP]\nana\n"}, "true 3"},
		"cased vocab": {map[string]string{"vocab.txt": "[UNK]\n[CLS]\n[SEP]\nana\n", "tokenizer_config.json": `{"do_lower_case":false}`}, "false 0"},
		"json":        {map[string]string{"tokenizer.json": `{"normalizer":{"type":"BertNormalizer","lowercase":true,"strip_accents":null},"model":{"type":"WordPiece","vocab":{"[UNK]":0,"[CLS]":1,"[SEP]":2,"ana":3}}}`}, "true 3"},
		"unigram":     {map[string]string{"tokenizer.json": `{"model":{"type":"Unigram","vocab":[]}}`}, `type "Unigram" is not supported`},
		"no mark":     {map[string]string{"vocab.txt": "[UNK]\nana\n"}, "the vocabulary lacks [CLS]"},
		"no json":     {map[string]string{"tokenizer.json": "Gwendolyn"}, "not the JSON that is expected"},
		"merge":       {map[string]string{"tokenizer.json": `{"pre_tokenizer":{"type":"ByteLevel"},"model":{"type":"BPE","vocab":{"<s>":0,"</s>":1,"<unk>":2},"merges":["a"]}}`}, "a merge is not a pair"},
		"nothing":     {nil, "neither tokenizer.json nor vocab.txt"},
	} {
		folder := t.TempDir()
		for file, text := range k.files {
			if err := os.WriteFile(filepath.Join(folder, file), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		got, err := readTokenizer(folder)
		said := fmt.Sprint(err)
		if w, is := got.(*wordPiece); err == nil && is {
			said = fmt.Sprint(w.lower, w.pieces("ANA")[0].id)
		}
		if !strings.Contains(said, k.want) {
			t.Errorf("%s: %s, want %s", name, said, k.want)
		}
	}
}

// Pieces are in order, inside the text, between runes, and leave out nothing but white space
// and control characters.
func FuzzPieces(f *testing.F) {
	for _, s := range []string{"Dr. Muñoz (中文) isn't 😀 here", "e\u0301\u200b\x00 ß İ ﬁ", " \n  a  b", "'s 're '"} {
		f.Add(s)
	}
	w, err := newWordPiece(words("a", "##b", "mu", "##n", "##oz", "i", "##s", "f", "##i"), true, true)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if !utf8.ValidString(text) {
			return
		}
		for name, k := range map[string]tokenizer{"words": w, "bytes": byteTokenizer(t, false, "a b", "Ġ a", "Ã ±")} {
			at := 0
			covered := make([]bool, len(text))
			for _, p := range k.pieces(text) {
				if p.from < 0 || p.to > len(text) || p.from >= p.to || p.to < at {
					t.Fatalf("%s: piece %+v after %d", name, p, at)
				}
				if name == "words" && (!utf8.RuneStart(text[p.from]) || p.to < len(text) && !utf8.RuneStart(text[p.to])) {
					t.Fatalf("%s: piece %+v cuts a rune", name, p)
				}
				at = p.to
				for x := p.from; x < p.to; x++ {
					covered[x] = true
				}
			}
			for x, r := range text {
				if !covered[x] && !unicode.IsSpace(r) && (name == "bytes" || !isControl(r) && r != utf8.RuneError && !unicode.Is(unicode.Mn, r)) {
					t.Fatalf("%s: byte %d of %q is in no piece", name, x, text)
				}
			}
			tokens := annotate.Tokenize(text)
			scores := onTokens(tokens, k.pieces(text), slices.Repeat([]float64{1}, len(k.pieces(text))))
			for x, token := range tokens {
				if scores[x] != 1 && slices.Contains(covered[token.Start:token.End], true) {
					t.Fatalf("%s: token %d got no score", name, x)
				}
			}
		}
	})
}
