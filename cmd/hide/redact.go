// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"os"

	"hide/internal/annotate"
	"hide/internal/ndjson"
	"hide/internal/publish"
)

// redactedLine is what hide redact answers.
type redactedLine struct {
	ID         string          `json:"id"`
	Text       string          `json:"text"`
	Redactions []redactedPlace `json:"redactions"`
}

// redactedPlace is where a placeholder stands, in code points of the answer.
type redactedPlace struct {
	Start annotate.RuneOff `json:"start"`
	End   annotate.RuneOff `json:"end"`
	Label annotate.Label   `json:"label"`
}

func runRedact(ctx context.Context, e *env, args []string) error {
	f := e.filterFlags()
	bundle := f.String("bundle", "", "`FILE` of the bundle to redact with")
	if _, err := e.parse(f, args, 0, 0); err != nil {
		return err
	}
	if err := e.required(f, "bundle"); err != nil {
		return err
	}
	b, err := readBundle(*bundle)
	if err != nil {
		return err
	}
	return ndjson.Filter(ctx, e.stdin, e.stdout, func(in ndjson.Doc) any {
		texts, redactions := b.RedactTogether([]publish.Input{{Text: *in.Text, Known: in.Known}})
		line := redactedLine{ID: *in.ID, Text: texts[0], Redactions: make([]redactedPlace, len(redactions[0]))}
		for i, r := range redactions[0] {
			line.Redactions[i] = redactedPlace{r.At, r.AtEnd, r.Label}
		}
		return line
	})
}

func readBundle(name string) (*publish.Bundle, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("read bundle: %w", err)
	}
	defer f.Close() // only read
	b, err := publish.Decode(f)
	if err != nil {
		return nil, withHint(fmt.Errorf("read bundle %s: %w", name, err), "fetch the bundle again from the sanitize page or with hide sanitize")
	}
	return b, nil
}
