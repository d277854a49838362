"""An OpenID provider that is not ours: Authlib with Flask, such as Debian's.

Arguments: how many seconds an access token lives, and a folder for the private keys of clients.
Prints its port. Knows the user me, with the password pw12345, and for authorization codes with PKCE
and for devices the public client "authtop", one client for each algorithm that signs assertions
(RFC 7523) with a key NAME.pem in the folder, the client "jwk" with the key jwk.json, and the client
"secret", which signs with its secret. An assertion is of use once, and for the token endpoint only.
Exchanges its own live access tokens (RFC 8693), and takes assertions of its signing clients for the
user (RFC 7523 section 2.1). Every refresh token is of use once. POST /revoke-all ends all sessions, as an administrator does.
From version 1.7 on, it has an end_session_endpoint, whose redirects go to this machine only.
"""
import json
import os
import sys
import time
from types import SimpleNamespace

from authlib.integrations.flask_oauth2 import AuthorizationServer, ResourceProtector, current_token
from authlib.jose import JsonWebKey
from authlib.oauth2 import OAuth2Error
from authlib.oauth2.rfc6749 import (
    BaseGrant,
    ClientMixin,
    InvalidClientError,
    InvalidGrantError,
    InvalidRequestError,
    TokenEndpointMixin,
    TokenMixin,
    grants,
)
from authlib.oauth2.rfc6750 import BearerTokenValidator
from authlib.oauth2.rfc7009 import RevocationEndpoint
from authlib.oauth2.rfc7523 import JWTBearerClientAssertion, JWTBearerGrant
from authlib.oauth2.rfc7636 import CodeChallenge
from authlib.oauth2.rfc7662 import IntrospectionEndpoint
from authlib.oauth2.rfc8628 import DeviceAuthorizationEndpoint, DeviceCodeGrant, DeviceCredentialMixin
from authlib.oidc.core import OpenIDCode, UserInfo
from flask import Flask, jsonify, request

try:
    from authlib.oidc.rpinitiated import EndSessionEndpoint
except ImportError:
    EndSessionEndpoint = None
from werkzeug.serving import WSGIRequestHandler, make_server

os.environ["AUTHLIB_INSECURE_TRANSPORT"] = "1"
LIFETIME = int(sys.argv[1])
KEY = JsonWebKey.generate_key("RSA", 2048, {"kid": "k1", "use": "sig"}, is_private=True)
USER = SimpleNamespace(name="me", password="pw12345")
FORM = """<!doctype html><title>Sign in</title><form method="post">
<p><input name="username"><input name="password" type="password"></p>
<p><input name="user_code" value="%s"><button>Sign in</button></p></form>"""

app = Flask(__name__)
GRANTS = ["token-exchange", "jwt-bearer"]
app.config["OAUTH2_TOKEN_EXPIRES_IN"] = {"authorization_code": LIFETIME} | {
    "urn:ietf:params:oauth:grant-type:" + name: LIFETIME for name in GRANTS
}
app.config["OAUTH2_REFRESH_TOKEN_GENERATOR"] = True
codes, tokens, devices, assertions = {}, [], {}, set()
METHODS = ["none", "private_key_jwt", "client_secret_jwt"]


class Client(ClientMixin):
    def __init__(self, name, method="none", key=None, algorithm=None):
        self.name, self.method, self.key, self.algorithm = name, method, key, algorithm

    def get_client_id(self):
        return self.name

    def get_default_redirect_uri(self):
        return None

    def get_allowed_scope(self, scope):
        return scope or ""

    def check_redirect_uri(self, uri):
        return uri.startswith("http://127.0.0.1:")

    def check_client_secret(self, secret):
        return False

    def check_endpoint_auth_method(self, method, endpoint):
        return method == self.method

    def check_response_type(self, response_type):
        return response_type == "code"

    def check_grant_type(self, grant_type):
        return True


def signing_client(name, algorithm, kind, parameter):
    key = JsonWebKey.generate_key(kind, parameter, {"kid": f"key-of-{name}"}, is_private=True)
    path = os.path.join(sys.argv[2], "jwk.json" if name == "jwk" else f"{name}.pem")
    with open(os.open(path, os.O_CREAT | os.O_WRONLY, 0o600), "wb") as file:
        text = json.dumps(key.as_dict(is_private=True)).encode()
        file.write(text if name == "jwk" else key.as_pem(is_private=True))
    return Client(name, "private_key_jwt", key, algorithm)


SECRET = "a secret of 32 bytes or more, for HS256"
clients = {
    client.name: client
    for client in [
        Client("authtop"),
        signing_client("es256", "ES256", "EC", "P-256"),
        signing_client("rs256", "RS256", "RSA", 2048),
        signing_client("eddsa", "EdDSA", "OKP", "Ed25519"),
        signing_client("jwk", "ES256", "EC", "P-256"),
        Client("secret", "client_secret_jwt", JsonWebKey.import_key(SECRET, {"kty": "oct"}), "HS256"),
    ]
}


class Assertion(JWTBearerClientAssertion):
    def __init__(self, method):
        super().__init__(None)
        self.CLIENT_AUTH_METHOD = method

    def __call__(self, query_client, request):
        client = query_client(request.form.get("client_id"))
        is_own = client is not None and client.method == self.CLIENT_AUTH_METHOD
        return super().__call__(query_client, request) if is_own else None

    def create_claims_options(self):
        options = super().create_claims_options()
        options["aud"] = {"essential": True, "value": request.host_url + "token"}
        options["iat"] = {"essential": True}
        return options

    def validate_jti(self, claims, jti):
        is_new = jti not in assertions and claims["exp"] - claims["iat"] <= 300
        assertions.add(jti)
        return is_new

    def resolve_client_public_key(self, client, headers):
        # A client that is public, or signs otherwise, is refused by its method.
        if client.key is None or headers["alg"] != client.algorithm:
            raise InvalidClientError()
        if client.algorithm != "HS256" and headers.get("kid") != client.key.kid:
            raise InvalidClientError()
        return client.key


class Code(SimpleNamespace):
    def get_redirect_uri(self):
        return self.redirect_uri

    def get_scope(self):
        return self.scope

    def get_nonce(self):
        return self.nonce

    def get_auth_time(self):
        return int(time.time())

    # From version 1.7 on.
    def get_acr(self):
        return None

    def get_amr(self):
        return None


class Token(SimpleNamespace, TokenMixin):
    revoked = False

    def check_client(self, client):
        return True

    def get_scope(self):
        return self.scope

    def get_expires_in(self):
        return LIFETIME

    def is_expired(self):
        return time.time() >= self.issued_at + LIFETIME

    def is_revoked(self):
        return self.revoked


class Device(dict, DeviceCredentialMixin):
    def get_client_id(self):
        return self["client_id"]

    def get_scope(self):
        return self["scope"] or ""

    def get_user_code(self):
        return self["user_code"]

    def is_expired(self):
        return time.time() >= self["expires_at"]


class CodeGrant(grants.AuthorizationCodeGrant):
    TOKEN_ENDPOINT_AUTH_METHODS = METHODS

    def save_authorization_code(self, code, request):
        data = request.data
        codes[code] = Code(
            code=code,
            redirect_uri=request.redirect_uri,
            scope=request.scope,
            nonce=data.get("nonce"),
            code_challenge=data.get("code_challenge"),
            code_challenge_method=data.get("code_challenge_method"),
        )

    def query_authorization_code(self, code, client):
        return codes.get(code)

    def delete_authorization_code(self, code):
        codes.pop(code.code)

    def authenticate_user(self, code):
        return USER


class RefreshGrant(grants.RefreshTokenGrant):
    TOKEN_ENDPOINT_AUTH_METHODS = METHODS
    INCLUDE_NEW_REFRESH_TOKEN = True

    def authenticate_refresh_token(self, text):
        return next((t for t in tokens if t.refresh_token == text and not t.revoked), None)

    def authenticate_user(self, token):
        return USER

    def revoke_old_credential(self, token):
        token.revoked = True


class TokenExchange(BaseGrant, TokenEndpointMixin):
    GRANT_TYPE = "urn:ietf:params:oauth:grant-type:token-exchange"
    TYPE = "urn:ietf:params:oauth:token-type:access_token"
    TOKEN_ENDPOINT_AUTH_METHODS = METHODS

    def validate_token_request(self):
        self.request.client = self.authenticate_token_endpoint_client()
        form = self.request.form
        if form.get("subject_token_type") != self.TYPE:
            raise InvalidRequestError("expected the type of an access token")
        text = form.get("subject_token")
        found = [t for t in tokens if t.access_token == text and not t.revoked]
        if not found or found[0].is_expired():
            raise InvalidGrantError("the subject_token is not valid")
        self.request.user = USER

    def create_token_response(self):
        token = self.generate_token(user=USER, scope="", include_refresh_token=False)
        self.save_token(token)
        return 200, dict(token, issued_token_type=self.TYPE), self.TOKEN_RESPONSE_HEADER


class AssertionGrant(JWTBearerGrant):
    def resolve_issuer_client(self, issuer):
        if issuer not in clients:
            raise InvalidGrantError("the issuer is not known")
        return clients[issuer]

    def resolve_client_key(self, client, headers, payload):
        return client.key

    def authenticate_user(self, subject):
        return USER if subject == USER.name else None

    def has_granted_permission(self, client, user):
        return True


class DeviceGrant(DeviceCodeGrant):
    TOKEN_ENDPOINT_AUTH_METHODS = METHODS

    def query_device_credential(self, device_code):
        return devices.get(device_code)

    def query_user_grant(self, user_code):
        device = next(d for d in devices.values() if d["user_code"] == user_code)
        return None if device["allowed"] is None else (USER, device["allowed"])

    def should_slow_down(self, device):
        now, last = time.time(), device["polled_at"]
        device["polled_at"] = now
        return now - last < device["interval"]


class DeviceEndpoint(DeviceAuthorizationEndpoint):
    CLIENT_AUTH_METHODS = METHODS
    INTERVAL = 1

    def get_verification_uri(self):
        return request.host_url + "device"

    def save_device_credential(self, client_id, scope, data):
        devices[data["device_code"]] = Device(
            data,
            client_id=client_id,
            scope=scope,
            allowed=None,
            polled_at=0,
            expires_at=time.time() + data["expires_in"],
        )


class Revocation(RevocationEndpoint):
    CLIENT_AUTH_METHODS = METHODS

    def query_token(self, text, hint):
        return next((t for t in tokens if text in (t.access_token, t.refresh_token)), None)

    def revoke_token(self, token, request):
        token.revoked = True


class Introspection(IntrospectionEndpoint):
    CLIENT_AUTH_METHODS = METHODS

    def query_token(self, text, hint):
        return next((t for t in tokens if text in (t.access_token, t.refresh_token)), None)

    def check_permission(self, token, client, request):
        return True

    def introspect_token(self, token):
        is_active = not token.revoked
        return {"active": is_active, "sub": USER.name, "exp": int(token.issued_at) + LIFETIME}


class OpenID(OpenIDCode):
    def exists_nonce(self, nonce, request):
        return False

    def get_jwt_config(self, grant):
        issuer = request.host_url.rstrip("/")
        return {"key": KEY, "alg": "RS256", "iss": issuer, "exp": LIFETIME}

    def generate_user_info(self, user, scope):
        return UserInfo(sub=user.name)


class Validator(BearerTokenValidator):
    def authenticate_token(self, text):
        return next((t for t in tokens if t.access_token == text), None)


def save_token(token, request):
    tokens.append(
        Token(
            access_token=token["access_token"],
            refresh_token=token.get("refresh_token"),
            scope=token.get("scope", ""),
            issued_at=time.time(),
        )
    )


server = AuthorizationServer(
    app,
    query_client=clients.get,
    save_token=save_token,
)
for method in METHODS[1:]:
    server.register_client_auth_method(method, Assertion(method))
server.register_grant(CodeGrant, [CodeChallenge(required=True), OpenID(require_nonce=True)])
server.register_grant(RefreshGrant)
server.register_grant(DeviceGrant)
server.register_grant(TokenExchange)
server.register_grant(AssertionGrant)
server.register_endpoint(Revocation)
server.register_endpoint(Introspection)
server.register_endpoint(DeviceEndpoint)
if EndSessionEndpoint:

    class EndSession(EndSessionEndpoint):
        def get_server_jwks(self):
            return {"keys": [KEY.as_dict(is_private=False)]}

        def _is_valid_post_logout_redirect_uri(self, client, uri):
            return client.check_redirect_uri(uri)

        def end_session(self, end_session_request):
            pass  # it asks at each login

    server.register_endpoint(EndSession)

    @app.route("/end-session", methods=["GET", "POST"])
    def end_session():
        return server.create_endpoint_response("end_session") or "You are logged out."


protect = ResourceProtector()
protect.register_token_validator(Validator())


def knows_user():
    return (request.form.get("username"), request.form.get("password")) == ("me", "pw12345")


@app.get("/.well-known/openid-configuration")
def metadata():
    base = request.host_url
    return jsonify(
        issuer=base.rstrip("/"),
        authorization_endpoint=base + "authorize",
        token_endpoint=base + "token",
        device_authorization_endpoint=base + "device_authorization",
        revocation_endpoint=base + "revoke",
        introspection_endpoint=base + "introspect",
        userinfo_endpoint=base + "userinfo",
        jwks_uri=base + "keys",
        scopes_supported=["openid"],
        response_types_supported=["code"],
        grant_types_supported=["authorization_code", "refresh_token", DeviceCodeGrant.GRANT_TYPE],
        code_challenge_methods_supported=["S256"],
        token_endpoint_auth_methods_supported=METHODS,
        **({"end_session_endpoint": base + "end-session"} if EndSessionEndpoint else {}),
    )


@app.get("/keys")
def keys():
    return jsonify(keys=[KEY.as_dict(is_private=False)])


@app.route("/authorize", methods=["GET", "POST"])
def authorize():
    if not knows_user():
        try:
            server.get_consent_grant(end_user=USER)
        except OAuth2Error as error:
            return str(error), 400
        return FORM % ""
    return server.create_authorization_response(grant_user=USER)


@app.route("/device", methods=["GET", "POST"])
def device():
    code = request.values.get("user_code", "")
    for entry in devices.values():
        if knows_user() and entry["user_code"] == code:
            entry["allowed"] = request.form.get("deny") is None
            return "You can close this window"
    return FORM % code


@app.post("/token")
def token():
    return server.create_token_response()


@app.post("/device_authorization")
def device_authorization():
    return server.create_endpoint_response(DeviceEndpoint.ENDPOINT_NAME)


@app.post("/revoke")
def revoke():
    return server.create_endpoint_response(Revocation.ENDPOINT_NAME)


@app.post("/introspect")
def introspect():
    return server.create_endpoint_response(Introspection.ENDPOINT_NAME)


@app.post("/revoke-all")
def revoke_all():
    for token in tokens:
        token.revoked = True
    return ""


@app.get("/userinfo")
@protect()
def userinfo():
    return jsonify(sub=USER.name, scope=current_token.scope)


class Quiet(WSGIRequestHandler):
    def log(self, *arguments):
        pass


http = make_server("127.0.0.1", 0, app, threaded=True, request_handler=Quiet)
print(http.server_port, flush=True)
http.serve_forever()
