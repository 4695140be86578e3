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
)

// stateVersion is that of the lines below.
const stateVersion = 2

// fingerprint says what results depend on. Values of L/C, modes, learners and
// their class are not in it: a run may ask for more than the one it goes on with.
type fingerprint struct {
	Format   int    `json:"hide_experiment"` // stateVersion
	Version  string `json:"version"`         // of hide
	In       string `json:"in"`              // hashes of documents with what is sensitive
	Test     string `json:"test,omitempty"`
	Transfer string `json:"transfer,omitempty"`
	Options  string `json:"options"`
}

// differs says what is other than it was, "" when nothing is.
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

// stateEntry is a line after the first: something finished.
type stateEntry struct {
	Kind  string          `json:"kind"`
	Key   string          `json:"key"`
	Value json.RawMessage `json:"value"`
}

// state keeps what is finished, in memory and, with a file, from run to run.
type state struct {
	file *os.File // nil: only in memory
	done func()   // nil, or called when something was put
	all  map[[2]string]json.RawMessage
}

// ResumeError says why an experiment cannot go on with a file.
type ResumeError struct {
	File string
	Err  error
}

func (e *ResumeError) Error() string { return fmt.Sprintf("go on with %s: %v", e.File, e.Err) }
func (e *ResumeError) Unwrap() error { return e.Err }

// openState reads the state of a run that was cut short, or begins one. "" is for
// no file. A last line that was not written whole is dropped.
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

// get fills in what is known under kind and key.
func (s *state) get(kind, key string, v any) bool {
	text, known := s.all[[2]string{kind, key}]
	return known && json.Unmarshal(text, v) == nil
}

// put keeps v, on disk before it returns.
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

// hashDocs is a hash of all that results depend on; "" of none.
func hashDocs(docs []annotate.Note) string {
	if docs == nil {
		return ""
	}
	h := sha256.New()
	enc := json.NewEncoder(h)
	for _, d := range docs {
		enc.Encode([]any{d.Text, d.Tokens, d.SpanOf, d.Labels, d.Group, d.Known}) // a hash does not fail
	}
	return hex.EncodeToString(h.Sum(nil))
}

// hashLists covers what was read of dictionaries, wherever they lie.
func hashLists(lists []dictionary.List) []byte {
	h := sha256.New()
	_ = json.NewEncoder(h).Encode(lists) // neither strings nor a hash can fail
	return h.Sum(nil)
}
