// SPDX-License-Identifier: Apache-2.0

package store

import (
	"bytes"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

	"golang.org/x/crypto/argon2"
)

const keyFileHeader = "hide root key 1"

// root describes the root key of a store without containing it. It is not encrypted,
// and has a checksum, so that damage and a wrong key can be distinguished.
type root struct {
	Schema  int    `json:"schema"`
	Source  string `json:"key"`              // "file" or "passphrase"
	Salt    []byte `json:"salt,omitempty"`   // of the passphrase
	Time    uint32 `json:"time,omitempty"`   // Argon2id passes
	Memory  uint32 `json:"memory,omitempty"` // Argon2id memory in KiB
	Threads uint8  `json:"threads,omitempty"`
	Check   []byte `json:"check"` // the empty value, encrypted with the root key
}

const (
	sourceFile       = "file"
	sourcePassphrase = "passphrase"
	maxPassMemory    = 1 << 20 // KiB: what a file may ask Argon2id for
	maxPassTime      = 64
)

func (r *root) place() []byte { return bind("root", strconv.Itoa(r.Schema), r.Source) }

func (r *root) encode() []byte {
	b, err := json.Marshal(r)
	if err != nil {
		panic("store: " + err.Error()) // every value of the type can be encoded
	}
	sum := sha256.Sum256(b)
	return append(sum[:], b...)
}

func decodeRoot(b []byte) (*root, error) {
	if len(b) < sha256.Size {
		return nil, errors.New("the description of the key is missing")
	}
	sum := sha256.Sum256(b[sha256.Size:])
	if !bytes.Equal(sum[:], b[:sha256.Size]) {
		return nil, errors.New("the description of the key has a wrong checksum")
	}
	r := new(root)
	if err := json.Unmarshal(b[sha256.Size:], r); err != nil {
		return nil, errors.New("the description of the key cannot be read")
	}
	if r.Memory > maxPassMemory || r.Time > maxPassTime {
		return nil, errors.New("the description of the key asks for too much work")
	}
	return r, nil
}

// newRoot describes a new store's root key, and creates the key.
func newRoot(opts Options) (*root, *rootKeys, error) {
	newest := firstSchema + len(steps())
	r := &root{Schema: newest, Source: sourceFile}
	if opts.Passphrase != nil {
		*r = passphraseRoot(newest)
	} else if err := createKeyFile(opts.KeyFile); err != nil {
		return nil, nil, err
	}
	key, err := r.key(opts)
	if err != nil {
		return nil, nil, err
	}
	keys := deriveRoot(key)
	r.Check = keys.check.seal(r.place(), nil)
	return r, keys, nil
}

// passphraseRoot describes a new passphrase with 64 MiB and three passes of Argon2id.
func passphraseRoot(schema int) root {
	return root{Schema: schema, Source: sourcePassphrase, Salt: random(16), Time: 3, Memory: 64 << 10, Threads: 1}
}

// unlock returns the keys of a store, or ErrWrongKey.
func (r *root) unlock(opts Options) (*rootKeys, error) {
	key, err := r.key(opts)
	if err != nil {
		return nil, err
	}
	keys := deriveRoot(key)
	if _, err := keys.check.open(r.place(), r.Check); err != nil {
		return nil, fmt.Errorf("%s: %w%s", r.origin(opts), ErrWrongKey, r.olderKey(opts))
	}
	return keys, nil
}

// olderKey names a key file from before a rotation if it is the right one.
func (r *root) olderKey(opts Options) string {
	if r.Source != sourceFile {
		return ""
	}
	files, _ := filepath.Glob(opts.KeyFile + ".old-*")
	for _, path := range files {
		if key, err := readKeyFile(path); err == nil {
			keys := deriveRoot(key)
			if _, err := keys.check.open(r.place(), r.Check); err == nil {
				return ", the older key " + path + " does"
			}
		}
	}
	return ""
}

func (r *root) origin(opts Options) string {
	if r.Source == sourcePassphrase {
		return "passphrase"
	}
	return "key file " + opts.KeyFile
}

func (r *root) key(opts Options) ([]byte, error) {
	switch r.Source {
	case sourceFile:
		return readKeyFile(opts.KeyFile)
	case sourcePassphrase:
		return r.passKey(opts)
	}
	return nil, fmt.Errorf("unknown kind of root key %q: use a newer hide", r.Source)
}

func (r *root) passKey(opts Options) ([]byte, error) {
	if opts.Passphrase == nil {
		return nil, fmt.Errorf("%s is sealed with a passphrase: none was given", opts.Dir)
	}
	pass, err := opts.Passphrase()
	if err != nil {
		return nil, fmt.Errorf("passphrase: %w", err)
	}
	if len(pass) == 0 {
		return nil, ErrNoPassphrase
	}
	return argon2.IDKey(pass, r.Salt, max(r.Time, 1), r.Memory, max(r.Threads, 1), keySize), nil
}

// createKeyFile writes a new random key, unless a key exists.
func createKeyFile(path string) error {
	if _, err := os.Stat(path); err == nil {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("folder of the key file: %w", plain(err))
	}
	text := keyFileHeader + "\n" + base64.StdEncoding.EncodeToString(random(keySize)) + "\n"
	// Another process may be faster: then its key is used.
	if err := createFile(path, []byte(text)); err != nil && !errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("write key file: %w", plain(err))
	}
	return nil
}

func readKeyFile(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("key file %s is missing: put it back, the data cannot be opened without it: %w", path, fs.ErrNotExist)
	}
	if err != nil {
		return nil, fmt.Errorf("key file: %w", plain(err))
	}
	if mode := info.Mode().Perm(); runtime.GOOS != "windows" && mode&0o077 != 0 {
		return nil, fmt.Errorf("key file %s can be read by others (mode %04o): run chmod 600 %s", path, mode, path)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("key file: %w", plain(err))
	}
	return parseKeyFile(path, string(b))
}

func parseKeyFile(path, text string) ([]byte, error) {
	bad := &DamageError{Place: "key file " + path, Err: errors.New("it does not hold a key")}
	head, rest, _ := strings.Cut(text, "\n")
	if head != keyFileHeader || len(rest) > 100 {
		return nil, bad
	}
	key, err := base64.StdEncoding.Strict().DecodeString(strings.TrimSuffix(rest, "\n"))
	if err != nil || len(key) != keySize {
		return nil, bad
	}
	return key, nil
}

// derive derives the key for one purpose from another key (HKDF-SHA-256).
func derive(secret []byte, purpose string) [keySize]byte {
	b, err := hkdf.Key(sha256.New, secret, nil, "hide store 1: "+purpose, keySize)
	if err != nil {
		panic("store: " + err.Error()) // only for lengths that are out of range
	}
	return [keySize]byte(b)
}

func mac(key *[keySize]byte, data []byte) []byte {
	h := hmac.New(sha256.New, key[:])
	h.Write(data)
	return h.Sum(nil)
}

func random(n int) []byte {
	b := make([]byte, n)
	rand.Read(b)
	return b
}

// spaceKeys are the keys of one space, all derived from its data key.
type spaceKeys struct {
	value  sealKey
	digest [keySize]byte
	hmac   [keySize]byte // stays when the data key is rotated: index keys are made with it

	generation uint32     // how often the data key was rotated
	old        *spaceKeys // of the data key before, during a rotation
}

// open decrypts a value. During a rotation it may be under the old key.
func (k *spaceKeys) open(place, sealed []byte) ([]byte, error) {
	value, err := k.value.open(place, sealed)
	if err != nil && k.old != nil {
		return k.old.value.open(place, sealed)
	}
	return value, err
}

// digestKey is the key that made the digest of a ledger; nil if there is none.
func (k *spaceKeys) digestKey(l *ledger) *[keySize]byte {
	switch {
	case l.generation == k.generation:
		return &k.digest
	case k.old != nil && l.generation+1 == k.generation:
		return &k.old.digest
	}
	return nil
}

func deriveSpace(dataKey []byte) *spaceKeys {
	return &spaceKeys{
		value:  derive(dataKey, "values"),
		digest: derive(dataKey, "digest"),
		hmac:   derive(dataKey, "index"),
	}
}

// rootKeys are the keys of the store, all derived from the root key.
type rootKeys struct {
	check  sealKey // proves that the root key is the right one
	wrap   sealKey // data keys of spaces
	backup sealKey // keys of backups
	state  sealKey
	audit  sealKey
	digest [keySize]byte
	head   [keySize]byte

	// Of the root key before, until every audit row is encrypted with this one; else nil.
	oldAudit *sealKey
	oldHead  *[keySize]byte
}

func deriveRoot(root []byte) *rootKeys {
	return &rootKeys{
		check:  derive(root, "check"),
		wrap:   derive(root, "wrap"),
		backup: derive(root, "backup"),
		state:  derive(root, "state"),
		audit:  derive(root, "audit"),
		digest: derive(root, "digest"),
		head:   derive(root, "head"),
	}
}
