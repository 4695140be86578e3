// SPDX-License-Identifier: Apache-2.0

package gather

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// TestEncryptedSwapIsTold: through volumes on it, and only if every disk below is encrypted.
func TestEncryptedSwapIsTold(t *testing.T) {
	blocks := t.TempDir()
	for name, uuid := range map[string]string{"dm-0": "CRYPT-LUKS2-0123-swap", "dm-1": "LVM-abc", "dm-2": "LVM-def", "sda": "", "zram0": ""} {
		must(t, os.MkdirAll(filepath.Join(blocks, name, "dm"), 0o700))
		must(t, os.MkdirAll(filepath.Join(blocks, name, "slaves"), 0o700))
		must(t, os.WriteFile(filepath.Join(blocks, name, "dm", "uuid"), []byte(uuid+"\n"), 0o600))
	}
	for _, link := range [][2]string{{"dm-1", "dm-0"}, {"dm-2", "dm-0"}, {"dm-2", "sda"}} {
		must(t, os.Symlink(filepath.Join(blocks, link[1]), filepath.Join(blocks, link[0], "slaves", link[1])))
	}
	got := ""
	text := "Filename\tType\tSize\tUsed\tPriority\n"
	for _, name := range []string{"dm-0", "dm-1", "dm-2", "sda", "zram0"} {
		text += "/none/" + name + "  partition\t1000\t0\t-2\n"
	}
	for _, s := range swaps(text, blocks) {
		got += fmt.Sprintln(filepath.Base(s.Name), s.Encrypted, s.InMemory)
	}
	if want := "dm-0 true false\ndm-1 true false\ndm-2 false false\nsda false false\nzram0 false true\n"; got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	if all := swaps("Filename\tType\tSize\tUsed\tPriority\n", blocks); len(all) > 0 {
		t.Errorf("no swap: %v", all)
	}
}
