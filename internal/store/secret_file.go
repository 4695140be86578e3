// SPDX-License-Identifier: Apache-2.0

package store

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"

	"go.etcd.io/bbolt"
)

// An exported file of secrets has this header, then one line per space: its name, the id
// of its secret, and the secret.
const secretsHeader = "hide project secrets 1"

// mostSecrets bounds the size of a file of secrets, in bytes.
const mostSecrets = 16 << 20

// ExportSecrets writes the secrets of all spaces, and audits ev. Together with the root
// key they decrypt every backup, so the file is as sensitive as the root key. It returns
// how many it wrote.
func (s *Store) ExportSecrets(w io.Writer, ev Event) (n int, err error) {
	out := bytes.NewBufferString(secretsHeader + "\n")
	err = s.change(func(btx *bbolt.Tx, st *state) error {
		for c, k, v := first(btx.Bucket(spacesBucket)); k != nil; k, v = c.Next() {
			id, inner, err := unwrapOuter(s.keys, string(k), v)
			if err != nil {
				return s.damaged("key of space "+string(k), err)
			}
			if isRing(len(inner)) {
				continue
			}
			secret, err := readSecret(s.opts.secretFile(string(k), id))
			if err != nil {
				continue // Sealed lists it
			}
			fmt.Fprintf(out, "%s %x %s\n", k, id[:], base64.StdEncoding.EncodeToString(secret))
			n++
		}
		return appendAudit(btx, s.keys, st, System, ev, s.opts.Now())
	})
	if err != nil {
		return 0, err
	}
	_, err = w.Write(out.Bytes())
	return n, err
}

// ImportSecrets reads a file that [Store.ExportSecrets] wrote, and stores the secrets of
// those spaces that miss theirs, after trying each. Other secrets in the file are not
// stored: they may belong to destroyed spaces. It returns the names of the spaces that
// can be decrypted now, and audits ev.
func (s *Store) ImportSecrets(r io.Reader, ev Event) (opened []string, err error) {
	found, err := readSecrets(r)
	if err != nil {
		return nil, err
	}
	unlocked := map[string]*spaceKeys{}
	err = s.change(func(btx *bbolt.Tx, st *state) error {
		for _, missing := range s.Sealed() {
			id, inner, err := unwrapOuter(s.keys, missing.Space, btx.Bucket(spacesBucket).Get([]byte(missing.Space)))
			if err != nil {
				return err
			}
			secret := found[id.file(missing.Space)]
			dataKey, err := unwrapInner(missing.Space, id, secret, inner)
			if secret == nil || err != nil {
				continue
			}
			keys, err := ringKeys(dataKey)
			if err != nil {
				return s.damaged("key of space "+missing.Space, err)
			}
			if err := destroyFile(missing.File); err != nil { // a damaged one
				return err
			}
			if err := writeSecret(s.opts, missing.Space, id, secret); err != nil {
				return err
			}
			unlocked[missing.Space] = keys
			opened = append(opened, missing.Space)
		}
		return appendAudit(btx, s.keys, st, System, ev, s.opts.Now())
	})
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for space, keys := range unlocked {
		s.spaces[space] = keys
		delete(s.sealed, space)
	}
	return opened, nil
}

// readSecrets returns the secrets of a file by the names of their own files.
func readSecrets(r io.Reader) (map[string][]byte, error) {
	b, err := io.ReadAll(io.LimitReader(r, mostSecrets+1))
	if err != nil {
		return nil, fmt.Errorf("read the project secrets: %w", err)
	}
	head, rest, _ := strings.Cut(string(b), "\n")
	if head != secretsHeader || len(b) > mostSecrets {
		return nil, errors.New("this is not a file of project secrets: use one that `hide project-secret export` wrote")
	}
	found := map[string][]byte{}
	for i, line := range strings.Split(strings.TrimSuffix(rest, "\n"), "\n") {
		if line == "" {
			continue
		}
		parts := strings.Split(line, " ")
		if len(parts) != 3 {
			return nil, fmt.Errorf("line %d of the project secrets is damaged: use another copy", i+2)
		}
		id, err := hex.DecodeString(parts[1])
		secret, ok := decodeSecret(parts[2])
		if err != nil || !ok || len(id) != secretIDSize || checkSpaceName(parts[0]) != nil {
			return nil, fmt.Errorf("line %d of the project secrets is damaged: use another copy", i+2)
		}
		found[secretID(id).file(parts[0])] = secret
	}
	return found, nil
}
