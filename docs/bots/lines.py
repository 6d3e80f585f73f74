"""A player of the arena: it reads and writes one JSON object on each line.

cargo run --release -p sticheln-bots --bin arena -- match "run:python3 docs/bots/lines.py" normal
"""

import json
import random
import sys


def choose(view, legal):
    """Chooses a card that loses the trick and costs its winner most; else a random action."""
    hints = view.get("hints")
    if not hints:
        return random.choice(legal)
    scores = {}
    for card, wins, points in zip(view["own"]["hand"], hints["winning"], hints["points"]):
        scores[card] = -1 if wins else -points
    return max(legal, key=lambda action: (scores.get(action.get("card"), 0), random.random()))


for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "game" and message["legal"]:
        action = choose(message["view"], message["legal"])
        print(json.dumps(action), flush=True)
