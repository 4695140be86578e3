// SPDX-License-Identifier: Apache-2.0

package message

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"io"
	"slices"
	"strings"

	"hide/internal/annotate"
)

// People knows the identities of the patients, relatives, clinicians and places of FHIR
// resources by their addresses. It also makes the pseudonyms of addresses: readers that
// share it give the same resource the same one. It is not for concurrent use.
//
// It takes about 300 bytes a patient: addresses are kept as hashes, identities in one row of
// bytes.
type People struct {
	secret []byte
	at     map[fhirKey]place
	files  map[fhirKey]fhirKey // the patients of Binaries
	chunks [][]byte
	from   []string // where identities were, by number
}

type fhirKey [16]byte

// place is where the identities of a resource begin.
type place struct{ chunk, at uint32 }

const chunkSize = 1 << 20

// Collect notes the people of a stream of resources. Resources that cannot be read are left
// to [FHIR] to report.
func (p *People) Collect(r io.Reader) error {
	return newFHIRStream(r).each(func(part fhirPart, bad *Error) bool {
		if bad == nil && part.kind != bundleHead && part.kind != bundleTail {
			if v, err := parseJSON(part.raw, part.offset); err == nil {
				p.collect(v)
			}
		}
		return true
	})
}

// collect notes the people of a resource, an entry of a Bundle, or a whole Bundle.
func (p *People) collect(v *jsonValue) {
	resource := v
	if inner := v.field("resource"); inner != nil {
		resource = inner
	}
	for _, entry := range resource.field("entry").list() {
		if entry.field("resource") != nil {
			p.collect(entry)
		}
	}
	kind := resource.field("resourceType").str()
	if kind == "DocumentReference" {
		p.collectFiles(resource)
	}
	if fhirPeople[kind] == "" || kind == "FamilyMemberHistory" {
		return
	}
	identities := identitiesOf(resource)
	where := p.store(identities)
	if id := resource.field("id").str(); id != "" {
		p.set(kind+"/"+id, where)
	}
	if url := v.field("fullUrl").str(); url != "" {
		p.set(url, where)
	}
}

// collectFiles notes whose the Binaries of a document are. They do not say it themselves.
func (p *People) collectFiles(document *jsonValue) {
	subject := document.field("subject").field("reference").str()
	for _, content := range document.field("content").list() {
		file := relative(content.field("attachment").field("url").str())
		if subject != "" && strings.HasPrefix(file, "Binary/") {
			of, patient := p.key(file), p.key(relative(subject)) // before p.files, which the first key makes
			p.files[of] = patient
		}
	}
}

// relative is an address without server and version.
func relative(address string) string {
	if m := fhirPathValue.FindStringSubmatch(address); m != nil {
		return m[1] + "/" + m[2]
	}
	return address
}

// ofFile returns the identities of the patient of a Binary.
func (p *People) ofFile(id string) []annotate.Identity {
	subject, ok := p.files[p.key("Binary/"+id)]
	if !ok {
		return nil
	}
	return p.identities(subject)
}

// set gives an address its identities. The first ones stay.
func (p *People) set(address string, where place) {
	key := p.key(address)
	if _, known := p.at[key]; !known {
		p.at[key] = where
	}
}

// NewPeople knows nobody yet. The pseudonyms of addresses follow from the secret: whoever has
// it can compute the pseudonym of any address. The zero People has a random secret.
func NewPeople(secret []byte) *People {
	return &People{secret: slices.Clone(secret), at: map[fhirKey]place{}, files: map[fhirKey]fhirKey{}}
}

// key is a hash of an address that nobody can find without the secret.
func (p *People) key(address string) fhirKey {
	if p.secret == nil {
		p.secret = make([]byte, 32)
		_, _ = rand.Read(p.secret) // never fails
		p.at, p.files = map[fhirKey]place{}, map[fhirKey]fhirKey{}
	}
	h := hmac.New(sha256.New, p.secret)
	_, _ = io.WriteString(h, address) // never fails
	return fhirKey(h.Sum(nil))
}

// pseudonym stands for an address in redacted resources.
func (p *People) pseudonym(address string) string {
	key := p.key(address)
	return fmt.Sprintf("%x", key[:])
}

func (p *People) uuid(address string) string {
	key := p.key(address)
	return fmt.Sprintf("urn:uuid:%x-%x-%x-%x-%x", key[:4], key[4:6], key[6:8], key[8:10], key[10:])
}

var whoseOrder = []annotate.Whose{annotate.OfPatient, annotate.OfRelative, annotate.OfClinician, annotate.OfPlace}

// store writes identities: their number, then for each one whose it is, its label, where it
// was, and its value.
func (p *People) store(identities []annotate.Identity) place {
	b := binary.AppendUvarint(nil, uint64(len(identities)))
	for _, i := range identities {
		b = append(b, byte(slices.Index(whoseOrder, i.Of)))
		b = append(b, byte(slices.IndexFunc(cdaLabels, func(l annotate.LabelInfo) bool { return l.Label == i.Label })))
		b = binary.AppendUvarint(b, uint64(p.fromNumber(i.From)))
		b = binary.AppendUvarint(b, uint64(len(i.Value)))
		b = append(b, i.Value...)
	}
	last := len(p.chunks) - 1
	if last < 0 || len(p.chunks[last])+len(b) > cap(p.chunks[last]) {
		p.chunks = append(p.chunks, make([]byte, 0, max(chunkSize, len(b))))
		last++
	}
	where := place{uint32(last), uint32(len(p.chunks[last]))}
	p.chunks[last] = append(p.chunks[last], b...)
	return where
}

func (p *People) fromNumber(from string) int {
	n := slices.Index(p.from, from)
	if n < 0 {
		p.from = append(p.from, from)
		n = len(p.from) - 1
	}
	return n
}

// lookup returns the identities of an address, relative or with its server.
func (p *People) lookup(address string) []annotate.Identity {
	if identities := p.identities(p.key(address)); identities != nil {
		return identities
	}
	return p.identities(p.key(relative(address)))
}

func (p *People) identities(key fhirKey) []annotate.Identity {
	where, ok := p.at[key]
	if !ok {
		return nil
	}
	b := p.chunks[where.chunk][where.at:]
	number := func() uint64 {
		n, size := binary.Uvarint(b)
		b = b[size:]
		return n
	}
	identities := make([]annotate.Identity, number())
	for k := range identities {
		i := &identities[k]
		i.Of, i.Label = whoseOrder[b[0]], cdaLabels[b[1]].Label
		b = b[2:]
		i.From = p.from[number()]
		size := number()
		i.Value = string(b[:size])
		b = b[size:]
	}
	return identities
}
