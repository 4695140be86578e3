// SPDX-License-Identifier: Apache-2.0

package verify

import (
	"crypto/ed25519"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

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

// TestAPackHasTheAttackOfItsRelease compares the words, of which a release of any notes has some.
func TestAPackHasTheAttackOfItsRelease(t *testing.T) {
	key := ed25519.NewKeyFromSeed([]byte(strings.Repeat("k", ed25519.SeedSize)))
	attack := &evidence.Attack{Words: []string{"Nobody."}, Figures: json.RawMessage(`{"n":1}`)}
	for _, c := range []struct {
		pack *evidence.Attack
		says []string
		same bool
	}{{attack, []string{"Nobody."}, true}, {nil, nil, true}, {attack, nil, false}, {nil, []string{"Nobody."}, false}, {attack, []string{"Everybody."}, false}} {
		file, err := evidence.Sign(evidence.Pack{Schema: evidence.Schema, Review: evidence.Review{Number: 1, State: "ended"}, Draws: []evidence.Draw{}, Votes: []evidence.Vote{}, Attack: c.pack}, key)
		if err != nil {
			t.Fatal(err)
		}
		report := Report{Review: &Review{}, Attack: c.says}
		report.CheckEvidence(file, key.Public().(ed25519.PublicKey))
		if same := !slices.ContainsFunc(report.Problems, func(p Problem) bool { return strings.HasPrefix(p.What, "attack:") }); same != c.same {
			t.Errorf("pack %v and release %v: the same %v, want %v", c.pack, c.says, same, c.same)
		}
	}
}

// TestAPackHasThePolicyOfItsRelease changes one thing of the policy that a release names.
func TestAPackHasThePolicyOfItsRelease(t *testing.T) {
	at := time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC)
	of := &evidence.Policy{
		Name: "safe-harbor", Version: 1, Basis: "safe-harbor", Words: "Safe Harbor", SHA256: strings.Repeat("a", 64),
		Signed: &evidence.Signed{Text: "I know nothing.", By: "Ada", At: at}, Agreed: []string{"a"},
	}
	key := ed25519.NewKeyFromSeed([]byte(strings.Repeat("k", ed25519.SeedSize)))
	said := func(p *evidence.Policy, r *Policy) bool {
		pack := evidence.Pack{Schema: evidence.Schema, Review: evidence.Review{Number: 1, State: "ended"}, Draws: []evidence.Draw{}, Votes: []evidence.Vote{}, Policy: p}
		file, err := evidence.Sign(pack, key)
		if err != nil {
			t.Fatal(err)
		}
		report := Report{Review: &Review{}, policy: r}
		report.CheckEvidence(file, key.Public().(ed25519.PublicKey))
		if report.Evidence == nil {
			t.Fatal(report.Problems)
		}
		return !slices.ContainsFunc(report.Problems, func(p Problem) bool { return strings.HasPrefix(p.What, "policy:") })
	}
	right := func() *Policy {
		return &Policy{Name: "safe-harbor", Version: 1, Basis: "safe-harbor", SHA256: strings.Repeat("a", 64), Signed: &Signed{"I know nothing.", "Ada", "2026-11-20T09:00:00Z"}, Agreed: []string{"a"}}
	}
	if !said(of, right()) || !said(nil, nil) {
		t.Error("the policy of the release is refused")
	}
	if said(of, nil) || said(nil, right()) {
		t.Error("a policy that only one of them names is accepted")
	}
	for name, change := range map[string]func(*Policy){
		"name": func(p *Policy) { p.Name = "own" }, "version": func(p *Policy) { p.Version = 2 }, "basis": func(p *Policy) { p.Basis = "own" },
		"file": func(p *Policy) { p.SHA256 = strings.Repeat("b", 64) }, "statement": func(p *Policy) { p.Signed.Text = "" }, "signer": func(p *Policy) { p.Signed.By = "Eve" },
		"time": func(p *Policy) { p.Signed.At = "2026-11-21T09:00:00Z" }, "not signed": func(p *Policy) { p.Signed = nil }, "checklist": func(p *Policy) { p.Agreed = nil },
	} {
		p := right()
		if change(p); said(of, p) {
			t.Errorf("another %s is accepted", name)
		}
	}
}
