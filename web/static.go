// SPDX-License-Identifier: Apache-2.0

package web

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"net/http"
	"path"
	"slices"
	"time"

	"github.com/labstack/echo/v4"

	"hide/static"
)

// assets are the embedded files. Their URLs carry one hash over all of them, so
// that they never change under a URL and modules can import each other by
// relative names.
type assets struct {
	files map[string][]byte // by name; "app.css" and "htmx.js" are joined from others
	hash  string
}

func newAssets() (*assets, error) {
	a := &assets{files: map[string][]byte{}}
	err := fs.WalkDir(static.Files, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		a.files[name], err = static.Files.ReadFile(name)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read embedded files: %w", err)
	}
	if a.files["app.css"], err = static.Styles(); err != nil {
		return nil, err
	}
	a.joinScripts()
	a.hash = hashOf(a.files)
	return a, nil
}

// joinScripts makes one file of htmx and its extension. As two, htmx may begin
// to work before the second has come, and then never sees what it is for.
func (a *assets) joinScripts() {
	a.files["htmx.js"] = slices.Concat(a.files["vendor/htmx.min.js"], []byte("\n;\n"), a.files["vendor/hx-ws.min.js"])
}

func hashOf(files map[string][]byte) string {
	h := sha256.New()
	for _, name := range sortedNames(files) {
		fmt.Fprintf(h, "%s %d\n", name, len(files[name]))
		h.Write(files[name])
	}
	return hex.EncodeToString(h.Sum(nil))[:16]
}

func sortedNames(files map[string][]byte) []string {
	names := make([]string, 0, len(files))
	for name := range files {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// url is where browsers find the file. A name that is not there is a mistake in a
// template.
func (a *assets) url(name string) string {
	if a == nil {
		return ""
	}
	if _, ok := a.files[name]; !ok {
		panic("web: no static file " + name)
	}
	return "/static/" + a.hash + "/" + name
}

var contentTypes = map[string]string{
	".css": "text/css; charset=utf-8",
	".js":  "text/javascript; charset=utf-8",
	".svg": "image/svg+xml",
}

// staticFile serves an embedded file for ever, to anybody, without a session.
func (s *Server) staticFile(c echo.Context) error {
	name := c.Param("*")
	content, ok := s.assets.files[name]
	kind := contentTypes[path.Ext(name)]
	if !ok || kind == "" || c.Param("hash") != s.assets.hash {
		return echo.ErrNotFound
	}
	h := c.Response().Header()
	h.Set("Content-Type", kind)
	h.Set("Cache-Control", "public, max-age=31536000, immutable")
	h.Del("Vary")
	http.ServeContent(c.Response(), c.Request(), name, time.Time{}, bytes.NewReader(content))
	return nil
}
