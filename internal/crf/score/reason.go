// SPDX-License-Identifier: Apache-2.0

package score

// Words say the reason of a miss, an alarm, or, with "", of either to people.
func (r Reason) Words(k Kind) string {
	switch k {
	case "":
		switch r {
		case Boundary:
			return "another boundary"
		case Relabel:
			return "another label"
		case Elsewhere:
			return "same text is right elsewhere in the note"
		}
	case Alarm:
		switch r {
		case Boundary:
			return "marked, but with another boundary"
		case Relabel:
			return "marked under another label"
		case Elsewhere:
			return "same text is marked elsewhere in the note"
		}
	}
	switch r {
	case Boundary:
		return "found, but with another boundary"
	case Relabel:
		return "found under another label"
	case Elsewhere:
		return "same text was found elsewhere in the note"
	case Form:
		return "number of a form never marked in training"
	case Unseen:
		return "word not seen in training"
	case Ordinary:
		return "word never marked in training"
	case Ambiguous:
		return "word marked in training, but not always"
	case Known:
		return "word or number always marked in training"
	}
	return string(r)
}
