// SPDX-License-Identifier: Apache-2.0

package flagfile

import (
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hide/internal/hint"
)

// served are flags as a server has them.
type served struct {
	addr, origin, key string
	proxied           bool
	every             time.Duration
	roles             []string
}

func (s *served) flags() *flag.FlagSet {
	f := flag.NewFlagSet("serve", flag.ContinueOnError)
	f.SetOutput(io.Discard)
	f.StringVar(&s.addr, "addr", "127.0.0.1:8080", "")
	f.StringVar(&s.origin, "origin", "", "")
	f.BoolVar(&s.proxied, "behind-proxy", false, "")
	f.DurationVar(&s.every, "backup-every", 0, "")
	f.Func("role", "", func(v string) error { s.roles = append(s.roles, v); return nil })
	f.String("config", "", "")
	Secret(f, &s.key, "tls-key", "")
	return f
}

func writeFile(t *testing.T, text string, mode os.FileMode) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "serve.conf")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, mode); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestFileSetsFlagsAndTheCommandLineWins(t *testing.T) {
	var s served
	f := s.flags()
	path := writeFile(t, "# a comment\n\n  addr = 0.0.0.0:443\norigin=https://hide.example # who types it\r\nbehind-proxy = true\nbackup-every = 24h\nrole = a=b\nrole = c\ntls-key = /etc/hide/a b.key\n", 0o644)
	if err := f.Parse([]string{"--origin", "https://other.example"}); err != nil {
		t.Fatal(err)
	}
	if err := Read(f, path, "config"); err != nil {
		t.Fatal(err)
	}
	if s.addr != "0.0.0.0:443" || s.origin != "https://other.example" || !s.proxied || s.every != 24*time.Hour || strings.Join(s.roles, "|") != "a=b|c" || s.key != "/etc/hide/a b.key" {
		t.Errorf("got %+v", s)
	}
}

func TestFileIsRefused(t *testing.T) {
	for _, c := range []struct{ text, want, next string }{
		{"addr = 127.0.0.1:1\n\norign = x", `:3: unknown name "orign"`, `did you mean "origin"?`},
		{"--addr = x", `:1: unknown name "--addr"`, `did you mean "addr"?`},
		{"config = /etc/other", `:1: unknown name "config"`, "without dashes"},
		{"zzzzzzzzzz = 1", `:1: unknown name "zzzzzzzzzz"`, "without dashes"},
		{"addr 127.0.0.1:1", `:1: there is no "="`, "a line is like addr = 127.0.0.1:8080"},
		{"= x", `:1: there is no name before "="`, ""},
		{"addr =", ":1: addr has no value", ""},
		{"addr = # nothing", ":1: addr has no value", ""},
		{`addr = "127.0.0.1:1"`, ":1: the value of addr stands in quotes: leave them out", ""},
		{"addr = a\naddr = b", ":2: addr stands in line 1, too", "remove one of the two lines"},
		{"backup-every = daily", ":1: backup-every: ", ""},
		{"behind-proxy = yes", ":1: behind-proxy: ", ""},
		{"addr = \x00", "it is not a text file in UTF-8", ""},
		{strings.Repeat("#", maxFile+1), "it has more than 64 KB", ""},
	} {
		var s served
		err := Read(s.flags(), writeFile(t, c.text, 0o600), "config")
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(hint.Of(err), c.next) {
			t.Errorf("%.40q: got %v, hint %q", c.text, err, hint.Of(err))
		}
	}
	var s served
	if err := Read(s.flags(), writeFile(t, "", 0o666)); err == nil || !strings.Contains(hint.Of(err), "chmod o-w") {
		t.Errorf("a file that everybody can change: got %v", err)
	}
	if err := Read(s.flags(), filepath.Join(t.TempDir(), "none")); !os.IsNotExist(err) {
		t.Errorf("a missing file: got %v", err)
	}
}

// TestASecretThatEverybodyReadsIsRefused: its owner and a group may read it.
func TestASecretThatEverybodyReadsIsRefused(t *testing.T) {
	for mode, good := range map[os.FileMode]bool{0o600: true, 0o640: true, 0o644: false, 0o604: false, 0o602: false} {
		var s served
		f := s.flags()
		path := writeFile(t, "secret", mode)
		if err := f.Parse([]string{"--tls-key", path}); err != nil {
			t.Fatal(err)
		}
		if err := CheckSecrets(f); (err == nil) != good || err != nil && !strings.Contains(hint.Of(err), "chmod o-rwx "+path) {
			t.Errorf("mode %o: got %v", mode, err)
		}
	}
	var s served
	if err := CheckSecrets(s.flags()); err != nil {
		t.Errorf("without a file: %v", err)
	}
}

func FuzzFile(f *testing.F) {
	f.Add("addr = 127.0.0.1:8080 # here\nbehind-proxy = true\n")
	f.Fuzz(func(t *testing.T, text string) {
		for line := range strings.Lines(text) {
			name, value, err := assignment(line)
			if err == nil && (name == "") != (value == "") || err != nil && name != "" {
				t.Errorf("%q: name %q, value %q, %v", line, name, value, err)
			}
		}
	})
}
