import Foundation
import Glibc
import TestSupport
import Testing

@Suite("authtop proxy before backends that are not ours", .programs)
struct RealBackendTests {
    /// A client of django-oauth-toolkit, with Python's requests.
    private static let client = """
        import os, sys, requests

        url = os.environ["API_URL"]
        me = ("password", "s3cr3t-of-password")

        def token(**fields):
            answer = requests.post(url + "/o/token/", data=fields, auth=me)
            return answer.status_code, answer.json()

        def use(pair):
            head = {"Authorization": "Bearer " + pair["access_token"]}
            return requests.get(url + "/me", headers=head).status_code

        status, first = token(grant_type="password", username="me", password="pw12345")
        assert status == 200 and use(first) == 200
        status, second = token(grant_type="refresh_token", refresh_token=first["refresh_token"])
        assert status == 200 and use(second) == 200
        if sys.argv[1] == "spent":
            # Long after the answer: it was not in progress.
            import time
            time.sleep(2)
            status, _ = token(grant_type="refresh_token", refresh_token=first["refresh_token"])
            assert status == 400
        else:
            data = {"token": second["refresh_token"]}
            assert requests.post(url + "/o/revoke_token/", data=data, auth=me).status_code == 200
        """

    @Test(
        "django-oauth-toolkit: a client that keeps what it gets has no bug; one that does not is named",
        .enabled("python3-django-oauth-toolkit or python3-requests is not installed") {
            await Program.pythonHas("oauth2_provider, requests")
        },
        arguments: [("good", Int32(0)), ("spent", 1)]
    )
    func toolkit(mode: String, code: Int32) async throws {
        try await withBench { bench in
            let server = try await bench.oauthServer(lifetime: 120)
            let script = try bench.write(Self.client, to: "client.py")
            let program = try bench.authtop([
                "proxy", "--to", "http://127.0.0.1:\(server.port)", "--port", "0", "--env",
                "API_URL", "--exec", "\(Program.python) '\(script)' \(mode)",
            ])
            #expect(try await program.ended() == .exit(code), "\(program.errors.text)")
            let bugs = program.errors.lines.filter { $0.hasPrefix("bug ") }
            #expect(
                bugs.map { $0.split(separator: " ")[1] }
                    == (mode == "spent" ? ["spent-refresh"] : [])
            )
            #expect(!program.errors.text.contains("s3cr3t-of-"))
        }
    }

    private static let nginx = "/usr/sbin/nginx"

    @Test(
        "nginx with TLS, while the app uses TLS too",
        .enabled("nginx is not installed") {
            FileManager.default.isExecutableFile(atPath: nginx)
        },
        arguments: [("good", Int32(0)), ("race", 1)]
    )
    func secure(app: String, code: Int32) async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox(
                "--reuse",
                "strict-revoke",
                "--access-ttl",
                "3s",
                "--faults",
                "delay:refresh:seconds=0.3"
            )
            let folder = bench.home + "/nginx"
            try await Program.shell(
                "mkdir -p \(folder) && cd \(folder) && openssl req -x509 -newkey ec -pkeyopt "
                    + "ec_paramgen_curve:P-256 -nodes -subj /CN=localhost -days 2 -addext "
                    + "subjectAltName=DNS:localhost -keyout key.pem -out certificate.pem"
            )
            // Below the ports that the system gives to others meanwhile.
            let port = Int.random(in: 15_000..<20_000)
            let settings = try bench.write(
                """
                daemon off; master_process off; pid \(folder)/nginx.pid;
                error_log \(folder)/nginx.log;
                events {}
                http {
                    access_log off;
                    client_body_temp_path \(folder)/body; proxy_temp_path \(folder)/proxy;
                    fastcgi_temp_path \(folder)/fastcgi; uwsgi_temp_path \(folder)/uwsgi;
                    scgi_temp_path \(folder)/scgi;
                    gzip on; gzip_types application/json; gzip_min_length 1;
                    server {
                        listen 127.0.0.1:\(port) ssl http2;
                        ssl_certificate \(folder)/certificate.pem;
                        ssl_certificate_key \(folder)/key.pem;
                        location / { proxy_pass http://127.0.0.1:\(sandbox.port); }
                    }
                }
                """,
                to: "nginx/nginx.conf"
            )
            _ = bench.keep(try Program(Self.nginx, ["-e", folder + "/nginx.log", "-c", settings]))
            try await eventually("port \(port) answers") {
                (try? LoopbackSocket.connect(to: port)).map { close($0) }
            }
            let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
                .appendingPathComponent("app.py").path
            let program = try bench.authtop([
                "proxy", "--to", "https://localhost:\(port)/voltyks", "--ca-file",
                folder + "/certificate.pem", "--tls", "--port", "0", "--env", "API_URL", "--exec",
                "SSL_CERT_FILE=\"$AUTHTOP_CA_FILE\" \(Program.python) '\(script)' \(app)",
            ])
            #expect(try await program.ended() == .exit(code), "\(program.errors.text)")
            let bugs = program.errors.lines.filter { $0.hasPrefix("bug   race") }
            #expect(bugs.count == Int(code), "\(program.errors.text)")
        }
    }
}
