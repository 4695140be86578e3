// SPDX-License-Identifier: Apache-2.0

// Package passkey lets people register passkeys and sign in with them (WebAuthn). A passkey is
// tied to the name of the server, so a page of another site cannot use it:
//
//	keys, err := passkey.New("https://hide.hospital.example", accounts, time.Now)
//	c, err := keys.BeginSignIn()
//	... the browser answers c.Options ...
//	token, user, err := keys.SignIn(c.Ticket, answer, from)
//
// The authenticator always verifies the person, by a PIN, a fingerprint or the like: a passkey
// alone is two factors. Which device made it is not asked. What a ceremony has to remember
// travels in its ticket, so that strangers who begin one cost nothing.
package passkey

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/url"
	"time"

	"github.com/go-webauthn/webauthn/protocol"
	"github.com/go-webauthn/webauthn/webauthn"

	"hide/internal/account"
	"hide/internal/ticket"
)

var (
	// ErrAddress is returned by New for a server that has no name.
	ErrAddress = errors.New("passkeys need a name in the address of the server, such as https://hide.hospital.example, and this one is reached by a number")

	// ErrInsecure is returned by New for a server without https off this machine.
	ErrInsecure = errors.New("passkeys need https")

	// ErrAnswer is returned for an answer of a browser that does not fit.
	ErrAnswer = errors.New("the passkey was not accepted: try again, and if it fails again, use another way to sign in")
)

// Accounts is what passkeys ask about people.
type Accounts interface {
	PasskeysOf(id string) (account.User, []account.Passkey, error)
	Unfinished(ticket string) (*account.UnfinishedError, account.User, error)
	ConfirmPerson(by account.User, confirm string) error
	AddPasskey(by account.User, p account.Passkey) error
	FinishByAddingPasskey(unfinished string, p account.Passkey, from account.From) (token string, u account.User, err error)
	SignInByPasskey(id string, use account.PasskeyUse, from account.From) (token string, u account.User, err error)
	FinishByPasskey(unfinished string, use account.PasskeyUse, from account.From) (token string, u account.User, err error)
}

// Keys registers passkeys and checks them. It is safe for concurrent use.
type Keys struct {
	accounts Accounts
	party    *webauthn.WebAuthn
	tickets  *ticket.Box
}

// New is for a server with this origin for browsers. It fails with ErrAddress or ErrInsecure.
func New(origin string, accounts Accounts, now func() time.Time) (*Keys, error) {
	u, err := url.Parse(origin)
	if err != nil || u.Hostname() == "" {
		return nil, fmt.Errorf("passkeys: origin %q is not an address", origin)
	}
	if net.ParseIP(u.Hostname()) != nil {
		return nil, ErrAddress
	}
	if u.Scheme != "https" && u.Hostname() != "localhost" {
		return nil, ErrInsecure
	}
	party, err := webauthn.New(&webauthn.Config{
		RPID: u.Hostname(), RPDisplayName: "hide", RPOrigins: []string{origin},
		AttestationPreference: protocol.PreferNoAttestation,
		AuthenticatorSelection: protocol.AuthenticatorSelection{
			ResidentKey: protocol.ResidentKeyRequirementRequired, RequireResidentKey: protocol.ResidentKeyRequired(),
			UserVerification: protocol.VerificationRequired,
		},
	})
	if err != nil {
		return nil, fmt.Errorf("passkeys: %w", err)
	}
	return &Keys{accounts: accounts, party: party, tickets: ticket.NewBox(now)}, nil
}

// Ceremony is a question to the browser.
type Ceremony struct {
	Ticket  string `json:"ticket"`
	Options any    `json:"options"` // for navigator.credentials
}

// Purposes of tickets. A ticket for one does not do for another.
const (
	forAdding  = "add a passkey"
	forSigning = "sign in with a passkey"
	forStep    = "second step with a passkey"
)

// maxAnswer bounds a new passkey in bytes. It is stored with the account, which every request
// of the person reads.
const maxAnswer = 16 << 10

// goodFor is how long a person may take to answer.
const goodFor = 5 * time.Minute

// state is what a ceremony remembers.
type state struct {
	User    string // "" if the passkey says who it is
	Session webauthn.SessionData
}

func (k *Keys) ceremony(purpose, user string, session *webauthn.SessionData, options any) (Ceremony, error) {
	t, err := ticket.Seal(k.tickets, purpose, goodFor, state{user, *session})
	return Ceremony{t, options}, err
}

// BeginAdding asks the browser to make a passkey for a person. confirm is the password, or,
// without one, a code. It fails like account.Service.ConfirmPerson.
func (k *Keys) BeginAdding(by account.User, confirm string) (Ceremony, error) {
	if err := k.accounts.ConfirmPerson(by, confirm); err != nil {
		return Ceremony{}, err
	}
	return k.beginAdding(by.ID)
}

// BeginEnrolling is BeginAdding for a sign-in whose role needs a second factor.
func (k *Keys) BeginEnrolling(unfinished string) (Ceremony, error) {
	left, u, err := k.accounts.Unfinished(unfinished)
	if err != nil {
		return Ceremony{}, err
	}
	if left.Step != account.StepEnrol {
		return Ceremony{}, ticket.ErrExpired
	}
	return k.beginAdding(u.ID)
}

func (k *Keys) beginAdding(id string) (Ceremony, error) {
	p, err := k.person(id)
	if err != nil {
		return Ceremony{}, err
	}
	var known []protocol.CredentialDescriptor
	for _, c := range p.credentials {
		known = append(known, c.Descriptor())
	}
	options, session, err := k.party.BeginRegistration(p, webauthn.WithExclusions(known))
	if err != nil {
		return Ceremony{}, fmt.Errorf("passkeys: %w", err)
	}
	return k.ceremony(forAdding, id, session, options.Response)
}

// Add stores the passkey that the browser made. It fails with ErrAnswer, ticket.ErrExpired or
// account.ErrPasskeys.
func (k *Keys) Add(by account.User, t, name string, answer []byte) error {
	p, err := k.made(t, by.ID, name, answer)
	if err != nil {
		return err
	}
	return k.accounts.AddPasskey(by, p)
}

// FinishByAdding is Add for a sign-in whose role needs a second factor: it begins the session.
func (k *Keys) FinishByAdding(unfinished, t, name string, answer []byte, from account.From) (token string, u account.User, err error) {
	_, u, err = k.accounts.Unfinished(unfinished)
	if err != nil {
		return "", account.User{}, err
	}
	p, err := k.made(t, u.ID, name, answer)
	if err != nil {
		return "", account.User{}, err
	}
	return k.accounts.FinishByAddingPasskey(unfinished, p, from)
}

func (k *Keys) made(t, id, name string, answer []byte) (account.Passkey, error) {
	s, err := ticket.Open[state](k.tickets, forAdding, t)
	if err != nil || s.User != id {
		return account.Passkey{}, ticket.ErrExpired
	}
	p, err := k.person(id)
	if err != nil {
		return account.Passkey{}, err
	}
	if len(answer) > maxAnswer {
		return account.Passkey{}, ErrAnswer
	}
	parsed, err := protocol.ParseCredentialCreationResponseBytes(answer)
	if err != nil {
		return account.Passkey{}, ErrAnswer
	}
	made, err := k.party.CreateCredential(p, s.Session, parsed)
	if err != nil {
		return account.Passkey{}, ErrAnswer
	}
	if err := k.tickets.Spend(t); err != nil {
		return account.Passkey{}, err
	}
	stored, err := json.Marshal(made)
	return account.Passkey{ID: made.ID, Name: name, Credential: stored}, err
}

// BeginSignIn asks the browser for any passkey of this server.
func (k *Keys) BeginSignIn() (Ceremony, error) {
	options, session, err := k.party.BeginDiscoverableLogin(webauthn.WithUserVerification(protocol.VerificationRequired))
	if err != nil {
		return Ceremony{}, fmt.Errorf("passkeys: %w", err)
	}
	return k.ceremony(forSigning, "", session, options.Response)
}

// SignIn signs in the person whose passkey answered. It fails with ErrAnswer,
// ticket.ErrExpired, account.ErrPasskey or account.ErrCopied.
func (k *Keys) SignIn(t string, answer []byte, from account.From) (token string, u account.User, err error) {
	s, err := ticket.Open[state](k.tickets, forSigning, t)
	if err != nil {
		return "", account.User{}, err
	}
	parsed, err := protocol.ParseCredentialRequestResponseBytes(answer)
	if err != nil {
		return "", account.User{}, ErrAnswer
	}
	var unknown error
	who, used, err := k.party.ValidatePasskeyLogin(func(_, handle []byte) (webauthn.User, error) {
		p, err := k.person(string(handle))
		unknown = err
		return p, err
	}, s.Session, parsed)
	switch {
	case unknown != nil:
		return "", account.User{}, unknown
	case err != nil:
		return "", account.User{}, ErrAnswer
	}
	use, err := k.spend(t, who.(*person), used)
	if err != nil {
		return "", account.User{}, err
	}
	return k.accounts.SignInByPasskey(string(who.WebAuthnID()), use, from)
}

// BeginStep asks the browser for a passkey of a person who has entered the password.
func (k *Keys) BeginStep(unfinished string) (Ceremony, error) {
	left, u, err := k.accounts.Unfinished(unfinished)
	if err != nil {
		return Ceremony{}, err
	}
	if left.Step != account.StepFactor || !left.Passkey {
		return Ceremony{}, ticket.ErrExpired
	}
	p, err := k.person(u.ID)
	if err != nil {
		return Ceremony{}, err
	}
	options, session, err := k.party.BeginLogin(p, webauthn.WithUserVerification(protocol.VerificationRequired))
	if err != nil {
		return Ceremony{}, fmt.Errorf("passkeys: %w", err)
	}
	return k.ceremony(forStep, u.ID, session, options.Response)
}

// FinishStep is the last step of a sign-in. It fails like SignIn.
func (k *Keys) FinishStep(unfinished, t string, answer []byte, from account.From) (token string, u account.User, err error) {
	_, u, err = k.accounts.Unfinished(unfinished)
	if err != nil {
		return "", account.User{}, err
	}
	s, err := ticket.Open[state](k.tickets, forStep, t)
	if err != nil || s.User != u.ID {
		return "", account.User{}, ticket.ErrExpired
	}
	p, err := k.person(u.ID)
	if err != nil {
		return "", account.User{}, err
	}
	parsed, err := protocol.ParseCredentialRequestResponseBytes(answer)
	if err != nil {
		return "", account.User{}, ErrAnswer
	}
	used, err := k.party.ValidateLogin(p, s.Session, parsed)
	if err != nil {
		return "", account.User{}, ErrAnswer
	}
	use, err := k.spend(t, p, used)
	if err != nil {
		return "", account.User{}, err
	}
	return k.accounts.FinishByPasskey(unfinished, use, from)
}

// spend uses up the ticket of a sign-in and says how a passkey of the person was used.
func (k *Keys) spend(t string, p *person, used *webauthn.Credential) (account.PasskeyUse, error) {
	if err := k.tickets.Spend(t); err != nil {
		return account.PasskeyUse{}, err
	}
	use := account.PasskeyUse{ID: used.ID, Before: p.stored[string(used.ID)], Copied: used.Authenticator.CloneWarning}
	used.Authenticator.CloneWarning = false
	var err error
	use.Credential, err = json.Marshal(used)
	return use, err
}

// person is a person as go-webauthn asks about one.
type person struct {
	account.User
	credentials []webauthn.Credential
	stored      map[string]json.RawMessage // by id of the credential
}

func (p *person) WebAuthnID() []byte                         { return []byte(p.ID) }
func (p *person) WebAuthnName() string                       { return p.Name }
func (p *person) WebAuthnDisplayName() string                { return p.Name }
func (p *person) WebAuthnCredentials() []webauthn.Credential { return p.credentials }

func (k *Keys) person(id string) (*person, error) {
	u, keys, err := k.accounts.PasskeysOf(id)
	if err != nil {
		return nil, err
	}
	p := &person{User: u, credentials: make([]webauthn.Credential, len(keys)), stored: map[string]json.RawMessage{}}
	for i, key := range keys {
		p.stored[string(key.ID)] = key.Credential
		if err := json.Unmarshal(key.Credential, &p.credentials[i]); err != nil || !bytes.Equal(p.credentials[i].ID, key.ID) {
			return nil, errors.New("passkeys: unreadable record")
		}
	}
	return p, nil
}
