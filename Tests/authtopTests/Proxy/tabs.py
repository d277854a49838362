"""A web app whose session two tabs share, and headless Chromium with both of them.

tabs.py serve            serves the app and its backend, and prints the port
tabs.py race|fixed       opens two tabs of the app at API_URL, and lets both renew at once; in the
                         fixed app, a lock lets one tab renew and the other one read what it stored

A spent refresh token ends the session, as RFC 9700 recommends.
"""

import base64
import hashlib
import json
import os
import secrets
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from webdriver import call, chromium, run, wait

PAGE = """<!doctype html><title>tabs</title><body><script>
const channel = new BroadcastChannel("tabs")
const send = (path, fields = {}) => fetch(path, fields)
const post = (path, body) => send(path, {
    method: "POST", body: JSON.stringify(body), headers: {"Content-Type": "application/json"}})
const pair = () => JSON.parse(localStorage.pair)
async function logIn() {
    const answer = await post("/login", {username: "ada", password: "secret"})
    localStorage.pair = JSON.stringify(await answer.json())
}
async function exchange(before) {
    const answer = await post("/refresh", {refresh_token: before.refresh_token})
    if (answer.ok) localStorage.pair = JSON.stringify(await answer.json())
}
async function renew(isFixed) {
    const before = pair()
    if (!isFixed) return exchange(before)
    await navigator.locks.request("refresh", async () => {
        if (localStorage.pair == JSON.stringify(before)) await exchange(before)
    })
}
function listen() {
    const socket = new WebSocket(`ws://${location.host}/feed`, ["bearer." + pair().access_token])
    socket.onmessage = () => { document.title = "heard" }
}
async function round(isFixed) {
    await renew(isFixed)
    await send("/me", {headers: {Authorization: "Bearer " + pair().access_token}})
    document.body.innerText = "done"
}
channel.onmessage = event => round(event.data == "fixed")
</script>"""


class Backend(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    lock = threading.Lock()
    access, live, spent = {}, {}, {}

    def log_message(self, *_):
        pass

    def answer(self, status, body, content_type="application/json"):
        self.send_response(status)
        self.send_header("Content-Type", content_type)
        self.send_header("Cache-Control", "no-store")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def issue(self, family):
        pair = {"access_token": secrets.token_urlsafe(24), "refresh_token": secrets.token_urlsafe(24)}
        Backend.access[pair["access_token"]] = Backend.live[pair["refresh_token"]] = family
        self.answer(200, json.dumps({**pair, "expires_in": 600, "token_type": "Bearer"}).encode())

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        # As long as a request to another continent.
        time.sleep(0.3)
        with Backend.lock:
            if self.path == "/login":
                return self.issue(secrets.token_urlsafe(8))
            token = body["refresh_token"]
            if family := Backend.live.pop(token, None):
                Backend.spent[token] = family
                return self.issue(family)
            ended = Backend.spent.get(token)
            for tokens in (Backend.access, Backend.live):
                for name in [name for name, family in tokens.items() if family == ended]:
                    del tokens[name]
        self.answer(401, b'{"error":"invalid_grant"}')

    def do_GET(self):
        if self.path == "/":
            return self.answer(200, PAGE.encode(), "text/html")
        if self.path == "/feed":
            return self.feed()
        token = self.headers.get("Authorization", "").removeprefix("Bearer ")
        if token in Backend.access:
            return self.answer(200, b'{"name":"ada"}')
        self.answer(401 if self.path == "/me" else 404, b'{"error":"invalid_token"}')

    def feed(self):
        key = self.headers["Sec-WebSocket-Key"] + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
        self.send_response(101)
        self.send_header("Upgrade", "websocket")
        self.send_header("Connection", "Upgrade")
        accept = base64.b64encode(hashlib.sha1(key.encode()).digest()).decode()
        self.send_header("Sec-WebSocket-Accept", accept)
        self.send_header("Sec-WebSocket-Protocol", self.headers["Sec-WebSocket-Protocol"])
        self.end_headers()
        self.close_connection = True
        try:
            for number in range(1, 1_000):
                text = json.dumps({"id": number}).encode()
                self.wfile.write(bytes([0x81, len(text)]) + text)
                time.sleep(0.1)
        except OSError:
            pass


def serve():
    server = ThreadingHTTPServer(("127.0.0.1", 0), Backend)
    print(server.server_port, flush=True)
    server.serve_forever()


def drive(mode):
    with chromium():
        call("/url", {"url": os.environ["API_URL"] + "/"})
        run("await logIn(); listen()")
        wait('document.title == "heard"')
        first = call("/window", method="GET")
        second = call("/window/new", {"type": "tab"})["handle"]
        call("/window", {"handle": second})
        call("/url", {"url": os.environ["API_URL"] + "/"})
        run(f'channel.postMessage("{mode}"); await round({json.dumps(mode == "fixed")})')
        for tab in (first, second):
            call("/window", {"handle": tab})
            wait('document.body.innerText == "done"')


if sys.argv[1] == "serve":
    serve()
else:
    drive(sys.argv[1])
