"""A person with headless Chromium: opens the address of a sign-in at server.py, logs in as me, allows it.

Argument: the address, as BROWSER passes it. Ends with 1 unless the last page says that the window
can be closed. Speaks the WebDriver protocol with Debian's chromium-driver.
"""
import json
import re
import subprocess
import sys
import tempfile
import time
from urllib.error import HTTPError
from urllib.request import Request, urlopen

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
DEADLINE = time.monotonic() + 60


def call(path, body=None, method="POST"):
    data = None if body is None else json.dumps(body).encode()
    request = Request(base + path, data, {"Content-Type": "application/json"}, method=method)
    with urlopen(request, timeout=60) as answer:
        return json.load(answer)["value"]


def find(selector):
    """The element, as soon as the page has it."""
    while True:
        try:
            found = call("/element", {"using": "css selector", "value": selector})
            return "/element/" + found[ELEMENT]
        except HTTPError:
            if time.monotonic() > DEADLINE:
                raise
            time.sleep(0.1)


def text():
    return call("/execute/sync", {"script": "return document.body.innerText", "args": []})


driver = subprocess.Popen(["/usr/bin/chromedriver", "--port=0"], stdout=subprocess.PIPE, text=True)
try:
    port = next(m[1] for m in (re.search(r"successfully on port (\d+)", line) for line in driver.stdout) if m)
    base = f"http://127.0.0.1:{port}/session"
    arguments = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        arguments.append("--user-data-dir=" + profile)
        options = {"goog:chromeOptions": {"args": arguments}}
        base += "/" + call("", {"capabilities": {"alwaysMatch": options}})["sessionId"]
        try:
            call("/url", {"url": sys.argv[1]})
            call(find("input[name=username]") + "/value", {"text": "me"})
            call(find("input[name=password]") + "/value", {"text": "pw12345"})
            call(find("#log-in") + "/click", {})
            call(find("input[name=allow]") + "/click", {})
            while "You can close this window" not in text():
                if time.monotonic() > DEADLINE:
                    sys.exit(1)
                time.sleep(0.1)
        finally:
            call("", method="DELETE")
finally:
    driver.kill()
