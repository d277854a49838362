"""A page whose name comes to resolve to this machine while it is open (DNS rebinding), in headless Chromium.

rebind.py NAME PORT PATH ...     for each port and path, serves a page at NAME and the port, by the first
                                 address of the name, [::1]; then stops serving, so that the browser goes
                                 on with its second one, 127.0.0.1; prints the status of what the page
                                 reads at the path from there, and whether a socket is opened
"""

import http.server
import socket
import sys
import threading

from webdriver import call, chromium, run

SCRIPT = """
const read = async path => (await fetch(path)).status
const dial = path => new Promise(end => {
    const socket = new WebSocket(`ws://${location.host}${path}`, ["bearer.made-up"])
    socket.onopen = () => end("open")
    socket.onerror = () => end("refused")
})
return `${await read("PATH")} ${await dial("/feed")}`
"""


class Page(http.server.BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(b"<!doctype html><title>page</title>")


class Server(http.server.ThreadingHTTPServer):
    address_family = socket.AF_INET6
    connections = []

    def get_request(self):
        connection, address = super().get_request()
        self.connections.append(connection)
        return connection, address

    def stop(self):
        """Also ends the connections that the browser has opened in advance."""
        self.shutdown()
        self.server_close()
        for connection in self.connections:
            try:
                connection.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass


name, *targets = sys.argv[1:]
with chromium("--host-resolver-rules=MAP rebind.test localhost"):
    for port, path in zip(targets[::2], targets[1::2]):
        page = Server(("::1", int(port)), Page)
        threading.Thread(target=page.serve_forever, daemon=True).start()
        call("/url", {"url": f"http://{name}:{port}/"})
        if (title := run("return document.title")) != "page":
            sys.exit(f"the page was not reached: {title}")
        page.stop()
        print(run(SCRIPT.replace("PATH", path)), flush=True)
