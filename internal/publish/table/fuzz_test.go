// SPDX-License-Identifier: Apache-2.0

package table

import (
	"strings"
	"testing"
)

// FuzzReadCSV checks that no file breaks the reader and that what it takes can be
// generalized to one class.
func FuzzReadCSV(f *testing.F) {
	f.Add(table21)
	f.Add("\ufeffage;when\n1;2020-01-02\n\"2\";\"na\"\n")
	f.Add("age,when\r\n1,2020-01-02T10:11\r\n\r\n")
	f.Fuzz(func(t *testing.T, text string) {
		all, err := ReadCSV(strings.NewReader(text), Config{Others: Insensitive, Attributes: []AttributeConfig{{Name: "age", Role: Quasi, Kind: Number}}})
		if err != nil {
			return
		}
		for _, c := range all.Columns {
			if len(c.Codes) != all.Rows {
				t.Fatalf("%d codes for %d rows", len(c.Codes), all.Rows)
			}
			if cell := c.Generalize(c.Codes); cell.Loss < 0 || cell.Loss > 1 || cell.Text == "" && c.Domain[0] != "" {
				t.Fatalf("loss %v", cell.Loss)
			}
		}
	})
}

// FuzzReadConfig checks that a configuration is refused or can be used.
func FuzzReadConfig(f *testing.F) {
	f.Add(config21)
	f.Add(`{"attributes": [{"name": "a", "role": "quasi", "kind": "date", "format": "%d.%m.%Y"}], "others": "direct"}`)
	f.Add("attributes: &a [*a]")
	f.Fuzz(func(t *testing.T, text string) {
		c, err := ReadConfig(strings.NewReader(text))
		if err != nil {
			return
		}
		if _, err := ReadCSV(strings.NewReader("a\n1\n2\n"), c); err == nil && len(c.Attributes) == 0 {
			t.Fatal("a table without attributes")
		}
	})
}

// FuzzReadSample checks that rows stay, for any population, those of the table,
// and that the file is refused by place.
func FuzzReadSample(f *testing.F) {
	f.Add("age,sex\n30,F\n31,M\n", "sex;age;street\nF;30;a\nM;31;b\nM;32;c\n")
	f.Add("age,sex\n30,F\n", "age,sex\n\"30\n")
	f.Fuzz(func(t *testing.T, rows, people string) {
		c := Config{Attributes: []AttributeConfig{{Name: "age", Role: Quasi, Kind: Number}, {Name: "sex", Role: Quasi}}}
		all, err := ReadSample(strings.NewReader(rows), strings.NewReader(people), c)
		if err != nil {
			return
		}
		if all.Sample < 1 || all.Beyond < 0 || all.Beyond > all.Sample || all.Rows < all.Sample {
			t.Fatalf("%d rows, %d of them to release, %d of nobody", all.Rows, all.Sample, all.Beyond)
		}
		for _, column := range all.Columns {
			if len(column.Codes) != all.Rows {
				t.Fatalf("%d codes for %d rows", len(column.Codes), all.Rows)
			}
		}
	})
}
