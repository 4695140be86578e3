// SPDX-License-Identifier: Apache-2.0

package webtest

import (
	"context"
	"encoding/xml"
	"errors"
	"flag"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/a-h/templ"

	"hide/internal/account"
	"hide/web"
	"hide/web/ui"
)

var update = flag.Bool("update", false, "write the golden files of this package anew")

// Rendered is the HTML of a component.
func Rendered(t testing.TB, c templ.Component) string {
	t.Helper()
	return renderedFor(t, context.Background(), c)
}

func renderedFor(t testing.TB, ctx context.Context, c templ.Component) string {
	t.Helper()
	var b strings.Builder
	if err := c.Render(ctx, &b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// LivePart is the HTML that a feature sends to watching pages under this name.
func LivePart(t testing.TB, feature web.Feature, role account.Role, name string, query url.Values) string {
	t.Helper()
	for _, part := range feature.Parts() {
		if part.Name != name {
			continue
		}
		ctx := ui.WithVisit(t.Context(), ui.Visit{User: As(role)})
		c, err := part.Render(ctx, As(role), "p1", query)
		if err != nil {
			t.Fatal(err)
		}
		return renderedFor(t, ctx, c)
	}
	t.Fatalf("there is no live part %q", name)
	return ""
}

// Golden compares with testdata/name, one element per line; -update writes it.
func Golden(t *testing.T, name, got string) {
	t.Helper()
	Recorded(t, name, strings.ReplaceAll(got, "><", ">\n<")+"\n")
}

// Recorded compares with testdata/name; -update writes it.
func Recorded(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs from what is rendered; look at it, then run go test -update in its package", path)
	}
}

var (
	attributes = regexp.MustCompile(`="([^"]*)"`)
	notNumber  = regexp.MustCompile(`NaN|Inf|[0-9]e[+-]?[0-9]`)
)

// WellFormed fails for an SVG that does not parse, or holds NaN, an infinity or a style
// attribute, which the content policy forbids.
func WellFormed(t *testing.T, svg string) {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(svg))
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("does not parse: %v", err)
		}
		if e, ok := token.(xml.StartElement); ok {
			for _, a := range e.Attr {
				if a.Name.Local == "style" || strings.HasPrefix(a.Name.Local, "on") {
					t.Errorf("attribute %s on %s", a.Name.Local, e.Name.Local)
				}
			}
		}
	}
	for _, a := range attributes.FindAllStringSubmatch(svg, -1) {
		if notNumber.MatchString(a[1]) {
			t.Errorf("attribute value %q", a[1])
		}
	}
}
