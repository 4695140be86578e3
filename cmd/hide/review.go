// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"
	"time"

	"hide/internal/account"
	"hide/internal/project"
	"hide/internal/project/release"
	"hide/internal/project/review"
)

// reviewCommand is what the commands about one review share.
type reviewCommand struct {
	*folder
	id     project.ID
	review review.Session
}

// withReview opens the data folder for a command about a review: the one named, or the newest.
func (e *env) withReview(ctx context.Context, f *flag.FlagSet, args []string, fn func(*reviewCommand) error) error {
	d := e.dataFlags(f)
	name := f.String("project", "", "`project` of the review, by id or name")
	number := f.Int("review", 0, "`number` of the review (default: the newest)")
	if _, err := e.parse(f, args, 0, 0, "project"); err != nil {
		return err
	}
	return d.withProject(ctx, *name, func(f *folder, p project.Overview) error {
		c := &reviewCommand{folder: f, id: p.ID}
		all, err := f.projects.Reviews(ctx, operator(ctx), p.ID)
		if err != nil {
			return err
		}
		for _, s := range all {
			if s.Number == *number || *number == 0 {
				c.review = s
				return fn(c)
			}
		}
		return withHint(errors.New("the project has no such review"), "hide review open makes one")
	})
}

// asPerson declares --as.
func asPerson(f *flag.FlagSet) *string {
	return f.String("as", "", "`name` of the account of the person who says so")
}

// person finds an account by its name.
func (c *reviewCommand) person(ctx context.Context, name string) (account.User, error) {
	if name == "" {
		return operator(ctx), nil
	}
	u, err := c.accounts.Find(name)
	if errors.Is(err, account.ErrNotFound) {
		return u, withHint(fmt.Errorf("there is no account %q", name), "hide user list shows them all")
	}
	return u, err
}

// reviewOut is the JSON of the commands about a review.
type reviewOut struct {
	review.Session
	Reading *review.Progress `json:"reading,omitempty"`
}

// show prints the present state of the review.
func (e *env) show(ctx context.Context, c *reviewCommand) error {
	s, err := c.projects.Review(ctx, operator(ctx), c.id, c.review.Number)
	if err != nil {
		return err
	}
	p, err := c.projects.ReadingProgress(ctx, operator(ctx), c.id, s.Number)
	if project.KindOf(err) == project.NotFound {
		p, err = nil, nil // its candidate was dropped
	}
	if err != nil {
		return err
	}
	return e.result(reviewOut{s, p}, func(w io.Writer) { writeReview(w, s, p) })
}

func writeReview(w io.Writer, s review.Session, p *review.Progress) {
	fmt.Fprintf(w, "review %d of candidate %d, %s: %s\n", s.Number, s.Candidate, s.State, s.Question)
	for _, m := range s.Members {
		fmt.Fprintf(w, "member %s\n", m.Name)
	}
	if p != nil {
		fmt.Fprintln(w, review.Words(p.Certificate, p.Left))
	}
	d := s.Decision
	if d == nil {
		fmt.Fprintf(w, "%d of %d members have voted\n", len(s.Votes), len(s.Members))
		return
	}
	fmt.Fprintf(w, "%s: %d for, %d against, %d abstained", d.Outcome, d.Approved, d.Refused, d.Abstained)
	if d.Outcome == review.Approved {
		fmt.Fprintf(w, "; valid until %s", d.Until.Format(time.RFC3339))
	}
	fmt.Fprintln(w)
	for _, condition := range d.Conditions.Words() {
		fmt.Fprintln(w, "condition:", condition)
	}
}

func runReviewOpen(ctx context.Context, e *env, args []string) error {
	f := e.flags()
	d := e.dataFlags(f)
	name := f.String("project", "", "`project` of the candidate, by id or name")
	candidate := f.Int("candidate", 0, "`number` of the candidate (default: the newest)")
	question := f.String("question", "", "the `question` that the board answers")
	recipients := f.String("recipients", "", "`names` of who is to get the release, separated by semicolons")
	members := f.String("members", "", "`names` of members of the project who review it, separated by commas")
	if _, err := e.parse(f, args, 0, 0, "project", "question", "members"); err != nil {
		return err
	}
	return d.withProject(ctx, *name, func(f *folder, p project.Overview) error {
		number, err := candidateOrNewest(ctx, f, p.ID, *candidate)
		if err != nil {
			return err
		}
		s, err := f.projects.PrepareReview(ctx, operator(ctx), p.ID, number, review.Ask{Question: *question, Recipients: split(*recipients, ";")})
		if err != nil {
			return err
		}
		c := &reviewCommand{folder: f, id: p.ID, review: s}
		for _, one := range split(*members, ",") {
			m, err := f.member(ctx, p.ID, one)
			if err != nil {
				return err
			}
			if err := f.projects.AddReviewer(ctx, operator(ctx), p.ID, s.Number, m.ID); err != nil {
				return err
			}
		}
		if err := f.projects.AdvanceReview(ctx, operator(ctx), p.ID, s.Number, review.Open, ""); err != nil {
			return err
		}
		return e.show(ctx, c)
	})
}

// split divides a list, without blanks around its parts.
func split(list, by string) (out []string) {
	for one := range strings.SplitSeq(list, by) {
		if one = strings.TrimSpace(one); one != "" {
			out = append(out, one)
		}
	}
	return out
}

func candidateOrNewest(ctx context.Context, f *folder, id project.ID, number int) (int, error) {
	if number != 0 {
		return number, nil
	}
	all, err := f.projects.Candidates(ctx, operator(ctx), id)
	if err != nil {
		return 0, err
	}
	if len(all) == 0 {
		return 0, withHint(errors.New("the project has no candidate"), "run: hide publish text --freeze --project "+string(id))
	}
	return all[0].Number, nil
}

func runReviewStatus(ctx context.Context, e *env, args []string) error {
	return e.withReview(ctx, e.flags(), args, func(c *reviewCommand) error { return e.show(ctx, c) })
}

// runReviewClose calls the vote, or ends it.
func runReviewClose(ctx context.Context, e *env, args []string) error {
	f := e.flags()
	call := f.Bool("call", false, "call the vote instead of counting it")
	reason := f.String("end", "", "end the review without a decision, for this `reason`")
	return e.withReview(ctx, f, args, func(c *reviewCommand) error {
		to := review.Decided
		switch {
		case *reason != "":
			to = review.Ended
		case *call:
			to = review.Voting
		}
		if err := c.projects.AdvanceReview(ctx, operator(ctx), c.id, c.review.Number, to, *reason); err != nil {
			return err
		}
		return e.show(ctx, c)
	})
}

func runReviewVote(ctx context.Context, e *env, args []string) error {
	f := e.flags()
	as := asPerson(f)
	choice := f.String("choice", "", "`vote`: approve, refuse or abstain")
	reason := f.String("reason", "", "`why`; needed to refuse")
	most := f.Int("at-most", -1, "approve only if at most this `number` of passages may still hold an identifier")
	until := f.String("until", "", "approve until this `day`, such as 2027-01-31")
	recipients := f.String("recipients", "", "approve only for these `names`, separated by semicolons")
	others := f.String("condition", "", "another `condition`, in words")
	return e.withReview(ctx, f, args, func(c *reviewCommand) error {
		v := review.Vote{Choice: review.Choice(*choice), Reason: *reason}
		if *most >= 0 {
			v.Conditions.AtMost = most
		}
		if *until != "" {
			day, err := time.Parse(time.DateOnly, *until)
			if err != nil {
				return e.usage("--until is a day such as 2027-01-31")
			}
			v.Conditions.Until = &day
		}
		v.Conditions.Recipients = split(*recipients, ";")
		if *others != "" {
			v.Conditions.Others = []string{*others}
		}
		who, err := c.person(ctx, *as)
		if err != nil {
			return err
		}
		if _, err := c.projects.Vote(ctx, who, c.id, c.review.Number, v); err != nil {
			return err
		}
		return e.show(ctx, c)
	})
}

func runPublishCandidate(ctx context.Context, e *env, args []string) error {
	f := e.flags()
	d := e.dataFlags(f)
	name := f.String("project", "", "`project` of the candidate, by id or name")
	number := f.Int("candidate", 0, "`number` of the candidate (default: the newest)")
	recipients := f.String("recipients", "", "`names` of who gets the release, separated by semicolons")
	out := f.String("out", "", "also write the release as this zip `file`, which must not exist")
	reason := f.String("uncertified", "", "publish though the forecast does not hold and nobody has read a sample, for this `reason`, which goes into the audit trail")
	unlinked := f.Bool("unlinked", false, "publish although records look like the same people and were not linked")
	if _, err := e.parse(f, args, 0, 0, "project"); err != nil {
		return err
	}
	return d.withProject(ctx, *name, func(f *folder, p project.Overview) error {
		n, err := candidateOrNewest(ctx, f, p.ID, *number)
		if err != nil {
			return err
		}
		if err := errors.Join(e.files().CheckNew(*out), withReason(p.ID, n, f.projects.StartPublishCandidate(ctx, operator(ctx), p.ID, n, split(*recipients, ";"), release.Despite{Uncertified: *reason, Unlinked: *unlinked}))); err != nil {
			return err
		}
		r, err := e.followPublish(ctx, f, p.ID)
		if err != nil {
			return err
		}
		return errors.Join(e.handOut(ctx, f, p.ID, r, *out), e.result(r, func(w io.Writer) {
			fmt.Fprintf(w, "%s: candidate %d is published, manifest %s\n", r.Name, n, r.SHA256)
		}))
	})
}

// withReason names the commands and the flag that answer that a candidate has no certificate.
func withReason(id project.ID, candidate int, err error) error {
	err = unlinkedHint(id, err)
	var refused *project.Error
	if errors.As(err, &refused) && refused.Obstacle == project.NotCertified {
		return withHint(err, fmt.Sprintf("run hide review open --project %s --candidate %d, then hide certify draw and hide certify read; or give a reason to publish without a certificate: --uncertified REASON", id, candidate))
	}
	return err
}

// ending is the flag --freeze: whether a release is frozen as a candidate, not published.
type ending bool

const freezeHelp = "Freeze a candidate for a review, and publish nothing."

func (e ending) of() release.Ending {
	if e {
		return release.Freeze
	}
	return release.Publish
}

// frozen follows the freezing of a candidate, and prints it.
func (e *env) frozen(ctx context.Context, f *folder, id project.ID) error {
	st, err := e.followMaking(ctx, f, id, "freezing")
	if err != nil {
		return err
	}
	c, err := f.projects.Candidate(ctx, operator(ctx), id, st.Frozen)
	if err != nil {
		return err
	}
	return e.result(c, func(w io.Writer) { fmt.Fprintf(w, "%s is frozen: %s, hash %s\n", c.Title(), c.Kind.Words(), c.Hash) })
}

// runReviewRule shows or changes who decides about the releases of a project.
func runReviewRule(ctx context.Context, e *env, args []string) error {
	f := e.flags()
	d := e.dataFlags(f)
	name := f.String("project", "", "`project` of the rule, by id or name")
	var rule project.Rule
	f.IntVar(&rule.Approvals, "approvals", project.DefaultRule().Approvals, "`people` who must approve, besides the broker; 0 lets one person publish alone")
	f.IntVar(&rule.Quorum, "quorum", 0, "`members` who must vote")
	f.BoolVar(&rule.Abstain, "abstain", true, "members may abstain")
	f.BoolVar(&rule.Unanimous, "unanimous", false, "one vote against refuses")
	if _, err := e.parse(f, args, 0, 0, "project"); err != nil {
		return err
	}
	set := given(f)
	change := set["approvals"] || set["quorum"] || set["abstain"] || set["unanimous"]
	return d.withProject(ctx, *name, func(f *folder, p project.Overview) error {
		if change {
			if err := f.projects.SetRule(ctx, operator(ctx), p.ID, rule); err != nil {
				return err
			}
		}
		now, err := f.projects.Rule(ctx, operator(ctx), p.ID)
		if err != nil {
			return err
		}
		return e.result(now, func(w io.Writer) { fmt.Fprintln(w, now.Words()) })
	})
}
