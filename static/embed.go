// SPDX-License-Identifier: Apache-2.0

// Package static holds the files that browsers are given: style sheets, small
// ES modules, the icon, and the vendored htmx. They are embedded, so that the
// binary needs no folder beside it and asks no other host for anything.
package static

import (
	"embed"
	"fmt"
	"io/fs"
	"slices"
)

// Files is everything that is served, by the name it has in this folder.
//
//go:embed css js vendor *.js *.svg
var Files embed.FS

// Styles joins all style sheets in the order of their names, behind base.css, which
// declares the layers.
func Styles() ([]byte, error) {
	names, err := fs.Glob(Files, "css/*.css")
	if err != nil {
		return nil, err
	}
	const first = "css/base.css"
	names = slices.Insert(slices.DeleteFunc(names, func(name string) bool { return name == first }), 0, first)
	var joined []byte
	for i, name := range names {
		sheet, err := Files.ReadFile(name)
		if err != nil {
			return nil, fmt.Errorf("read embedded styles: %w", err)
		}
		if i > 0 {
			joined = append(joined, '\n')
		}
		joined = append(joined, sheet...)
	}
	return joined, nil
}
