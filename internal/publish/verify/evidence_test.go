// SPDX-License-Identifier: Apache-2.0

package verify

import (
	"crypto/ed25519"
	"encoding/json"
	"strings"
	"testing"

	"hide/internal/publish/evidence"
)

// small is a pack as short as can be.
func small(t testing.TB) (file []byte, key ed25519.PrivateKey) {
	t.Helper()
	key = ed25519.NewKeyFromSeed([]byte(strings.Repeat("k", ed25519.SeedSize)))
	p := evidence.Pack{Schema: evidence.Schema, Project: "p1", Review: evidence.Review{Number: 1, State: "ended"}, Draws: []evidence.Draw{}, Votes: []evidence.Vote{}}
	file, err := evidence.Sign(p, key)
	if err != nil {
		t.Fatal(err)
	}
	return file, key
}

// FuzzEvidence looks for packs that are opened and that the program would write in another way,
// and for files that stop the program.
func FuzzEvidence(f *testing.F) {
	file, key := small(f)
	public := key.Public().(ed25519.PublicKey)
	f.Add(string(file))
	f.Add(`{"schema":"hide evidence 1","pack":{},"public_key":"","signature":""}` + "\n")
	f.Add("<!DOCTYPE html>\n<!-- -->\n")
	var whole struct{ Pack json.RawMessage }
	if err := json.Unmarshal(file, &whole); err != nil {
		f.Fatal(err)
	}
	f.Add(string(whole.Pack))
	f.Fuzz(func(t *testing.T, text string) {
		var r Report
		r.CheckEvidence([]byte(text), public)
		if r.Evidence != nil && text != string(file) {
			t.Fatalf("a file is opened that nobody signed: %q", text)
		}
		var p pack // what a signed pack could hold
		if exactly([]byte(text), &p) != nil {
			return
		}
		_, _, _, _ = p.checkForm(), p.checkDraws(), p.checkReading(), p.checkState()
		_, _ = p.checkDecision(), p.missing()
		_ = p.against(&Report{Review: &Review{}}, public)
	})
}

func TestASignedFileHasOneForm(t *testing.T) {
	file, key := small(t)
	public := key.Public().(ed25519.PublicKey)
	if _, err := openEvidence(file, public); err != nil {
		t.Fatal(err)
	}
	for i := range file {
		changed := append([]byte(nil), file...)
		changed[i]++
		if _, err := openEvidence(changed, public); err == nil {
			t.Fatalf("byte %d can be changed", i)
		}
	}
	for what, body := range map[string]string{
		"an unknown field":    `{"schema":"hide evidence 1","more":1}`,
		"a field twice":       `{"schema":"hide evidence 1","schema":"hide evidence 1"}`,
		"another order":       `{"tool":"","schema":"hide evidence 1"}`,
		"white space":         `{ "schema":"hide evidence 1"}`,
		"fields are missing":  `{}`,
		"names in other case": `{"Schema":"hide evidence 1"}`,
	} {
		if exactly([]byte(body), &pack{}) == nil {
			t.Errorf("%s: it is accepted", what)
		}
	}
	if _, err := PublicKey(strings.Repeat("A", 43)); err == nil {
		t.Error("half a key is a key")
	}
}
