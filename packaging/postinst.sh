#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# After the files are in place, for dpkg ("configure [OLD VERSION]") and rpm ("1" for the
# first installation, "2" for an upgrade). It makes the user and the folders also where
# systemd does not run, and starts nothing that was not running.
set -e

case "${1:-}" in
configure | 1 | 2) ;;
*) exit 0 ;;
esac

if ! getent passwd hide >/dev/null; then
	if command -v systemd-sysusers >/dev/null; then
		systemd-sysusers hide.conf || true
	fi
fi
if ! getent group hide >/dev/null; then groupadd --system hide; fi
if ! getent passwd hide >/dev/null; then
	useradd --system --gid hide --home-dir /var/lib/hide --no-create-home \
		--shell /usr/sbin/nologin --comment "hide, de-identification of clinical notes" hide
fi

# The key is never in the data folder: a copy of one must not hold the other.
for folder in /var/lib/hide /var/lib/hide-keys; do
	[ -d "$folder" ] || mkdir -p "$folder"
	chown hide:hide "$folder"
	chmod 0700 "$folder"
done

running=
if [ -d /run/systemd/system ]; then
	systemctl daemon-reload || true
	if systemctl is-active --quiet hide.service; then
		systemctl restart hide.service || true
		running=yes
	fi
fi

if [ -z "$running" ]; then
	cat <<-'TEXT'
		hide is installed and not started. It will listen on this machine only.
		  For the first time, read /usr/share/doc/hide/operator.md from step 3 on: key or
		  passphrase, first administrator, https. Then: systemctl enable --now hide
	TEXT
fi
