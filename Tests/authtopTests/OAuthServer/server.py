"""An OAuth 2.0 server that is not ours: django-oauth-toolkit, such as Debian's.

Arguments: where the database goes, how many seconds an access token lives, the port if not any
free one (0), and further settings of the toolkit as JSON. Prints its port. Knows the user me, with
the password pw12345, and these clients: one for the password grant, one for client_credentials, and
the public ones "browser" for authorization codes with PKCE and, from version 3.1 on, "device".
POST /revoke-all ends all sessions, as an administrator does.
"""
import json
import sys
from socketserver import ThreadingMixIn
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

import django
from django.conf import settings

LOGIN = """<!doctype html><title>Log in</title><form method="post">{% csrf_token %}
{{ form.as_p }}<button id="log-in">Log in</button></form>"""


class Server(ThreadingMixIn, WSGIServer):
    daemon_threads = True


class Quiet(WSGIRequestHandler):
    def log_message(self, *arguments):
        pass


port = int(sys.argv[3]) if len(sys.argv) > 3 else 0
server = make_server("127.0.0.1", port, None, Server, Quiet)
sys.modules["server"] = sys.modules[__name__]
settings.configure(
    SECRET_KEY="of no use to anybody" * 3,
    ALLOWED_HOSTS=["127.0.0.1"],
    ROOT_URLCONF="server",
    # It writes the Content-Length.
    MIDDLEWARE=[
        "django.contrib.sessions.middleware.SessionMiddleware",
        "django.middleware.common.CommonMiddleware",
        "django.middleware.csrf.CsrfViewMiddleware",
        "django.contrib.auth.middleware.AuthenticationMiddleware",
    ],
    INSTALLED_APPS=[
        "django.contrib.auth",
        "django.contrib.contenttypes",
        "django.contrib.sessions",
        "oauth2_provider",
    ],
    TEMPLATES=[
        {
            "BACKEND": "django.template.backends.django.DjangoTemplates",
            "OPTIONS": {
                "context_processors": ["django.template.context_processors.request"],
                "loaders": [
                    ("django.template.loaders.locmem.Loader", {"registration/login.html": LOGIN}),
                    "django.template.loaders.app_directories.Loader",
                ],
            },
        }
    ],
    LOGIN_URL="/login",
    DATABASES={
        "default": {
            "ENGINE": "django.db.backends.sqlite3",
            "NAME": sys.argv[1],
            "OPTIONS": {"timeout": 30},
        }
    },
    DEFAULT_AUTO_FIELD="django.db.models.AutoField",
    USE_TZ=True,
    OAUTH2_PROVIDER={
        "ACCESS_TOKEN_EXPIRE_SECONDS": int(sys.argv[2]),
        "SCOPES": {"read": "read"},
        "OAUTH_DEVICE_VERIFICATION_URI": f"http://127.0.0.1:{server.server_port}/o/device/",
        **(json.loads(sys.argv[4]) if len(sys.argv) > 4 else {}),
    },
)
django.setup()

from django.contrib.auth.models import User
from django.contrib.auth.views import LoginView
from django.core.management import call_command
from django.core.wsgi import get_wsgi_application
from django.http import HttpResponse, JsonResponse
from django.urls import include, path
from django.views.decorators.csrf import csrf_exempt
from oauth2_provider.models import Application, RefreshToken
from oauth2_provider.views.generic import ProtectedResourceView


class Me(ProtectedResourceView):
    def get(self, request):
        return JsonResponse({"me": str(request.resource_owner)})


@csrf_exempt
def revoke_all(request):
    for token in RefreshToken.objects.filter(revoked=None):
        token.revoke()
    return HttpResponse()


urlpatterns = [
    path("o/", include("oauth2_provider.urls", namespace="oauth2_provider")),
    path("me", Me.as_view()),
    path("revoke-all", revoke_all),
    path("login", LoginView.as_view()),
]


call_command("migrate", verbosity=0)
user = User.objects.create_user("me", password="pw12345")
for grant in (Application.GRANT_PASSWORD, Application.GRANT_CLIENT_CREDENTIALS):
    Application.objects.create(
        name=grant,
        client_id=grant,
        client_secret="s3cr3t-of-" + grant,
        client_type=Application.CLIENT_CONFIDENTIAL,
        authorization_grant_type=grant,
        user=user,
    )
Application.objects.create(
    name="browser",
    client_id="browser",
    client_type=Application.CLIENT_PUBLIC,
    authorization_grant_type=Application.GRANT_AUTHORIZATION_CODE,
    redirect_uris="http://127.0.0.1/callback",
    user=user,
)
if hasattr(Application, "GRANT_DEVICE_CODE"):
    Application.objects.create(
        name="device",
        client_id="device",
        client_type=Application.CLIENT_PUBLIC,
        authorization_grant_type=Application.GRANT_DEVICE_CODE,
        user=user,
    )
server.set_app(get_wsgi_application())
print(server.server_port, flush=True)
server.serve_forever()
