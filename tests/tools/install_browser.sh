#!/bin/sh
# Installs Debian's Chromium and ChromeDriver where they are missing; says what to do where that cannot be done.
set -eu
have() { command -v "$1" >/dev/null 2>&1; }
if have chromedriver && { have chromium || have google-chrome; }; then
    exit 0
fi
if have apt-get && [ "$(id -u)" = 0 ]; then
    apt-get update -qq
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium chromium-driver >/dev/null
    exit 0
fi
cat >&2 <<'SAID'
error: the pages that codepath draws are tested in Chromium, and there is no chromium and chromedriver on PATH
  = as root on Debian or Ubuntu, `make test-browser` installs them: apt-get install chromium chromium-driver
  = elsewhere install them by hand
  = `make test BROWSER=no` leaves these tests out, and says so
SAID
exit 1
