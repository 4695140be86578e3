// SPDX-License-Identifier: Apache-2.0

// Package signing keeps the key with which an installation signs what leaves it: evidence
// packs, and the status of releases.
//
//	key, err := signing.Key(projects)
//
// The key is made at its first use. It is kept in the encrypted system space of the store, so
// every backup has it, and nobody reads it without the root key. The private key does not
// leave the packages below internal/project.
package signing

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"

	"hide/internal/project"
	"hide/internal/store"
)

const bucketSigning = "signing" // in the system space: "ed25519" -> seed of the private key

var seedKey = []byte("ed25519")

// Key is the installation's private key.
func Key(projects *project.Service) (ed25519.PrivateKey, error) {
	key, err := read(projects.Store())
	if !errors.Is(err, store.ErrNotFound) {
		return key, err
	}
	return create(projects.Store())
}

func read(st *store.Store) (key ed25519.PrivateKey, err error) {
	err = st.View(store.System, func(tx *store.Tx) error {
		key, err = stored(tx)
		return err
	})
	return key, err
}

func stored(tx *store.Tx) (ed25519.PrivateKey, error) {
	seed, err := tx.Get(bucketSigning, seedKey)
	if err != nil {
		return nil, err
	}
	if len(seed) != ed25519.SeedSize {
		return nil, fmt.Errorf("the signing key of this installation is damaged: it has %d bytes", len(seed))
	}
	return ed25519.NewKeyFromSeed(seed), nil
}

// create makes the key, unless somebody else just did.
func create(st *store.Store) (key ed25519.PrivateKey, err error) {
	err = st.Update(store.System, func(tx *store.Tx) error {
		if key, err = stored(tx); !errors.Is(err, store.ErrNotFound) {
			return err
		}
		_, key, err = ed25519.GenerateKey(nil)
		if err != nil {
			return err
		}
		return errors.Join(tx.Put(bucketSigning, seedKey, key.Seed()),
			tx.Audit(project.SystemEvent("make signing key", "system", "fingerprint "+Fingerprint(key.Public().(ed25519.PublicKey)))))
	})
	return key, err
}

// Fingerprint is the SHA-256 of a public key, in hex: what a release says of the key that
// signs its evidence.
func Fingerprint(public ed25519.PublicKey) string {
	sum := sha256.Sum256(public)
	return hex.EncodeToString(sum[:])
}

// PublicFingerprint is that of the installation's key.
func PublicFingerprint(projects *project.Service) (string, error) {
	key, err := Key(projects)
	if err != nil {
		return "", err
	}
	return Fingerprint(key.Public().(ed25519.PublicKey)), nil
}
