// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"fmt"
	"io"
)

// result prints what a command found: v as one JSON object when --json was
// given, else what text writes.
func (e *env) result(v any, text func(w io.Writer)) error {
	if !e.json {
		text(e.stdout)
		return nil
	}
	enc := json.NewEncoder(e.stdout)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		return fmt.Errorf("write the result: %w", err)
	}
	return nil
}
