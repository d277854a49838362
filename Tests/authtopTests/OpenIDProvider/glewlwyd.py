"""An OpenID provider that is not ours, as Debian has it: Glewlwyd, with a database of its own.

Arguments: how many seconds an access token lives, and a folder for its files. Prints its port. Knows
the user me, with the password pw12345, and the confidential client "authtop" with the secret
s3cr3t-of-authtop, for authorization codes with PKCE and for devices. Every refresh token is of use
once. Glewlwyd ends with this program.
"""
import ctypes
import json
import signal
import socket
import sqlite3
import subprocess
import sys
import time
from http.cookiejar import CookieJar
from urllib.error import HTTPError, URLError
from urllib.request import HTTPCookieProcessor, Request, build_opener

LIFETIME, FOLDER, REDIRECT = int(sys.argv[1]), sys.argv[2], int(sys.argv[3])
SCHEMA = "/usr/share/dbconfig-common/data/glewlwyd/install/sqlite3"
with socket.socket() as probe:
    probe.bind(("127.0.0.1", 0))
    port = probe.getsockname()[1]
base = f"http://127.0.0.1:{port}"

with open(SCHEMA) as file, sqlite3.connect(FOLDER + "/glewlwyd.sqlite3") as database:
    database.executescript(file.read())
with open(FOLDER + "/glewlwyd.conf", "w") as file:
    file.write(
        f"""port={port}
bind_address="127.0.0.1"
external_url="{base}"
login_url="login.html"
api_prefix="api"
log_mode="file"
log_level="WARNING"
log_file="{FOLDER}/glewlwyd.log"
cookie_secure=0
session_expiration=3600
session_key="GLEWLWYD2_SESSION_ID"
admin_session_authentication="cookie"
profile_session_authentication="cookie"
allow_multiple_user_per_session=true
login_api_enabled=true
admin_scope="g_admin"
profile_scope="g_profile"
user_module_path="/usr/lib/glewlwyd/user"
client_module_path="/usr/lib/glewlwyd/client"
user_auth_scheme_module_path="/usr/lib/glewlwyd/scheme"
plugin_module_path="/usr/lib/glewlwyd/plugin"
hash_algorithm="SHA512"
database={{ type="sqlite3" path="{FOLDER}/glewlwyd.sqlite3" }}
"""
    )
key = subprocess.run(
    ["openssl", "ecparam", "-genkey", "-name", "prime256v1", "-noout"], capture_output=True, check=True
).stdout
public = subprocess.run(["openssl", "ec", "-pubout"], input=key, capture_output=True, check=True).stdout
server = subprocess.Popen(
    ["/usr/bin/glewlwyd", "--config-file=" + FOLDER + "/glewlwyd.conf"],
    stdout=sys.stderr,
    # PR_SET_PDEATHSIG: it ends when this program is ended.
    preexec_fn=lambda: ctypes.CDLL(None).prctl(1, signal.SIGTERM),
)
browser = build_opener(HTTPCookieProcessor(CookieJar()))


def call(method, path, body):
    data = json.dumps(body).encode()
    request = Request(base + "/api" + path, data, {"Content-Type": "application/json"}, method=method)
    try:
        return browser.open(request, timeout=30).read()
    except HTTPError as error:
        sys.exit(f"{method} {path}: {error.code} {error.read().decode()[:500]}")


try:
    deadline = time.monotonic() + 60
    while True:
        try:
            browser.open(base + "/config", timeout=30)
            break
        except HTTPError:
            break
        except URLError:
            if time.monotonic() > deadline or server.poll() is not None:
                raise
            time.sleep(0.05)
    call("POST", "/auth/", {"username": "admin", "password": "password"})
    call(
        "POST",
        "/mod/plugin/",
        {
            "module": "oidc",
            "name": "oidc",
            "display_name": "OpenID",
            "order_rank": 0,
            "readonly": False,
            "parameters": {
                "iss": base + "/api/oidc",
                "jwt-type": "ecdsa",
                "jwt-key-size": "256",
                "key": key.decode(),
                "cert": public.decode(),
                "access-token-duration": LIFETIME,
                "refresh-token-duration": 3600,
                "code-duration": 60,
                "refresh-token-rolling": True,
                "refresh-token-one-use": "always",
                "allow-non-oidc": True,
                "auth-type-code-enabled": True,
                "auth-type-token-enabled": False,
                "auth-type-id-token-enabled": True,
                "auth-type-none-enabled": False,
                "auth-type-password-enabled": False,
                "auth-type-client-enabled": True,
                "auth-type-device-enabled": True,
                "auth-type-refresh-enabled": True,
                "device-authorization-expiration": 600,
                "device-authorization-interval": 1,
                "scope": [],
                "additional-parameters": [],
                "claims": [],
                "pkce-allowed": True,
                "pkce-required": True,
                "pkce-method-plain-allowed": False,
                "pkce-scopes": [],
                "introspection-revocation-allowed": True,
                "introspection-revocation-allow-target-client": True,
                "introspection-revocation-auth-scope": [],
                "allowed-scope": ["openid"],
                "jwks-show": True,
                "subject-type": "public",
                "name-claim": "on-demand",
                "name-claim-scope": [],
                "email-claim": "no",
                "email-claim-scope": [],
                "scope-claim": "no",
                "scope-claim-scope": [],
                "address-claim": {"type": "no"},
                "oauth-as-iss-id": True,
            },
        },
    )
    call(
        "POST",
        "/user/",
        {"username": "me", "name": "Me", "password": "pw12345", "scope": ["openid"], "enabled": True},
    )
    call(
        "POST",
        "/client/",
        {
            "client_id": "authtop",
            "name": "authtop",
            "confidential": True,
            "client_secret": "s3cr3t-of-authtop",
            "token_endpoint_auth_method": ["client_secret_basic"],
            "redirect_uri": [f"http://127.0.0.1:{REDIRECT}/callback"],
            "authorization_type": ["code", "refresh_token", "device_authorization", "client_credentials"],
            "scope": [],
            "enabled": True,
        },
    )
    print(port, flush=True)
    server.wait()
finally:
    server.terminate()
    server.wait()
