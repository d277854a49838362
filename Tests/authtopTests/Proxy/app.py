"""An app of the tests: app.py good, or the name of the mistake that it makes.

It talks to the address in API_URL, in the sandbox's dialect voltyks.
"""

import http.client
import json
import os
import sys
import threading
import time
import urllib.error
import urllib.parse
import urllib.request

base = os.environ["API_URL"]


def send(path, token=None, body=None):
    """The status of the answer, and its data. A request with a body is a POST."""
    headers = {"User-Agent": "app.py/1", "Content-Type": "application/json"}
    if token:
        headers["Authorization"] = "Bearer " + token
    request = urllib.request.Request(base + path, headers=headers)
    if body is not None:
        request.data = body
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return answer.status, json.load(answer).get("data")
    except urllib.error.HTTPError as error:
        return error.code, None


def log_in():
    body = json.dumps({"email": "user@example.com", "password": "password"}).encode()
    _, pair = send("/api/Auth/Login", body=body)
    return {"access": pair["token"], "refresh": pair["refreshToken"]}


def renew(pair):
    """The next pair, or nothing if the refresh token was refused."""
    status, data = send("/api/Auth/RefreshToken", token=pair["refresh"], body=b"")
    if status == 200:
        return {"access": data["accessToken"], "refresh": data["refreshToken"]}


def use(pair):
    return send("/api/chargers", token=pair["access"])[0]


def good():
    pair = log_in()
    for _ in range(3):
        assert use(pair) == 200
        # Most of the three seconds that a token lives.
        time.sleep(2.4)
        pair = renew(pair)


def race():
    pair = log_in()
    both = [threading.Thread(target=renew, args=(pair,)) for _ in range(2)]
    for thread in both:
        thread.start()
    for thread in both:
        thread.join()


def loop():
    pair = log_in()
    renew(pair)
    # The sandbox ends the family with it.
    renew(pair)
    for _ in range(6):
        use(pair)
        time.sleep(0.4)


def spent():
    pair = log_in()
    renew(pair)
    time.sleep(1)
    renew(pair)


def patient():
    """An app in use: it renews once after a 401, and repeats the request."""
    pair = log_in()
    end = time.time() + 6
    while time.time() < end:
        if use(pair) == 401:
            pair = renew(pair)
            assert use(pair) == 200
        time.sleep(0.3)


def hasty():
    """Two callers, each of which renews for itself after a 401."""
    pair = log_in()

    def caller():
        for _ in range(20):
            if use(pair) == 401:
                renew(pair)
                return
            time.sleep(0.2)

    both = [threading.Thread(target=caller) for _ in range(2)]
    for thread in both:
        thread.start()
    for thread in both:
        thread.join()


def marked():
    """A test suite that names its tests at the control port, and breaks the second one."""
    control = os.environ["AUTHTOP_CONTROL_URL"]

    def post(path, data):
        body = json.dumps(data).encode()
        request = urllib.request.Request(control + path, data=body)
        return json.load(urllib.request.urlopen(request, timeout=60))

    post("/mark", {"test": "keeps me logged in"})
    pair = log_in()
    assert use(pair) == 200
    post("/faults", {"once": "expire"})
    assert use(pair) == 401
    pair = renew(pair)
    assert use(pair) == 200
    state = post("/faults", {"off": "all"})
    assert state["experiments"][0]["verdict"] == "passed", state
    post("/mark", {"test": "renews twice"})
    renew(pair)
    time.sleep(1)
    renew(pair)


def keep_connection():
    """Sends everything over one connection from here on, as most clients do."""
    global send
    host = urllib.parse.urlsplit(base)
    connection = http.client.HTTPConnection(host.hostname, host.port, timeout=60)
    connection.connect()
    # The process at its end is looked for while it is open.
    time.sleep(1)

    def send(path, token=None, body=None):
        headers = {"User-Agent": "app.py/1", "Content-Type": "application/json"}
        if token:
            headers["Authorization"] = "Bearer " + token
        connection.request("GET" if body is None else "POST", host.path + path, body, headers)
        answer = connection.getresponse()
        data = answer.read()
        return answer.status, json.loads(data).get("data") if answer.status < 300 else None


def wait_for(path):
    while not os.path.exists(path):
        time.sleep(0.05)
    with open(path) as file:
        return json.load(file)


def write(path, value):
    with open(path + ".part", "w") as file:
        json.dump(value, file)
    os.rename(path + ".part", path)


def lender():
    """A process that gives its session to another one, and renews it without telling."""
    folder = sys.argv[2]
    keep_connection()
    pair = log_in()
    write(folder + "/lent", pair)
    wait_for(folder + "/used")
    write(folder + "/renewed", renew(pair))
    wait_for(folder + "/spent")


def borrower():
    folder = sys.argv[2]
    keep_connection()
    pair = wait_for(folder + "/lent")
    use(pair)
    write(folder + "/used", 1)
    wait_for(folder + "/renewed")
    time.sleep(1)
    renew(pair)
    write(folder + "/spent", 1)


{"lender": lender, "borrower": borrower, "login": log_in, "patient": patient, "hasty": hasty, "marked": marked, "good": good, "race": race, "loop": loop, "spent": spent}[sys.argv[1]]()
