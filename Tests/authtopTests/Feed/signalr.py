"""A hub of ASP.NET Core SignalR as its specification has it, in JSON and without negotiation.

It takes the access token as a parameter, and refuses one that has ended by its exp; the first message
has to be the handshake. It sends an invocation every 50 ms and a ping every second, and ends a
connection from which no message has come for 30 s, or whose token has ended, with a close message.
Prints its port, and from then on one line for each fact: `open`, `close REASON`, `refused REASON`,
`ping` for one of a client, and `gap` if no connection is open once one was.
https://github.com/dotnet/aspnetcore/blob/main/src/SignalR/docs/specs/HubProtocol.md
"""
import asyncio
import base64
import json
import time
from http import HTTPStatus
from urllib.parse import parse_qs, urlsplit

import websockets

SEPARATOR = "\x1e"
open_connections = set()


def say(fact):
    print(fact, flush=True)


def end_of(token):
    payload = token.split(".")[1]
    return json.loads(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))["exp"]


def token_of(path):
    return parse_qs(urlsplit(path).query).get("access_token", [""])[0]


async def refuse(path, headers):
    try:
        problem = None if end_of(token_of(path)) > time.time() else "expired"
    except (IndexError, KeyError, ValueError):
        problem = "invalid"
    if urlsplit(path).path != "/hub":
        return HTTPStatus.NOT_FOUND, [], b""
    if problem:
        say(f"refused {problem}")
        return HTTPStatus.UNAUTHORIZED, [("WWW-Authenticate", "Bearer")], b""


async def records(connection):
    """The messages of a client, which may share a frame or span several."""
    rest = ""
    async for frame in connection:
        *whole, rest = (rest + frame).split(SEPARATOR)
        for record in whole:
            yield json.loads(record)


async def send(connection, message):
    await connection.send(json.dumps(message) + SEPARATOR)


async def serve(connection, path):
    received = records(connection)
    try:
        handshake = await asyncio.wait_for(received.__anext__(), 15)
    except (asyncio.TimeoutError, StopAsyncIteration, ValueError):
        return say("close no handshake")
    if handshake != {"protocol": "json", "version": 1}:
        await send(connection, {"error": "Requested protocol is not available."})
        return say("close handshake")
    await connection.send("{}" + SEPARATOR)
    say("open")
    open_connections.add(connection)
    heard = [time.monotonic()]

    async def listen():
        async for message in received:
            heard[0] = time.monotonic()
            if message == {"type": 6}:
                say("ping")

    async def speak():
        count = 0
        while True:
            if end_of(token_of(path)) <= time.time():
                return "the token has ended"
            if time.monotonic() - heard[0] > 30:
                return "no message of the client"
            await send(connection, {"type": 1, "target": "message", "arguments": [count]})
            if count % 20 == 0:
                await send(connection, {"type": 6})
            count += 1
            await asyncio.sleep(0.05)

    tasks = [asyncio.create_task(listen()), asyncio.create_task(speak())]
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        reason = "client"
        for task in done:
            if task.exception() is None and task.result():
                reason = task.result()
                await send(connection, {"type": 7, "error": reason, "allowReconnect": True})
    except websockets.ConnectionClosed:
        reason = "client"
    finally:
        for task in tasks:
            task.cancel()
        open_connections.discard(connection)
        say(f"close {reason}")
        if not open_connections:
            say("gap")


async def main():
    async with websockets.serve(serve, "127.0.0.1", 0, process_request=refuse) as server:
        say(server.sockets[0].getsockname()[1])
        await asyncio.Future()


asyncio.run(main())
