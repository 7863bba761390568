#!/bin/sh
# The browser with a debugging port, so that a test can observe it while the recorder drives it.
# starts: chromium
exec "${INTERLOPER_CHROMIUM:-chromium}" "$@" --remote-debugging-port="$OBSERVED_PORT"
