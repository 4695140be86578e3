// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"time"

	"hide/tools/rig"
)

const (
	projectID = "p1" // the first of a new data folder
	broker    = "Broker"
	finished  = 200 // notes with spans, for the model; they are imported first
	pageSize  = 50  // notes of a page of the list
)

// measurement is a data folder with so many notes, and what was measured of it.
type measurement struct {
	config
	figures
	dir  string
	hide rig.Hide
	code string // of the broker's invitation
	word string // that a few notes have: a name of one of the last notes
	name string // of the last note
}

// fill makes the project and imports the notes.
func (m *measurement) fill(ctx context.Context) error {
	if _, err := m.hide.Command(ctx, "project", "create", "Size"); err != nil {
		return err
	}
	code, err := m.hide.AddPerson(ctx, broker, "broker")
	if err != nil {
		return err
	}
	m.code = code
	if _, err := m.hide.Command(ctx, "member", "add", projectID, broker, "--role", "broker"); err != nil {
		return err
	}
	invented, done, open := filepath.Join(m.dir, "invented.jsonl"), filepath.Join(m.dir, "done.jsonl"), filepath.Join(m.dir, "open.jsonl")
	if err := m.hide.Generate(ctx, m.Notes/3+2, invented); err != nil { // more than three notes each
		return err
	}
	if err := m.split(invented, done, open); err != nil {
		return err
	}
	if err := os.Remove(invented); err != nil {
		return err
	}
	if _, err := m.hide.Command(ctx, "import", "--project", projectID, done, "--finished"); err != nil {
		return err
	}
	spent, err := m.hide.Measure(ctx, "import", "--project", projectID, open, "--data", m.hide.Data)
	if err != nil {
		return err
	}
	m.ImportSeconds, m.ImportPeak = spent.Seconds, spent.Peak
	m.FileBytes, err = sizeOf(filepath.Join(m.hide.Data, "hide.db"))
	return errors.Join(err, os.Remove(open))
}

// record is a line of a JSONL file, as far as this program looks at it.
type record struct {
	ID   string `json:"id"`
	Text string `json:"text"`
}

// split writes the first notes with their spans to one file, and the others without spans
// to another.
func (m *measurement) split(invented, done, open string) error {
	in, err := os.Open(invented)
	if err != nil {
		return err
	}
	defer in.Close()
	outs := make([]*bufio.Writer, 2)
	for i, path := range []string{done, open} {
		f, err := os.Create(path)
		if err != nil {
			return err
		}
		defer f.Close()
		outs[i] = bufio.NewWriterSize(f, 1<<20)
	}
	lines := bufio.NewReaderSize(in, 1<<20)
	for i := range m.Notes {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return fmt.Errorf("note %d: %w", i+1, err)
		}
		if err := m.copyNote(line, outs, i < finished); err != nil {
			return err
		}
	}
	return errors.Join(outs[0].Flush(), outs[1].Flush())
}

var nameOfPerson = regexp.MustCompile(`(?:Mr\.|Mrs\.|Ms\.|Dr\.) (?:[A-Z][a-z]+ )?([A-Z][a-z]{4,})`)

func (m *measurement) copyNote(line []byte, outs []*bufio.Writer, done bool) error {
	var r record
	if err := json.Unmarshal(line, &r); err != nil {
		return err
	}
	m.TextBytes += int64(len(r.Text))
	if done {
		_, err := outs[0].Write(line)
		return err
	}
	m.name = r.ID
	if found := nameOfPerson.FindStringSubmatch(r.Text); found != nil {
		m.word = found[1]
	}
	var whole map[string]json.RawMessage
	if err := json.Unmarshal(line, &whole); err != nil {
		return err
	}
	delete(whole, "spans")
	e := json.NewEncoder(outs[1])
	e.SetEscapeHTML(false)
	return e.Encode(whole)
}

func sizeOf(path string) (int64, error) {
	info, err := os.Stat(path)
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

// serve measures a server that starts with these notes, as its first visitor and then as
// somebody at work.
func (m *measurement) serve(ctx context.Context) (err error) {
	if err := m.settle(ctx); err != nil {
		return err
	}
	began := time.Now()
	server, err := m.hide.Serve(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, server.Stop()) }()
	m.StartMS = since(began)
	began = time.Now()
	who, err := server.SignIn(broker) // leads to the list of projects
	if err != nil {
		return err
	}
	m.FirstMS = since(began)
	who.HTTP.Timeout = m.wait
	list := "/p/" + projectID + "/notes"
	began = time.Now()
	if _, err := who.Page(list); err != nil {
		return fmt.Errorf("open %s: %w", list, err)
	}
	m.OpenMS = since(began)
	if err := m.work(who, list); err != nil {
		return err
	}
	u, err := server.Usage()
	m.Resident, m.Anonymous = u.Resident, u.Anonymous
	return err
}

// settle signs the broker in, and waits until the server has done what it does once after
// an import: it indexes the text and trains a model.
func (m *measurement) settle(ctx context.Context) (err error) {
	began := time.Now()
	server, err := m.hide.Serve(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, server.Stop()) }()
	who, err := server.Accept(broker, m.code)
	if err != nil {
		return err
	}
	who.HTTP.Timeout = m.wait
	if _, err := who.Page("/p/" + projectID + "/notes"); err != nil {
		return err
	}
	if err := calm(ctx, server, m.wait); err != nil {
		return err
	}
	m.SettleSeconds = time.Since(began).Seconds()
	u, err := server.Usage()
	if err != nil {
		return err
	}
	m.SettlePeak = u.Peak
	m.IndexedBytes, err = sizeOf(filepath.Join(m.hide.Data, "hide.db"))
	return err
}

// calm waits until the server has used no processor for a while.
func calm(ctx context.Context, s *rig.Server, wait time.Duration) error {
	const quiet, pause = 0.1, 2 * time.Second
	last := -1.0
	for end := time.Now().Add(wait); time.Now().Before(end); {
		u, err := s.Usage()
		if err != nil {
			return err
		}
		if last >= 0 && u.CPU-last < quiet {
			return nil
		}
		last = u.CPU
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pause):
		}
	}
	return errors.New("the server does not come to rest")
}

func since(began time.Time) float64 { return float64(time.Since(began).Microseconds()) / 1000 }

// visit is a page that somebody opens again and again.
type visit struct {
	to   *times
	open func(i int) (rig.Answer, error)
}

// work opens each page --visits times.
func (m *measurement) work(who *rig.Person, list string) error {
	random := rand.New(rand.NewPCG(1, 2))
	last := list + "?from=" + strconv.Itoa((m.Notes-1)/pageSize*pageSize)
	for _, v := range []visit{
		{&m.ListFirst, func(int) (rig.Answer, error) { return who.Get(list) }},
		{&m.ListLast, func(int) (rig.Answer, error) { return who.Get(last) }},
		{&m.Name, func(int) (rig.Answer, error) { return find(who, list, m.name) }},
		{&m.Text, func(int) (rig.Answer, error) { return find(who, list, m.word) }},
		{&m.Note, func(int) (rig.Answer, error) { return who.Get(notePath(finished + 1 + random.IntN(m.Notes-finished))) }},
		{&m.Finish, func(i int) (rig.Answer, error) { return finish(who, notePath(finished+1+i)) }},
	} {
		if err := v.repeat(m.visits); err != nil {
			return err
		}
	}
	return nil
}

func notePath(doc int) string { return fmt.Sprintf("/p/%s/notes/%d", projectID, doc) }

// find searches the names and the text of notes. Older versions search names only, in
// another field.
func find(who *rig.Person, list, words string) (rig.Answer, error) {
	return who.Post(list, url.Values{"find": {words}, "name": {words}})
}

// finish marks a new note as done, as a page without a script does: the answer is the page
// of the next note.
func finish(who *rig.Person, note string) (rig.Answer, error) {
	const any = "100000" // suggestions that stay undecided
	return who.Post(note+"/edit", url.Values{"do": {"finish"}, "revision": {"0"}, "undecided": {any}})
}

func (v visit) repeat(n int) error {
	var took []time.Duration
	for i := range n {
		began := time.Now()
		answer, err := v.open(i)
		took = append(took, time.Since(began))
		if err == nil && answer.Status != 200 {
			err = fmt.Errorf("%s: status %d", answer.Path, answer.Status)
		}
		if err != nil {
			return err
		}
	}
	*v.to = times{rig.Percentile(took, 50), rig.Percentile(took, 95)}
	return nil
}

// keep measures what an operator runs on the data folder.
func (m *measurement) keep(ctx context.Context) error {
	backup := filepath.Join(m.dir, "hide.backup")
	spent, err := m.hide.Measure(ctx, "backup", "--out", backup, "--data", m.hide.Data)
	if err != nil {
		return err
	}
	m.BackupSeconds, m.BackupPeak = spent.Seconds, spent.Peak
	if m.BackupBytes, err = sizeOf(backup); err != nil {
		return err
	}
	spent, err = m.hide.Measure(ctx, "audit", "verify", "--data", m.hide.Data)
	m.VerifySeconds, m.VerifyPeak = spent.Seconds, spent.Peak
	return err
}
