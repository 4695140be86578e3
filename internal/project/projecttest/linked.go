// SPDX-License-Identifier: Apache-2.0

package projecttest

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"hide/internal/annotate"
	"hide/internal/project"
	"hide/internal/project/links"
	"hide/internal/project/release"
	envelope "hide/internal/publish/release"
	"hide/internal/store"
)

// TwelveKeys are 12 notes of one person under the keys k0 to k11, and a note of each of 18 other
// people. All have a birth date, a sex and a ZIP code.
func TwelveKeys() []annotate.Annotated {
	var docs []annotate.Annotated
	for i := range 30 {
		born, sex, zip := "1961-05-14", "F", "30307"
		if i >= 12 {
			born, sex, zip = fmt.Sprintf("19%d-%02d-%02d", 40+i, i%12+1, i%27+1), []string{"F", "M"}[i%2], fmt.Sprint(30301+i)
		}
		var b Markup
		b.Text("Seen on ").Span(fmt.Sprintf("%d/%d/2019", i%12+1, i%27+1), "DATE").Text(" in ").Span([]string{"Arden", "Bilton"}[i%2], "CITY").Text(" for cough.\n")
		docs = append(docs, annotate.Annotated{
			Document: annotate.Document{Name: fmt.Sprintf("n-%02d", i), Patient: fmt.Sprint("k", i), Text: b.String(),
				Attributes: map[string]string{"birth_date": born, "sex": sex, "zip": zip}},
			Spans: b.Spans,
		})
	}
	return docs
}

// Link links the records of these patients' keys, as a linkage with these figures would have.
func (b *Bench) Link(id project.ID, f links.Figures, keys ...string) {
	b.T.Helper()
	ws, of := b.MustWorkspace(id), map[string]string{}
	for _, key := range keys {
		of[annotate.Document{Patient: key}.Record()] = annotate.Document{Patient: keys[0]}.Record()
	}
	var l *project.Links
	err := b.Update(id, project.EventBy(Broker, "link", id.Object()), func(tx *store.Tx) (err error) {
		l, err = ws.PutLinks(tx, of, nil)
		f.Version = l.Version
		return errors.Join(err, store.PutJSON(tx, "linkage", []byte("figures"), f))
	})
	if err != nil {
		b.T.Fatal(err)
	}
	ws.TakeLinks(l)
}

// MustLinkage is what the manifest of a release says of linkage.
func (b *Bench) MustLinkage(id project.ID, r release.Release) envelope.Linkage {
	b.T.Helper()
	var m struct{ Linkage *envelope.Linkage }
	text, err := os.ReadFile(filepath.Join(b.Folder, "releases", string(id), r.Name, "manifest.json"))
	if err = errors.Join(err, json.Unmarshal(text, &m)); err != nil || m.Linkage == nil {
		b.T.Fatal("the manifest says nothing of linkage", err)
	}
	return *m.Linkage
}

// WantUnlinked wants the refusal of a release because of records that look like one person.
func WantUnlinked(b *Bench, err error) {
	b.T.Helper()
	if refused := (*project.Error)(nil); !errors.As(err, &refused) || refused.Obstacle != project.Unlinked {
		b.T.Errorf("got %v, want a refusal because records look like the same people", err)
	}
}
