"""An authorization server with a resource as the OAuth profile of atproto has them.

https://atproto.com/specs/oauth: parameters are pushed (RFC 9126), each request proves its key with a
nonce (RFC 9449), and each refresh token is of use once. Every answer brings another nonce, and only
the newest is accepted; every third request for tokens finds it changed in between, too.

Arguments: how many seconds an access token lives, and the status of a challenge for a nonce where tokens
are issued, 400 if it is left out; with another one no nonce changes in between. Prints its port. The user allows everything. GET
/report counts what was asked for, and what was wrong with it.
"""
import base64
import hashlib
import json
import secrets
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, parse_qsl, urlencode, urlsplit

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, utils

LIFETIME = int(sys.argv[1])
CHALLENGE = int((sys.argv + ["400"])[2])
DID = "did:plc:ewvi7nxzyoun6zhxrhs64oiz"
lock = threading.Lock()
pushed, codes, access, refresh, proofs = {}, {}, {}, {}, set()
nonces = {"server": "first", "resource": "first"}
report = {"pushed": 0, "logins": 0, "refreshes": 0, "reused": 0, "nonces": 0, "requests": 0,
          "revocations": 0, "problems": []}
token_requests = 0
# Whether the last proof had another nonce: the next one has a right to be accepted.
was_refused = False


class Refused(Exception):
    def __init__(self, error, description="", status=400):
        self.error, self.description, self.status = error, description, status


def decoded(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def encoded(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def digest(text):
    return encoded(hashlib.sha256(text.encode()).digest())


def thumbprint(jwk):
    members = {name: jwk[name] for name in ("crv", "kty", "x", "y")}
    return digest(json.dumps(members, separators=(",", ":"), sort_keys=True))


def proven(handler, place, token=None):
    """The thumbprint of the key of the request's proof (RFC 9449 section 4.3)."""
    global was_refused
    sent = handler.headers.get_all("DPoP") or []
    if len(sent) != 1:
        raise Refused("invalid_dpop_proof", "expected one proof")
    header, payload, signature = sent[0].split(".")
    head, claims = json.loads(decoded(header)), json.loads(decoded(payload))
    raw = decoded(signature)
    if head["typ"] != "dpop+jwt" or head["alg"] != "ES256" or "d" in head["jwk"] or len(raw) != 64:
        raise Refused("invalid_dpop_proof", "not a proof with ES256")
    point = [int.from_bytes(decoded(head["jwk"][name]), "big") for name in ("x", "y")]
    key = ec.EllipticCurvePublicNumbers(*point, ec.SECP256R1()).public_key()
    halves = [int.from_bytes(raw[index : index + 32], "big") for index in (0, 32)]
    try:
        key.verify(
            utils.encode_dss_signature(*halves),
            f"{header}.{payload}".encode(),
            ec.ECDSA(hashes.SHA256()),
        )
    except InvalidSignature:
        raise Refused("invalid_dpop_proof", "signed by another key") from None
    url = f"http://{handler.headers['Host']}{urlsplit(handler.path).path}"
    if claims["htm"] != handler.command or claims["htu"] != url:
        raise Refused("invalid_dpop_proof", "for another request")
    if abs(time.time() - claims["iat"]) > 300:
        raise Refused("invalid_dpop_proof", "too old")
    if claims.get("ath") != (token and digest(token)):
        raise Refused("invalid_dpop_proof", "for another access token")
    was_refused = claims.get("nonce") != nonces[place]
    if was_refused:
        report["nonces"] += 1
        raise Refused("use_dpop_nonce", "expected another nonce", 401 if token else CHALLENGE)
    if claims["jti"] in proofs:
        raise Refused("invalid_dpop_proof", "used before")
    proofs.add(claims["jti"])
    return thumbprint(head["jwk"])


def is_client(name):
    return name.startswith("http://localhost?")


def push(handler, form):
    key = proven(handler, "server")
    redirect = urlsplit(form["redirect_uri"])
    if not is_client(form["client_id"]):
        raise Refused("invalid_client", "", 401)
    if redirect.hostname != "127.0.0.1" or "atproto" not in form["scope"].split():
        raise Refused("invalid_request", "a redirect_uri or a scope that is not the client's")
    if form["response_type"] != "code" or form["code_challenge_method"] != "S256":
        raise Refused("invalid_request", "expected a code with PKCE")
    reference = "urn:ietf:params:oauth:request_uri:req-" + secrets.token_urlsafe(16)
    pushed[reference] = (form, key)
    report["pushed"] += 1
    return 201, {"request_uri": reference, "expires_in": 60}


def issued(form, key):
    session = {"key": key, "client": form["client_id"], "scope": form["scope"], "alive": True}
    return tokens(session)


def tokens(session):
    new = secrets.token_urlsafe(24), secrets.token_urlsafe(24)
    access[new[0]] = session, time.time() + LIFETIME
    refresh[new[1]] = [session, False]
    return 200, {"access_token": new[0], "refresh_token": new[1], "token_type": "DPoP",
                 "expires_in": LIFETIME, "scope": session["scope"], "sub": DID}


def token(handler, form):
    global token_requests
    token_requests += 1
    if CHALLENGE == 400 and token_requests % 3 == 0 and not was_refused:
        nonces["server"] = secrets.token_urlsafe(8)
    key = proven(handler, "server")
    if form["grant_type"] == "authorization_code":
        asked, owner = codes.pop(form["code"], (None, None))
        if not asked or asked["client_id"] != form["client_id"] or owner != key:
            raise Refused("invalid_grant", "a code of another client or key")
        if asked["redirect_uri"] != form["redirect_uri"]:
            raise Refused("invalid_grant", "for another redirect_uri")
        if digest(form["code_verifier"]) != asked["code_challenge"]:
            raise Refused("invalid_grant", "another code_verifier")
        report["logins"] += 1
        return issued(asked, key)
    entry = refresh.get(form["refresh_token"])
    if not entry or entry[0]["key"] != key or not entry[0]["alive"]:
        raise Refused("invalid_grant", "an unknown refresh token")
    if entry[1]:
        report["reused"] += 1
        entry[0]["alive"] = False
        raise Refused("invalid_grant", "a refresh token that was used before")
    entry[1] = True
    report["refreshes"] += 1
    return tokens(entry[0])


def revoke(handler, form):
    entry = refresh.get(form["token"])
    if entry:
        entry[0]["alive"] = False
        report["revocations"] += 1
    return 200, {}


def session(handler, form):
    scheme, _, given = (handler.headers["Authorization"] or "").partition(" ")
    owner, end = access.get(given, (None, 0))
    if scheme != "DPoP" or not owner or not owner["alive"] or time.time() > end:
        raise Refused("invalid_token", "an access token that is over", 401)
    if proven(handler, "resource", given) != owner["key"]:
        raise Refused("invalid_dpop_proof", "another key than that of the token", 401)
    report["requests"] += 1
    return 200, {"did": DID, "handle": "me.example.com"}


def metadata(handler, form):
    issuer = f"http://{handler.headers['Host']}"
    return 200, {
        "issuer": issuer,
        "authorization_endpoint": issuer + "/oauth/authorize",
        "token_endpoint": issuer + "/oauth/token",
        "revocation_endpoint": issuer + "/oauth/revoke",
        "pushed_authorization_request_endpoint": issuer + "/oauth/par",
        "require_pushed_authorization_requests": True,
        "authorization_response_iss_parameter_supported": True,
        "client_id_metadata_document_supported": True,
        "code_challenge_methods_supported": ["S256"],
        "dpop_signing_alg_values_supported": ["ES256"],
        "grant_types_supported": ["authorization_code", "refresh_token"],
        "response_types_supported": ["code"],
        "scopes_supported": ["atproto"],
        "token_endpoint_auth_methods_supported": ["none", "private_key_jwt"],
    }


ROUTES = {
    ("POST", "/oauth/par"): push,
    ("POST", "/oauth/token"): token,
    ("POST", "/oauth/revoke"): revoke,
    ("GET", "/xrpc/com.atproto.server.getSession"): session,
    ("GET", "/.well-known/oauth-authorization-server"): metadata,
    ("GET", "/report"): lambda handler, form: (200, report),
}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_GET(self):
        self.handle_request({})

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"] or 0)).decode()
        self.handle_request(dict(parse_qsl(body)))

    def handle_request(self, form):
        path = urlsplit(self.path).path
        with lock:
            if path == "/oauth/authorize":
                return self.authorize()
            route = ROUTES.get((self.command, path))
            place = "resource" if path.startswith("/xrpc/") else "server"
            try:
                status, answer = route(self, form) if route else (404, {})
                headers = {}
            except Refused as refused:
                status = refused.status
                answer = {"error": refused.error, "error_description": refused.description}
                headers = {"WWW-Authenticate": f'DPoP error="{refused.error}"'}
                if refused.error != "use_dpop_nonce":
                    report["problems"].append(f"{path}: {refused.error} {refused.description}")
            except (KeyError, ValueError) as error:
                status, answer, headers = 400, {"error": "invalid_request"}, {}
                report["problems"].append(f"{path}: {error!r}")
            nonces[place] = secrets.token_urlsafe(8)
            if path != "/report":
                headers["DPoP-Nonce"] = nonces[place]
        self.send(status, headers, json.dumps(answer).encode())

    def authorize(self):
        """Refuses parameters that were not pushed; the user allows all others at once."""
        query = {name: values[0] for name, values in parse_qs(urlsplit(self.path).query).items()}
        form, key = pushed.pop(query.get("request_uri"), (None, None))
        if set(query) != {"client_id", "request_uri"} or not form:
            report["problems"].append("/oauth/authorize: " + ", ".join(sorted(query)))
            return self.send(400, {}, b"expected a request_uri and the client_id")
        code = secrets.token_urlsafe(16)
        codes[code] = form, key
        answer = {"code": code, "state": form["state"], "iss": f"http://{self.headers['Host']}"}
        self.send(302, {"Location": f"{form['redirect_uri']}?{urlencode(answer)}"}, b"")

    def send(self, status, headers, body):
        self.send_response(status)
        for name, value in {"Content-Type": "application/json", **headers}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(server.server_port, flush=True)
server.serve_forever()
