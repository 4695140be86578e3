// SPDX-License-Identifier: Apache-2.0

package verify

import (
	"bytes"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
)

// Schemas and prefixes of signed files. A prefix is signed before the content.
const (
	evidenceSchema = "hide evidence 1"
	statusSchema   = "hide status 1"

	evidencePrefix = "hide evidence pack 1\n"
	pagePrefix     = "hide evidence page 1\n"
	statusPrefix   = "hide status 1\n"
)

// signedLimit bounds a signed file, in bytes.
const signedLimit = 64 << 20

// ErrKey says that a text is not a public key.
var ErrKey = errors.New("a public key is 32 bytes in base64: 44 characters, the last one =")

// PublicKey reads a public key in base64, with white space around it.
func PublicKey(text string) (ed25519.PublicKey, error) {
	key, err := base64.StdEncoding.Strict().DecodeString(strings.TrimSpace(text))
	if err != nil || len(key) != ed25519.PublicKeySize {
		return nil, ErrKey
	}
	return key, nil
}

// openSigned checks a signed file and returns what is signed: the bytes of its member. There is
// only one valid way to write the file.
func openSigned(file []byte, schema, member, prefix string, key ed25519.PublicKey) ([]byte, error) {
	if len(file) > signedLimit {
		return nil, fmt.Errorf("it is longer than %d bytes", signedLimit)
	}
	var parts map[string]json.RawMessage
	if err := strict(file, &parts); err != nil {
		return nil, fmt.Errorf("it is not JSON that hide wrote: %w", err)
	}
	var named, public, signature string
	for name, into := range map[string]*string{"schema": &named, "public_key": &public, "signature": &signature} {
		if json.Unmarshal(parts[name], into) != nil {
			return nil, fmt.Errorf("it has no %s", name)
		}
	}
	if named != schema {
		return nil, fmt.Errorf("schema: this program understands %q only", schema)
	}
	body := parts[member]
	written := fmt.Appendf(nil, `{"schema":%q,%q:%s,"public_key":%q,"signature":%q}`+"\n", schema, member, body, public, signature)
	if len(parts) != 4 || !bytes.Equal(written, file) {
		return nil, errors.New("the file is not written as it should be: something was added or changed outside of the " + member)
	}
	own, err := PublicKey(public)
	if err != nil {
		return nil, fmt.Errorf("public key: %w", err)
	}
	if !own.Equal(key) {
		return nil, errors.New("public key: it was signed with another key than the given one")
	}
	return body, checkSignature(prefix, body, signature, key, "the "+member)
}

func checkSignature(prefix string, content []byte, signature string, key ed25519.PublicKey, what string) error {
	raw, err := base64.StdEncoding.Strict().DecodeString(signature)
	if err != nil || !ed25519.Verify(key, append([]byte(prefix), content...), raw) {
		return fmt.Errorf("signature: it does not fit: %s was changed after it was signed, or another key signed it", what)
	}
	return nil
}

// jsonOf is the JSON file in a page, whose last line signs everything before it. Other files
// are returned as they are.
func jsonOf(file []byte, key ed25519.PublicKey) ([]byte, error) {
	if !bytes.HasPrefix(file, []byte("<!DOCTYPE html>")) {
		return file, nil
	}
	const open, end = "\n<script type=\"application/json\" id=\"evidence\">", "</script>\n</body></html>\n"
	last := bytes.LastIndexByte(bytes.TrimSuffix(file, []byte("\n")), '\n') + 1
	page, line := file[:last], string(file[last:])
	signature, ok := strings.CutPrefix(line, "<!-- ")
	signature, ended := strings.CutSuffix(signature, " -->\n")
	if !ok || !ended || strings.ContainsAny(signature, "\r\n") {
		return nil, errors.New("page: its last line is not a signature: the page was changed")
	}
	if err := checkSignature(pagePrefix, page, signature, key, "the page"); err != nil {
		return nil, err
	}
	_, data, found := strings.Cut(string(page), open)
	data, closed := strings.CutSuffix(data, end)
	if !found || !closed {
		return nil, errors.New("page: it holds no pack")
	}
	return []byte(data + "\n"), nil
}

// exactly decodes JSON that must be written as the struct would be: known fields, each once,
// in order, without white space.
func exactly(text []byte, into any) error {
	if err := strict(text, into); err != nil {
		return err
	}
	again, err := json.Marshal(into)
	if err != nil || !bytes.Equal(again, text) || twins(text) != nil {
		return errors.New("it is not written as it should be")
	}
	return nil
}

// States of a release.
const (
	stateValid      = "valid"
	stateWithdrawn  = "withdrawn"
	stateSuperseded = "superseded"
)

// wrong says why a state is none, "" if it is one.
func (s packState) wrong() string {
	ended := s.Status == stateWithdrawn || s.Status == stateSuperseded
	switch {
	case s.Status != stateValid && !ended:
		return "its status is unknown"
	case ended != (s.Since != nil) || ended != (s.Reason != ""):
		return "its status has no reason or no date"
	case (s.Status == stateSuperseded) != (s.Newer != ""):
		return "its status does not name the newer release"
	}
	return ""
}

// ReleaseStatus is what a status file says of a release.
type ReleaseStatus struct {
	Issued string `json:"issued"`
	Status string `json:"status"` // valid, withdrawn or superseded
	Reason string `json:"reason,omitempty"`
	Since  string `json:"since,omitempty"`
	Newer  string `json:"superseded_by,omitempty"`
}

// statuses is the signed part of a status file.
type statuses struct {
	Project  string    `json:"project"`
	Issued   time.Time `json:"issued"`
	Releases []struct {
		Number int    `json:"number"`
		Name   string `json:"name"`
		SHA256 string `json:"manifest_sha256"`
		packState
	} `json:"releases"`
}

// CheckStatus looks the release that was verified up in a signed status file. A release that
// was withdrawn is a problem; one that was superseded is not, and the report says it.
func (r *Report) CheckStatus(file []byte, key ed25519.PublicKey) {
	s, err := openStatus(file, key)
	if err != nil {
		r.Add(statusFile, "%v", err)
		return
	}
	for _, one := range s.Releases {
		if one.SHA256 != r.SHA256 {
			continue
		}
		if wrong := one.wrong(); wrong != "" {
			r.Add(statusFile, "%s", wrong)
			return
		}
		r.Status = &ReleaseStatus{Issued: s.Issued.Format(time.RFC3339), Status: one.Status, Reason: one.Reason, Newer: one.Newer}
		if one.Since != nil {
			r.Status.Since = one.Since.Format(time.RFC3339)
		}
		if one.Status == stateWithdrawn {
			r.Add(statusFile, "the release was withdrawn on %s: %s", one.Since.Format("2 January 2006"), one.Reason)
		}
		return
	}
	r.Add(statusFile, "it does not list this release: it is of another project, or older than the release")
}

func openStatus(file []byte, key ed25519.PublicKey) (s statuses, err error) {
	body, err := openSigned(file, statusSchema, "status", statusPrefix, key)
	if err != nil {
		return s, err
	}
	if err := exactly(body, &s); err != nil {
		return s, fmt.Errorf("the status: %w", err)
	}
	return s, nil
}
