// SPDX-License-Identifier: Apache-2.0

package store

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hide/internal/testsize"

	"go.etcd.io/bbolt"
)

// filesOf are the files of a folder with their content.
func filesOf(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	must(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			all[path] = string(mustRead(t, path))
		}
		return err
	}))
	return all
}

// smallSample is a closed store with two spaces and a few rows.
func smallSample(t *testing.T) *sample {
	t.Helper()
	opts := testOptions(t)
	st := mustOpen(t, opts)
	for _, space := range []string{"p1", "p2"} {
		must(t, st.CreateSpace(space, testEvent))
	}
	sum, err := st.VerifyAudit()
	must(t, err)
	mustClose(t, st)
	return &sample{opts: opts, data: mustRead(t, opts.data()), rows: sum.Rows}
}

// TestInspectChangesNothing looks at files of every age, and compares every byte before and
// after.
func TestInspectChangesNothing(t *testing.T) {
	newest := smallSample(t)
	first := smallSample(t)
	st := mustOpen(t, first.opts)
	toFirstSchema(t, st)
	mustClose(t, st)
	for _, c := range []struct {
		name   string
		opts   Options
		schema int
		sealed int
	}{
		{"newest", newest.opts, firstSchema + len(steps()), 0},
		{"schema 2", atNine(Options{Dir: filepath.Join(unpackSchema2(t), "data")}), 2, 0},
		{"schema 1", first.opts, 1, 0},
	} {
		before := filesOf(t, filepath.Dir(c.opts.Dir))
		in, err := Inspect(c.opts)
		if err != nil || in.Schema != c.schema || in.Known != firstSchema+len(steps()) || in.HeadGone || in.Rows == 0 || in.Newest.IsZero() || len(in.Sealed) != c.sealed {
			t.Errorf("%s: %+v, %v", c.name, in, err)
		}
		if after := filesOf(t, filepath.Dir(c.opts.Dir)); !maps.Equal(before, after) {
			t.Errorf("%s: a file was changed, made or removed", c.name)
		}
	}
	if in, err := Inspect(newest.opts); err != nil || in.Rows != newest.rows {
		t.Errorf("%d rows, want %d; %v", in.Rows, newest.rows, err)
	}
}

// TestInspectSaysWhatIsWrong: each fault as Open would say it, with what can be read.
func TestInspectSaysWhatIsWrong(t *testing.T) {
	testsize.Slow(t)
	for _, c := range []struct {
		name  string
		spoil func(s *sample)
		check func(in Inspection, err error) bool
	}{
		{"newer", func(s *sample) {
			s.tamper(t, func(btx *bbolt.Tx) error { return changeRoot(btx, func(r *root) { r.Schema = 99 }) })
		},
			func(in Inspection, err error) bool {
				_, newer := errors.AsType[*SchemaError](err)
				return newer && in.Schema == 99
			}},
		{"no key", func(s *sample) { must(t, os.Remove(s.opts.Dir+".key")) },
			func(in Inspection, err error) bool { return errors.Is(err, fs.ErrNotExist) && in.Schema > 0 }},
		{"another key", func(s *sample) {
			must(t, os.Remove(s.opts.Dir+".key"))
			must(t, createKeyFile(s.opts.Dir+".key"))
		}, func(_ Inspection, err error) bool { return errors.Is(err, ErrWrongKey) }},
		{"no secrets", func(s *sample) { must(t, os.RemoveAll(s.opts.Dir+".secrets")) },
			func(in Inspection, err error) bool { return err == nil && len(in.Sealed) == 2 }},
		{"no head", func(s *sample) { must(t, os.Remove(s.opts.head())) },
			func(in Inspection, err error) bool { return err == nil && in.HeadGone }},
		{"a cut trail", func(s *sample) {
			st := mustOpen(t, s.opts)
			must(t, st.Record(testEvent))
			mustClose(t, st)
			must(t, os.WriteFile(s.opts.data(), s.data, 0o600))
		}, func(_ Inspection, err error) bool {
			_, damage := errors.AsType[*DamageError](err)
			return damage && strings.Contains(err.Error(), "older data file")
		}},
		{"open", func(s *sample) { mustOpen(t, s.opts) },
			func(_ Inspection, err error) bool {
				locked, is := errors.AsType[*LockedError](err)
				return is && locked.Holder == os.Getpid()
			}},
		{"nothing", func(s *sample) { must(t, os.RemoveAll(s.opts.Dir)) },
			func(_ Inspection, err error) bool { return errors.Is(err, fs.ErrNotExist) }},
	} {
		s := smallSample(t)
		c.spoil(s)
		if in, err := Inspect(s.opts); !c.check(in, err) {
			t.Errorf("%s: %+v, %v", c.name, in, err)
		}
	}
}

// TestInspectOfAnOpenStoreAgrees: a few rows with an early time hide no later one.
func TestInspectOfAnOpenStoreAgrees(t *testing.T) {
	opts := testOptions(t)
	now := opts.Now()
	opts.Now = func() time.Time { return now }
	s := mustOpen(t, opts)
	late := now.Add(time.Hour)
	for _, now = range []time.Time{late, late.Add(-2 * time.Hour), late.Add(-2 * time.Hour)} {
		must(t, s.Record(testEvent))
	}
	open, err := s.Inspect()
	must(t, err)
	mustClose(t, s)
	closed, err := Inspect(opts)
	must(t, err)
	if !open.Newest.Equal(late) || !closed.Newest.Equal(late) || open.Rows != closed.Rows || open.Schema != closed.Schema {
		t.Errorf("open %+v, closed %+v", open, closed)
	}
}
