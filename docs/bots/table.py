"""A player that sits down at a table and plays one game.

python3 table.py http://localhost:8080 k7qm2x4p Robbie

Needs the package `websockets` (Debian: python3-websockets).
"""

import asyncio
import itertools
import json
import random
import secrets
import sys

import websockets


async def play(server, room, name):
    address = server.replace("http", "ws", 1).rstrip("/") + f"/api/rooms/{room}/socket"
    # Ids are new for each message of the token: a program that keeps its token must not count from 1 again.
    prefix = secrets.token_hex(4)
    ids = itertools.count(1)
    async with websockets.connect(address) as socket:

        async def send(kind, **fields):
            await socket.send(json.dumps({"type": kind, "id": f"{prefix}-{next(ids)}", **fields}))

        await send("hello", token=secrets.token_urlsafe(32))
        await send("sit", name=name)
        # The revision of the game that was answered last.
        answered = None
        async for text in socket:
            message = json.loads(text)
            if message["type"] == "refused" and answered is None:
                sys.exit(message["code"])
            if message["type"] == "room" and message["table"]["phase"] == "over":
                return
            if message["type"] != "game":
                continue
            table = message["view"]["table"] or {}
            if message["legal"] and message["rev"] != answered:
                answered = message["rev"]
                await send("act", action=random.choice(message["legal"]))
            elif table.get("phase") == "round_end":
                await send("ready", ready=True)


asyncio.run(play(*sys.argv[1:4]))
