#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Imports invented notes, runs GreedySanitize, and redacts a new note with the result.
#
#   HIDE_URL=http://127.0.0.1:8080 HIDE_TOKEN=hide_... HIDE_PROJECT=p1 sh curl.sh
#
# The token needs the scopes notes:read, notes:write, export, runs and redact, and its person
# the role of a broker in the project.
set -eu

api="$HIDE_URL/api/v1/projects/$HIDE_PROJECT"

# call METHOD PATH [OPTION...] asks the API. --fail-with-body shows the problem document.
call() {
  method=$1 path=$2
  shift 2
  curl --silent --show-error --fail-with-body -X "$method" -H "Authorization: Bearer $HIDE_TOKEN" "$api$path" "$@"
}

# member NAME prints the first text member NAME of a JSON object on standard input.
member() { sed -n "s/.*\"$1\":\"\([^\"]*\)\".*/\1/p" | head -n 1; }

# 1. Import 24 finished notes, a line of JSON each. Positions are in code points.
i=0
while [ "$i" -lt 24 ]; do
  printf '{"id":"note-%s","patient":"p%s","text":"Lungs clear. Mr. Weiss%02d left well.","spans":[{"start":17,"end":24,"label":"PATIENT"}]}\n' "$i" "$i" "$i"
  i=$((i + 1))
done > "${TMPDIR:-/tmp}/notes.$$"
trap 'rm -f "${TMPDIR:-/tmp}/notes.$$"' EXIT
call POST "/notes?format=jsonl&finished=true&random=true" -H "Content-Type: application/x-ndjson" --data-binary @"${TMPDIR:-/tmp}/notes.$$"

# 2. Export them again.
call GET "/export?format=jsonl" | wc -l

# 3. Start a run and wait for it. This one is small: leave the options out for real notes.
run=$(call POST /runs -H "Content-Type: application/json" -d '{"options":{"lc":"10","folds":"2","learners":"bayes","first":"none","attackers":"none"}}' | member id)
while state=$(call GET "/runs/$run" | member state) && [ "$state" = running ]; do sleep 1; done
[ "$state" = finished ]

# 4. Choose an L/C: that makes a redaction model.
model=$(call POST "/runs/$run/choose" -H "Content-Type: application/json" -d '{"lc":10}' | member id)

# 5. Redact one note, and a stream of notes.
call POST "/models/$model/redact" -H "Content-Type: application/json" -d '{"id":"1","text":"Mr. Weiss01 left well."}'
printf '{"id":"%s","text":"Mr. Weiss02 left well."}\n' 1 2 3 |
  call POST "/models/$model/redact" -H "Content-Type: application/x-ndjson" --data-binary @-
