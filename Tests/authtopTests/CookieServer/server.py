"""The backend of a web page that keeps its tokens in cookies: Django, with Django's own protection
against CSRF (double submit), which the refresh and the logout demand.

Arguments: how many seconds an access token lives, and the port if not any free one. Prints its
port, and the port of its feed, of the package websockets, which demands the same protection. Knows
the user me, with the password pw12345. A refresh token is good for one use. POST /end forgets all
sessions, as an administrator would.
"""
import asyncio
import json
import queue
import secrets
import sys
import threading
import time
from http import HTTPStatus
from http.cookies import SimpleCookie
from socketserver import ThreadingMixIn
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

import django
from django.conf import settings

sys.modules["server"] = sys.modules[__name__]
settings.configure(
    SECRET_KEY="of no use to anybody" * 3,
    ALLOWED_HOSTS=["127.0.0.1"],
    ROOT_URLCONF="server",
    CSRF_FAILURE_VIEW="server.forbidden",
    MIDDLEWARE=[
        "django.middleware.common.CommonMiddleware",
        "django.middleware.csrf.CsrfViewMiddleware",
    ],
    USE_TZ=True,
)
django.setup()

from django.core.wsgi import get_wsgi_application
from django.http import HttpResponse, JsonResponse
from django.middleware.csrf import rotate_token
from django.urls import path
from django.views.decorators.csrf import csrf_exempt

LIFETIME = int(sys.argv[1])
lock = threading.Lock()
# When each access token ends, and which refresh tokens are unused.
access_tokens, refresh_tokens = {}, set()


def issue(request):
    access, refresh = secrets.token_urlsafe(24), secrets.token_urlsafe(24)
    with lock:
        access_tokens[access] = time.monotonic() + LIFETIME
        refresh_tokens.add(refresh)
    rotate_token(request)
    response = JsonResponse({"user": "me"})
    response.set_cookie("access_token", access, max_age=LIFETIME, httponly=True)
    response.set_cookie("refresh_token", refresh, max_age=3600, httponly=True, path="/api/auth/")
    return response


def spend(request):
    """Whether the refresh token was good, which it is no longer."""
    token = request.COOKIES.get("refresh_token", "")
    with lock:
        known = token in refresh_tokens
        refresh_tokens.discard(token)
    return known


def refused():
    return JsonResponse({"detail": "The session is over"}, status=401)


def forbidden(request, reason=""):
    return JsonResponse({"detail": f"CSRF Failed: {reason}"}, status=403)


@csrf_exempt
def login(request):
    given = json.loads(request.body)
    if given != {"username": "me", "password": "pw12345"}:
        return JsonResponse({"detail": "Wrong password"}, status=400)
    return issue(request)


def refresh(request):
    return issue(request) if spend(request) else refused()


def logout(request):
    if not spend(request):
        return refused()
    response = HttpResponse(status=204)
    response.delete_cookie("access_token")
    response.delete_cookie("refresh_token", path="/api/auth/")
    return response


def is_live(access_token):
    with lock:
        return time.monotonic() < access_tokens.get(access_token, 0)


def me(request):
    token = request.COOKIES.get("access_token", "")
    return JsonResponse({"user": "me"}) if is_live(token) else refused()


def check_feed(path, headers):
    cookies = {name: morsel.value for name, morsel in SimpleCookie(headers.get("Cookie", "")).items()}
    if headers.get("X-CSRFToken") != cookies.get("csrftoken", "none"):
        return HTTPStatus.FORBIDDEN, [], b"CSRF Failed"
    return None if is_live(cookies.get("access_token", "")) else (HTTPStatus.UNAUTHORIZED, [], b"The session is over")


async def send_messages(socket):
    for number in range(1, 10**6):
        await socket.send(json.dumps({"seq": number}))
        await asyncio.sleep(0.5)


def serve_feed(ports):
    from websockets.legacy.server import serve

    async def run():
        async with serve(send_messages, "127.0.0.1", 0, process_request=check_feed) as feed:
            ports.put(feed.sockets[0].getsockname()[1])
            await asyncio.Future()

    asyncio.run(run())


@csrf_exempt
def end(request):
    with lock:
        access_tokens.clear()
        refresh_tokens.clear()
    return HttpResponse(status=204)


urlpatterns = [
    path("api/auth/login/", login),
    path("api/auth/refresh/", refresh),
    path("api/auth/logout/", logout),
    path("api/me/", me),
    path("end", end),
]


class Server(ThreadingMixIn, WSGIServer):
    daemon_threads = True


class Quiet(WSGIRequestHandler):
    def log_message(self, *arguments):
        pass


port = int(sys.argv[2]) if len(sys.argv) > 2 else 0
server = make_server("127.0.0.1", port, get_wsgi_application(), Server, Quiet)
print(server.server_port, flush=True)
feed_ports = queue.Queue()
threading.Thread(target=serve_feed, args=(feed_ports,), daemon=True).start()
print(feed_ports.get(), flush=True)
server.serve_forever()
