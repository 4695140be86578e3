// SPDX-License-Identifier: Apache-2.0

package account

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pquerna/otp/totp"

	"hide/internal/ticket"
)

// code is what the app of a secret shows.
func (h *house) code(secret string, after time.Duration) string {
	h.t.Helper()
	code, err := totp.GenerateCode(secret, h.clock.Now().Add(after))
	h.must(err)
	return code
}

// app sets up an app for a person with goodPassword.
func (h *house) app(u User) (secret string, recovery []string) {
	h.t.Helper()
	e, err := h.NewApp(u, goodPassword, "hide.example")
	h.must(err)
	recovery, err = h.ConfirmApp(u, e.Ticket, h.code(e.Secret, 0))
	h.must(err)
	h.clock.Advance(totpPeriod)
	return e.Secret, recovery
}

// half signs in as far as the password goes.
func (h *house) half(name string, want Step) string {
	h.t.Helper()
	token, _, err := h.Login(name, goodPassword, From{})
	left, ok := errors.AsType[*UnfinishedError](err)
	if !ok || left.Step != want || token != "" {
		h.t.Fatalf("sign-in of %s: session %q, %v; want the step %q", name, token, err, want)
	}
	return left.Ticket
}

func TestPasswordAloneDoesNotDoWithAnApp(t *testing.T) {
	h := newHouse(t)
	anna, _ := h.first("Anna")
	secret, recovery := h.app(anna)
	step := h.half("Anna", StepFactor)
	h.wantLive(step, false)
	_, _, err := h.FinishByCode(step, "000000", From{})
	wantError(t, "a wrong code", err, ErrCode)
	token, u, err := h.FinishByCode(step, h.code(secret, 0), From{Peer: "192.0.2.7"})
	h.must(err)
	h.wantLive(token, true)
	if all, _ := h.Sessions(u, u.ID); u.ID != anna.ID || all[0].How != "password and code" {
		t.Errorf("got %+v, %+v", u, all)
	}
	_, _, err = h.FinishByCode(step, h.code(secret, totpPeriod), From{})
	wantError(t, "the step a second time", err, ticket.ErrExpired)

	// A recovery code works once, written in any way.
	_, _, err = h.FinishByCode(h.half("Anna", StepFactor), " "+recovery[3]+" ", From{})
	h.must(err)
	_, _, err = h.FinishByCode(h.half("Anna", StepFactor), recovery[3], From{})
	wantError(t, "a used recovery code", err, ErrCode)
	if f, err := h.Factors(anna, anna.ID); err != nil || f.Recovery != recoveryCodes-1 || !f.App {
		t.Errorf("got %+v, %v", f, err)
	}
	h.clock.Advance(UnfinishedFor - time.Second)
	late := h.half("Anna", StepFactor)
	h.clock.Advance(UnfinishedFor)
	_, _, err = h.FinishByCode(late, h.code(secret, 0), From{})
	wantError(t, "a step that took too long", err, ticket.ErrExpired)
}

func TestCodeIsNotReplayed(t *testing.T) {
	h := newHouse(t)
	anna, _ := h.first("Anna")
	secret, _ := h.app(anna)
	next, now := h.code(secret, totpPeriod), h.code(secret, 0)
	_, _, err := h.FinishByCode(h.half("Anna", StepFactor), next, From{}) // a phone that is fast
	h.must(err)
	for what, code := range map[string]string{"the same code": next, "the one before": now} {
		_, _, err = h.FinishByCode(h.half("Anna", StepFactor), code, From{})
		wantError(t, what, err, ErrCode)
	}
	h.reopen()
	_, _, err = h.FinishByCode(h.half("Anna", StepFactor), next, From{})
	wantError(t, "the same code after a restart", err, ErrCode)
	h.clock.Advance(2 * totpPeriod)
	_, _, err = h.FinishByCode(h.half("Anna", StepFactor), h.code(secret, 0), From{})
	h.must(err)
}

func TestOfManyAtOnceOneUsesACode(t *testing.T) {
	h := newHouse(t)
	anna, _ := h.first("Anna")
	secret, _ := h.app(anna)
	code := h.code(secret, 0)
	steps := make([]string, freeTries)
	for i := range steps {
		steps[i] = h.half("Anna", StepFactor)
	}
	var won atomic.Int64
	var all sync.WaitGroup
	for _, step := range steps {
		all.Go(func() {
			if _, _, err := h.FinishByCode(step, code, From{}); err == nil {
				won.Add(1)
			}
		})
	}
	all.Wait()
	if won.Load() != 1 {
		t.Errorf("%d sign-ins with one code", won.Load())
	}
}

// Wrong codes wait longer and longer, and the right password does not clear them.
func TestWrongCodesAreThrottled(t *testing.T) {
	h := newHouse(t)
	anna, _ := h.first("Anna")
	secret, _ := h.app(anna)
	for range freeTries {
		_, _, err := h.FinishByCode(h.half("Anna", StepFactor), "123", From{})
		wantError(t, "a wrong code", err, ErrCode)
	}
	step := h.half("Anna", StepFactor)
	_, _, err := h.FinishByCode(step, h.code(secret, 0), From{})
	if _, slow := errors.AsType[*TooManyTriesError](err); !slow {
		t.Errorf("after %d wrong codes: %v", freeTries, err)
	}
	h.clock.Advance(firstWait)
	_, _, err = h.FinishByCode(step, h.code(secret, 0), From{})
	h.must(err)
}

func TestRoleThatNeedsAFactorLeadsToEnrolment(t *testing.T) {
	h := newHouse(t)
	anna, _ := h.first("Anna")
	h.person(anna, "Ben", Annotator)
	h.secondFactor = []Role{Admin, Broker}
	if token, _, err := h.Login("Ben", goodPassword, From{}); err != nil || token == "" {
		t.Errorf("an annotator: %v", err)
	}
	step := h.half("Anna", StepEnrol)
	_, _, err := h.FinishByCode(step, "", From{})
	wantError(t, "a code before there is an app", err, ErrCode)
	e, err := h.NewAppFor(step, "hide.example")
	h.must(err)
	_, _, _, err = h.FinishByEnrolling(step, e.Ticket, "000000", From{})
	wantError(t, "a wrong code", err, ErrAppCode)
	_, other, err := h.Login("Ben", goodPassword, From{})
	h.must(err)
	_, err = h.ConfirmApp(other, e.Ticket, h.code(e.Secret, 0))
	wantError(t, "an enrolment of somebody else", err, ticket.ErrExpired)
	token, _, recovery, err := h.FinishByEnrolling(step, e.Ticket, h.code(e.Secret, 0), From{})
	h.must(err)
	h.wantLive(token, true)
	if len(recovery) != recoveryCodes {
		t.Errorf("%d recovery codes", len(recovery))
	}
	wantError(t, "the last factor", h.RemoveApp(anna, goodPassword), ErrFactorNeeded)
	h.half("Anna", StepFactor)
	_, err = h.NewAppFor(h.half("Anna", StepFactor), "hide.example")
	wantError(t, "a new app instead of the one that is set up", err, ticket.ErrExpired)

	// Who makes the first account begins the same way.
	link, err := h.Invite(anna, anna.ID)
	h.must(err)
	if _, _, err = h.Redeem(link, Redemption{Password: otherPassword}); err == nil {
		t.Error("a link signs in without the second factor")
	}
	h.wantLive(token, false) // a new password ends sessions
	_, _, err = h.Login("Anna", goodPassword, From{})
	wantError(t, "the old password", err, ErrCredentials)
}

func TestChangesOfFactorsNeedThePassword(t *testing.T) {
	h := newHouse(t)
	anna, _ := h.first("Anna")
	secret, old := h.app(anna)
	wrong := func() map[string]error {
		_, err1 := h.NewApp(anna, "wrong", "")
		_, err2 := h.NewRecoveryCodes(anna, "wrong")
		return map[string]error{"a new app": err1, "new recovery codes": err2, "removal": h.RemoveApp(anna, "wrong"), "a passkey": h.ConfirmPerson(anna, "wrong")}
	}
	for what, err := range wrong() {
		wantError(t, what, err, ErrPassword)
	}
	renewed, err := h.NewRecoveryCodes(anna, goodPassword)
	h.must(err)
	_, _, err = h.FinishByCode(h.half("Anna", StepFactor), old[0], From{})
	wantError(t, "a replaced recovery code", err, ErrCode)
	_, _, err = h.FinishByCode(h.half("Anna", StepFactor), renewed[0], From{})
	h.must(err)
	h.must(h.RemoveApp(anna, goodPassword))
	_, _, err = h.Login("Anna", goodPassword, From{})
	h.must(err)
	_ = secret
}

// TestAFirstPasswordNeedsACodeOfTheApp: a stolen session alone must not set one, which would
// then remove the app.
func TestAFirstPasswordNeedsACodeOfTheApp(t *testing.T) {
	h := newHouse(t)
	anna, _ := h.first("Anna")
	ben, link, err := h.Create(anna, "Ben", Broker)
	h.must(err)
	_, _, err = h.Redeem(link, Redemption{})
	h.must(err)
	e, err := h.NewApp(ben, "", "hide.example")
	h.must(err)
	_, err = h.ConfirmApp(ben, e.Ticket, h.code(e.Secret, 0))
	h.must(err)
	h.clock.Advance(totpPeriod)
	set := func(code string) error {
		_, err := h.SetPassword(ben, ben.ID, code, goodPassword, From{})
		return err
	}
	for range freeTries {
		wantError(t, "without a code", set(""), ErrCode)
	}
	if _, slow := errors.AsType[*TooManyTriesError](set(h.code(e.Secret, 0))); !slow {
		t.Error("codes can be guessed at speed")
	}
	h.clock.Advance(firstWait)
	h.must(set(h.code(e.Secret, 0)))
	h.half("Ben", StepFactor)
}

func TestAdminResetsFactorsAndEndsSessions(t *testing.T) {
	h := newHouse(t)
	anna, _ := h.first("Anna")
	ben, session := h.person(anna, "Ben", Broker)
	h.app(ben)
	wantError(t, "by the person", h.ResetFactors(ben, ben.ID), ErrForbidden)
	h.must(h.ResetFactors(anna, ben.ID))
	h.wantLive(session, false)
	_, _, err := h.Login("Ben", goodPassword, From{})
	h.must(err)
}

// TestFactorsAreNotPlain looks for the secret and the codes in the file.
func TestFactorsAreNotPlain(t *testing.T) {
	h := newHouse(t)
	anna, _ := h.first("Anna")
	secret, recovery := h.app(anna)
	data, err := os.ReadFile(filepath.Join(h.opts.Dir, "hide.db"))
	h.must(err)
	for _, text := range append(recovery, secret) {
		if bytes.Contains(data, []byte(text)) {
			t.Error("a secret is plain in the file")
		}
	}
}

func TestPasskeyWhoseCounterGoesBackIsRefusedForGood(t *testing.T) {
	h := newHouse(t)
	anna, _ := h.first("Anna")
	key := Passkey{ID: []byte("credential"), Name: " Key\x00 of Anna ", Credential: []byte(`{}`)}
	h.must(h.AddPasskey(anna, key))
	wantError(t, "the same passkey again", h.AddPasskey(anna, key), ErrPasskey)
	use := PasskeyUse{ID: key.ID, Before: key.Credential, Credential: []byte(`{"n":1}`)}
	token, _, err := h.SignInByPasskey(anna.ID, use, From{})
	h.must(err)
	h.wantLive(token, true)
	_, _, err = h.SignInByPasskey(anna.ID, PasskeyUse{ID: key.ID, Before: key.Credential, Credential: []byte(`{"n":2}`)}, From{})
	wantError(t, "a copy that was checked against the same counter", err, ErrPasskeyRaced)
	use.Before = use.Credential
	_, _, err = h.FinishByPasskey(h.half("Anna", StepFactor), use, From{})
	h.must(err)
	_, _, err = h.SignInByPasskey(anna.ID, PasskeyUse{ID: key.ID, Copied: true}, From{})
	wantError(t, "a counter that went back", err, ErrCopied)
	_, _, err = h.SignInByPasskey(anna.ID, use, From{})
	wantError(t, "the passkey afterwards", err, ErrPasskey)
	h.half("Anna", StepFactor) // the password alone does not do
	f, err := h.Factors(anna, anna.ID)
	if err != nil || len(f.Passkeys) != 1 || !f.Passkeys[0].Suspect || f.Passkeys[0].Name != "Key of Anna" {
		t.Fatalf("got %+v, %v", f, err)
	}
	h.must(h.RenamePasskey(anna, key.Key(), "Old key"))
	wantError(t, "removal without the password", h.RemovePasskey(anna, key.Key(), ""), ErrPassword)
	h.must(h.RemovePasskey(anna, key.Key(), goodPassword))
	_, _, err = h.SignInByPasskey("u-nobody", use, From{})
	wantError(t, "a passkey of nobody", err, ErrPasskey)
}
