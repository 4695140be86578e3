// SPDX-License-Identifier: Apache-2.0

// Package database reads notes from the rows of a query, in PostgreSQL and in files of
// SQLite. A query can only read: hide never writes to a database of others.
//
//	file, err := database.Query("postgres://broker@ehr/notes", "SELECT id, text, patient FROM note")
//	report, err := format.Read(ctx, []format.File{file}, format.Options{}, sink)
//
// The rows come one by one, so memory does not depend on their number.
package database

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"strings"

	"hide/internal/annotate/format"
)

// Query is a query as a file of notes. The address is that of a PostgreSQL server,
// postgres://user@host:port/name, or the path of a SQLite file. The password of a server
// comes from PGPASSWORD or the user's .pgpass file; one in the address is refused, because
// other users of the machine can see the arguments of a program. The query runs when the
// file is read, each time anew.
func Query(address, query string) (format.File, error) {
	if strings.TrimSpace(query) == "" {
		return format.File{}, fmt.Errorf("the query is empty: write one such as SELECT id, text, patient FROM note")
	}
	if !strings.Contains(address, "://") {
		if _, err := os.Stat(address); err != nil {
			return format.File{}, fmt.Errorf("database: %w", err)
		}
		return file("query", func(ctx context.Context) (format.Cursor, error) { return sqliteRows(ctx, address, query) }), nil
	}
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "postgres" && u.Scheme != "postgresql" {
		return format.File{}, fmt.Errorf("the address of the database is not postgres://user@host/name, nor the path of a SQLite file")
	}
	if _, given := u.User.Password(); given || u.Query().Has("password") {
		return format.File{}, fmt.Errorf("the address of the database holds a password, which others can see: put it into PGPASSWORD or .pgpass")
	}
	return file("query", func(ctx context.Context) (format.Cursor, error) { return postgresRows(ctx, address, query) }), nil
}

func file(name string, query func(context.Context) (format.Cursor, error)) format.File {
	return format.File{Name: name, Size: -1, Query: query}
}
