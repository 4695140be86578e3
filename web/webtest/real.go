// SPDX-License-Identifier: Apache-2.0

package webtest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hide/internal/account"
	"hide/internal/annotate/format"
	"hide/internal/project"
	"hide/internal/project/services"
	"hide/internal/store"
)

// RealProject is a service over a store on disk with a project of finished notes.
func RealProject(t *testing.T, notes int) (*services.All, project.ID) {
	t.Helper()
	return RealNotes(t, t.TempDir(), Invented(notes))
}

// RealNotes is [RealProject] with these notes, as JSONL. The people of [As] are members of the
// project, with their roles. The store is in the folder
// "data" of dir.
func RealNotes(t *testing.T, dir, content string) (*services.All, project.ID) {
	t.Helper()
	st, err := store.Open(store.Options{Dir: filepath.Join(dir, "data"), Create: true})
	if err != nil {
		t.Fatal(err)
	}
	s := openServices(t, st, project.Options{Releases: filepath.Join(dir, "releases"), Version: "test", NewRule: &project.Rule{}})
	id := fill(t, s, As(account.Broker), content)
	for _, role := range []account.Role{account.Annotator, account.Reviewer} {
		if _, err := s.SetMember(t.Context(), As(account.Broker), id, As(role).ID, role); err != nil {
			t.Fatal(err)
		}
	}
	return s, id
}

func openServices(t *testing.T, st *store.Store, opts project.Options) *services.All {
	t.Helper()
	s, err := services.New(st, opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
		defer cancel()
		if err := errors.Join(s.Close(ctx), st.Close()); err != nil {
			t.Error(err)
		}
	})
	return s
}

// fill makes a project of finished notes.
func fill(t *testing.T, s *services.All, by account.User, content string) project.ID {
	t.Helper()
	p, err := s.Create(t.Context(), by, "Ward 7", nil)
	if err != nil {
		t.Fatal(err)
	}
	file := format.File{Name: "notes.jsonl", Size: int64(len(content)), Open: func() (io.ReadCloser, error) {
		return io.NopCloser(strings.NewReader(content)), nil
	}}
	if _, err := s.Import(t.Context(), by, p.ID, []format.File{file}, project.ImportOptions{Finished: true}); err != nil {
		t.Fatal(err)
	}
	return p.ID
}

// Invented are short notes as JSONL, each of its own patient.
func Invented(n int) string {
	names := []string{"Abel", "Brandt", "Castro", "Dupont", "Egger", "Farkas", "Gruber", "Huber"}
	var b strings.Builder
	for i := range n {
		name := names[i%len(names)]
		before := "Seen for cough and fever. Lungs clear. Mr. "
		start := len(before)
		fmt.Fprintf(&b, `{"id":"note-%d","patient":"p%d","text":"%s%s left well after rest.","spans":[{"start":%d,"end":%d,"label":"PATIENT"}]}`+"\n",
			i, i, before, name, start, start+len(name))
	}
	return b.String()
}

// HardNotes are finished notes as JSONL that a model learns, except for a word that is
// sensitive in three of them. No text of a page has their words.
func HardNotes(n int) string {
	names := []string{"Abel", "Brandt", "Castro", "Dupont", "Egger", "Farkas", "Gruber"}
	var b strings.Builder
	for i := range n {
		name, rash := names[i%len(names)], ""
		before := "Zoë 🌡 38.2. Seen by Dr. "
		text := before + name + " for cough. Lungs clear, no rash. Rest."
		from := len([]rune(before))
		if i < 3 {
			at := len([]rune(text)) - len("rash. Rest.")
			rash = fmt.Sprintf(`,{"start":%d,"end":%d,"label":"PATIENT"}`, at, at+4)
		}
		fmt.Fprintf(&b, `{"id":"note-%d","patient":"p%d","text":"%s","spans":[{"start":%d,"end":%d,"label":"DOCTOR"}%s]}`+"\n", i, i, text, from, from+len(name), rash)
	}
	return b.String()
}

// Checked waits until the project's model has been checked.
func Checked(t *testing.T, s *services.All, id project.ID) {
	t.Helper()
	by := As(account.Broker)
	for deadline := time.Now().Add(3 * time.Minute); ; time.Sleep(20 * time.Millisecond) {
		tr, err := s.Training(t.Context(), by, id)
		if err != nil || time.Now().After(deadline) {
			t.Fatalf("waiting for a check: %v", err)
		}
		if !tr.Scores.At.IsZero() && !tr.Running {
			return
		}
	}
}

// Settled waits until the page at path shows no progress and gives it.
func (s *Server) Settled(t *testing.T, path string) string {
	t.Helper()
	for end := time.Now().Add(2 * time.Minute); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		w := s.Get(account.Broker, path)
		if w.Code != http.StatusOK {
			t.Fatalf("%s: status %d", path, w.Code)
		}
		if body := w.Body.String(); !strings.Contains(body, "<progress") {
			return body
		}
	}
	t.Fatalf("%s did not settle", path)
	return ""
}

// CohortNotes is n patients, as JSONL: two notes each, with fields, ages, towns and
// dates.
func CohortNotes(n int) string {
	towns, sexes := []string{"Arden", "Bilton", "Corley", "Dunmore", "Elling"}, []string{"F", "M"}
	codes := []string{"influenza", "asthma", "fracture", "anaemia", "migraine"}
	var b strings.Builder
	enc := json.NewEncoder(&b)
	for i := range n {
		for visit := range 2 {
			var text strings.Builder
			var spans []map[string]any
			span := func(label, surface string) {
				spans = append(spans, map[string]any{"start": text.Len(), "end": text.Len() + len(surface), "label": label})
				text.WriteString(surface)
			}
			text.WriteString("Patient ")
			span("PATIENT", fmt.Sprint("Abel", i))
			text.WriteString(", ")
			span("AGE", fmt.Sprintf("%d-year-old", 20+(i*13+i*i)%70))
			text.WriteString(" from ")
			span("CITY", towns[(i*i+visit*(i%4)/3)%len(towns)])
			text.WriteString(", seen on ")
			span("DATE", fmt.Sprintf("%d/%d/2019", i%12+1, visit+i%27+1))
			text.WriteString(" in the clinic.")
			_ = enc.Encode(map[string]any{ // a builder takes everything
				"id": fmt.Sprintf("n-%d-%d", i, visit), "patient": fmt.Sprint("p", i), "text": text.String(), "spans": spans,
				"attributes": map[string]string{"sex": sexes[i%2], "diagnosis": codes[(i+i/7)%len(codes)], "ward": fmt.Sprint(i % 3), "admission": []string{"ER", "ER", "clinic"}[i%3]},
			})
		}
	}
	return b.String()
}

// Released waits until the release that is being written is there.
func Released(t *testing.T, s *services.All, id project.ID) {
	t.Helper()
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		st, err := s.Publishing(t.Context(), As(account.Broker), id)
		if err != nil || st.Error != "" {
			t.Fatalf("%v, %s", err, st.Error)
		}
		if !st.Running {
			return
		}
	}
	t.Fatal("the release is not written after a minute")
}
