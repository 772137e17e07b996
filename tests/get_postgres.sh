#!/bin/sh
# Sees that the tests find a PostgreSQL server (they start a private one themselves). Installs the
# package only as root on a system with apt; anywhere else, or without success, says so and goes on.
command -v initdb >/dev/null 2>&1 && exit 0
ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 && exit 0
if [ "$(id -u)" -eq 0 ] && command -v apt-get >/dev/null 2>&1; then
	echo "Installing PostgreSQL for the tests (apt-get install postgresql), once …"
	export DEBIAN_FRONTEND=noninteractive
	install="apt-get install -y -qq --no-install-recommends postgresql"
	{ $install || { apt-get update -qq && $install; }; } >/tmp/wonmu-postgresql-install.log 2>&1 && exit 0
	echo "wonmu: it could not be installed; see /tmp/wonmu-postgresql-install.log"
fi
echo "wonmu: no PostgreSQL server programs were found; the tests on PostgreSQL are left out"
