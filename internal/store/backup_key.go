// SPDX-License-Identifier: Apache-2.0

package store

import (
	"encoding/base64"
	"errors"

	"filippo.io/age"
)

// rootStanza is the part of a backup's header that only hide can read. It has one
// argument, the description of the root key in base64, and the encrypted key of the file.
// The description is not secret: it says whether a key file or a passphrase opens the
// backup, and holds the salt and the work of Argon2id.
const rootStanza = "hide-root-1"

func backupPlace() []byte { return bind("backup") }

// rootRecipient wraps the key of a backup with the root key.
type rootRecipient struct {
	root *root
	keys *rootKeys
}

// Wrap is for package age.
func (r *rootRecipient) Wrap(fileKey []byte) ([]*age.Stanza, error) {
	about := base64.RawStdEncoding.EncodeToString(r.root.encode())
	return []*age.Stanza{{Type: rootStanza, Args: []string{about}, Body: r.keys.backup.seal(backupPlace(), fileKey)}}, nil
}

// rootIdentity unwraps the key of a backup.
type rootIdentity struct {
	unlock func(*root) (*rootKeys, error)
	err    error // why it cannot be opened, if it is not damaged
}

var errForeignBackup = errors.New("this is not a backup that this hide can read")

// Unwrap is for package age.
func (r *rootIdentity) Unwrap(stanzas []*age.Stanza) ([]byte, error) {
	if len(stanzas) != 1 || stanzas[0].Type != rootStanza || len(stanzas[0].Args) != 1 {
		return nil, r.fail(errForeignBackup)
	}
	raw, err := base64.RawStdEncoding.Strict().DecodeString(stanzas[0].Args[0])
	if err != nil {
		return nil, errors.New("its header is not what it should be")
	}
	about, err := decodeRoot(raw)
	if err != nil {
		return nil, err
	}
	keys, err := r.unlock(about)
	if err != nil {
		return nil, r.fail(err)
	}
	fileKey, err := keys.backup.open(backupPlace(), stanzas[0].Body)
	return fileKey, err
}

func (r *rootIdentity) fail(err error) error {
	r.err = err
	return err
}
