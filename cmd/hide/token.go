// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"

	"hide/internal/account/tokens"
)

func runToken(newCommand func() tokens.Command) func(context.Context, *env, []string) error {
	return func(ctx context.Context, e *env, args []string) error {
		f, c := e.flags(), newCommand()
		data, required := e.dataFlags(f), c.Flags(f)
		rest, err := e.parse(f, args, c.Arguments(), c.Arguments(), required...)
		if err != nil {
			return err
		}
		if err := data.withFolder(false, func(f *folder) error {
			return c.Run(ctx, f.accounts, func(ctx context.Context, name string) (string, error) {
				p, err := f.projects.Find(ctx, operator(ctx), name)
				return string(p.ID), err
			}, rest)
		}); err != nil {
			return withHint(err, tokens.Hint(err))
		}
		return e.result(c, c.Print)
	}
}
