// SPDX-License-Identifier: Apache-2.0

package dp

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"hide/internal/publish/ledger"
)

func sequencesOf(t *testing.T, config string) SequencesConfig {
	t.Helper()
	c, err := ParseSequences([]byte(config))
	must(t, err)
	return c
}

// TestALineageWithAKeyIsClosedToRowsWithoutOne asks after a cube by id for rows of
// nobody, and for sequences by another key, by none, and by the same.
func TestALineageWithAKeyIsClosedToRowsWithoutOne(t *testing.T) {
	l := newLedger(t)
	_, err := PublishCube(t.Context(), l, cubeOf(t, cubeConfig), people(30), ledger.One/10, meta)
	must(t, err)
	before := l.Head()
	rows := cubeOf(t, strings.Replace(cubeConfig, `"key":"id"`, `"one_row_each":true`, 1))
	var other *ledger.OtherUnitError
	if _, err := PublishCube(t.Context(), l, rows, people(30), ledger.One/10, meta); !errors.As(err, &other) {
		t.Errorf("a cube of rows: %v", err)
	}
	if _, err := AnswerQuery(t.Context(), l, rows, "SELECT COUNT(*)", people(30), ledger.One/10, meta); !errors.As(err, &other) {
		t.Errorf("a question about rows: %v", err)
	}
	for _, config := range []string{sequencesConfig, with(sequencesConfig, `"key":"visit"`), strings.Replace(sequencesConfig, "key_first", "one_row_each", 1)} {
		data := stays(30)
		if strings.Contains(config, "one_row_each") {
			data = Lines("a b\nb c\n")
		}
		if _, err := PublishSequences(t.Context(), l, sequencesOf(t, config), data, ledger.One/10, meta); !errors.As(err, &other) {
			t.Errorf("%s: %v", config, err)
		}
	}
	if l.Head().Seq != before.Seq {
		t.Error("a refused request was debited")
	}
	if _, err := PublishSequences(t.Context(), l, sequencesOf(t, with(sequencesConfig, `"key":"id"`)), stays(30), ledger.One/10, meta); err != nil {
		t.Errorf("the same key: %v", err)
	}
}

func TestRowsWithoutKeysAreWarnedOf(t *testing.T) {
	for _, keyed := range []bool{true, false} {
		config, sequences, data := cubeConfig, sequencesConfig, stays(30)
		if !keyed {
			config = strings.Replace(config, `"key":"id"`, `"one_row_each":true`, 1)
			sequences, data = strings.Replace(sequences, "key_first", "one_row_each", 1), Lines("a b\nb c\n")
		}
		l := newLedger(t)
		cube, err := PublishCube(t.Context(), l, cubeOf(t, config), people(30), ledger.One/10, meta)
		must(t, err)
		l = newLedger(t)
		tree, err := PublishSequences(t.Context(), l, sequencesOf(t, sequences), data, ledger.One/10, meta)
		must(t, err)
		for _, r := range []Release{cube, tree} {
			if slices.Contains(r.Manifest.Warnings, warnNoKeys("patient")) == keyed {
				t.Errorf("%s, key %v: %q", r.Manifest.Kind, keyed, r.Manifest.Warnings)
			}
		}
	}
}

func TestOnlyWhatBeginsWithAKeyHasItsName(t *testing.T) {
	config := with(strings.Replace(sequencesConfig, "key_first", "one_row_each", 1), `"key":"id"`)
	if _, err := ParseSequences([]byte(config)); err == nil {
		t.Error("a key without key_first was taken")
	}
}
