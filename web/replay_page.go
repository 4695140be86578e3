// SPDX-License-Identifier: Apache-2.0

package web

import (
	"bytes"
	"context"
	"html"
	"io"

	"github.com/a-h/templ"
)

// writePage writes a page that stands alone, with the style sheet in it.
func writePage(w io.Writer, title string, body templ.Component) error {
	a, err := newAssets()
	if err != nil {
		return err
	}
	var b bytes.Buffer
	b.WriteString(`<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">`)
	b.WriteString(`<meta name="color-scheme" content="light dark"><title>` + html.EscapeString(title) + ` · hide</title><style>`)
	b.Write(a.files["app.css"])
	b.WriteString(`</style></head><body><main id="main">`)
	if err := body.Render(context.Background(), &b); err != nil {
		return err
	}
	b.WriteString("</main></body></html>\n")
	_, err = w.Write(b.Bytes())
	return err
}
