"""A person with an account at glewlwyd.py, who uses its API as its pages do.

Arguments: sign-in and the address of a sign-in, which is allowed; or revoke and the address of the
API, which ends all sessions. Ends with 1 if something is refused.
"""
import json
import sys
from http.cookiejar import CookieJar
from urllib.parse import urlsplit
from urllib.request import HTTPCookieProcessor, Request, build_opener

address = urlsplit(sys.argv[2])
base = f"{address.scheme}://{address.netloc}/api"
browser = build_opener(HTTPCookieProcessor(CookieJar()))


def call(method, path, body=None):
    data = None if body is None else json.dumps(body).encode()
    request = Request(base + path, data, {"Content-Type": "application/json"}, method=method)
    return browser.open(request, timeout=60).read()


call("POST", "/auth/", {"username": "me", "password": "pw12345"})
if sys.argv[1] == "sign-in":
    call("PUT", "/auth/grant/authtop", {"scope": "openid"})
    page = browser.open(sys.argv[2] + "&g_continue", timeout=60).read().decode()
    sys.exit("You can close this window" not in page)
for token in json.loads(call("GET", "/oidc/token")):
    if token["enabled"]:
        call("DELETE", "/oidc/token/" + token["token_hash"])
