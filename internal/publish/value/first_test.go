// SPDX-License-Identifier: Apache-2.0

package value_test

import (
	"testing"

	"hide/internal/publish/value"
)

func TestZIPCodes(t *testing.T) {
	for text, want := range map[string]string{
		"10001": "100", "03601": "000", "03601-1234": "000", "02139": "021", "MA 02139": "021", "09012": "000",
		"00000": "000", "99999": "999", "89301": "000", "20201": "000", "00901": "009", "021391234": "021",
	} {
		if got, err := value.ZIP3(text); err != nil || got != want {
			t.Errorf("ZIP3(%q) = %q, %v; want %q", text, got, err, want)
		}
	}
	for _, text := range []string{"", "1234", "123456", "1234a", "10001-12", "28 013", "SW1A 1AA", "Boston"} {
		if got, err := value.ZIP3(text); err == nil {
			t.Errorf("ZIP3(%q) = %q; want an error", text, got)
		}
	}
}
