// SPDX-License-Identifier: Apache-2.0

package database

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"hide/internal/annotate/format"
)

// fetch is how many rows a cursor gives at once, and patience how long a server may take to
// end a connection.
const (
	fetch    = 100
	patience = 5 * time.Second
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
	if _, err := p.conn.Exec(p.ctx, "DECLARE hide NO SCROLL CURSOR FOR "+query, pgx.QueryExecModeExec); err != nil {
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
	return nil
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

// inWords keeps the message of a server and leaves out its details, which may quote values.
func inWords(err error) error {
	if e, known := errors.AsType[*pgconn.PgError](err); known {
		return fmt.Errorf("%s (SQLSTATE %s, character %d of the query)", e.Message, e.Code, e.Position)
	}
	return err
}
