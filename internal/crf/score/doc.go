// SPDX-License-Identifier: Apache-2.0

// Package score compares the predictions of a tagger with the spans that people marked.
//
//	predictions[i] = score.Prediction{Note: &notes[i], Predicted: model.Tag(notes[i].View())}
//	report := score.Of(predictions, score.Options{Resamples: 1000})
//	errors := score.Errors(predictions, fold)
//
// Text outside all gold and predicted spans does not count. Precision is TP/(TP+FP),
// recall TP/(TP+FN), F1 their harmonic mean (dissertation, section 4.3). A false alarm
// only affects precision. A ratio without denominator is 0.
//
// # What is counted
//
//   - Entity: a predicted span is right when start, end and label are those of a
//     gold span. Each gold span makes at most one prediction right.
//   - Overlap: a predicted span is right when it can be paired with a gold span of
//     its label that shares a character with it. Pairs are one to one and as many
//     as possible, so a gold span cut in two is one right and one false alarm, and
//     two gold spans under one prediction are one right and one miss.
//   - Token: a token is right when its label is. A token belongs to a span that
//     covers any part of it; white space is no token.
//   - Tags: a token is right when its label is, and when both sides or neither begin a
//     span with it. [Tags.Accuracy] counts all tokens, the plain ones too.
//   - Masking: runs of neighbouring tokens and whole spans of PHI, whatever the label.
//   - Binary: a token is right when both sides call it sensitive, whatever the label.
//   - Leaks: a sensitive token that no predicted span covers leaks; a wrong label
//     leaks nothing. A document or patient with one such token has a leak.
//
// A tagger may mark tokens without a label ([Prediction.Unlabelled]). Then entity,
// overlap, token, tags and i2b2 compare runs under the one label [RunLabel], and only
// leaks and masking tell the labels of PHI apart.
//
// Micro sums over all labels; macro is the mean over the labels that occur in gold.
// [I2B2] describes what the i2b2-2014 script counts.
//
// # Intervals
//
// Intervals are 95 % percentile intervals of a bootstrap that draws groups with
// replacement: all documents of a patient together, a document without a patient alone.
// Tokens and spans are never drawn, because those of one document are correlated.
// Resampling cannot show an event that never happened. So if nothing went wrong (or
// nothing right), an interval is widened to the exact Poisson bound of a count of 0
// among the groups that could have shown one. With fewer than two groups there is no
// interval.
//
// The package is pure: equal documents, options and seed give equal reports.
package score
