// SPDX-License-Identifier: Apache-2.0

// Package publish turns identified notes into a release.
//
// A [Bundle] is everything frozen that redacts text: the classifiers that
// GreedySanitize accepted, with their thresholds, a model that names what they
// find, the form of the placeholders, and where all of it comes from. It is one
// file, written by [Bundle.Encode] and read by [Decode], and redacts any text:
//
//	b, err := publish.Decode(file)
//	text, redactions := b.Redact("Seen by Dr. Weiss on 3/4.")
//	// "Seen by [DOCTOR] on [DATE]."
//
// [WriteRelease] redacts many documents into a folder that appears whole or not
// at all: the texts, once as JSONL with the places of the placeholders and once
// as files, in the envelope that package release writes. docs/releases.md describes the
// files; package verify, which shares no code with this one, checks them.
//
// A release by a policy ([Meta].Policy) is not searched: for every note its
// [Input].Replacements say what replaces what, see package policy for the actions. Surrogates
// and shifted dates are in the re-identification map only. Such a release needs no bundle.
//
// Redaction is decided per token ([annotate.Token]). Neighbouring redacted tokens of one
// label become one placeholder; everything else is unchanged, byte for byte. A note may
// itself contain "[NAME]": only the places listed with a release are redactions.
//
// Released notes are numbered at random. [WriteRelease] returns the re-identification map,
// which links them to the originals, and never stores it: it belongs in the broker's
// encrypted store.
//
// # Caveats
//
// A bundle holds words of the notes it was trained on. Placeholders keep the label of the
// text that they replace and nothing of its length. Text that nobody marked and no
// classifier found remains.
package publish
