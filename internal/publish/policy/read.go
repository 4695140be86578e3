// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"sync"

	"hide/internal/strictjson"
)

// MaxBytes limits a policy file.
const MaxBytes = 1 << 20

// startFrom is the hint about a file that is not a policy file.
const startFrom = "start from one that hide policy show safe-harbor --json prints"

// Read reads a policy file and checks it. Unknown fields are refused.
func Read(r io.Reader) (Policy, error) {
	text, err := io.ReadAll(io.LimitReader(r, MaxBytes+1))
	if err != nil {
		return Policy{}, err
	}
	if len(text) > MaxBytes {
		return Policy{}, fmt.Errorf("the policy file has more than %d bytes", MaxBytes)
	}
	var p Policy
	if err := strictjson.Decode(text, &p); err != nil {
		return Policy{}, fmt.Errorf("the policy file: %w; %s", err, startFrom)
	}
	if p.Schema == "" {
		return Policy{}, fmt.Errorf("the policy file: the field \"schema\" is missing, which is %q; %s", Schema, startFrom)
	}
	return p, p.Check()
}

// Encode writes the policy file. Equal policies give equal bytes.
func (p Policy) Encode() []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(p); err != nil {
		panic(err) // strings and numbers can always be written
	}
	return b.Bytes()
}

// SHA256 is the hash of the policy file.
func (p Policy) SHA256() string {
	sum := sha256.Sum256(p.Encode())
	return hex.EncodeToString(sum[:])
}

//go:embed builtin/*.json
var files embed.FS

// order is the order of pages.
var order = []string{"placeholders", "safe-harbor", "safe-harbor-surrogates", "limited-data-set", "surrogates", "statistical"}

// Builtin lists the policies of the program.
var Builtin = sync.OnceValue(func() []Policy {
	all := make([]Policy, len(order))
	for i, name := range order {
		f, err := files.Open("builtin/" + name + ".json")
		if err == nil {
			all[i], err = Read(f)
		}
		if err != nil {
			panic("policy " + name + ": " + err.Error())
		}
	}
	return all
})

// Find finds a policy of the program by its name.
func Find(name string) (Policy, error) {
	for _, p := range Builtin() {
		if p.Name == name {
			return p, nil
		}
	}
	return Policy{}, fmt.Errorf("there is no policy %q; there are %s, or a policy file", name, strings.Join(order, ", "))
}
