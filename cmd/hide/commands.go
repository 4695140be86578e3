// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"slices"

	"hide/internal/account/tokens"
	"hide/internal/lab/attackers"
	"hide/internal/lab/bench"
	"hide/internal/lab/shift"
	"hide/internal/option"
)

// commands is the table of hide, in the order that help lists them. A new
// command is one file and one row here.
func commands() []command {
	return []command{
		{"demo", "[--addr HOST:PORT] [--data FOLDER] [--no-open]", "open a generated hospital in the browser, half annotated", runDemo},
		{"serve", "[--config FILE] [--addr HOST:PORT] [--data FOLDER] [--origin URL] [--tls-cert FILE --tls-key FILE]", "serve a data folder to browsers", runServe},
		{"doctor", "[--config FILE] [--data FOLDER] [--clock-from URL] [--json]", "check an installation: data, keys, disks, clock, proxy, backups", runDoctor},
		{"project", "create|list|settings|destroy ...", "make, list, set up and destroy projects", verbs(
			command{"create", "NAME [--labels SET|LABELS] [--approvals N] [--data FOLDER] [--json]", "make an empty project", runProjectCreate},
			command{"list", "[--data FOLDER] [--json]", "list the projects", runProjectList},
			command{"settings", "PROJECT [--min-recall PERCENT] [--rules on|off] [--blind PERCENT] [--preset PRESET] [--without FAMILIES] [--c2 W] [--sampling SAMPLING] [--data FOLDER] [--json]", "show and change training and suggestions of a project", runProjectSettings},
			command{"destroy", "PROJECT --confirm NAME [--data FOLDER] [--json]", "destroy a project with its key: nobody can read it again, not even from a backup", runProjectDestroy},
		)},
		{"project-secret", "export|import ...", "copy the secrets of the projects, which no backup holds and every restore needs", verbs(
			command{"export", "--out FILE [--data FOLDER] [--json]", "write the secrets of all projects to one file, to keep beside the copy of the root key", runSecretExport},
			command{"import", "--in FILE [--data FOLDER] [--json]", "bring back the secrets of projects that cannot be opened", runSecretImport},
		)},
		{"key", "rotate|status ...", "replace the root key and the keys of projects, while people work", verbs(
			command{"rotate", "[--new-passphrase-file FILE | --to-key-file | --project ID | --all | --resume] [--data FOLDER] [--json]", "replace the root key, or the keys of projects and encrypt their values anew", runKeyRotate},
			command{"status", "[--data FOLDER] [--json]", "show how often each key was replaced, and what is being encrypted anew", runKeyStatus},
		)},
		{"dictionary", "add|list|remove ...", "dictionaries of a project: lists of names, places and other terms", verbs(
			command{"add", "--project ID FILE... [--data FOLDER] [--json]", "add dictionaries: one term per line, census lists of names, or columns with a header", runDictionaryAdd},
			command{"list", "--project ID [--data FOLDER] [--json]", "list a project's dictionaries", runDictionaryList},
			command{"remove", "--project ID NAME [--data FOLDER] [--json]", "remove a dictionary", runDictionaryRemove},
		)},
		{"import", "--project ID PATH... | --sql QUERY --database ADDRESS [--dry-run] [--format FORMAT] [--encoding ENCODING] [--map MAPPING] [--finished [--random-sample]] [--skip-bad] | --undo N [--data FOLDER] [--json]", "import notes, all or nothing, or undo an import", runImport},
		{"export", "--project ID [--format FORMAT] [--map MAPPING] [--out FILE] [--data FOLDER]", "export notes with their annotations", runExport},
		{"formats", "[--json]", "list the file formats of notes, and what each of them holds", runFormats},
		{"convert", "--in PATH... --out FILE --to FORMAT [--from FORMAT] [--encoding ENCODING] [--map MAPPING] [--policy POLICY] [--locale LANGUAGE] [--skip-bad] [--json]", "convert files of notes, and say what is lost; with a policy, replace their identifiers", runConvert},
		{"sanitize", "--project ID [--mode default|paper|cost] [--lc VALUES] [--ceiling SHARE] [--target SHARE [--sure SHARE] [--target-labels LABELS]] [--learners LEARNERS] [--attackers ATTACKERS] [--choose LC | --choose-target] [--out BUNDLE] [--data FOLDER] [--json]", "run GreedySanitize over the finished notes", runSanitize},
		{"publish", "text|candidate|mapping|joint|table|cube|sequences ...", "publish from a project, or from files", verbs(
			command{"text", "--project ID [--bundle N] [--policy POLICY [--finished] [--since N] [--cohort FILE] [--like N] [--table FILE] [--decide FILE] [--statement NAME] [--agreed] [--dry-run]] [--freeze | --uncertified REASON] [--out FILE [--as FORMAT]] [--data FOLDER] [--json]", "release notes, redacted or by a policy, or freeze that as a candidate", runPublishText},
			command{"candidate", "--project ID [--candidate N] [--recipients NAMES] [--uncertified REASON] [--out FILE] [--data FOLDER] [--json]", "publish an approved candidate", runPublishCandidate},
			command{"mapping", "--project ID --release N --out FILE [--data FOLDER]", "write the re-identification map of a release, to verify it against the originals", runPublishMapping},
			command{"joint", "--project PROJECT [--freeze] | --in FILE --config FILE --out FOLDER [--lineage NAME [--ledger FILE] [--head FILE]] [--k N] [--lambda SHARE | --gdf] [--cut WAY] [--spans FILE | --model FILE] [--mapping FILE] [--originals FILE] [--leak P] [--sweep] [--json]", "release notes together with their table: k-anonymous in attributes and terms", runPublishJoint},
			command{"table", "--in FILE --config FILE --out FOLDER [--lineage NAME [--ledger FILE] [--head FILE]] | --project ID [--freeze] [--cut CUT] [--out ZIP] [--data FOLDER] [--population FILE [--k-map] [--replace-population]] [--k N] [--people N] [--json]", "release a k-anonymous table", runPublishTable},
			command{"cube", "--project ID --config FILE --epsilon E [--freeze] | --in FILE --config FILE --out FOLDER --epsilon E [--ledger FILE [--limit E]] [--json]", "publish counts of a project or a table under differential privacy", runPublishCube},
			command{"sequences", "--project ID --config FILE --epsilon E [--freeze] | --in FILE --config FILE --out FOLDER --epsilon E [--ledger FILE [--limit E]] [--json]", "publish a prefix tree of sequences under differential privacy", runPublishSequences},
		)},
		{"policy", "list|show|check ...", "policies: what becomes of each label in released text", verbs(
			command{"list", "[--json]", "list the policies of the program", runPolicyList},
			command{"show", "POLICY [--json]", "show a policy of the program or of a file", runPolicyShow},
			command{"check", "FILE [--json]", "check that a policy file keeps to the rule that it names", runPolicyCheck},
		)},
		{"link", "--in FILE [--with FILE] [--config FILE | --write-config FILE] [--truth COLUMN] [--out FILE] | --project ID [--pass-only | --status | --list | --decide RECORDS=ANSWER [--replace] | --undo N] [--data FOLDER] [--json]", "find the records of one person in a file, in two, or in a project", runLink},
		{"train", "--in FILE --out MODEL [--preset default|hide|thorough] [--learner crf|bayes] [--sampling SETTINGS] [--folds K] [--note TEXT] [--json]", "train a tagger on annotated notes", runTrain},
		{"classes", "learn|show ...", "word classes: words that are used alike, a feature of taggers", verbs(
			command{"learn", "--in PATH --out FILE [--number K] [--min-count N] [--seed SEED] [--json]", "learn word classes from notes, annotated or not", runClassesLearn},
			command{"show", "TABLE|builtin [--word WORD [--show-text]] [--json]", "describe a table of word classes, or show the class of a word", runClassesShow},
		)},
		{"model", "FILE [--json]", "show the card of a model: training data, settings, scores", runModel},
		{"tag", "--model MODEL < notes.ndjson", "find sensitive spans in notes on standard input", runTag},
		{"redact", "--bundle FILE [--format jsonl|text|hl7|ccda|fhir] [--encoding ENCODING] [--people FILE] [--key FILE] [--keep NAMES] [--workers N] [--skip-bad] [--errors FILE] < notes | --in PATTERN... --out FOLDER [--shard I/N] [--again] [--json]", "redact notes or messages with a bundle, on standard input or in files, also in shards", runRedact},
		{"verify", "RELEASE [--mapping FILE --against FILE] [--sha256 HASH] [--ledger FILE] [--evidence FILE] [--status FILE] [--key PUBLIC] [--json]", "check the claims of a release, and the evidence of its review", runVerify},
		{"evaluate", "--train FILE --test FILE | --in FILE [--folds K] | --model FILE --test FILE [--labels LABELS] [--map MAPPING] [--bootstrap N] [--errors] [--report FILE] [--json]", "train a tagger on annotated notes and score it on others", runEvaluate},
		{"curve", "--in FILE [--sampling SETTINGS]... [--learner LEARNER] [--folds K] [--svg OUT] [--json]", "measure precision and recall by sampling of training words", runCurve},
		{"simulate", "--in FILE [--test FILE | --holdout SHARE] [--start N] [--step N | --schedule geometric] [--order active,random] [--repeats N] [--svg FILE] [--report FILE] [--json]", "replay annotation, to see how the model improves with the number of notes", runSimulate},
		{"experiment", "--in FILE [--test FILE] [--sensitive LABELS] [--folds K] [--lc VALUES] [--learners LEARNERS] [--modes MODES] [--attackers ATTACKERS [--transfer FILE]] [--frontier] [--ablate] [--curve] [--coverage N] [--resume FILE] [--csv FILE] [--html FILE] [--json]", "measure GreedySanitize, a baseline and attackers on annotated notes", runExperiment},
		{"bench", "crf|greedy|redact|scale|tables|dp|training|certify|target|shift|retrieval|leaks|linkage ...", "measure speed, information loss, errors and attackers on this machine", verbs(
			command{"crf", "--in FILE [--labels names|all|LABELS] [--preset hide|default] [--test FILE] [--reference OBJECTIVE] [--dump-attributes FILE] [--json]", "time the CRF on annotated notes", runBenchCRF},
			command{"greedy", "[--tokens NUMBERS] [--lc VALUES] [--learners LEARNERS] [--first LEARNER] [--folds K] [--json]", "time default mode on generated notes", measurement(bench.GreedyTable, bench.Greedy)},
			command{"redact", "[--bundle FILE] [--in FILE | --tokens N] [--workers NUMBERS] [--runs N] [--train N] [--seed N] [--json]", "measure how fast notes are redacted, and where the time goes", runBenchRedact},
			command{"scale", "[--notes NUMBERS] [--workers NUMBERS] [--rate N] [--tokens N] [--bytes N] [--shard N] [--start SECONDS] [--spread S] [--slow SHARE] [--slow-by TIMES] [--fail SHARE] [--merge N] [--runs N] [--seed N] [--svg FILE] [--json]", "simulate what redaction in shards costs on up to thousands of workers", measurement(bench.ScaleTable, bench.Scale)},
			command{"tables", "--in FILE [--k NUMBERS] [--cut CUT] [--rows NUMBERS] [--hierarchies FOLDER] [--svg FILE] [--runs N] [--json]", "measure information loss and speed of Mondrian on the Adult table", runBenchTables},
			command{"dp", "[--in FILE] [--epsilon VALUES] [--runs N] [--gain GAIN] [--sequences FILE] [--figures FOLDER] [--json]", "measure errors of differentially private counts by method", runBenchDP},
			command{"training", "[--notes NUMBERS] [--policies POLICIES] [--test N] [--seed N] [--json]", "measure what one more finished note costs", measurement(bench.TrainingTable, bench.Training)},
			command{"certify", "--in FILE [--from FILE] [--draws N] [--documents N] [--plants N] [--lc L/C] [--mode MODE] [--learners LEARNERS] [--first LEARNER] [--folds K] [--json]", "measure how often bounds on what remains hold, and how wide they are", notesMeasurement(bench.CertifyTable, func(o *bench.CertifyOptions) (in, from *string) { return &o.File, &o.From }, bench.Certify)},
			command{"target", "--in FILE [--from FILE] [--targets VALUES] [--sure SHARE] [--sensitive LABELS] [--target-labels LABELS] [--splits N] [--trainings N] [--train SHARE] [--first LEARNER] [--json]", "measure how often a target for leaking notes holds, and what it costs", notesMeasurement(bench.TargetTable, func(o *bench.TargetOptions) (in, from *string) { return &o.File, &o.From }, bench.Target)},
			command{"shift", "--in FILE [--from FILE] [--lc VALUES] [--sensitive LABELS] [--published-sensitive LABELS] [--draws N] [--local NUMBERS] [--local-times N] [--skip-baselines] [--without-part NAMES] [--folds K] [--json]", "measure what is missed and lost in notes of another kind than the annotated ones", notesMeasurement(shift.Table, func(o *shift.Options) (in, from *string) { return &o.File, &o.From }, shift.Measure)},
			command{"retrieval", "--in FILE [--config FILE [--k K] [--lambda X]] [--policies POLICIES] [--halves] [--json]", "measure how many published notes an attacker links to their patients", runBenchRetrieval},
			command{"linkage", "[--people NUMBERS] [--seed N] [--identifier] [--svg FILE] [--csv FILE] | --in FILE --truth FILE [--train N] [--k K] [--without FIELDS] [--json]", "measure how well and how fast records of invented people are linked, or what links do to releases of notes", runBenchLinkage},
			command{"leaks", "--in FILE [--missed SHARE | --from FILE [--train N]] [--policies POLICIES] [--learner LEARNER] [--json]", "measure how many leaks an attacker tells from surrogates", notesMeasurement(attackers.LeaksTable, func(o *attackers.LeaksOptions) (in, from *string) { return &o.File, &o.From }, attackers.Leaks)},
		)},
		{"generate", "[--patients N] [--seed S] [--institution a|b] [--split SHARE [--truth FILE]] [--format jsonl|text|csv] [--out PATH] [--json]", "generate annotated notes of an invented hospital", runGenerate},
		{"user", "add|list|link|disable|break-glass|reset-factor ...", "create, list, invite and disable accounts", verbs(
			command{"add", "NAME --role ROLE [--url URL] [--data FOLDER] [--json]", "create an account and a one-time link", runUserAdd},
			command{"list", "[--data FOLDER] [--json]", "list the accounts", runUserList},
			command{"link", "NAME [--url URL] [--data FOLDER] [--json]", "create a new one-time link for an account", runUserLink},
			command{"disable", "NAME [--data FOLDER] [--json]", "disable an account and end its sessions", runUserDisable},
			command{"break-glass", "NAME --reason TEXT [--for 1h] [--url URL] [--data FOLDER] [--json]", "make a one-time link for emergency access that ends by itself", runUserBreakGlass},
			command{"reset-factor", "NAME [--data FOLDER] [--json]", "remove the second factors of a person who has lost them", runUserResetFactor},
		)},
		{"token", "create|list|revoke ...", "access tokens of people for the HTTP API", verbs(
			command{"create", "--user NAME --name TEXT --scope SCOPES [--days N] [--project PROJECT] [--data FOLDER] [--json]", "create an access token and show its secret once", runToken(func() tokens.Command { return new(tokens.Create) })},
			command{"list", "[--user NAME] [--data FOLDER] [--json]", "list access tokens", runToken(func() tokens.Command { return new(tokens.List) })},
			command{"revoke", "ID [--data FOLDER] [--json]", "end an access token at once", runToken(func() tokens.Command { return new(tokens.Revoke) })},
		)},
		{"member", "list|add|role|remove ...", "list, add and remove the people of a project, and change their roles", verbs(
			command{"list", "PROJECT [--data FOLDER] [--json]", "list the members of a project", runMemberList},
			command{"add", "PROJECT NAME --role ROLE [--data FOLDER] [--json]", "give the person of an account a role in a project", runMemberAdd},
			command{"role", "PROJECT NAME --role ROLE [--data FOLDER] [--json]", "change the role of a member", runMemberRole},
			command{"remove", "PROJECT NAME [--data FOLDER] [--json]", "take a person's role in a project away", runMemberRemove},
		)},
		{"audit", "verify|list ...", "verify and list the audit trail", verbs(
			command{"verify", "[--data FOLDER] [--json]", "check every row, the chain and its end", runAuditVerify},
			command{"list", "[--project ID] [--limit N] [--before N] [--data FOLDER] [--json]", "list rows, newest first", runAuditList},
		)},
		{"ledger", "open|show|verify|weak|declare|raise|apart|recover ...", "privacy budgets: limits and spending", verbs(
			command{"open", "--lineage NAME --limit EPSILON [--unit WHAT] [--ledger FILE] [--json]", "open the privacy budget of a dataset", runLedgerOpen},
			command{"show", "[--ledger FILE] [--json]", "list budgets and their debits", runLedgerShow},
			command{"verify", "[--ledger FILE] [--json]", "check every entry, the chain, its head and the stored answers", runLedgerVerify},
			command{"weak", "--lineage NAME --what WORDS [--ledger FILE] [--json]", "record a release without differential privacy", runLedgerWeak},
			command{"declare", "--lineage NAME --partition COLUMN --parts VALUES [--ledger FILE] [--json]", "declare a partition of a dataset into disjoint groups", runLedgerDeclare},
			command{"raise", "--lineage NAME --limit EPSILON --reason WORDS [--ledger FILE] [--json]", "raise a limit, on record", runLedgerRaise},
			command{"apart", "--lineage NAME --from NAME --reason WORDS [--ledger FILE] [--json]", "record that two datasets with the same keys are about different people", runLedgerApart},
			command{"recover", "[--ledger FILE] [--json]", "recover a restored or damaged ledger by charging the epsilon that may be missing in it", runLedgerRecover},
		)},
		{"review", "rule|open|status|vote|close ...", "reviews of candidates by a board", verbs(
			command{"rule", "--project ID [--approvals N] [--quorum N] [--abstain=false] [--unanimous] [--data FOLDER] [--json]", "show or change who decides about releases", runReviewRule},
			command{"open", "--project ID --question TEXT --members NAMES [--candidate N] [--recipients NAMES] [--data FOLDER] [--json]", "open a review of a candidate", runReviewOpen},
			command{"status", "--project ID [--review N] [--data FOLDER] [--json]", "show a review: members, reading, votes, decision", runReviewStatus},
			command{"vote", "--project ID [--review N] --as NAME --choice CHOICE [--reason TEXT] [--at-most N] [--until DAY] [--recipients NAMES] [--condition TEXT] [--data FOLDER] [--json]", "record the vote of a member", runReviewVote},
			command{"close", "--project ID [--review N] [--call | --end REASON] [--data FOLDER] [--json]", "call the vote, count it, or end the review without a decision", runReviewClose},
		)},
		{"certify", "plan|draw|read|more|bound ...", "read a random sample of a candidate, for an exact bound", verbs(
			command{"plan", "--project ID [--review N] [--doubtful N] [--plants N] [--data FOLDER] [--json]", "show which reading gives which bound", runCertifyPlan},
			command{"draw", "--project ID [--review N] [--random N] [--doubtful N] [--plants N] [--any-time] [--readers N] | --as NAME --number NUMBER | --abandon REASON [--data FOLDER] [--json]", "commit to a draw, or give the number that decides it", runCertifyDraw},
			command{"read", "--project ID [--review N] --as NAME [--data FOLDER]", "write passages and read answers, as lines of JSON", runCertifyRead},
			command{"more", "--project ID [--review N] --passages N [--data FOLDER] [--json]", "add random passages to a draw whose bound holds at any time", runCertifyMore},
			command{"bound", "--project ID [--review N] [--data FOLDER] [--json]", "show forecast and certificate", runCertifyBound},
		)},
		{"evidence", "get|key ...", "evidence packs of reviews, signed by this installation", verbs(
			command{"get", "--project ID [--review N] [--out FILE] [--data FOLDER]", "write the evidence pack of a review that is over", runEvidenceGet},
			command{"key", "[--data FOLDER] [--json]", "print the public key that checks evidence packs and status files", runEvidenceKey},
		)},
		{"release", "merge|withdraw|supersede|recipient|status ...", "shards merged to a release, and releases that are out: who has them, and whether they may be used", verbs(
			command{"merge", "FOLDER... --out FOLDER [--json]", "make one verified release of all shards that hide redact wrote to the folders", runReleaseMerge},
			command{"withdraw", "--project ID --release N --reason TEXT [--data FOLDER] [--json]", "say that nobody may use a release any more", runReleaseWithdraw},
			command{"supersede", "--project ID --release N --by N --reason TEXT [--data FOLDER] [--json]", "say that a newer release is to be used instead", runReleaseSupersede},
			command{"recipient", "--project ID --release N --name NAME [--data FOLDER] [--json]", "record who gets a release", runReleaseRecipient},
			command{"status", "--project ID --out FILE [--data FOLDER]", "write the signed status of all releases, for their recipients", runReleaseStatus},
		)},
		{"sample", "list|show ...", "audits that earlier versions drew, with their results", verbs(
			command{"list", "--project ID [--data FOLDER] [--json]", "list the audits, newest first", runSampleList},
			command{"show", "--project ID [--audit N] [--data FOLDER] [--json]", "show the result of an audit", runSampleShow},
		)},
		{"query", "--project ID [--freeze] | --in FILE --config FILE --epsilon E [--ledger FILE [--limit E]] [--out FOLDER] [--json] 'SELECT COUNT(*) ...'", "answer a counting query under differential privacy", runQuery},
		{"backup", "--out FILE [--data FOLDER] [--json]", "write an encrypted backup of the data folder", runBackup},
		{"restore", "--in FILE [--data FOLDER] [--check [--report FILE]] [--json]", "make a data folder from a backup, verified whole, or only check that it can be done", runRestore},
		{"version", "[--json]", "print the version", runVersion},
	}
}

// given lists the flags on the command line, whatever their value.
func given(f *flag.FlagSet) map[string]bool {
	names := map[string]bool{}
	f.Visit(func(one *flag.Flag) { names[one.Name] = true })
	return names
}

// refuseUnused refuses flags that have no effect here, because the user expects an
// effect.
func (e *env) refuseUnused(f *flag.FlagSet, circumstances string, names ...string) error {
	var refused error
	f.Visit(func(given *flag.Flag) {
		if refused == nil && slices.Contains(names, given.Name) {
			refused = e.usage("--%s has no effect %s: leave it out", given.Name, circumstances)
		}
	})
	return refused
}

// refuseZero refuses a given number below 1: only leaving the flag out selects the
// default.
func (e *env) refuseZero(f *flag.FlagSet, name, without string) error {
	if n := f.Lookup(name).Value.(flag.Getter).Get().(int); n < 1 && given(f)[name] {
		return e.usage("--%s is %d; numbers start at 1: leave it out %s", name, n, without)
	}
	return nil
}

// refused makes a usage error of a problem with an option; nil stays nil.
func (e *env) refused(err error) error {
	problem := (*option.Problem)(nil)
	switch {
	case !errors.As(err, &problem):
		return err
	case problem == nil:
		return nil
	}
	return e.usage("%v", problem)
}

// Names of flags with the same meaning in every command.
var (
	readFlags  = []string{"in", "train", "test", "model", "transfer", "config", "population", "with"}
	writeFlags = []string{"out", "report", "svg", "csv", "html", "dump-attributes", "dump-test", "ledger", "head", "write-config"}

	// Flags of files that are written at the end of the work, in every command that has
	// them.
	lateFlags = []string{"report", "svg", "csv", "html", "dump-attributes", "dump-test", "write-config"}
)

// checkLateFiles refuses, before the work, output files that could not be written after
// it.
func (e *env) checkLateFiles(f *flag.FlagSet) error {
	var refused error
	f.Visit(func(late *flag.Flag) {
		if refused != nil || !slices.Contains(lateFlags, late.Name) {
			return
		}
		if err := e.files().CheckWritable(late.Value.String()); err != nil {
			refused = withHint(fmt.Errorf("--%s: %w", late.Name, err), hintOf(err))
		}
	})
	return refused
}

// refuseOverwrite refuses to overwrite an input file, because annotated notes are
// somebody's work. It compares with os.SameFile, not by name.
func (e *env) refuseOverwrite(f *flag.FlagSet) error {
	var refused error
	if e.theirs != nil {
		return nil // checked where the command was typed
	}
	f.Visit(func(read *flag.Flag) {
		from, err := os.Stat(read.Value.String())
		if err != nil || !slices.Contains(readFlags, read.Name) {
			return
		}
		f.Visit(func(write *flag.Flag) {
			if to, err := os.Stat(write.Value.String()); err == nil && slices.Contains(writeFlags, write.Name) && os.SameFile(from, to) {
				refused = e.usage("--%s and --%s name the same file: choose another name for --%[1]s", write.Name, read.Name)
			}
		})
	})
	return refused
}
