"""The server far.example, and the proxy by which it is reached: CONNECT leads to the server itself.

Arguments: the files of its certificate and of the key, and its answers as JSON: by path, a status, header
fields and a body. Prints its port, and then each request that it gets.
"""
import http.server
import json
import socketserver
import ssl
import sys

certificate, key, answers = sys.argv[1], sys.argv[2], json.loads(sys.argv[3])
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(certificate, key)


class Handler(http.server.BaseHTTPRequestHandler):
    def do_CONNECT(self):
        self.send_response(200)
        self.end_headers()
        self.wfile.flush()
        print("CONNECT", self.path, flush=True)
        secure = context.wrap_socket(self.connection, server_side=True)
        self.rfile, self.wfile = secure.makefile("rb"), secure.makefile("wb")
        self.handle_one_request()
        self.wfile.flush()
        secure.close()
        self.close_connection = True

    def answer(self):
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        print(self.command, self.path, flush=True)
        status, fields, body = answers.get(self.path, [404, {}, ""])
        body = body if isinstance(body, str) else json.dumps(body)
        self.send_response(status)
        for name, value in fields.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body.encode())

    do_GET = do_POST = answer

    def log_message(self, *_):
        pass


class Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads = True


server = Server(("127.0.0.1", 0), Handler)
print(server.server_address[1], flush=True)
server.serve_forever()
