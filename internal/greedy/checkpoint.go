// SPDX-License-Identifier: Apache-2.0

package greedy

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash"
	"math"
	"slices"

	"hide/internal/annotate"
)

// Checkpoint keeps the results of trainings, so that an interrupted run finishes without
// repeating them, with the same result. Keys depend on the documents, folds, seed and the
// learner, but not on the learners' options: a checkpoint belongs to one list of
// learners. Values contain no text, but classifiers among them contain words, as every
// model does. It is safe for concurrent use.
type Checkpoint interface {
	// Load returns the saved value, or nil. A damaged value counts as missing.
	Load(key [sha256.Size]byte) []byte
	// Save keeps a value. A failure to keep it does not stop a run.
	Save(key [sha256.Size]byte, value []byte)
}

// Keeper is a [Learner] whose classifiers can be encoded. Without it a resumed run trains
// again the classifiers that join H, and only these.
type Keeper interface {
	Learner
	EncodeClassifier(Classifier) ([]byte, error)
	DecodeClassifier([]byte) (Classifier, error)
}

// keeper is a lab's access to the checkpoint of its run. A nil keeper keeps nothing.
type keeper struct {
	to   Checkpoint
	docs [sha256.Size]byte // hash of the documents
}

func newKeeper(to Checkpoint, docs []annotate.Note) *keeper {
	if to == nil {
		return nil
	}
	h := sha256.New()
	for i := range docs {
		hashDoc(h, &docs[i])
	}
	return &keeper{to, [sha256.Size]byte(h.Sum(nil))}
}

// hashDoc hashes everything that a learner reads of d, including labels, because sampling
// uses them.
func hashDoc(h hash.Hash, d *annotate.Note) {
	line := binary.AppendUvarint(binary.AppendUvarint(nil, uint64(len(d.Words))), uint64(len(d.Known)))
	for _, s := range slices.Concat([]string{d.Group, d.Text}, d.Known, d.Words) {
		line = appendText(line, s)
	}
	for _, i := range d.Identities {
		line = appendText(appendText(line, string(i.Label)), i.Value)
	}
	for x, span := range d.SpanOf {
		line = appendText(binary.AppendVarint(line, int64(span)), string(d.Label(x)))
	}
	h.Write(line)
}

func appendText(line []byte, s string) []byte {
	return append(binary.AppendUvarint(line, uint64(len(s))), s...)
}

// everything is the fold of a training on all documents.
const everything = -1

// origin is the way a kept result was computed: equal folds mean different things in
// different ways.
type origin byte

const (
	trainedOutside origin = iota // trained on the documents outside the fold
	trainedBefore                // trained on the fold before it, cyclically
	crossFitted                  // by a [CrossFitter], with its classifier of all documents
)

// keys is the key of a trainee's result under masks, trained in this way.
func (k *keeper) keys(t trainee, masks [][]bool, by origin, fold []int) func(f int) [sha256.Size]byte {
	if k == nil {
		return func(int) [sha256.Size]byte { return [sha256.Size]byte{} }
	}
	mask := HashMasks(masks)
	line := append(append(k.docs[:len(k.docs):len(k.docs)], mask[:]...), byte(by))
	for _, f := range fold {
		line = binary.AppendVarint(line, int64(f))
	}
	line = append(line, t.id...)
	return func(f int) [sha256.Size]byte {
		return sha256.Sum256(binary.AppendVarint(line[:len(line):len(line)], int64(f)))
	}
}

// loadScores fills in s for the documents of held. It returns false, with s unchanged, if
// there is no usable value.
func (k *keeper) loadScores(key [sha256.Size]byte, s *scored, all []annotate.View, held []int) bool {
	return k != nil && s.decode(k.to.Load(key), all, held)
}

func (k *keeper) saveScores(key [sha256.Size]byte, s *scored, held []int) {
	if k != nil {
		k.to.Save(key, s.encode(held))
	}
}

// encode writes a score and a hard label for each token of the documents of held, 9
// bytes, after a checksum.
func (s *scored) encode(held []int) []byte {
	var out []byte
	for _, i := range held {
		for x, p := range s.scores[i] {
			out = binary.LittleEndian.AppendUint64(out, math.Float64bits(p))
			if s.hard[i][x] {
				out = append(out, 1)
			} else {
				out = append(out, 0)
			}
		}
	}
	return withChecksum(out)
}

// decode reads what encode wrote.
func (s *scored) decode(value []byte, all []annotate.View, held []int) bool {
	tokens := 0
	for _, i := range held {
		tokens += len(all[i].Words)
	}
	value, ok := checked(value)
	if !ok || len(value) != 9*tokens {
		return false
	}
	for _, i := range held {
		n := len(all[i].Words)
		s.scores[i], s.hard[i] = make([]float64, n), make([]bool, n)
		for x := range n {
			s.scores[i][x] = math.Float64frombits(binary.LittleEndian.Uint64(value))
			s.hard[i][x] = value[8] == 1
			value = value[9:]
		}
	}
	return true
}

func withChecksum(value []byte) []byte {
	sum := sha256.Sum256(value)
	return append(sum[:], value...)
}

func checked(value []byte) ([]byte, bool) {
	if len(value) < sha256.Size {
		return nil, false
	}
	sum, value := value[:sha256.Size], value[sha256.Size:]
	return value, sha256.Sum256(value) == [sha256.Size]byte(sum)
}

// The first byte of a kept classifier.
const (
	keptNever  = 0 // always(false)
	keptAlways = 1 // always(true)
	keptOwn    = 2 // the rest is the learner's encoding
)

// loadClassifier returns nil if there is no usable value.
func (k *keeper) loadClassifier(key [sha256.Size]byte, l Learner) Classifier {
	if k == nil {
		return nil
	}
	value, ok := checked(k.to.Load(key))
	if !ok || len(value) == 0 {
		return nil
	}
	owner, keeps := l.(Keeper)
	switch {
	case value[0] != keptOwn:
		return always(value[0] == keptAlways)
	case !keeps:
		return nil
	}
	h, err := owner.DecodeClassifier(value[1:])
	if err != nil {
		return nil
	}
	return h
}

// saveClassifier keeps h if possible.
func (k *keeper) saveClassifier(key [sha256.Size]byte, l Learner, h Classifier) {
	if k == nil {
		return
	}
	if marks, trivial := h.(always); trivial {
		k.to.Save(key, withChecksum([]byte{map[bool]byte{true: keptAlways}[bool(marks)]}))
		return
	}
	if owner, keeps := l.(Keeper); keeps {
		if value, err := owner.EncodeClassifier(h); err == nil {
			k.to.Save(key, withChecksum(append([]byte{keptOwn}, value...)))
		}
	}
}

// checkNames refuses learners that keys cannot distinguish.
func checkNames(learners []Learner) error {
	seen := map[string]bool{}
	for _, l := range learners {
		if seen[l.Name()] {
			return fmt.Errorf("two learners are named %s: a checkpoint needs different names", l.Name())
		}
		seen[l.Name()] = true
	}
	return nil
}
