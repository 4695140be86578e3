// SPDX-License-Identifier: Apache-2.0

package hide_test

import (
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// TestTheUnitIsHardened: systemd rates the exposure of a service from 0 to 10, below 2 as
// "OK". What it does not rate is looked for by name.
func TestTheUnitIsHardened(t *testing.T) {
	const unit = "packaging/hide.service"
	text, err := os.ReadFile(unit)
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{
		"User=hide", "LimitCORE=0", "MemorySwapMax=0", "MemoryMax=75%", "LimitMEMLOCK=infinity", "StandardOutput=null",
		"StateDirectory=hide hide-keys", "StateDirectoryMode=0700", "UMask=0077", "NoNewPrivileges=yes", "ProtectSystem=strict",
		"ExecStart=/usr/bin/hide serve --config /etc/hide/serve.conf",
	} {
		if !strings.Contains(string(text), "\n"+line+"\n") {
			t.Errorf("%s lacks %s", unit, line)
		}
	}
	if _, err := exec.LookPath("systemd-analyze"); err != nil {
		t.Skip("systemd-analyze is not installed: the unit was read, not rated")
	}
	rated, err := exec.Command("systemd-analyze", "security", "--offline=true", "--no-pager", unit).CombinedOutput()
	if err != nil {
		t.Fatalf("systemd-analyze: %v\n%s", err, rated)
	}
	found := regexp.MustCompile(`Overall exposure level for hide.service: ([0-9.]+) (\w+)`).FindSubmatch(rated)
	if found == nil {
		t.Fatalf("systemd-analyze does not rate the unit:\n%s", rated)
	}
	exposure, err := strconv.ParseFloat(string(found[1]), 64)
	t.Logf("exposure %s, %s", found[1], found[2])
	if err != nil || exposure >= 2 || string(found[2]) != "OK" {
		t.Errorf("the exposure is %s, %s", found[1], found[2])
	}
}

// TestTheScriptsOfPackagesAreShell: dpkg and rpm run them with /bin/sh, on systems that have
// nothing else.
func TestTheScriptsOfPackagesAreShell(t *testing.T) {
	for _, name := range []string{"packaging/postinst.sh", "packaging/prerm.sh", "packaging/postrm.sh", "release", "test"} {
		if out, err := exec.Command("/bin/sh", "-n", name).CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", name, err, out)
		}
	}
}
