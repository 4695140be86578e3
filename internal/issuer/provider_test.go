// SPDX-License-Identifier: Apache-2.0

package issuer

import (
	"bufio"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"hide/internal/account"
)

// TestAgainstAnotherImplementation signs in at npm's oidc-provider, a certified issuer, which
// knows nothing of hide. HIDE_TEST_OIDC_PROVIDER is a folder with its node_modules.
func TestAgainstAnotherImplementation(t *testing.T) {
	folder := os.Getenv("HIDE_TEST_OIDC_PROVIDER")
	if folder == "" {
		t.Skip("HIDE_TEST_OIDC_PROVIDER names no folder with oidc-provider; ./test long does")
	}
	at := startProvider(t, folder)
	i, err := New(Config{URL: at, Client: "hide", Secret: "a-secret-of-this-client", Origin: origin, Scopes: []string{"openid", "profile", "groups"}, Roles: map[string][]string{"reviewer": {"board"}}})
	if err != nil {
		t.Fatal(err)
	}
	address, ticket, err := i.Begin(t.Context(), "/")
	if err != nil {
		t.Fatal(err)
	}
	p, _, err := i.Finish(t.Context(), ticket, signInAt(t, at, address))
	if err != nil {
		t.Fatal(err)
	}
	if p.Subject != "nora" || p.Issuer != at || p.Name != "Nora Lind" || p.Role != account.Reviewer || len(p.Groups) != 2 {
		t.Errorf("got %+v", p)
	}
	answer, err := http.Get(i.LogoutURL(p.IDToken))
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		t.Errorf("sign-out: status %d", answer.StatusCode)
	}
}

func startProvider(t *testing.T, folder string) (address string) {
	t.Helper()
	node := exec.CommandContext(t.Context(), "node", "testdata/provider.mjs", folder, "hide", "a-secret-of-this-client", origin)
	node.Stderr = os.Stderr
	out, err := node.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	in, err := node.StdinPipe()
	if err == nil {
		err = node.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { in.Close(); _ = node.Wait() })
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if strings.HasPrefix(lines.Text(), "http://127.0.0.1:") {
			return lines.Text()
		}
	}
	t.Fatal("oidc-provider did not start")
	return ""
}

var action = regexp.MustCompile(`action="([^"]+)"`)

// signInAt fills in the forms of the issuer, and gives what the browser brings back.
func signInAt(t *testing.T, at, address string) url.Values {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	client := &http.Client{Jar: jar, CheckRedirect: func(r *http.Request, _ []*http.Request) error {
		if strings.HasPrefix(r.URL.String(), origin) {
			return http.ErrUseLastResponse
		}
		return nil
	}}
	answer, err := client.Get(address)
	for _, form := range []url.Values{{"prompt": {"login"}, "login": {"nora"}, "password": {"any"}}, {"prompt": {"consent"}}} {
		if err != nil {
			t.Fatal(err)
		}
		page, err2 := io.ReadAll(answer.Body)
		answer.Body.Close()
		found := action.FindSubmatch(page)
		if err2 != nil || found == nil {
			t.Fatalf("no form: %v\n%.600s", err2, page)
		}
		to, err3 := answer.Request.URL.Parse(string(found[1]))
		if err3 != nil {
			t.Fatal(err3)
		}
		answer, err = client.PostForm(to.String(), form)
	}
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	back, err := answer.Location()
	if err != nil || !strings.HasPrefix(back.String(), origin+CallbackPath) {
		t.Fatalf("sent to %v, %v", back, err)
	}
	return back.Query()
}
