#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Before the files go, for dpkg ("remove", "upgrade VERSION") and rpm ("0", "1"). An
# upgrade restarts the server when the new program is there.
set -e

case "${1:-}" in
remove | 0)
	if [ -d /run/systemd/system ]; then
		systemctl disable --now hide.service || true
	fi
	;;
esac
