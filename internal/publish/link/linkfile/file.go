// SPDX-License-Identifier: Apache-2.0

package linkfile

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"

	"hide/internal/tabular"
)

// File is a CSV file with a header. It is read several times, so that memory holds no text of
// columns that are not compared.
type File struct {
	Name string
	Open func() (io.ReadCloser, error)
}

// checkEvery is how many rows are read before the context is asked again.
const checkEvery = 1 << 12

// read gives the header, then each row with its number from 0. A row is valid until the next.
// An error of a function ends the reading.
func (f File) read(ctx context.Context, header func([]string) error, row func(i int, cells []string) error) error {
	file, err := f.Open()
	if err != nil {
		return err
	}
	return errors.Join(f.named(readAll(ctx, file, header, row)), file.Close())
}

// named adds the name of the file to an error.
func (f File) named(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", f.Name, err)
}

func readAll(ctx context.Context, file io.Reader, header func([]string) error, row func(i int, cells []string) error) error {
	in, err := tabular.NewReader(file, tabular.Options{})
	if err != nil {
		return err
	}
	names, err := in.Header()
	if err != nil {
		return err
	}
	if looksLikeValues(names) {
		return in.Refuse("the first record has values where names of columns are expected", "put a line with the names of the columns before the records")
	}
	if err := header(names); err != nil {
		return err
	}
	for i := 0; ; i++ {
		if i%checkEvery == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		cells, err := in.Next()
		if err == io.EOF {
			return nil
		}
		if err == nil {
			err = row(i, cells)
		}
		if err != nil {
			return err
		}
	}
}

// looksLikeValues is true for a header with an e-mail address, or with four digits and no
// letter: a date, a postcode, the number of a person.
func looksLikeValues(names []string) bool {
	return slices.ContainsFunc(names, func(name string) bool {
		digits := 0
		for _, c := range name {
			if unicode.IsLetter(c) {
				return strings.Contains(name, "@")
			}
			if unicode.IsDigit(c) {
				digits++
			}
		}
		return digits >= 4
	})
}

// wrong is an error about a whole file.
func wrong(hint, format string, args ...any) error {
	return &tabular.Error{Reason: fmt.Sprintf(format, args...), Hint: hint}
}

// columnOf finds a column by its name, ignoring case.
func columnOf(header []string, name string) (at int, found bool) {
	for i, h := range header {
		if tabular.Fold(strings.TrimSpace(h)) == tabular.Fold(strings.TrimSpace(name)) {
			return i, true
		}
	}
	return 0, false
}
