// SPDX-License-Identifier: Apache-2.0

package onnx

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
)

// piece is a part of a text that the model has a number for, by byte.
type piece struct {
	id       int64
	from, to int
}

// tokenizer cuts a text into pieces, in order and apart.
type tokenizer interface {
	pieces(text string) []piece
	around() (first, last int64) // marks before and after the pieces of a window
}

// tokenizerFile is as much of tokenizer.json as is understood.
type tokenizerFile struct {
	Normalizer *struct {
		Type      string
		Lowercase bool
		Strip     *bool `json:"strip_accents"`
	} `json:"normalizer"`
	PreTokenizer struct {
		Type   string
		Prefix bool `json:"add_prefix_space"`
	} `json:"pre_tokenizer"`
	Model struct {
		Type    string
		Vocab   json.RawMessage
		Merges  []json.RawMessage
		Unknown string `json:"unk_token"`
	} `json:"model"`
}

// readTokenizer reads tokenizer.json or, without one, vocab.txt of WordPiece.
func readTokenizer(folder string) (tokenizer, error) {
	var f tokenizerFile
	name := filepath.Join(folder, "tokenizer.json")
	err := readJSON(name, &f)
	if errors.Is(err, fs.ErrNotExist) {
		return readVocabulary(folder)
	}
	if err != nil {
		return nil, err
	}
	var t tokenizer
	switch {
	case f.Model.Type == "WordPiece":
		t, err = f.wordPiece()
	case f.Model.Type == "BPE" && f.PreTokenizer.Type == "ByteLevel":
		t, err = f.bytePairs()
	default:
		err = fmt.Errorf("a tokenizer of type %q is not supported: WordPiece and byte-level BPE are", f.Model.Type)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return t, nil
}

func (f *tokenizerFile) wordPiece() (tokenizer, error) {
	ids := map[string]int64{}
	if err := json.Unmarshal(f.Model.Vocab, &ids); err != nil {
		return nil, errors.New("its vocabulary is not an object of numbers")
	}
	lower := f.Normalizer != nil && f.Normalizer.Lowercase
	strip := lower
	if f.Normalizer != nil && f.Normalizer.Strip != nil {
		strip = *f.Normalizer.Strip
	}
	return newWordPiece(ids, lower, strip)
}

// readVocabulary reads vocab.txt, one piece a line, and do_lower_case of
// tokenizer_config.json, true without that file.
func readVocabulary(folder string) (tokenizer, error) {
	raw, err := readFile(filepath.Join(folder, "vocab.txt"))
	if err != nil {
		return nil, fmt.Errorf("neither tokenizer.json nor vocab.txt can be read: %w", err)
	}
	how := struct {
		Lower *bool `json:"do_lower_case"`
	}{}
	if err := readJSON(filepath.Join(folder, "tokenizer_config.json"), &how); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	ids := map[string]int64{}
	for line := range strings.Lines(string(raw)) {
		ids[strings.TrimRight(line, "\r\n")] = int64(len(ids))
	}
	lower := how.Lower == nil || *how.Lower
	t, err := newWordPiece(ids, lower, lower)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Join(folder, "vocab.txt"), err)
	}
	return t, nil
}

// number is the id of the first of names that the vocabulary has.
func number(ids map[string]int64, names ...string) (int64, error) {
	for _, name := range names {
		if id, is := ids[name]; is {
			return id, nil
		}
	}
	return 0, fmt.Errorf("the vocabulary lacks %s", strings.Join(names, " and "))
}
