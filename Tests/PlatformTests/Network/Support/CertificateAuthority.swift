import Foundation
import NIOSSL

/// A certificate authority and a server's certificate for 127.0.0.1, made by the openssl command.
struct CertificateAuthority {
    /// In days from now.
    typealias Validity = ClosedRange<Double>

    let caFile: String
    let server: NIOSSLContext
    /// Of a server that selects HTTP/2.
    let http2: NIOSSLContext
    /// Of a server whose certificate is its own issuer.
    let selfSigned: NIOSSLContext
    /// Of a server that speaks no TLS above 1.1.
    let outdated: NIOSSLContext
    /// Of a server that demands a certificate of this authority.
    let demanding: NIOSSLContext
    /// The hash of the server's public key, by openssl.
    let pin: String
    /// A client's certificate and key.
    let client: (certificate: String, key: String)

    /// Makes them, as long as `body` runs.
    ///
    /// - Parameters:
    ///   - names: Those that the server's certificate is for, as openssl writes them.
    ///   - validity: Of the server's certificate.
    ///   - issuerValidity: Of the authority's own, which the server shows too.
    ///   - body: Gets them.
    /// - Returns: The result of `body`.
    /// - Throws: Any error that `body` throws.
    static func with<Value>(
        names: String = "IP:127.0.0.1,DNS:localhost",
        validity: Validity = -1...2,
        issuerValidity: Validity = -1...2,
        _ body: (CertificateAuthority) async throws -> Value
    ) async throws -> Value {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("authtop-ca-\(UUID().uuidString)", isDirectory: true)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        return try await body(
            await CertificateAuthority(in: folder, names, validity, issuerValidity)
        )
    }

    private init(
        in folder: URL,
        _ names: String,
        _ validity: Validity,
        _ issuerValidity: Validity
    ) async throws {
        func path(_ name: String) -> String { folder.appendingPathComponent(name).path }
        let settings =
            "[ca]\ndefault_ca = it\n[it]\ndatabase = \(path("index"))\nunique_subject = no\n"
            + "new_certs_dir = \(folder.path)\nrand_serial = yes\ndefault_md = sha256\n"
            + "policy = any\ncopy_extensions = copyall\n[any]\ncommonName = supplied\n"
        try Data().write(to: folder.appendingPathComponent("index"))
        try Data(settings.utf8).write(to: folder.appendingPathComponent("settings"))
        let key = "-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes"
        func sign(_ name: String, _ validity: Validity, _ issuer: String) async throws {
            try await Self.openssl(
                "ca -batch -notext -config \(path("settings")) \(issuer) "
                    + "-startdate \(Self.time(validity.lowerBound)) "
                    + "-enddate \(Self.time(validity.upperBound)) "
                    + "-in \(path(name)).csr -out \(path(name)).pem"
            )
        }
        try await Self.openssl(
            "req \(key) -subj /CN=authority -addext basicConstraints=critical,CA:TRUE "
                + "-keyout \(path("ca.key")) -out \(path("ca.csr"))"
        )
        try await sign("ca", issuerValidity, "-selfsign -keyfile \(path("ca.key"))")
        try await Self.openssl(
            "req \(key) -subj /CN=server -addext subjectAltName=\(names) "
                + "-addext basicConstraints=critical,CA:FALSE "
                + "-keyout \(path("server.key")) -out \(path("server.csr"))"
        )
        let issuer = "-cert \(path("ca.pem")) -keyfile \(path("ca.key"))"
        try await sign("server", validity, issuer)
        try await Self.openssl(
            "req -x509 -key \(path("server.key")) -subj /CN=server -days 2 "
                + "-addext subjectAltName=\(names) -out \(path("self.pem"))"
        )
        try await Self.openssl(
            "req \(key) -subj /CN=client -addext basicConstraints=critical,CA:FALSE "
                + "-keyout \(path("client.key")) -out \(path("client.csr"))"
        )
        try await sign("client", -1...2, issuer)
        try await Self.openssl(
            "pkey -in \(path("server.key")) -pubout -outform DER "
                + "| openssl dgst -sha256 -binary | openssl base64 -A -out \(path("pin"))"
        )
        pin = "sha256/" + (try String(contentsOfFile: path("pin"), encoding: .utf8))
        client = (path("client.pem"), path("client.key"))
        caFile = path("ca.pem")
        let privateKey = try NIOSSLPrivateKey(file: path("server.key"), format: .pem)
        func configuration(_ chain: String...) throws -> TLSConfiguration {
            .makeServerConfiguration(
                certificateChain: try chain.flatMap { try NIOSSLCertificate.fromPEMFile(path($0)) }
                    .map { .certificate($0) },
                privateKey: .privateKey(privateKey)
            )
        }
        var old = try configuration("server.pem")
        old.minimumTLSVersion = .tlsv1
        old.maximumTLSVersion = .tlsv11
        var strict = try configuration("server.pem", "ca.pem")
        strict.certificateVerification = .noHostnameVerification
        strict.trustRoots = .file(caFile)
        demanding = try NIOSSLContext(configuration: strict)
        server = try NIOSSLContext(configuration: configuration("server.pem", "ca.pem"))
        var modern = try configuration("server.pem", "ca.pem")
        modern.applicationProtocols = ["h2"]
        http2 = try NIOSSLContext(configuration: modern)
        selfSigned = try NIOSSLContext(configuration: configuration("self.pem"))
        outdated = try NIOSSLContext(configuration: old)
    }

    /// As `openssl ca` takes it.
    private static func time(_ days: Double) -> String {
        let text = Date(timeIntervalSinceNow: days * 86_400).formatted(.iso8601)
        return text.filter(\.isNumber) + "Z"
    }

    private struct OpenSSLFailed: Error {
        var arguments: String
        var status: Int32
    }

    /// Waits on a thread of its own: the tests have as few as there are cores.
    ///
    /// Not by Foundation's `Process`, which reads the list of open files while other tests open and
    /// close theirs, and was seen to crash in that.
    private static func openssl(_ arguments: String) async throws {
        let status = await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                continuation.resume(returning: system("openssl \(arguments) >/dev/null 2>&1"))
            }
        }
        guard status == 0 else { throw OpenSSLFailed(arguments: arguments, status: status) }
    }
}
