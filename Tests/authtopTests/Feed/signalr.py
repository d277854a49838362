"""A hub of ASP.NET Core SignalR as its specifications have it, in JSON.

A socket has to be negotiated: `POST /hub/negotiate` with the access token as a bearer token brings the id
that the upgrade names, once. With the argument `away`, that names another server instead, with a token
of its own, as Azure SignalR does: there the same is asked again, and the token of the hub is refused.
The hub takes the access token as a parameter, and refuses one that has ended by its exp; the first
message has to be the handshake. It sends an invocation every 50 ms and a ping every second, and ends a
connection from which no message has come for 30 s, or whose token has ended, with a close message.
Prints its port, and from then on one line for each fact: `open`, `close REASON`, `refused REASON`,
`ping` for one of a client, and `gap` if no connection is open once one was.
https://github.com/dotnet/aspnetcore/blob/main/src/SignalR/docs/specs/TransportProtocols.md
https://github.com/dotnet/aspnetcore/blob/main/src/SignalR/docs/specs/HubProtocol.md
"""
import asyncio
import base64
import json
import secrets
import sys
import time
from http import HTTPStatus
from urllib.parse import parse_qs, urlsplit

import websockets

SEPARATOR = "\x1e"
IS_AWAY = "away" in sys.argv
open_connections = set()
negotiated = set()
given_tokens = set()


def say(fact):
    print(fact, flush=True)


def end_of(token):
    payload = token.split(".")[1]
    return json.loads(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))["exp"]


def token_of(path):
    return parse_qs(urlsplit(path).query).get("access_token", [""])[0]


def made_token():
    """A token of the other server, which lives for an hour."""
    claims = json.dumps({"aud": "away", "exp": int(time.time()) + 3600}).encode()
    return f"e30.{base64.urlsafe_b64encode(claims).decode().rstrip('=')}.x"


def problem_of(token, is_away):
    try:
        if token in given_tokens if is_away else end_of(token) > time.time():
            return None
        return "expired"
    except (IndexError, KeyError, ValueError):
        return "invalid"


async def refuse(path, headers):
    is_away = urlsplit(path).path == "/client/"
    if urlsplit(path).path not in ("/hub", "/client/"):
        return HTTPStatus.NOT_FOUND, [], b""
    problem = problem_of(token_of(path), is_away)
    if problem:
        say(f"refused {problem}")
        return HTTPStatus.UNAUTHORIZED, [("WWW-Authenticate", "Bearer")], b""
    identifier = parse_qs(urlsplit(path).query).get("id", [""])[0]
    if identifier not in negotiated or is_away != IS_AWAY:
        say("refused not negotiated")
        return HTTPStatus.NOT_FOUND, [], b"No Connection with that ID"
    negotiated.remove(identifier)


def negotiate(target, token):
    """The status and the answer to a request for a connection."""
    is_away = urlsplit(target).path == "/client/negotiate"
    if urlsplit(target).path not in ("/hub/negotiate", "/client/negotiate"):
        return 404, {}
    problem = problem_of(token, is_away)
    if problem:
        say(f"refused {problem}")
        return 401, {}
    if IS_AWAY and not is_away:
        given_tokens.add(given := made_token())
        return 200, {"url": f"http://127.0.0.1:{port}/client/?hub=chat", "accessToken": given}
    if is_away and parse_qs(urlsplit(target).query).get("hub") != ["chat"]:
        return 400, {}
    negotiated.add(identifier := secrets.token_urlsafe())
    transports = [{"transport": "WebSockets", "transferFormats": ["Text", "Binary"]}]
    return 200, {
        "connectionToken": identifier, "connectionId": "shown", "negotiateVersion": 1,
        "availableTransports": transports,
    }


async def front(reader, writer):
    """Answers a negotiation, and hands everything else on to the library."""
    head = await reader.readuntil(b"\r\n\r\n")
    method, target, _ = head.split(b"\r\n")[0].decode().split(" ")
    if method == "POST":
        fields = dict(
            (name.strip().lower(), value.strip())
            for name, _, value in (line.partition(":") for line in head.decode().split("\r\n")[1:])
        )
        status, answer = negotiate(target, fields.get("authorization", "").removeprefix("Bearer "))
        body = json.dumps(answer).encode()
        writer.write(
            f"HTTP/1.1 {status} x\r\nContent-Type: application/json\r\nConnection: close\r\n"
            f"Content-Length: {len(body)}\r\n\r\n".encode() + body
        )
        return writer.close()
    inner_reader, inner_writer = await asyncio.open_connection("127.0.0.1", inner_port)
    inner_writer.write(head)

    async def copy(source, sink):
        try:
            while data := await source.read(65536):
                sink.write(data)
                await sink.drain()
        except ConnectionError:
            pass
        sink.close()

    await asyncio.gather(copy(reader, inner_writer), copy(inner_reader, writer))


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
    global port, inner_port
    async with websockets.serve(serve, "127.0.0.1", 0, process_request=refuse) as server:
        inner_port = server.sockets[0].getsockname()[1]
        outer = await asyncio.start_server(front, "127.0.0.1", 0)
        port = outer.sockets[0].getsockname()[1]
        say(port)
        await asyncio.Future()


asyncio.run(main())
