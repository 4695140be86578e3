// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"hide/internal/project"
	"hide/internal/store"
	"hide/internal/words"
)

func runSecretExport(ctx context.Context, e *env, args []string) error {
	f := e.flags()
	data := e.dataFlags(f)
	out := f.String("out", "", "`FILE` to write the secrets to; it must not exist yet")
	if _, err := e.parse(f, args, 0, 0, "out"); err != nil {
		return err
	}
	if err := e.files().CheckNew(*out); err != nil {
		return err
	}
	n := 0
	err := data.withStore(func(s *store.Store) error {
		_, err := e.files().Write(*out, func(w io.Writer) (err error) {
			n, err = s.ExportSecrets(w, store.Event{Actor: operator(ctx).ID, Action: "export secrets", Object: store.System})
			return err
		})
		return err
	})
	if err != nil {
		return err
	}
	return e.result(map[string]any{"file": *out, "secrets": n}, func(w io.Writer) {
		fmt.Fprintf(w, "%s: %s. Keep it beside the copy of the root key, never beside a backup.\n"+
			"Before you destroy a project, destroy every copy of this file: with it, old backups stay readable.\n", *out, words.Count(n, "secret", "secrets"))
	})
}

func runSecretImport(ctx context.Context, e *env, args []string) error {
	f := e.flags()
	data := e.dataFlags(f)
	in := f.String("in", "", "`FILE` that hide project-secret export wrote")
	if _, err := e.parse(f, args, 0, 0, "in"); err != nil {
		return err
	}
	file, err := e.files().Open(*in)
	if err != nil {
		return fmt.Errorf("project-secret import: %w", err)
	}
	defer file.Close() // only read
	var opened, left []string
	err = data.withStore(func(s *store.Store) (err error) {
		opened, err = s.ImportSecrets(file, store.Event{Actor: operator(ctx).ID, Action: "import secrets", Object: store.System})
		left = s.SealedSpaces()
		return err
	})
	if err != nil {
		return err
	}
	return e.result(map[string]any{"opened": opened, "still_without_secret": left}, func(w io.Writer) {
		fmt.Fprintf(w, "%s can be opened again.\n", words.Count(len(opened), "project", "projects"))
		if len(left) > 0 {
			fmt.Fprintf(w, "Still without a secret: %s. The file has none for them; if it was destroyed, nobody can read them again.\n", strings.Join(left, ", "))
		}
	})
}

func runProjectDestroy(ctx context.Context, e *env, args []string) error {
	f := e.flags()
	d := e.dataFlags(f)
	confirm := f.String("confirm", "", "the `NAME` of the project, to confirm; the id of a project that cannot be opened")
	rest, err := e.parse(f, args, 1, 1, "confirm")
	if err != nil {
		return err
	}
	return d.withFolder(false, func(folder *folder) error {
		id := project.ID(rest[0])
		if !folder.projects.Closed(id) {
			p, err := folder.projects.Find(ctx, operator(ctx), rest[0])
			if err != nil {
				return err
			}
			id = p.ID
		}
		if err := folder.projects.DestroyProject(ctx, operator(ctx), id, *confirm); err != nil {
			return err
		}
		return e.result(map[string]any{"destroyed": id}, func(w io.Writer) {
			fmt.Fprintf(w, "%s is destroyed: its key, its secret and its data. Its releases, its privacy budget and its audit trail stay.\n"+
				"Old backups can no longer show it, unless somebody keeps a copy of its secret (hide project-secret export) or a backup made before project secrets existed.\n", id)
		})
	})
}
