// SPDX-License-Identifier: Apache-2.0

package database

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"hide/internal/annotate/format"
)

// fetch is how many rows a cursor gives at once, and patience how long a server may take to
// end a connection.
const (
	fetch    = 100
	patience = 5 * time.Second
	declare  = "DECLARE hide NO SCROLL CURSOR FOR " // before the query
)

// postgres reads a cursor in a transaction that may only read.
type postgres struct {
	ctx     context.Context
	conn    *pgx.Conn
	columns []string
	rows    pgx.Rows // of the portion that is being read
	given   int      // rows of it
}

func postgresRows(ctx context.Context, address, query string) (format.Cursor, error) {
	conn, err := pgx.Connect(ctx, address)
	if err != nil {
		return nil, inWords(err)
	}
	p := &postgres{ctx: ctx, conn: conn}
	if err := p.open(query); err != nil {
		return nil, errors.Join(inWords(err), p.Close())
	}
	return p, nil
}

func (p *postgres) open(query string) error {
	if _, err := p.conn.Exec(p.ctx, "BEGIN TRANSACTION READ ONLY"); err != nil {
		return err
	}
	// The extended protocol takes one statement, so nothing can follow the query.
	if _, err := p.conn.Exec(p.ctx, declare+query, pgx.QueryExecModeExec); err != nil {
		return err
	}
	return p.fetch()
}

// fetch begins the next portion.
func (p *postgres) fetch() (err error) {
	p.given = 0
	p.rows, err = p.conn.Query(p.ctx, fmt.Sprintf("FETCH %d FROM hide", fetch), pgx.QueryResultFormats{pgx.TextFormatCode})
	if err != nil {
		return err
	}
	if p.columns == nil {
		for _, f := range p.rows.FieldDescriptions() {
			p.columns = append(p.columns, f.Name)
		}
	}
	if p.columns == nil { // the first row cannot be computed
		p.rows.Close()
	}
	return p.rows.Err()
}

func (p *postgres) Columns() []string { return p.columns }

func (p *postgres) Next() ([]string, error) {
	for !p.rows.Next() {
		if err := p.rows.Err(); err != nil {
			return nil, inWords(err)
		}
		if p.given < fetch {
			return nil, io.EOF
		}
		if err := p.fetch(); err != nil {
			return nil, inWords(err)
		}
	}
	p.given++
	values := p.rows.RawValues()
	row := make([]string, len(values))
	for i, v := range values {
		row[i] = string(v)
	}
	return row, nil
}

func (p *postgres) Close() error {
	ctx, stop := context.WithTimeout(context.WithoutCancel(p.ctx), patience)
	defer stop()
	if p.rows != nil {
		p.rows.Close()
	}
	return p.conn.Close(ctx)
}

// inWords keeps what a server says of the query, of rights and of its own state. What it says
// of data, such as that "Miller" is no number, quotes values, and so do all details.
func inWords(err error) error {
	e, known := errors.AsType[*pgconn.PgError](err)
	if !known {
		return err
	}
	said := "the server cannot compute a value"
	if len(e.Code) == 5 && slices.Contains(tellableClasses, e.Code[:2]) {
		said = e.Message
	}
	place := ""
	if at := int(e.Position) - utf8.RuneCountInString(declare); at > 0 {
		place = fmt.Sprintf(", character %d of the query", at)
	}
	return fmt.Errorf("%s (SQLSTATE %s%s)", said, e.Code, place)
}

// tellableClasses are the classes of SQLSTATE whose messages name no values: connection,
// feature, transaction, rights, catalogue, syntax, resources, limits, state and operator.
var tellableClasses = strings.Fields("08 0A 25 26 28 34 3D 3F 42 53 54 55 57")
