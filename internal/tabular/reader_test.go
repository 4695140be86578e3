// SPDX-License-Identifier: Apache-2.0

package tabular

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
)

// read gives the records of a file, joined with bars, and the error that ends it.
func read(file string, o Options) (string, error) {
	in, err := NewReader(strings.NewReader(file), o)
	if err != nil {
		return "", err
	}
	var all []string
	for {
		fields, err := in.Next()
		if err != nil {
			return strings.Join(all, "/"), err
		}
		record, at := in.Place()
		all = append(all, fmt.Sprintf("%d@%d:%s", record, at, strings.Join(fields, "|")))
	}
}

func TestRecordsAreReadWithTheirPlaces(t *testing.T) {
	for _, test := range []struct {
		file string
		o    Options
		want string
	}{
		{"a,b\n1,2\n", Options{}, "1@0:a|b/2@4:1|2"},
		{"\ufeffa;b\n\"x\ny\";2\n3;4", Options{}, "1@3:a|b/2@7:x\ny|2/3@15:3|4"},
		{"a\tb\n1\t2\n", Options{Comma: '\t'}, "1@0:a|b/2@4:1|2"},
		{"a,b\n\n  \n1,2\n", Options{Comma: ',', BlankLines: true}, "1@0:a|b/2@8:1|2"},
	} {
		if got, err := read(test.file, test.o); err != io.EOF || got != test.want {
			t.Errorf("%q: %q, %v; want %q", test.file, got, err, test.want)
		}
	}
}

func TestWrongFilesAreRefusedByTheirPlace(t *testing.T) {
	for file, want := range map[string]string{
		"":                 "the file is empty",
		"\xff\xfea\x00":    "record 1, byte 0: the file is UTF-16",
		"a,b\n1,M\xfcl\n":  "record 2, byte 4: field 2 is not UTF-8 text",
		"a,\xfc\n1,2\n":    "record 1, byte 0: field 2 is not UTF-8 text",
		"a,b\n1\n":         "record 2, byte 4: has more or fewer fields",
		"a,b\n1,2,3\n":     "record 2, byte 4: has more or fewer fields",
		"a,b\n\n1,2\n":     "record 2, byte 4: there is an empty line",
		"a,b\n1,\"2\n":     "record 2, byte 4: a quote",
		"a,b\n1,2\"3\n4,5": "record 2, byte 4: a quote",
	} {
		for _, blank := range []bool{false, true} {
			if blank && strings.Contains(file, "\n\n") {
				continue
			}
			_, err := read(file, Options{BlankLines: blank})
			if wrong := (*Error)(nil); !errors.As(err, &wrong) || !strings.HasPrefix(err.Error(), want) {
				t.Errorf("%q: %v, want %s", file, err, want)
			}
		}
	}
}

func TestColumnsThatDifferOnlyInCaseAreRefused(t *testing.T) {
	for _, header := range []string{"id,sex,ID", "é,x,É", "e\u0301,x,É"} {
		in, err := NewReader(strings.NewReader(header+"\n1,2,3\n"), Options{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := in.Header(); err == nil || !strings.Contains(err.Error(), "record 1, byte 0: columns 1 and 3 ") {
			t.Errorf("%s: got %v", header, err)
		}
	}
}
