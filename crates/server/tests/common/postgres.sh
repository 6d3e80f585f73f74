#!/bin/sh
# Runs a PostgreSQL server for the tests in the folder $1, again and again, and stops it when no test holds a lock on the file
# `users` any more. The other arguments are the command of the server, which ends if this script is killed.
set -u
cd "$1" || exit 1
shift
rm -f stopping server

stop_after_the_tests() {
    while :; do
        # Waits for the tests that run now. The next one may begin a moment later.
        flock --exclusive users true
        sleep 2
        exec 9<users
        if flock --exclusive --nonblock 9; then
            break
        fi
        exec 9<&-
    done
    rm -f port
    touch stopping
    # An immediate shutdown: nobody needs the data any more.
    kill -QUIT "$(cat server)"
    # The next server waits for the lock until this one has ended.
    while kill -0 "$(cat server)" 2>/dev/null; do
        sleep 0.1
    done
}

stop_after_the_tests &
while [ ! -e stopping ]; do
    "$@" >>log 2>&1 &
    echo "$!" >server
    wait "$!"
    sleep 0.1
done
