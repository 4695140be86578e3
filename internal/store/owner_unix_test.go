// SPDX-License-Identifier: Apache-2.0

//go:build unix

package store

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// TestRootDoesNotOpenDataOfOthers: what root would write beside them the server could not
// read. It may look at them.
func TestRootDoesNotOpenDataOfOthers(t *testing.T) {
	home := t.TempDir()
	opts := Options{Dir: filepath.Join(home, "data"), KeyFile: filepath.Join(home, "root.key"), Create: true}
	s, err := Open(opts)
	if err := errors.Join(err, s.Close()); err != nil {
		t.Fatal(err)
	}
	if os.Geteuid() == 0 {
		for _, path := range []string{home, opts.Dir} {
			if err := os.Chown(path, 12345, 12345); err != nil {
				t.Fatal(err)
			}
		}
	}
	effectiveUser = func() int { return 0 }
	defer func() { effectiveUser = os.Geteuid }()

	elsewhere := opts
	elsewhere.Dir = filepath.Join(home, "deep", "new")
	for name, try := range map[string]func() error{
		"open":    func() error { _, err := Open(opts); return err },
		"create":  func() error { _, err := Open(elsewhere); return err },
		"restore": func() error { return Restore(nil, elsewhere) },
	} {
		err := try()
		if foreign, ok := errors.AsType[*OwnerError](err); !ok || foreign.Owner == "" {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := os.Stat(filepath.Join(home, "deep")); err == nil {
		t.Error("a refused command made a folder")
	}
	if in, err := Inspect(opts); err != nil || in.Rows == 0 {
		t.Errorf("doctor as root: %+v, %v", in, err)
	}
}

// TestAReplacedKeyHasTheSecretsOfItsSuccessor: a drill of an older backup needs the older key
// and the same secrets.
func TestAReplacedKeyHasTheSecretsOfItsSuccessor(t *testing.T) {
	for key, want := range map[string]string{
		"/k/root.key":                     "/k/root.secrets",
		"/k/root.key.old-20261128-040507": "/k/root.secrets",
		"/k.key.old-1/mine":               "/k.key.old-1/mine.secrets",
		"/k/mine":                         "/k/mine.secrets",
	} {
		o, err := Options{Dir: "/data", KeyFile: key}.complete()
		if err != nil || o.Secrets != want {
			t.Errorf("%s: secrets in %s, %v; want %s", key, o.Secrets, err, want)
		}
	}
}
