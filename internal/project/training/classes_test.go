// SPDX-License-Identifier: Apache-2.0

package training_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"hide/internal/project"
	"hide/internal/project/projecttest"
	"hide/internal/project/training"
	"hide/internal/testsize"
)

// classText has some 300 words that occur twice or more.
func classText(seed int) string {
	var b strings.Builder
	for i := range 400 {
		fmt.Fprintf(&b, "the verb%d saw noun%d in city%d. ", (i*7+seed)%100, (i*11+seed)%100, (i*13+seed)%100)
	}
	return b.String()
}

func (b *bench) classes(id project.ID) training.ClassStatus {
	b.T.Helper()
	for range 2000 {
		st, err := b.WordClasses(b.T.Context(), projecttest.Annotator, id, training.ShowClasses)
		if err != nil {
			b.T.Fatal(err)
		}
		if !st.Running {
			return st
		}
		time.Sleep(5 * time.Millisecond)
	}
	b.T.Fatal("learning does not end")
	return training.ClassStatus{}
}

func TestWordClassesAreLearntStoredAndRemoved(t *testing.T) {
	testsize.Slow(t)
	b := newBench(t)
	id := b.NewProject(projecttest.Plain(classText(1), classText(2)), false)
	change := func(action training.ClassAction) {
		t.Helper()
		if _, err := b.WordClasses(t.Context(), projecttest.Broker, id, action); err != nil {
			t.Fatal(err)
		}
	}
	if st := b.classes(id); st.Learnt != nil || !st.Used || st.Notes == 0 {
		t.Fatalf("at first: %+v", st)
	}
	if tables, mark, err := b.ClassTables(id); tables != nil || mark != "" || err != nil {
		t.Fatalf("at first: %v, %q, %v", tables, mark, err)
	}
	change(training.LearnClasses)
	st := b.classes(id)
	if st.Error != "" || st.Learnt == nil || st.Learnt.Notes != st.Notes || st.Learnt.Words < 300 {
		t.Fatalf("learnt: %+v, %+v", st, st.Learnt)
	}
	b.Reopen()
	tables, first, err := b.ClassTables(id)
	if err != nil || len(tables) != 2 || tables[0] != nil || tables[1].Code("noun7") == "" {
		t.Fatalf("after reopening: %v, %v", tables, err)
	}
	change(training.LearnClasses)
	b.classes(id)
	again, second, err := b.ClassTables(id)
	if err != nil || second == first || !bytes.Equal(again[1].Append(nil), tables[1].Append(nil)) {
		t.Errorf("learnt again from the same notes: mark %s after %s, %v", second, first, err)
	}
	change(training.RemoveClasses)
	if st := b.classes(id); st.Learnt != nil {
		t.Errorf("removed: %+v", st.Learnt)
	}
}

func TestWordClassesNeedNotesAndARole(t *testing.T) {
	b := newBench(t)
	id := b.NewProject(projecttest.Plain("Ana Ruiz was seen."), false)
	if _, err := b.WordClasses(t.Context(), projecttest.Annotator, id, training.LearnClasses); project.KindOf(err) != project.Forbidden {
		t.Errorf("an annotator: %v", err)
	}
	if _, err := b.WordClasses(t.Context(), projecttest.Broker, id, "x"); project.KindOf(err) != project.Invalid {
		t.Errorf("another action: %v", err)
	}
	if _, err := b.WordClasses(t.Context(), projecttest.Broker, id, training.LearnClasses); err != nil {
		t.Fatal(err)
	}
	if st := b.classes(id); st.Learnt != nil || !strings.Contains(st.Error, "too few") || strings.Contains(st.Error, "Ana") {
		t.Errorf("of one short note: %+v", st)
	}
}
