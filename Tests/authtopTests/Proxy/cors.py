"""A backend that knows nothing of CORS, and headless Chromium with a page of another origin.

cors.py serve       serves the backend, and prints the port
cors.py read        opens a page on a port of its own, which logs in at API_URL and reads with the
                    cookie, a token and a method that need a preflight; prints what it could read
"""

import http.server
import os
import sys
import threading

from webdriver import call, chromium, run

READ = """
const send = (path, fields) => fetch(`API_URL${path}`, {credentials: "include", ...fields})
try {
    await send("/login", {method: "POST", body: "name=ada"})
    const answer = await send("/me", {method: "PUT", headers: {Authorization: "Bearer made-up"}})
    return `${answer.status} ${answer.headers.get("X-Total")} ${await answer.text()}`
} catch (error) {
    return error.name
}
"""


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self, status, text, fields=()):
        body = text.encode()
        self.send_response(status)
        for name, value in fields:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


class Page(Handler):
    def do_GET(self):
        self.answer(200, "<!doctype html><title>page</title>", [("Content-Type", "text/html")])


class Backend(Handler):
    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        self.answer(200, "{}", [("Set-Cookie", "sid=made-up; HttpOnly; Path=/")])

    def do_PUT(self):
        has_both = self.headers["Cookie"] and self.headers["Authorization"]
        self.answer(200 if has_both else 401, "ada", [("X-Total", "9")])

    def do_OPTIONS(self):
        self.answer(405, "no such method")


def listen(handler):
    return http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)


if sys.argv[1] == "serve":
    server = listen(Backend)
    print(server.server_port, flush=True)
    server.serve_forever()
else:
    page = listen(Page)
    threading.Thread(target=page.serve_forever, daemon=True).start()
    with chromium():
        call("/url", {"url": f"http://127.0.0.1:{page.server_port}/"})
        print(run(READ.replace("API_URL", os.environ["API_URL"])))
