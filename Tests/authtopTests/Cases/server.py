"""An OAuth 2.0 server (RFC 6749) that does what it is told, for FailureCaseTests.

    server.py FOLDER [NAME=VALUE ...]

expires_in=TEXT     the value of expires_in, as it is in the JSON; none: it is left out
expires_at=SECONDS  ends in ten minutes and, of the refresh token, in an hour, as a clock shows them that is so far ahead
                    of UTC
zone=TEXT           what is written behind that, such as +02:00 (default: nothing)
life=SECONDS        how long an access token is accepted (default: 600)
refresh=yes|no      whether a login brings a refresh token (default: yes)
uses=N              how often a refresh token is accepted (default: without limit)
clock=SECONDS       how far the server's clock is ahead, in Date and in tokens (default: 0)
jwt=LIFETIME        access tokens are JWTs that live so many seconds by iat and exp
login=ANSWER        the answer to each login; also renewal= and resource=
tls=CERTIFICATE     good, other-ca, other-host or expired; FOLDER/ca.pem is what to trust

An ANSWER is one of ANSWERS, or ok, or hang: none at all. POST /__set?NAME=VALUE changes one of these while it runs.
Its first line of output is its port.
"""

import base64
import http
import json
import os
import ssl
import subprocess
import sys
import threading
import time
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

folder = sys.argv[1]
settings = dict(argument.split("=", 1) for argument in sys.argv[2:])
lock = threading.Lock()
access_ends = {}
refresh_uses = {}


def page(status):
    title = f"{status} {http.HTTPStatus(status).phrase}"
    body = f"<html><head><title>{title}</title></head><body>nginx</body></html>"
    return status, {"Content-Type": "text/html", "Server": "nginx"}, body.encode()


def text(status, body, **headers):
    return status, {"Content-Type": "application/json", **headers}, body.encode()


ANSWERS = {
    "401-empty": lambda: (401, {}, b""),
    "401-unknown": lambda: text(401, '{"fault": "E-17"}'),
    "400-invalid-grant": lambda: text(400, '{"error": "invalid_grant"}'),
    "200-page": lambda: page(200),
    "200-empty": lambda: text(200, "{}"),
    "404-page": lambda: page(404),
    "429": lambda: text(429, ""),
    "429-after": lambda: text(429, "", **{"Retry-After": "90"}),
    "502-page": lambda: page(502),
    "503-page": lambda: page(503),
    "504-page": lambda: page(504),
    "redirect": lambda: (302, {"Location": "https://login.example.com/"}, b""),
    "large": lambda: text(200, '{"filler": "' + "x" * 10_000_000 + '"}'),
}


def part(value):
    return base64.urlsafe_b64encode(json.dumps(value).encode()).rstrip(b"=").decode()


def issue(old_refresh):
    now = time.time() + float(settings.get("clock", 0))
    number = len(access_ends) + 1
    access = f"access-{number}"
    if "jwt" in settings:
        claims = {"sub": "u", "iat": int(now), "exp": int(now) + int(settings["jwt"]), "n": number}
        access = f"{part({'alg': 'HS256'})}.{part(claims)}.c2lnbmF0dXJl"
    access_ends[access] = time.monotonic() + float(settings.get("life", 600))
    body = {"access_token": access, "token_type": "Bearer"}
    if settings.get("expires_in", "600") != "none":
        body["expires_in"] = json.loads(settings.get("expires_in", "600"))
    if "expires_at" in settings:
        end = time.gmtime(now + 600 + float(settings["expires_at"]))
        body["expires_at"] = time.strftime("%Y-%m-%dT%H:%M:%S", end) + settings.get("zone", "")
        end = time.gmtime(now + 3600 + float(settings["expires_at"]))
        body["refresh_expires_at"] = time.strftime("%Y-%m-%dT%H:%M:%S", end) + settings.get("zone", "")
    if settings.get("refresh", "yes") == "yes":
        body["refresh_token"] = old_refresh or f"refresh-{number}"
        refresh_uses.setdefault(body["refresh_token"], 0)
    return text(200, json.dumps(body))


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_GET(self):
        self.answer("resource", self.resource)

    def do_POST(self):
        length = int(self.headers.get("Content-Length", 0))
        form = parse_qs(self.rfile.read(length).decode())
        parts = urlsplit(self.path)
        if parts.path == "/__set":
            settings.update({name: values[0] for name, values in parse_qs(parts.query).items()})
            self.send((200, {}, b""))
        elif form.get("grant_type") == ["refresh_token"]:
            self.answer("renewal", lambda: self.renew(form["refresh_token"][0]))
        else:
            self.answer("login", lambda: issue(None))

    def renew(self, refresh):
        limit = int(settings.get("uses", 1_000_000))
        if refresh_uses.get(refresh, limit) >= limit:
            return ANSWERS["400-invalid-grant"]()
        refresh_uses[refresh] += 1
        return issue(refresh)

    def resource(self):
        token = self.headers.get("Authorization", "")[7:]
        if access_ends.get(token, 0) > time.monotonic():
            return text(200, '{"sub": "u"}')
        return text(401, '{"error": "invalid_token"}')

    def answer(self, purpose, make):
        name = settings.get(purpose, "ok")
        if name == "hang":
            time.sleep(600)
            return
        with lock:
            answer = ANSWERS[name]() if name != "ok" else make()
        self.send(answer)

    def send(self, answer):
        status, headers, body = answer
        self.send_response_only(status)
        self.send_header("Date", formatdate(time.time() + float(settings.get("clock", 0)), usegmt=True))
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def openssl(*arguments):
    subprocess.run(["openssl", *arguments], check=True, capture_output=True, cwd=folder)


def certificate(kind):
    """Makes an authority (ca.pem) and a chain (server.pem, server.key)."""
    key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
    for name in ["ca", "other"]:
        openssl(
            "req", "-x509", *key, "-keyout", f"{name}.key", "-out", f"{name}.pem", "-days", "9",
            "-subj", f"/CN=authority {name}",
        )
    openssl("req", *key, "-keyout", "server.key", "-out", "server.csr", "-subj", "/CN=server")
    host = "elsewhere.example" if kind == "other-host" else "localhost"
    with open(os.path.join(folder, "names.cnf"), "w") as names:
        names.write(f"subjectAltName=DNS:{host}\n")
    authority = "other" if kind == "other-ca" else "ca"
    with open(os.path.join(folder, "index"), "w"):
        pass
    with open(os.path.join(folder, "settings"), "w") as file:
        file.write(
            f"[ca]\ndefault_ca = it\n[it]\ndatabase = {folder}/index\nnew_certs_dir = {folder}\n"
            "rand_serial = yes\ndefault_md = sha256\npolicy = any\n[any]\ncommonName = supplied\n"
        )
    times = ("20200101000000Z", "20200102000000Z") if kind == "expired" else ("20200101000000Z", "20490102000000Z")
    openssl(
        "ca", "-batch", "-notext", "-config", "settings", "-cert", f"{authority}.pem", "-keyfile",
        f"{authority}.key", "-extfile", "names.cnf", "-startdate", times[0], "-enddate", times[1],
        "-in", "server.csr", "-out", "server.pem",
    )


server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
server.daemon_threads = True
if "tls" in settings:
    certificate(settings["tls"])
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(os.path.join(folder, "server.pem"), os.path.join(folder, "server.key"))
    server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
print(server.server_port, flush=True)
server.serve_forever()
