// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"unicode/utf8"

	"hide/tools/rig"
)

const (
	projectID = "p1" // the first of a new data folder
	finished  = 60   // notes with spans, for trainings
)

// note is an imported note and the words in it that annotators tag.
type note struct {
	doc   int // its number: notes are numbered in the order of import
	name  string
	words []word
}

// word is a place in code points.
type word struct {
	start, end int
	text       string
}

func (n note) path() string { return fmt.Sprintf("/p/%s/notes/%d", projectID, n.doc) }

// record is a line of a JSONL file, as far as this program needs it.
type record struct {
	ID    string            `json:"id"`
	Text  string            `json:"text"`
	Spans []json.RawMessage `json:"spans,omitempty"`
}

// prepare makes the data folder: accounts, a project, and notes in this order: the long
// one, the finished ones, all others.
func prepare(ctx context.Context, c config, dir string) (*ward, error) {
	w := &ward{config: c, hide: rig.Hide{Binary: c.binary, Data: filepath.Join(dir, "data")}}
	out, err := w.hide.Version(ctx)
	if err != nil {
		return nil, err
	}
	w.version = out
	if _, err := w.hide.Command(ctx, "project", "create", "Load"); err != nil {
		return nil, err
	}
	if err := w.addPeople(ctx); err != nil {
		return nil, err
	}
	invented := filepath.Join(dir, "invented.jsonl")
	if err := w.hide.Generate(ctx, (c.notes+finished)/3+2, invented); err != nil { // more than three notes each
		return nil, err
	}
	files, err := w.split(invented, dir)
	if err != nil {
		return nil, err
	}
	for _, f := range files {
		args := []string{"import", "--project", projectID, f}
		if strings.HasSuffix(f, "finished.jsonl") {
			args = append(args, "--finished")
		}
		if _, err := w.hide.Command(ctx, args...); err != nil {
			return nil, err
		}
	}
	return w, nil
}

// addPeople makes a broker and the annotators, members of the project. The viewers use the accounts of the
// annotators, each person having several windows open.
func (w *ward) addPeople(ctx context.Context) error {
	for i := range w.annotators + 1 {
		name, role := fmt.Sprintf("Annotator %d", i), "annotator"
		if i == 0 {
			name, role = "Broker", "broker"
		}
		code, err := w.hide.AddPerson(ctx, name, role)
		if err != nil {
			return err
		}
		if _, err := w.hide.Command(ctx, "member", "add", projectID, name, "--role", role); err != nil {
			return err
		}
		w.codes = append(w.codes, code)
	}
	return nil
}

// split reads the invented notes and writes the files to import, in order.
func (w *ward) split(invented, dir string) ([]string, error) {
	in, err := os.Open(invented)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	shared := record{ID: "shared"}
	var done, open []record
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() && len(open) < w.notes {
		var r record
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			return nil, err
		}
		if len(done) < finished {
			done = append(done, r)
			continue
		}
		r.Spans = nil
		open = append(open, r)
		if len(w.shared.words) < w.annotators*int(w.length/w.every+2) {
			shared.Text += r.Text + "\n"
			w.shared.words = append(w.shared.words, wordsOf(r.Text)...) // their number is right, not yet their places
		}
	}
	if err := lines.Err(); err != nil {
		return nil, err
	}
	w.shared = note{doc: 1, name: shared.ID, words: wordsOf(shared.Text)}
	for i, r := range open {
		w.open = append(w.open, note{doc: 2 + finished + i, name: r.ID, words: wordsOf(r.Text)})
	}
	files := []string{filepath.Join(dir, "shared.jsonl"), filepath.Join(dir, "finished.jsonl"), filepath.Join(dir, "open.jsonl")}
	for i, records := range [][]record{{shared}, done, open} {
		if err := writeRecords(files[i], records); err != nil {
			return nil, err
		}
	}
	return files, nil
}

func writeRecords(file string, records []record) error {
	var b strings.Builder
	out := json.NewEncoder(&b)
	out.SetEscapeHTML(false)
	for _, r := range records {
		if err := out.Encode(r); err != nil {
			return err
		}
	}
	return os.WriteFile(file, []byte(b.String()), 0o600)
}

// Words between spaces and of letters only: every tokenizer takes them as one.
var plainWord = regexp.MustCompile(`(?:^|\s)([A-Za-z]{3,})\b`)

func wordsOf(text string) []word {
	var words []word
	bytes, points := 0, 0
	for _, m := range plainWord.FindAllStringSubmatchIndex(text, -1) {
		points += utf8.RuneCountInString(text[bytes:m[2]])
		bytes = m[2]
		if m[3] < len(text) && !strings.ContainsRune(" \n", rune(text[m[3]])) {
			continue
		}
		words = append(words, word{points, points + m[3] - m[2], text[m[2]:m[3]]})
	}
	return words
}
