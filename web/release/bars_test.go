// SPDX-License-Identifier: Apache-2.0

package release

import (
	"context"
	"encoding/xml"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"hide/internal/chart"
	"hide/web/publishing"
	"hide/web/webtest"

	"github.com/a-h/templ"
)

var update = flag.Bool("update", false, "write the golden files of this package anew")

func rendered(t *testing.T, c templ.Component) string {
	t.Helper()
	var b strings.Builder
	if err := c.Render(context.Background(), &b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// golden compares with testdata/name, one element per line; -update writes it.
func golden(t *testing.T, name, got string) {
	t.Helper()
	got = strings.ReplaceAll(got, "><", ">\n<") + "\n"
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
		t.Errorf("%s differs from what is rendered; look at it, then run go test ./web -update", path)
	}
}

// wellFormed fails for an SVG that does not parse, holds a style attribute
// (which the content policy forbids) or a number that is none.
func wellFormed(t *testing.T, svg string) {
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

var (
	attributes = regexp.MustCompile(`="([^"]*)"`)
	notNumber  = regexp.MustCompile(`NaN|Inf|[0-9]e[+-]?[0-9]`)
)

func TestBarsMatchTheirGoldenFile(t *testing.T) {
	webtest.Golden(t, "chart-bars.svg", webtest.Rendered(t, chart.DrawBars(publishing.LabelBars("b", "Placeholders", publishing.LabelCounts(webtest.MadeRelease())))))
}

func TestBarsAreProportionalFromZero(t *testing.T) {
	b := publishing.LabelBars("b", "Kinds", []publishing.LabelCount{{"DATE", 200}, {"AGE", 50}, {"FAX", 0}, {"BAD", -3}})
	for i, want := range []float64{chart.BarLength, chart.BarLength / 4, 0, 0} {
		if b.Rows[i].Width != want {
			t.Errorf("%s is %v wide, want %v", b.Rows[i].Name, b.Rows[i].Width, want)
		}
	}
	webtest.WellFormed(t, webtest.Rendered(t, chart.DrawBars(b)))
	webtest.WellFormed(t, webtest.Rendered(t, chart.DrawBars(publishing.LabelBars("b", "Kinds", nil))))
}
