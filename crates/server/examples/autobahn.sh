#!/bin/sh
# Lets Autobahn's fuzzing client try the sockets of the server, by way of the example `echo`.
#
#   crates/server/examples/autobahn.sh [CASE ...]      such as: 1.* 7.1.1
#
# It needs Python 2.7 with pip; PYTHON2 names it if it is not called python2.7.
set -eu

cd "$(dirname "$0")/../../.."
python=${PYTHON2:-python2.7}
folder=$PWD/target/autobahn
port=9001

if ! "$python" -c 'import pip' 2>/dev/null; then
    echo "Autobahn's fuzzing client needs Python 2.7 with pip, and there is none: set PYTHON2 to it." >&2
    exit 1
fi
if [ ! -e "$folder/python/autobahntestsuite" ]; then
    "$python" -m pip install --quiet --target "$folder/python" autobahntestsuite==25.10.1
fi
touch "$folder/python/zope/__init__.py"

cargo build -p sticheln-server --example echo
target/debug/examples/echo "$port" &
echo=$!
trap 'kill -INT "$echo"' EXIT

PYTHONPATH=$folder/python "$python" - "$folder" "$port" "$@" <<'END'
import json, os, socket, sys, time
from autobahntestsuite import wstest

folder, port, cases = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
os.chdir(folder)
for _ in range(100):
    try:
        socket.create_connection(('127.0.0.1', port)).close()
        break
    except socket.error:
        time.sleep(0.1)
json.dump({
    'outdir': 'reports',
    'servers': [{'agent': 'sticheln', 'url': 'ws://127.0.0.1:%d/' % port}],
    'cases': cases or ['1.*', '2.*', '3.*', '4.*', '5.*', '6.*', '7.*', '9.*', '10.*'],
    # Compression is not offered.
    'exclude-cases': ['12.*', '13.*'],
    'exclude-agent-cases': {},
}, open('fuzzingclient.json', 'w'))
sys.argv = ['wstest', '-m', 'fuzzingclient', '-s', 'fuzzingclient.json']
try:
    wstest.run()
except SystemExit:
    pass
results = json.load(open('reports/index.json'))['sticheln']
outcomes = {}
for name, result in results.items():
    for what in ('behavior', 'behaviorClose'):
        outcomes.setdefault((what, result[what]), []).append(name)
for (what, outcome), names in sorted(outcomes.items()):
    few = '' if len(names) > 20 else ': ' + ' '.join(sorted(names))
    print('%s %s %d%s' % (what, outcome, len(names), few))
failed = [name for name, result in results.items()
          if 'FAILED' in (result['behavior'], result['behaviorClose'])]
print('%d cases, %d failed' % (len(results), len(failed)))
sys.exit(1 if failed or not results else 0)
END
