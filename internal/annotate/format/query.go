// SPDX-License-Identifier: Apache-2.0

package format

import (
	"errors"
	"fmt"
	"io"
)

// queryKind is the rows of a database. A [File] with a query is of this kind; no file is.
func queryKind() kind {
	return kind{Format: Format{Name: "sql", Title: "SQL query"}, read: (*reader).rowsOfQuery}
}

// rowsOfQuery reads the rows of a query like those of a CSV file.
func (r *reader) rowsOfQuery(in input) error {
	r.used("sql", "")
	w := place{file: in.show, offset: -1}
	rows, err := in.query(r.ctx)
	if err != nil {
		return r.refuse(badQuery(err).at(w))
	}
	err = r.queryRows(in, rows, w)
	if shut := rows.Close(); err == nil && shut != nil {
		return r.refuse(badQuery(shut).at(w))
	}
	return err
}

func (r *reader) queryRows(in input, rows Cursor, w place) error {
	header := rows.Columns()
	columns, p := choose(header, r.opts.Columns)
	if p != nil {
		return r.refuse(p.at(w))
	}
	for n := 1; ; n++ {
		row, err := rows.Next()
		if err == io.EOF {
			return r.noneIn(in, n-1)
		}
		w.record = fmt.Sprintf("row %d", n)
		if err != nil {
			return r.refuse(badQuery(err).at(w))
		}
		if err := r.row(in, header, columns, row, n, w); err != nil {
			return err
		}
	}
}

func badQuery(err error) *Problem {
	if p, known := errors.AsType[*Problem](err); known {
		return p
	}
	return &Problem{Code: "query", Offset: -1, Reason: "the query failed: " + err.Error(), Hint: "try it in a program of the database first"}
}
