"""Headless Chromium, and a proxy that speaks TLS.

trust.py trusting       has Chromium trust the authority in AUTHTOP_CA_FILE, as `authtop proxy ca` says
trust.py doubting       does not

Opens API_URL by the address and by names, and prints each host with what came of it.
"""

import os
import re
import subprocess
import sys
from webdriver import call, chromium, run

if sys.argv[1] == "trusting":
    database = os.environ["HOME"] + "/.pki/nssdb"
    os.makedirs(database)
    certutil = ["/usr/bin/certutil", "-d", "sql:" + database]
    subprocess.run([*certutil, "-N", "--empty-password"], check=True)
    subprocess.run(
        [*certutil, "-A", "-t", "C,,", "-n", "authtop", "-i", os.environ["AUTHTOP_CA_FILE"]],
        check=True)
with chromium():
    for host in ["127.0.0.1", "localhost", "authtop.localhost"]:
        call("/url", {"url": os.environ["API_URL"].replace("127.0.0.1", host) + "/x"})
        refusal = re.search(r"ERR_[A-Z_]+", run("return document.body.innerText"))
        print(host, refusal[0] if refusal else run("return (await fetch('/x')).status"))
