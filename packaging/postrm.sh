#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# After the files are gone, for dpkg ("remove", "purge") and rpm ("0"). Notes and keys
# stay: only a person can decide that they are not needed.
set -e

case "${1:-}" in
remove | 0)
	if [ -d /run/systemd/system ]; then systemctl daemon-reload || true; fi
	;;
esac

case "${1:-}" in
purge | 0)
	left=
	for folder in /var/lib/hide /var/lib/hide-keys; do
		if [ -n "$(ls -A "$folder" 2>/dev/null)" ]; then left="$left $folder"; fi
	done
	if [ -n "$left" ]; then
		echo "hide: the notes and their keys are kept:$left"
		echo "hide: remove the folders by hand if no backup needs the keys. The user hide stays as their owner."
	fi
	;;
esac
