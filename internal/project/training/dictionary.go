// SPDX-License-Identifier: Apache-2.0

package training

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"hide/internal/account"
	"hide/internal/annotate"
	"hide/internal/annotate/dictionary"
	"hide/internal/crf"
	"hide/internal/project"
	"hide/internal/store"
)

// Limits of a project's dictionaries in total, except for names and phrases.
const (
	maxDictionaries    = 64
	maxPhrases         = 5_000_000
	maxDictionaryBytes = 256 << 20 // of phrases
	maxPhrase          = 1 << 10   // bytes
	maxDictionaryName  = 200       // bytes
)

// Dictionary describes phrases that a project's models look up: the lists of one file.
type Dictionary struct {
	Name      string    `json:"name"`
	Lists     int       `json:"lists"`
	Phrases   int       `json:"phrases"` // of all its lists
	Added     time.Time `json:"added"`
	Bytes     int       `json:"bytes"` // of its phrases
	ListNames []string  `json:"list_names"`
}

// DictionaryFile is a dictionary to be added to a project.
type DictionaryFile struct {
	Name  string
	Lists []dictionary.List
}

// ReadDictionary reads a file in one of the formats of [dictionary.Read]. name is the
// file's name without folders, and becomes the dictionary's name.
func ReadDictionary(name string, r io.Reader) (DictionaryFile, error) {
	lists, err := dictionary.Read(name, r)
	if errors.Is(err, dictionary.ErrUnusable) {
		err = &project.Error{Kind: project.Invalid, Message: fmt.Sprintf("dictionary %s: %v", name, err), Hint: dictionary.Hint}
	}
	return DictionaryFile{name, lists}, err
}

// dictionaryRecord is a stored dictionary without its lists, which are stored separately
// under the same number. Numbers are never reused, and stored dictionaries never change.
type dictionaryRecord struct {
	Number uint64 `json:"number"`
	Dictionary
}

// AddDictionaries adds dictionaries to a project, all or none. Models are trained again
// if they use dictionaries. An error about a file names it.
func (s *Service) AddDictionaries(ctx context.Context, by account.User, id project.ID, files []DictionaryFile) error {
	ws, err := s.enter(by, account.ManageWork, id)
	if err != nil {
		return err
	}
	err = s.projects.Transact(id, func(tx *store.Tx) error {
		for _, f := range files {
			if err := s.addDictionary(ctx, tx, by, id, f); err != nil {
				return about(f.Name, err)
			}
		}
		return nil
	})
	if err == nil {
		ws.retrain()
	}
	return err
}

func (s *Service) addDictionary(ctx context.Context, tx *store.Tx, by account.User, id project.ID, f DictionaryFile) error {
	d, err := describeDictionary(ctx, f.Name, f.Lists)
	if err != nil {
		return err
	}
	d.Added = s.projects.Now().UTC()
	if err := refuseDictionary(tx, d); err != nil {
		return err
	}
	if d.Number, err = tx.Next(bucketDictionaries); err != nil {
		return err
	}
	if err := store.PutJSON(tx, bucketDictionaries, store.Key(d.Number), d); err != nil {
		return err
	}
	if err := store.PutJSON(tx, bucketDictionaryLists, store.Key(d.Number), f.Lists); err != nil {
		return err
	}
	return tx.Audit(d.event(by, "add dictionary", id))
}

// about puts the name of a file before an error.
func about(name string, err error) error {
	var e *project.Error
	if !errors.As(err, &e) || checkDictionaryName("dictionary", name) != nil {
		return err
	}
	named := *e
	named.Message = "dictionary " + name + ": " + e.Message
	return &named
}

// event omits the name, because a person chose it and it may reveal something.
func (d dictionaryRecord) event(by account.User, action string, id project.ID) store.Event {
	return project.EventBy(by, action, id.Object("dictionaries", d.Number), fmt.Sprintf("lists %d, phrases %d", d.Lists, d.Phrases))
}

// describeDictionary counts the contents and refuses what cannot be stored without
// change.
func describeDictionary(ctx context.Context, name string, lists []dictionary.List) (dictionaryRecord, error) {
	d := dictionaryRecord{Dictionary: Dictionary{Name: name, Lists: len(lists)}}
	if err := checkDictionaryName("dictionary", name); err != nil {
		return d, err
	}
	for i, list := range lists {
		if err := checkDictionaryName("list", list.Name); err != nil {
			return d, err
		}
		if slices.Contains(d.ListNames, list.Name) {
			return d, project.Invalidf("give each list a name of its own", "list %d of the dictionary has the same name as an earlier list", i+1)
		}
		d.ListNames = append(d.ListNames, list.Name)
		for n, phrase := range list.Phrases {
			if len(phrase) > maxPhrase || !utf8.ValidString(phrase) {
				return d, project.Invalidf("", "phrase %d of list %d is longer than %d bytes or not UTF-8", n+1, i+1, maxPhrase)
			}
			d.Phrases, d.Bytes = d.Phrases+1, d.Bytes+len(phrase)
		}
	}
	if d.Phrases == 0 {
		return d, project.Invalidf("", "the dictionary holds no phrase")
	}
	return d, ctx.Err()
}

// checkDictionaryName requires names that models keep unchanged. Names of the program's
// own lists begin with a dot.
func checkDictionaryName(what, name string) error {
	unprintable := strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) })
	if name == "" || len(name) > maxDictionaryName || unprintable || !utf8.ValidString(name) || strings.HasPrefix(name, ".") {
		return project.Invalidf("choose another name", "the name of a %s has 1 to %d printable characters and does not begin with a dot", what, maxDictionaryName)
	}
	return nil
}

// refuseDictionary keeps names unique and the total size bounded.
func refuseDictionary(tx *store.Tx, d dictionaryRecord) error {
	all, err := store.ListJSON[dictionaryRecord](tx, bucketDictionaries)
	if err != nil {
		return err
	}
	if len(all) == maxDictionaries {
		return project.Invalidf("remove one first", "the project has %d dictionaries, which is the most", maxDictionaries)
	}
	phrases, bytes := d.Phrases, d.Bytes
	for _, other := range all {
		phrases, bytes = phrases+other.Phrases, bytes+other.Bytes
		if other.Name == d.Name {
			return project.Invalidf("remove it first", "the project has a dictionary of this name")
		}
		if slices.ContainsFunc(d.ListNames, func(name string) bool { return slices.Contains(other.ListNames, name) }) {
			return project.Invalidf("choose another name", "another dictionary of the project has a list of the same name")
		}
	}
	if phrases > maxPhrases || bytes > maxDictionaryBytes {
		return project.Invalidf("remove one first", "the project's dictionaries would have %d phrases of %d bytes, at most %d of %d", phrases, bytes, maxPhrases, maxDictionaryBytes)
	}
	return nil
}

// Dictionaries lists a project's dictionaries, the oldest first.
func (s *Service) Dictionaries(ctx context.Context, by account.User, id project.ID) ([]Dictionary, error) {
	if _, err := s.enterAny(by, id, account.ManageWork, account.ReadNotes); err != nil {
		return nil, err
	}
	records, err := project.ListJSON[dictionaryRecord](s.projects, id, bucketDictionaries)
	all := make([]Dictionary, len(records))
	for i, d := range records {
		all[i] = d.Dictionary
	}
	return all, err
}

// RemoveDictionary removes a dictionary from a project. The current model keeps it until
// the next training, which this starts.
func (s *Service) RemoveDictionary(ctx context.Context, by account.User, id project.ID, name string) error {
	ws, err := s.enter(by, account.ManageWork, id)
	if err != nil {
		return err
	}
	err = s.projects.Transact(id, func(tx *store.Tx) error {
		all, err := store.ListJSON[dictionaryRecord](tx, bucketDictionaries)
		if err != nil {
			return err
		}
		i := slices.IndexFunc(all, func(d dictionaryRecord) bool { return d.Name == name })
		if i < 0 {
			return project.NotFoundf("project %s has no dictionary of this name", id)
		}
		for _, bucket := range []string{bucketDictionaries, bucketDictionaryLists} {
			if err := tx.Delete(bucket, store.Key(all[i].Number)); err != nil {
				return err
			}
		}
		return tx.Audit(all[i].event(by, "remove dictionary", id))
	})
	if err == nil {
		ws.retrain()
	}
	return err
}

// DictionaryLists returns the lists of all dictionaries, in the order in which they were
// added, and the numbers of the dictionaries, which identify these lists.
func (s *Service) DictionaryLists(id project.ID) (lists []dictionary.List, numbers string, err error) {
	err = s.projects.View(id, func(tx *store.Tx) error {
		return tx.Scan(bucketDictionaryLists, nil, func(key, raw []byte) error {
			more, err := store.DecodeJSON[[]dictionary.List](bucketDictionaryLists, raw)
			lists = append(lists, more...)
			numbers = joinNumber(numbers, uint64(annotate.DocumentID(store.Number(key))))
			return err
		})
	})
	return lists, numbers, err
}

// joinNumber is numbers with another: 1+4.
func joinNumber(numbers string, n uint64) string {
	return strings.TrimPrefix(fmt.Sprintf("%s+%d", numbers, n), "+")
}

// heedsDictionaries reports whether a dictionary would change the model.
func (o trainOptions) heedsDictionaries() bool {
	return o.Features&(crf.Dictionary|crf.Member) != 0
}

// trainOptions are the options of the project's next training, with its dictionaries and
// word classes if it uses any.
func (s *Service) trainOptions(ws *workspace) (trainOptions, error) {
	o, err := s.withClasses(ws, optionsOf(ws.Settings()))
	if err != nil || !o.heedsDictionaries() {
		return o, err
	}
	o.Dictionaries, o.dictionaries, err = s.DictionaryLists(ws.ID)
	return o, err
}
