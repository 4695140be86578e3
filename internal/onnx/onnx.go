// SPDX-License-Identifier: Apache-2.0

// Package onnx scores the tokens of notes by a token classifier in the ONNX format, in the
// process itself.
//
//	t, err := onnx.Open("folder") // model.onnx, config.json, and tokenizer.json or vocab.txt
//	scores, err := t.Scores(text) // P(identifier) of each token of annotate.Tokenize
//	defer t.Close()
//
// The folder is what optimum-cli of Hugging Face exports. Tokenizers are WordPiece (BERT and
// its kind) and byte-level BPE (RoBERTa and its kind); others are refused. A long note is read
// in windows that overlap, and a piece has the probability of the window in which it is
// farthest from an edge. A token has the highest probability of the pieces that touch it.
//
// The model runs only in programs that were built with -tags onnx, by ONNX Runtime. Its shared
// library is not part of the program: the environment variable HIDE_ONNXRUNTIME names its file,
// such as libonnxruntime.so.1 in the npm package onnxruntime-node. Nothing is downloaded, and
// notes stay in the process. Errors hold no text of notes.
package onnx

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"hide/internal/annotate"
)

// LibraryVariable is the environment variable with the path of ONNX Runtime.
const LibraryVariable = "HIDE_ONNXRUNTIME"

// runtime runs a model on one window. It is not safe for concurrent use.
type runtime interface {
	// run returns the score of each label by piece, before the softmax.
	run(ids []int64) ([][]float32, error)
	close() error
}

// Tagger is an open model. It is for one goroutine at a time.
type Tagger struct {
	tokenizer tokenizer
	runtime   runtime
	window    int // pieces at once, with the two marks around them
	outside   []int
}

// Limits of what is read.
const (
	mostConfig = 64 << 20 // bytes of a file of the tokenizer
	mostWindow = 4096
	usualRoom  = 512 // pieces that a model reads, if it does not say how many
)

// config is as much of config.json as matters here.
type config struct {
	Labels map[string]string `json:"id2label"`
	Room   int               `json:"max_position_embeddings"`
	Offset int               `json:"pad_token_id"` // RoBERTa numbers places from the one after it
	Kind   string            `json:"model_type"`
}

// Open reads a model and its tokenizer from a folder.
func Open(folder string) (*Tagger, error) {
	t, err := read(folder)
	if err != nil {
		return nil, err
	}
	if t.runtime, err = newRuntime(filepath.Join(folder, "model.onnx"), os.Getenv(LibraryVariable)); err != nil {
		return nil, err
	}
	return t, nil
}

// Check refuses a folder that Open would refuse for its files, without opening the model. A program
// that runs no model says so first.
func Check(folder string) error {
	if !Present {
		_, err := newRuntime("", "")
		return err
	}
	_, err := read(folder)
	return err
}

// read reads everything but the model.
func read(folder string) (*Tagger, error) {
	var c config
	if err := readJSON(filepath.Join(folder, "config.json"), &c); err != nil {
		return nil, err
	}
	t := &Tagger{window: c.room()}
	for number, label := range c.Labels {
		if label == "O" || label == "LABEL_0" {
			var n int
			if _, err := fmt.Sscan(number, &n); err != nil || n < 0 {
				return nil, errors.New("config.json: id2label has a label without a number")
			}
			t.outside = append(t.outside, n)
		}
	}
	if len(t.outside) == 0 {
		return nil, errors.New("config.json: no label of id2label is O: this is not a token classifier of identifiers")
	}
	slices.Sort(t.outside)
	var err error
	t.tokenizer, err = readTokenizer(folder)
	return t, err
}

func (c config) room() int {
	room := c.Room
	if c.Kind == "roberta" || c.Kind == "camembert" {
		room -= c.Offset + 1
	}
	if room < 8 || room > mostWindow {
		room = usualRoom
	}
	return room
}

func readFile(name string) ([]byte, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	if info.Size() > mostConfig {
		return nil, fmt.Errorf("%s has more than %d bytes", name, mostConfig)
	}
	return os.ReadFile(name)
}

func readJSON(name string, to any) error {
	raw, err := readFile(name)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(raw, to); err != nil {
		return fmt.Errorf("%s: not the JSON that is expected there: %w", name, err)
	}
	return nil
}

// Close frees the model.
func (t *Tagger) Close() error { return t.runtime.close() }

// Scores are P(identifier) of each token of annotate.Tokenize.
func (t *Tagger) Scores(text string) ([]float64, error) {
	pieces := t.tokenizer.pieces(text)
	p, err := t.probabilities(pieces)
	if err != nil {
		return nil, err
	}
	return onTokens(annotate.Tokenize(text), pieces, p), nil
}

// onTokens gives each token the highest probability of the pieces that touch it; both are
// in the order of the text.
func onTokens(tokens []annotate.Token, pieces []piece, p []float64) []float64 {
	out, first := make([]float64, len(tokens)), 0
	for x, t := range tokens {
		for first < len(pieces) && pieces[first].to <= int(t.Start) {
			first++
		}
		for k := first; k < len(pieces) && pieces[k].from < int(t.End); k++ {
			out[x] = max(out[x], p[k])
		}
	}
	return out
}
