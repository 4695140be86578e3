// SPDX-License-Identifier: Apache-2.0

package experiment

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"hide/internal/annotate"
	"hide/internal/annotate/dictionary"
	"hide/internal/crf/classes"
)

// stateVersion is the version of the line format below.
const stateVersion = 2

// fingerprint has everything that results depend on, except L/C values, modes, learners
// and their class: a resumed run may ask for more of these.
type fingerprint struct {
	Format   int    `json:"hide_experiment"` // stateVersion
	Version  string `json:"version"`         // of hide
	In       string `json:"in"`              // hashes of documents with their sensitive spans
	Test     string `json:"test,omitempty"`
	Transfer string `json:"transfer,omitempty"`
	Options  string `json:"options"`
}

// differs names the first difference, "" for none.
func (f fingerprint) differs(was fingerprint) string {
	switch {
	case f.Format != was.Format:
		return "it has another form"
	case f.Version != was.Version:
		return "it was made by another version of hide, " + was.Version
	case f.In != was.In:
		return "the documents of --in, or --sensitive, are others"
	case f.Test != was.Test:
		return "the documents of --test are others"
	case f.Transfer != was.Transfer:
		return "the documents of --transfer are others"
	case f.Options != was.Options:
		return "other flags are: " + was.Options + " then, " + f.Options + " now"
	}
	return ""
}

// stateEntry is a line after the first: one finished result.
type stateEntry struct {
	Kind  string          `json:"kind"`
	Key   string          `json:"key"`
	Value json.RawMessage `json:"value"`
}

// state keeps finished results in memory and, with a file, between runs.
type state struct {
	file *os.File // nil keeps them only in memory
	done func()   // nil, or called after an entry is stored
	all  map[[2]string]json.RawMessage
}

// ResumeError says why an experiment cannot resume from a file.
type ResumeError struct {
	File string
	Err  error
}

func (e *ResumeError) Error() string { return fmt.Sprintf("go on with %s: %v", e.File, e.Err) }
func (e *ResumeError) Unwrap() error { return e.Err }

// openState reads the state of an interrupted run, or starts a new one. "" means no file.
// An incomplete last line is dropped.
func openState(name string, now fingerprint) (*state, error) {
	s := &state{all: map[[2]string]json.RawMessage{}}
	if name == "" {
		return s, nil
	}
	text, err := os.ReadFile(name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	whole := text[:bytes.LastIndexByte(text, '\n')+1]
	if err := s.read(whole, now); err != nil {
		return nil, &ResumeError{name, err}
	}
	if s.file, err = os.OpenFile(name, os.O_WRONLY|os.O_CREATE, 0o600); err != nil {
		return nil, err
	}
	if err := s.file.Truncate(int64(len(whole))); err != nil {
		return nil, errors.Join(err, s.close())
	}
	if _, err := s.file.Seek(0, io.SeekEnd); err != nil {
		return nil, errors.Join(err, s.close())
	}
	if len(whole) == 0 {
		return s, s.line(now)
	}
	return s, nil
}

func (s *state) read(text []byte, now fingerprint) error {
	n := 0
	for line := range bytes.Lines(text) {
		if n++; n == 1 {
			var was fingerprint
			if err := json.Unmarshal(line, &was); err != nil || was.Format == 0 {
				return errors.New("not the state file of an experiment")
			}
			if what := now.differs(was); what != "" {
				return errors.New(what)
			}
			continue
		}
		var entry stateEntry
		if err := json.Unmarshal(line, &entry); err != nil {
			return fmt.Errorf("line %d is damaged", n)
		}
		s.all[[2]string{entry.Kind, entry.Key}] = entry.Value
	}
	return nil
}

// get reads the value stored under kind and key into v, if there is one.
func (s *state) get(kind, key string, v any) bool {
	text, known := s.all[[2]string{kind, key}]
	return known && json.Unmarshal(text, v) == nil
}

// put stores v. It is on disk when put returns.
func (s *state) put(kind, key string, v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	s.all[[2]string{kind, key}] = text
	if s.done != nil {
		defer s.done()
	}
	if s.file == nil {
		return nil
	}
	if err := s.line(stateEntry{kind, key, text}); err != nil {
		return err
	}
	return s.file.Sync()
}

func (s *state) line(v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	_, err = s.file.Write(append(text, '\n'))
	return err
}

func (s *state) close() error {
	if s.file == nil {
		return nil
	}
	return s.file.Close()
}

// hashDocs is a hash of everything in documents that results depend on; "" for none.
func hashDocs(docs []annotate.Note) string {
	if docs == nil {
		return ""
	}
	h := sha256.New()
	enc := json.NewEncoder(h)
	for _, d := range docs {
		enc.Encode([]any{d.Text, d.Tokens, d.SpanOf, d.Labels, d.Group, d.Known}) // a hash does not fail
		if len(d.Identities) > 0 {
			enc.Encode(d.Identities)
		}
	}
	return hex.EncodeToString(h.Sum(nil))
}

// hashLists is a hash of the content of dictionaries, independent of their paths.
func hashLists(lists []dictionary.List) []byte {
	h := sha256.New()
	_ = json.NewEncoder(h).Encode(lists) // neither strings nor a hash can fail
	return h.Sum(nil)
}

// hashTables is a hash of tables of word classes; nil for those of the program. A nil table
// counts as the hash of nothing.
func hashTables(tables []*classes.Table) []byte {
	if tables == nil {
		return nil
	}
	h := sha256.New()
	for _, t := range tables {
		var sum [sha256.Size]byte
		if t != nil {
			sum = t.Sum()
		}
		h.Write(sum[:])
	}
	return h.Sum(nil)
}
