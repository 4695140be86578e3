// SPDX-License-Identifier: Apache-2.0

package main

// commands is the table of hide, in the order that help lists them. A new
// command is one file and one row here.
func commands() []command {
	return []command{
		{"train", "--in FILE --out MODEL [--preset default|hide] [--json]", "train a tagger on annotated notes", runTrain},
		{"tag", "--model MODEL < notes.ndjson", "find sensitive spans in notes on standard input", runTag},
		{"redact", "--bundle FILE < notes.ndjson", "redact notes on standard input with a bundle", runRedact},
		{"verify", "RELEASE [--mapping FILE --against FILE] [--sha256 HASH] [--json]", "check that a release is what it claims", runVerify},
		{"experiment", "--in FILE [--test FILE] [--sensitive LABELS] [--folds K] [--lc VALUES] [--modes MODES] [--json]", "measure GreedySanitize, a baseline and attackers on annotated notes", runExperiment},
		{"user", "add|list|link|disable ...", "make, list, invite and disable people", verbs(
			command{"add", "NAME --role ROLE [--url URL] [--data FOLDER] [--json]", "make an account and a link that signs in once", runUserAdd},
			command{"list", "[--data FOLDER] [--json]", "list the accounts", runUserList},
			command{"link", "NAME [--url URL] [--data FOLDER] [--json]", "make a new link for somebody who lost it, or the password", runUserLink},
			command{"disable", "NAME [--data FOLDER] [--json]", "sign somebody out for good", runUserDisable},
		)},
		{"audit", "verify|list ...", "verify and list the audit trail", verbs(
			command{"verify", "[--data FOLDER] [--json]", "check every row, the chain and its end", runAuditVerify},
			command{"list", "[--project ID] [--limit N] [--before N] [--data FOLDER] [--json]", "list rows, newest first", runAuditList},
		)},
		{"backup", "--out FILE [--data FOLDER] [--json]", "write an encrypted backup of the data folder", runBackup},
		{"restore", "--in FILE [--data FOLDER] [--json]", "make a data folder from a backup, verified whole", runRestore},
		{"version", "[--json]", "print the version", runVersion},
	}
}
