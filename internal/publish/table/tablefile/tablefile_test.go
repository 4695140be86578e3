// SPDX-License-Identifier: Apache-2.0

package tablefile_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hide/internal/hint"
	"hide/internal/publish/table/tablefile"
)

const config = `key: id
attributes:
  - {name: id, role: direct}
  - {name: age, role: quasi, kind: number}
  - {name: town, role: quasi, hierarchy: towns.csv}
privacy: {k: 2}
`

// files writes files into a folder and returns how to name one of them.
func files(t *testing.T, texts map[string]string) func(name string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range texts {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return func(name string) string { return filepath.Join(dir, name) }
}

func TestAllFilesOfATableAreRead(t *testing.T) {
	in := files(t, map[string]string{
		"table.yaml": config, "towns.csv": "Ulm;south;*\nKiel;north;*\n",
		"rows.csv": "id,age,town\na,30,Ulm\nb,40,Kiel\n", "people.csv": "age,town\n30,Ulm\n40,Kiel\n50,Ulm\n",
		"odd.csv": "id,age,town\na,30,Rome\n",
	})
	c, err := tablefile.ReadConfig(in("table.yaml"))
	if err != nil || len(c.Hierarchies) != 1 || c.Privacy.K != 2 {
		t.Fatalf("%d hierarchies, %v", len(c.Hierarchies), err)
	}
	if rows, err := tablefile.Read(in("rows.csv"), "", c); err != nil || len(rows.Columns) != 3 {
		t.Errorf("%v", err)
	}
	if rows, err := tablefile.Read(in("rows.csv"), in("people.csv"), c); err != nil || rows.Sample != 2 || rows.Beyond != 0 {
		t.Errorf("%v", err)
	}
	for _, pair := range [][2]string{{"odd.csv", ""}, {"odd.csv", "people.csv"}, {"rows.csv", "odd.csv"}} {
		population := ""
		if pair[1] != "" {
			population = in(pair[1])
		}
		if _, err := tablefile.Read(in(pair[0]), population, c); err == nil || !strings.HasPrefix(err.Error(), in("odd.csv")+": ") || strings.Contains(err.Error(), "Rome") {
			t.Errorf("%q: %v", pair, err)
		}
	}
	if _, err := tablefile.Read(in("rows.csv"), in("absent"), c); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}

func TestMistakesHaveHints(t *testing.T) {
	in := files(t, map[string]string{"table.yaml": config, "bad.yaml": "attributes: 3\n", "bad.csv": "Ulm;south\nUlm;north\n"})
	for _, c := range []struct {
		name string
		read func(string) error
		next string
	}{
		{"table.yaml", readConfig, `attribute "town" names it`},
		{"bad.yaml", readConfig, "docs/tables.md"},
		{"bad.csv", func(name string) error { _, err := tablefile.ReadHierarchy(name); return err }, "one row per value"},
	} {
		if err := c.read(in(c.name)); err == nil || !strings.HasPrefix(hint.Of(err), c.next) {
			t.Errorf("%s: %v, hint %q", c.name, err, hint.Of(err))
		}
	}
}

func readConfig(name string) error {
	_, err := tablefile.ReadConfig(name)
	return err
}
