"""A person with a browser: opens the address of a sign-in at server.py, logs in as me, allows it.

Argument: the address. Ends with 1 unless the last page says that the window can be closed.
"""
import re
import sys
from html import unescape
from http.cookiejar import CookieJar
from urllib.parse import urlencode, urljoin
from urllib.request import HTTPCookieProcessor, build_opener

browser = build_opener(HTTPCookieProcessor(CookieJar()))


def submit(page, html, **typed):
    """Sends the form of a page with its own values and what is typed."""
    fields = {}
    for tag in re.findall(r"<input[^>]*>", html):
        name = re.search(r'name="([^"]*)"', tag)
        value = re.search(r'value="([^"]*)"', tag)
        if name:
            fields[unescape(name[1])] = unescape(value[1]) if value else ""
    fields.update(typed)
    answer = browser.open(page, urlencode(fields).encode())
    return answer.url, answer.read().decode()


answer = browser.open(sys.argv[1])
page, html = answer.url, answer.read().decode()
page, html = submit(page, html, username="me", password="pw12345")
if "allow" in html:
    page, html = submit(page, html, allow="Authorize")
sys.exit("You can close this window" not in html)
