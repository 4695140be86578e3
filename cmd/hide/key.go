// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"hide/internal/account"
	"hide/internal/caller"
	"hide/internal/store"
	"hide/internal/words"
)

// rotateFlags say which key is replaced, and by what.
type rotateFlags struct {
	passphrase string
	toFile     bool
	project    string
	all        bool
	resume     bool
}

func (r *rotateFlags) add(f *flag.FlagSet) {
	f.StringVar(&r.passphrase, "new-passphrase-file", "", "`FILE` whose first line becomes the passphrase of the data")
	f.BoolVar(&r.toFile, "to-key-file", false, "replace the passphrase of the data by a key file")
	f.StringVar(&r.project, "project", "", "`ID` of the project whose key is replaced, instead of the root key")
	f.BoolVar(&r.all, "all", false, "replace the keys of all projects and of the system, instead of the root key")
	f.BoolVar(&r.resume, "resume", false, "only continue what was begun")
}

// check refuses what does not go together.
func (r *rotateFlags) check(e *env) error {
	chosen := 0
	for _, is := range []bool{r.passphrase != "", r.toFile, r.project != "", r.all, r.resume} {
		if is {
			chosen++
		}
	}
	if chosen > 1 {
		return e.usage("use one of --new-passphrase-file, --to-key-file, --project, --all and --resume")
	}
	return nil
}

// noHelp is said before a passphrase is set.
const noHelp = "hide: nobody can open the data without this passphrase. hide keeps no copy, and nothing can bring it back: not a backup, not an administrator, not the authors of hide. Keep a copy in a safe, apart from the data and the backups."

// rotated is the result of hide key rotate.
type rotated struct {
	Keys    []string `json:"rotated"` // "root", "system" and ids of projects
	KeyFile string   `json:"key_file,omitempty"`
	OldFile string   `json:"old_key_file,omitempty"`
	Sealed  []string `json:"projects_without_secret,omitempty"`
	Seconds float64  `json:"seconds"`
	pass    bool
}

func runKeyRotate(ctx context.Context, e *env, args []string) error {
	var r rotateFlags
	f := e.flags()
	data := e.dataFlags(f)
	r.add(f)
	if _, err := e.parse(f, args, 0, 0); err != nil {
		return err
	}
	if err := r.check(e); err != nil {
		return err
	}
	var done rotated
	begin := time.Now()
	err := data.withStore(func(s *store.Store) (err error) {
		done, err = r.rotate(ctx, e, s)
		return err
	})
	if err != nil && len(done.OldFile+done.KeyFile) > 0 { // the new root key is in use already
		done.write(e.stderr)
	}
	if errors.Is(err, context.Canceled) {
		return withHint(err, "what was begun goes on when a server starts, or with hide key rotate --resume")
	}
	if err != nil {
		return err
	}
	done.Seconds = time.Since(begin).Seconds()
	return e.result(done, done.write)
}

func (r *rotateFlags) rotate(ctx context.Context, e *env, s *store.Store) (rotated, error) {
	ev := store.Event{Actor: operator(ctx).ID, Action: "rotate key"}
	switch {
	case r.resume:
		names, err := s.Rotations()
		if err != nil {
			return rotated{}, err
		}
		bar := e.progress("encrypting values with the new key")
		defer bar.End()
		return rotated{Keys: keyNames(names)}, s.FinishRotation(ctx, func(done, total int) { bar.Step(done, total, "") })
	case r.all:
		names, err := s.Spaces()
		if err != nil {
			return rotated{}, err
		}
		return rotateSpaces(ctx, e, s, names, ev)
	case r.project != "":
		return rotateSpaces(ctx, e, s, []string{r.project}, ev)
	}
	return r.rotateRoot(ctx, e, s, ev)
}

func rotateSpaces(ctx context.Context, e *env, s *store.Store, names []string, ev store.Event) (rotated, error) {
	for _, name := range names {
		bar := e.progress("encrypting " + name + " with its new key")
		ev.Object = name
		err := s.RotateSpace(ctx, name, ev, func(done, total int) { bar.Step(done, total, "") })
		bar.End()
		if errors.Is(err, store.ErrNotFound) {
			return rotated{}, withHint(fmt.Errorf("there is no project %s", name), "hide project list shows the ids")
		}
		if err != nil {
			return rotated{}, err
		}
	}
	return rotated{Keys: names, Sealed: s.SealedSpaces()}, nil
}

func (r *rotateFlags) rotateRoot(ctx context.Context, e *env, s *store.Store, ev store.Event) (rotated, error) {
	var to store.NewRoot
	switch {
	case r.passphrase != "":
		fmt.Fprintln(e.stderr, noHelp)
		text, err := caller.ReadFile(e.files(), r.passphrase)
		if err = cmp.Or(err, account.CheckPassphrase(firstLine(text))); err != nil {
			return rotated{}, fmt.Errorf("the file with the new passphrase: %w", err)
		}
		to.Passphrase = func() ([]byte, error) { return firstLine(text), nil }
	case s.HasPassphrase() && !r.toFile:
		return rotated{}, e.usage("the data have a passphrase: name the file with the new one (--new-passphrase-file), or ask for a key file (--to-key-file)")
	}
	ev.Object, ev.Detail = store.System, "root key"
	bar := e.progress("encrypting the audit trail with the new key")
	files, err := s.RotateRoot(ctx, to, ev, func(done, total int) { bar.Step(done, total, "") })
	bar.End()
	return rotated{Keys: []string{"root"}, KeyFile: files.KeyFile, OldFile: files.OldFile, pass: to.Passphrase != nil}, err
}

func keyNames(names []string) []string {
	names = slices.Clone(names)
	for i, name := range names {
		if name == "" {
			names[i] = "root"
		}
	}
	return names
}

func (r rotated) write(w io.Writer) {
	if len(r.Keys) == 0 {
		fmt.Fprintln(w, "nothing is left to rotate")
		return
	}
	fmt.Fprintf(w, "new keys for: %s\n", strings.Join(r.Keys, ", "))
	if len(r.Sealed) > 0 {
		fmt.Fprintf(w, "Not rotated, because their secrets are missing: %s. After hide project-secret import, rotate again.\n", strings.Join(r.Sealed, ", "))
	}
	if !slices.Equal(r.Keys, []string{"root"}) {
		return
	}
	switch {
	case r.pass:
		fmt.Fprintln(w, "The data open with the new passphrase now. Start the server with --passphrase-file.")
	case r.KeyFile != "":
		fmt.Fprintf(w, "%s has the new root key: copy it to the place where you keep the key.\n", r.KeyFile)
	}
	old := "the old passphrase"
	if r.OldFile != "" {
		old = r.OldFile
	}
	fmt.Fprintf(w, "Backups made before need %s: keep it, apart from them, as long as you keep them. Then destroy it.\n", old)
}

func runKeyStatus(_ context.Context, e *env, args []string) error {
	f := e.flags()
	data := e.dataFlags(f)
	if _, err := e.parse(f, args, 0, 0); err != nil {
		return err
	}
	var status store.KeyStatus
	err := data.withStore(func(s *store.Store) (err error) {
		status, err = s.Keys()
		return err
	})
	if err != nil {
		return err
	}
	return e.result(status, func(w io.Writer) {
		fmt.Fprintf(w, "root key: %s\n", status.Root)
		for _, k := range status.Spaces {
			fmt.Fprintf(w, "%s: replaced %s%s\n", k.Name, words.Count(int(k.Rotated), "time", "times"), map[bool]string{true: "; old values are being encrypted anew"}[k.Rotating])
		}
		if status.Rotating {
			fmt.Fprintln(w, "The audit trail is being encrypted with the new root key.")
		}
	})
}

// keepRotating continues in a server what a killed process has begun, until the function
// that it returns is called.
func (f *folder) keepRotating(ctx context.Context, e *env) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := f.store.FinishRotation(ctx, nil); err != nil && ctx.Err() == nil {
			report(e.stderr, fmt.Errorf("continue the rotation of keys: %w", err))
		}
	}()
	return func() { cancel(); <-done }
}
