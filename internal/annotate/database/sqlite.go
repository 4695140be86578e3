// SPDX-License-Identifier: Apache-2.0

package database

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"net/url"
	"time"

	_ "modernc.org/sqlite" // the driver "sqlite"

	"hide/internal/annotate/format"
)

// sqlite reads the rows of a file that is opened for reading only.
type sqlite struct {
	db      *sql.DB
	rows    *sql.Rows
	columns []string
}

func sqliteRows(ctx context.Context, path, query string) (format.Cursor, error) {
	name := url.URL{Scheme: "file", Opaque: (&url.URL{Path: path}).EscapedPath(), RawQuery: "mode=ro&_pragma=query_only(1)"}
	db, err := sql.Open("sqlite", name.String())
	if err != nil {
		return nil, err
	}
	rows, err := db.QueryContext(ctx, query)
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	columns, err := rows.Columns()
	if err != nil {
		return nil, errors.Join(err, rows.Close(), db.Close())
	}
	return &sqlite{db, rows, columns}, nil
}

func (s *sqlite) Columns() []string { return s.columns }

func (s *sqlite) Next() ([]string, error) {
	if !s.rows.Next() {
		return nil, cmp.Or(s.rows.Err(), io.EOF)
	}
	values := make([]any, len(s.columns))
	into := make([]any, len(values))
	for i := range values {
		into[i] = &values[i]
	}
	if err := s.rows.Scan(into...); err != nil {
		return nil, err
	}
	row := make([]string, len(values))
	for i, v := range values {
		row[i] = text(v)
	}
	return row, nil
}

func (s *sqlite) Close() error { return errors.Join(s.rows.Close(), s.db.Close()) }

// text writes a value of SQLite.
func text(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case []byte:
		return string(v)
	case time.Time:
		if v.Equal(v.Truncate(24 * time.Hour)) {
			return v.Format(time.DateOnly)
		}
		return v.Format(time.RFC3339)
	}
	return fmt.Sprint(v)
}
