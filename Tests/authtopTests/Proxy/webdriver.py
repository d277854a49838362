"""Headless Chromium, by the WebDriver protocol and Debian's chromium-driver."""

import contextlib
import json
import re
import subprocess
import sys
import tempfile
import time
from urllib.request import Request, urlopen

base = ""


def call(path, body=None, method="POST"):
    data = None if body is None else json.dumps(body).encode()
    request = Request(base + path, data, {"Content-Type": "application/json"}, method=method)
    with urlopen(request, timeout=60) as answer:
        return json.load(answer)["value"]


def run(script):
    """Runs a script in the tab, and waits for what it promises."""
    wrapped = f"const end = arguments[0]; Promise.resolve((async () => {{ {script} }})()).then(end)"
    return call("/execute/async", {"script": wrapped, "args": []})


def wait(script):
    end = time.monotonic() + 60
    while not run(f"return {script}"):
        if time.monotonic() > end:
            sys.exit(f"never came: {script}")
        time.sleep(0.1)


@contextlib.contextmanager
def chromium(*more):
    """Runs a browser with a profile of its own, and with more arguments."""
    global base
    for _ in range(20):
        driver = subprocess.Popen(
            ["/usr/bin/chromedriver", "--port=0"], stdout=subprocess.PIPE, text=True)
        found = (re.search(r"successfully on port (\d+)", line) for line in driver.stdout)
        # It ends if the port that it finds for IPv4 is taken for IPv6.
        if match := next((match for match in found if match), None):
            break
        driver.wait()
    try:
        base = f"http://127.0.0.1:{match[1]}/session"
        arguments = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
            arguments += ["--user-data-dir=" + profile, *more]
            options = {"goog:chromeOptions": {"args": arguments}}
            base += "/" + call("", {"capabilities": {"alwaysMatch": options}})["sessionId"]
            try:
                yield
            finally:
                call("", method="DELETE")
    finally:
        driver.terminate()
        driver.wait()
