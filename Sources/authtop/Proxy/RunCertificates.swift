import Basics
import Client
import FoundationEssentials
import Model
import Platform
import Profiles
import Proxy

/// The certificates that a program trusts while a forward proxy runs beside it: those that it trusted
/// before, and the authority of the run.
///
/// They are in two files, one of them for Java, of mode 0600, which are removed when the run ends; the
/// key of the authority is in no file.
struct RunCertificates {
    /// The files with the system's authorities, of Debian, Fedora, SUSE and Alpine.
    private static let systemFiles = [
        "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt",
        "/etc/ssl/ca-bundle.pem", "/etc/ssl/cert.pem",
    ]
    /// The variables that name a file in place of the system's authorities.
    private static let bundles = [
        "SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "PIP_CERT", "GIT_SSL_CAINFO",
        "AWS_CA_BUNDLE", "DENO_CERT", "CARGO_HTTP_CAINFO", "HTTPLIB2_CA_CERTS",
        "CLOUDSDK_CORE_CUSTOM_CA_CERTS_FILE", "GRPC_DEFAULT_SSL_ROOTS_FILE_PATH",
    ]
    /// The one that names a file beside the authorities that Node brings.
    private static let addition = "NODE_EXTRA_CA_CERTS"
    private static let java = "JAVA_TOOL_OPTIONS"
    private static let limit = 8 << 20

    private let authority: LocalAuthority
    private let hosts: ForwardedHosts
    /// The files of certificates besides those of the system.
    private let sources: [String]
    private let javaOptions: String?
    private let files: AuthorityFiles

    /// - Parameters:
    ///   - authority: Of the run.
    ///   - hosts: Those that it vouches for.
    ///   - caFile: Certificates that the proxy trusts, and its programs, too.
    ///   - variables: The environment, which may name files that programs trust.
    ///   - files: Where to write.
    init(
        of authority: LocalAuthority,
        for hosts: ForwardedHosts,
        beside caFile: String?,
        in variables: [String: String],
        to files: AuthorityFiles
    ) {
        self.authority = authority
        self.hosts = hosts
        self.files = files
        let named = (Self.bundles + [Self.addition]).compactMap { variables[$0] }
        sources = named + [caFile].compactMap(\.self)
        javaOptions = variables[Self.java]
    }

    var path: String { files.path(of: .pem) }

    /// Writes the files.
    ///
    /// - Throws: `CommandFailure` if one cannot be written.
    func write() throws(CommandFailure) {
        let system = Self.systemFiles.lazy.compactMap(Self.text).first
        let texts =
            [authority.certificatePEM] + Set(sources).sorted().compactMap(Self.text)
            + [system].compactMap(\.self)
        do {
            let store = try TrustStore.bytes(of: texts)
            try files.write(Array(texts.joined(separator: "\n").utf8), to: .pem)
            try files.write(store, to: .keyStore)
        } catch let problem as VaultProblem {
            throw CommandFailure(.badInput, "--forward: \(problem.message)")
        } catch {
            throw CommandFailure(.badInput, "--forward: the certificates could not be written")
        }
    }

    func remove() {
        try? files.removeRun()
    }

    private static func text(of path: String) -> String? {
        guard let data = try? Data(contentsOf: URL(fileURLWithPath: path)), data.count <= limit
        else {
            return nil
        }
        return String(decoding: data, as: UTF8.self)
    }

    /// The variables by which a program uses a forward proxy, and trusts it.
    func variables(of proxy: BackendOrigin) -> [String: String] {
        let files = (Self.bundles + [Self.addition, "AUTHTOP_CA_FILE"]).map { ($0, path) }
        var variables = Dictionary(uniqueKeysWithValues: files)
        for name in ["HTTPS_PROXY", "HTTP_PROXY"] { variables[name] = proxy.description }
        variables["NO_PROXY"] = (hosts.areLocal ? ["127.0.0.1", "::1"] : Self.local)
            .joined(separator: ",")
        // Some programs read the one, some the other.
        for (name, value) in variables where name.ends(with: "_PROXY") {
            variables[name.asciiLowercased] = value
        }
        // Node reads the proxy from 22.21 and 24 on, and only if it is told so.
        variables["NODE_USE_ENV_PROXY"] = "1"
        variables[Self.java] = options(of: proxy)
        return variables
    }

    /// This machine, which is not reached through the proxy unless it is named.
    private static let local = ["localhost", "127.0.0.1", "::1"]

    /// The properties of Java, after those that it had.
    private func options(of proxy: BackendOrigin) -> String {
        let authority = RequestHost(proxy.authority)
        var properties = [
            "javax.net.ssl.trustStore=\(files.path(of: .keyStore))",
            "javax.net.ssl.trustStoreType=PKCS12",
            "http.nonProxyHosts=\(hosts.areLocal ? "" : "localhost|127.*|[::1]")",
        ]
        for scheme in ["http", "https"] {
            properties.append("\(scheme).proxyHost=\(authority?.name ?? "")")
            properties.append("\(scheme).proxyPort=\(proxy.port)")
        }
        return ([javaOptions].compactMap(\.self) + properties.map { "\"-D\($0)\"" })
            .joined(separator: " ")
    }
}
