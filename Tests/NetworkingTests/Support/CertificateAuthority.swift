import Foundation
import NIOSSL

/// A certificate authority and a server's certificate for 127.0.0.1, made by the openssl command.
struct CertificateAuthority {
    let caFile: String
    let server: NIOSSLContext

    /// `names` are those the server's certificate is for, as openssl writes them.
    static func with<Value>(
        names: String = "IP:127.0.0.1,DNS:localhost",
        _ body: (CertificateAuthority) async throws -> Value
    ) async throws -> Value {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("authtop-ca-\(UUID().uuidString)", isDirectory: true)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        return try await body(await CertificateAuthority(in: folder, names: names))
    }

    private init(in folder: URL, names: String) async throws {
        func path(_ name: String) -> String { folder.appendingPathComponent(name).path }
        let key = "-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2"
        try await Self.openssl(
            "req -x509 \(key) -subj /CN=authority -keyout \(path("ca.key")) -out \(path("ca.pem"))"
        )
        try await Self.openssl(
            "req -x509 \(key) -subj /CN=server -addext subjectAltName=\(names) "
                + "-addext basicConstraints=critical,CA:FALSE "
                + "-CA \(path("ca.pem")) -CAkey \(path("ca.key")) "
                + "-keyout \(path("server.key")) -out \(path("server.pem"))"
        )
        caFile = path("ca.pem")
        let chain = try NIOSSLCertificate.fromPEMFile(path("server.pem"))
        server = try NIOSSLContext(
            configuration: .makeServerConfiguration(
                certificateChain: chain.map { .certificate($0) },
                privateKey: .privateKey(NIOSSLPrivateKey(file: path("server.key"), format: .pem))
            )
        )
    }

    private struct OpenSSLFailed: Error {
        var arguments: String
        var status: Int32
    }

    /// Waits without blocking the thread, of which the tests have as few as there are cores.
    private static func openssl(_ arguments: String) async throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["openssl"] + arguments.split(separator: " ").map(String.init)
        process.standardError = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        let (statuses, status) = AsyncStream.makeStream(of: Int32.self)
        process.terminationHandler = { status.yield($0.terminationStatus) }
        try process.run()
        for await status in statuses {
            guard status == 0 else { throw OpenSSLFailed(arguments: arguments, status: status) }
            return
        }
    }
}
