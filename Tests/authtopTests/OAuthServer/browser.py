"""A person with a browser: opens the address of a sign-in at server.py, logs in as me, allows it.

Arguments: the address, and the code that a device shows, if it is the sign-in of one. Ends with 1
unless the last page says that the window can be closed, or that the device is authorized.
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
if len(sys.argv) > 2:
    page, html = submit(page, html, user_code=sys.argv[2])
    page, html = submit(page, html, action="accept")
elif "allow" in html:
    page, html = submit(page, html, allow="Authorize")
sys.exit("You can close this window" not in html and "uthorized" not in html)
