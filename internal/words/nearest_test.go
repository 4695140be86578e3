// SPDX-License-Identifier: Apache-2.0

package words

import "testing"

func TestEditDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"", "abc", 3}, {"abc", "", 3}, {"kitten", "sitting", 3}, {"verify", "verfy", 1}, {"trian", "train", 2}, {"same", "same", 0}} {
		if got := editDistance(c.a, c.b); got != c.want {
			t.Errorf("%q to %q: got %d, want %d", c.a, c.b, got, c.want)
		}
	}
}

func TestNearestIsNotFarFetched(t *testing.T) {
	names := []string{"train", "tag", "verify"}
	for got, want := range map[string]string{"verfy": "verify", "tg": "tag", "xyzzy": "", "completely": ""} {
		if near, _ := Nearest(got, names); near != want {
			t.Errorf("%q: got %q, want %q", got, near, want)
		}
	}
}

func TestTheNameThatBeginsAlikeIsNearest(t *testing.T) {
	names := []string{"--undo", "--random-sample", "--target", "--target-labels"}
	for got, want := range map[string]string{"--random": "--random-sample", "--targt": "--target", "--": ""} {
		if near, _ := Nearest(got, names); near != want {
			t.Errorf("%q: got %q, want %q", got, near, want)
		}
	}
}
