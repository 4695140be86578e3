// SPDX-License-Identifier: Apache-2.0

package review

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"hide/internal/account"
	"hide/internal/annotate"
	"hide/internal/chart"
	"hide/internal/project"
	"hide/internal/project/review"
	"hide/internal/words"
	"hide/web/ui"
)

// Games is what these pages ask of the finding game. Each method checks the permission of by
// first.
type Games interface {
	StartGame(ctx context.Context, by account.User, id project.ID, number, budget, plants int) error
	GameState(ctx context.Context, by account.User, id project.ID, number int) (*review.GameState, error)
	NextGuess(ctx context.Context, by account.User, id project.ID, number int) (*review.Passage, error)
	Guess(ctx context.Context, by account.User, id project.ID, number, game, position int, found []review.Suspicion, seconds float64) error
	EndGame(ctx context.Context, by account.User, id project.ID, number int) error
	GameFinds(ctx context.Context, by account.User, id project.ID, number int) ([]review.Find, error)
	JudgeGuess(ctx context.Context, by account.User, id project.ID, number, game, find int, real bool, label annotate.Label) error
}

// The game that the form proposes.
const (
	usualBudget = 20
	usualPlants = 5
)

// loadGame loads what the broker judges.
func (h *Handlers) loadGame(ctx context.Context, v *view) error {
	if !v.Broker || v.Game == nil || v.Game.Ended == nil {
		return nil
	}
	var err error
	v.Finds, err = h.games.GameFinds(ctx, v.Me, v.Project.ID, v.Number)
	if project.KindOf(err) == project.NotFound { // the candidate was deleted
		return nil
	}
	return err
}

func (h *Handlers) startGame(c ui.Context) error {
	return h.act(c, "game", "#game", func(n int) error {
		budget, err1 := strconv.Atoi(strings.TrimSpace(c.FormValue("budget")))
		plants, err2 := strconv.Atoi(strings.TrimSpace(c.FormValue("plants")))
		if err1 != nil || err2 != nil {
			return project.Invalidf("enter whole numbers", "the numbers of the game cannot be read")
		}
		return h.games.StartGame(c.Request().Context(), ui.User(c), ui.ProjectID(c), n, budget, plants)
	})
}

func (h *Handlers) endGame(c ui.Context) error {
	return h.act(c, "game", "#game", func(n int) error {
		return h.games.EndGame(c.Request().Context(), ui.User(c), ui.ProjectID(c), n)
	})
}

func (h *Handlers) judge(c ui.Context) error {
	return h.act(c, "judge", "#mine-game", func(n int) error {
		game, err1 := strconv.Atoi(c.FormValue("game"))
		find, err2 := strconv.Atoi(c.FormValue("find"))
		real := c.FormValue("real")
		if err1 != nil || err2 != nil || real != "yes" && real != "no" {
			return project.Invalidf("press one of the two buttons", "the answer cannot be read")
		}
		return h.games.JudgeGuess(c.Request().Context(), ui.User(c), ui.ProjectID(c), n, game, find, real == "yes", annotate.Label(c.FormValue("label")))
	})
}

// play shows the next passage of the game.
func (h *Handlers) play(c ui.Context) error {
	says := ""
	if c.QueryParam("again") != "" {
		says = "Your last answer does not count: you have answered that passage already, or the game has ended."
	}
	return h.showGuess(c, http.StatusOK, says)
}

func (h *Handlers) showGuess(c ui.Context, status int, says string) error {
	ctx, u, id := c.Request().Context(), ui.User(c), ui.ProjectID(c)
	v := readView{Me: u, Game: true, Says: says}
	var err error
	if v.Project, err = ui.Project(c, h.projects); err != nil {
		return err
	}
	if v.Session, err = h.session(ctx, u, id, c.Param("number")); err != nil {
		return err
	}
	v.Passage, err = h.games.NextGuess(ctx, u, id, v.Number)
	switch project.KindOf(err) {
	case project.NotFound, project.Stale, project.Invalid: // no game, over, or the broker
		v.Waits, err = ui.Problem(err), nil
	}
	if err != nil {
		return err
	}
	p := ui.Page{Title: "The finding game · " + v.Project.Name, Project: &v.Project, Tab: "reviews", Scripts: []string{"js/review_read.js"}}
	return ui.ShowPageStatus(c, status, p, playPage(v))
}

// guess takes the answer about a passage of the game. A script gets 204.
func (h *Handlers) guess(c ui.Context) error {
	n, err := number(c)
	if err != nil {
		return err
	}
	form, err := c.FormParams()
	if err != nil {
		return err
	}
	a, err := readAnswer(form)
	if err == nil {
		var found []review.Suspicion
		if found, err = suspicions(a, form.Get("sure")); err == nil {
			err = h.games.Guess(c.Request().Context(), ui.User(c), ui.ProjectID(c), n, a.draw, a.position, found, a.seconds)
		}
	}
	return h.answered(c, err, "/game", h.showGuess)
}

// suspicions are the marks of an answer with how sure the member is: the script says it of
// each mark, the form without it once for all.
func suspicions(a readerAnswer, sure string) (out []review.Suspicion, err error) {
	for _, f := range a.found {
		n, err := strconv.Atoi(cmp.Or(string(f.Label), sure))
		if err != nil {
			return nil, project.Invalidf("say how sure you are: 1, 2 or 3", "a mark does not say how sure you are")
		}
		f.Label = ""
		out = append(out, review.Suspicion{Selection: f, Sure: review.Sureness(n)})
	}
	return out, nil
}

// sureStep is one of the three steps of sureness.
type sureStep struct{ Value, Name string }

var sureSteps = []sureStep{{"1", "guess"}, {"2", "likely"}, {"3", "sure"}}

// playWords say how far the members are.
func playWords(v live) string {
	var out []string
	for _, p := range v.Game.Players {
		out = append(out, fmt.Sprintf("%s %d of %d", v.names(p.ID), p.Answered, v.Game.Budget))
	}
	if len(out) == 0 {
		return "Nobody plays yet."
	}
	return words.List(out) + "."
}

// gameRow is one row of the scores: a member, all together, or the machine.
type gameRow struct {
	Name              string
	Precision, Recall review.Share
	Score             *review.PlayerScore // nil for the machine
	Right, Wrong      float64             // mean sureness
}

func (v live) gameRows() (out []gameRow) {
	s := v.Game.Scores
	row := func(name string, p review.PlayerScore) gameRow {
		right, wrong := p.Sureness()
		return gameRow{Name: name, Precision: p.Precision(), Recall: p.Recall(), Score: &p, Right: right, Wrong: wrong}
	}
	for _, p := range s.Players {
		out = append(out, row(v.names(p.ID), p))
	}
	all := row("All together", s.All)
	all.Right, all.Wrong = s.Sureness()
	return append(out, all, gameRow{Name: "The machine", Precision: s.MachinePrecision(), Recall: s.MachineRecall()})
}

// gameChart draws precision and recall, beside the machine.
func (v live) gameChart() *chart.Bars {
	b := chart.NewBars("game-chart", "Precision and recall of members and of the machine")
	for _, r := range v.gameRows() {
		for _, one := range []struct {
			name string
			is   review.Share
		}{{"precision", r.Precision}, {"recall", r.Recall}} {
			b.Add(ui.OneLine(r.Name, 10)+", "+one.name, shareWords(one.is), chart.BarLength*one.is.Value())
		}
	}
	return b
}

func shareWords(s review.Share) string {
	if !s.Known() {
		return "–"
	}
	return words.ShortPercent(s.Value())
}

// shareCell: "7 of 9 (78 %)".
func shareCell(s review.Share) string {
	if !s.Known() {
		return "–"
	}
	return fmt.Sprintf("%d of %d (%s)", s.Of, s.All, words.ShortPercent(s.Value()))
}

func sureWords(mean float64) string {
	if mean == 0 {
		return "–"
	}
	return words.Amount(mean)
}

// utilityWords is U_A of eq. (1) with its interval.
func utilityWords(v live, h review.Half) string {
	u := h.Utility(v.Shown.LC, v.Game.Budget)
	return fmt.Sprintf("%s (95 %%: %s to %s)", words.Amount(u.Value), words.Amount(u.Low), words.Amount(u.High))
}

// rankWords say what the rank of the attacker is worth.
func rankWords(s *review.GameScores) string {
	times, known := s.RankWorth()
	switch {
	case s.Ranked.Passages == 0 || s.Random.Passages == 0:
		return "Nobody looked at both halves: nothing is known of what the rank is worth."
	case !known && s.Ranked.With == 0:
		return "Nothing was found in either half. The upper ends of the intervals say what may still be there."
	case !known:
		return "Something was found among the ranked passages and nothing among the random ones: the rank helps the attacker."
	case times > 1:
		return fmt.Sprintf("The rank gives the attacker %s times as much as random passages.", words.Amount(times))
	}
	return "The rank gives the attacker no more than random passages."
}
