// SPDX-License-Identifier: Apache-2.0

package invented

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"hide/internal/annotate"
	"hide/internal/outfile"
	"hide/internal/tabular"
)

// Truth gives the person of each note, by the note's name. Both may be identifiers.
type Truth map[string]string

// String shows nobody.
func (t Truth) String() string { return fmt.Sprintf("the people of %d notes", len(t)) }

// GoString is String: %#v must show nobody either.
func (t Truth) GoString() string { return t.String() }

// adder adds a note with its key and its person to a file.
type adder func(note, key, person string) error

// writeTruth calls write with a function that adds rows to the named file. Without a name the
// function keeps nothing.
func writeTruth(name string, write func(adder) error) error {
	if name == "" {
		return write(func(string, string, string) error { return nil })
	}
	_, err := outfile.Write(name, func(w io.Writer) error {
		file := csv.NewWriter(w)
		add := func(note, key, person string) error { return file.Write([]string{note, key, person}) }
		err := add("note", "key", "person")
		if err == nil {
			err = write(add)
		}
		file.Flush()
		return errors.Join(err, file.Error())
	})
	return err
}

// OpenTruth reads a file as [ReadTruth] does.
func OpenTruth(name string) (Truth, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return ReadTruth(file)
}

// ReadTruth reads a CSV file with the columns note and person, as hide generate --truth writes
// it. Other columns are ignored.
func ReadTruth(r io.Reader) (Truth, error) {
	in, err := tabular.NewReader(r, tabular.Options{})
	if err != nil {
		return nil, err
	}
	header, err := in.Header()
	if err != nil {
		return nil, err
	}
	note, person := slices.Index(header, "note"), slices.Index(header, "person")
	if note < 0 || person < 0 {
		return nil, in.Refuse("the columns note and person are not both there", "use the file that hide generate --truth has written")
	}
	t := Truth{}
	for {
		cells, err := in.Next()
		switch {
		case err == io.EOF:
			return t, nil
		case err != nil:
			return nil, err
		case cells[note] == "" || cells[person] == "":
			return nil, in.Refuse("the note or the person is missing", "")
		case t[cells[note]] != "":
			return nil, in.Refuse("the note is listed twice", "")
		}
		t[cells[note]] = cells[person]
	}
}

// Covers refuses notes that the truth does not know.
func (t Truth) Covers(notes []annotate.Annotated) error {
	if len(notes) == 0 {
		return errors.New("there are no notes")
	}
	for i, n := range notes {
		if t[n.Name] == "" {
			return fmt.Errorf("note %d of the file is not in the truth: both must come from one run of hide generate", i+1)
		}
	}
	return nil
}
