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
// as files, a manifest with all that the release claims, and check sums. [Zip]
// packs it. docs/formats.md describes the files; package verify, which shares no
// code with this one, checks them.
//
// What goes and what stays is decided per token ([annotate.Token]). Neighbouring
// tokens that go under one label become one placeholder; everything else stays
// byte for byte. A note may itself contain "[NAME]": only the places listed with
// a release are redactions.
//
// Released documents carry numbers drawn at random. Which original became which
// is written to a mapping that [WriteRelease] returns and never stores: it
// belongs in the broker's sealed store.
//
// # Caveats
//
// A bundle holds words of the notes it was trained on. Placeholders keep the
// kind of what was there and nothing of its length; what nobody marked and no
// classifier found stays in the text.
package publish
