import Basics
import Platform
import Profiles
import Proxy

/// The address at which a program that was started with a token gets the current one.
///
/// Its path is a secret of the run; what is asked by another user, by a page in a browser, or under a
/// name that is none of this machine, is refused before (`ControlServer`).
struct TokenEndpoint: Sendable {
    /// The size of the secret in the path, in bytes.
    static let keySize = 16
    /// The variable of the address.
    static let variable = "AUTHTOP_TOKEN_URL"
    /// A renewal may take that long before the answer.
    private static let limit = Duration.seconds(60)

    private let path: Secret
    private let profile: String
    private let token: @Sendable () async throws(CommandFailure) -> FreshToken

    /// - Parameters:
    ///   - key: Random bytes.
    ///   - profile: The name of the profile.
    ///   - token: Obtains the current token, after a renewal if that is due.
    init(
        key: [UInt8],
        profile: String,
        token: @escaping @Sendable () async throws(CommandFailure) -> FreshToken
    ) {
        path = Secret("/\(key.hexadecimal)")
        self.profile = profile
        self.token = token
    }

    /// Answers on a free port of 127.0.0.1 while a program runs.
    ///
    /// - Parameter body: Runs the program, with the address.
    /// - Returns: What `body` returns.
    /// - Throws: `CommandFailure` if no port can be used.
    func serve<Value: Sendable>(
        during body: (Secret) async -> Value
    ) async throws(CommandFailure) -> Value {
        let server = ControlServer(
            within: Self.limit,
            named: Self.variable,
            answersOtherUsers: false
        ) { await answer($0) }
        let port: Int
        do throws(ProxyError) {
            port = try await server.start(port: 0)
        } catch {
            throw CommandFailure(.badInput, "\(Self.variable): \(error)")
        }
        let value = await body(Secret("http://127.0.0.1:\(port)\(path.reveal())"))
        await server.stop()
        return value
    }

    func answer(_ request: WireRequest) async -> WireResponse {
        // `Secret` compares in constant time.
        guard Secret(request.path) == path else { return .refusal(404, "not found") }
        guard request.method == "GET" else { return .refusal(405, "expected GET") }
        let contract = Self.prefersJSON(request) ? TokenContract.json : .plain
        do throws(CommandFailure) {
            let text = try contract.text(of: try await token(), profile)
            let type = contract == .json ? .json : WireHeader("Content-Type", "text/plain")
            return WireResponse(status: 200, headers: [type], body: Array(text.utf8))
        } catch {
            return .refusal(Self.status(of: error), error.message)
        }
    }

    private static func prefersJSON(_ request: WireRequest) -> Bool {
        (request.header("Accept") ?? "").parts(at: ",").contains { type in
            type.part(before: ";").trimming { $0 == 0x20 }.isEqualIgnoringCase("application/json")
        }
    }

    private static func status(of failure: CommandFailure) -> Int {
        switch failure.exit {
        case .notSo: 410
        case .unreachable: 503
        case .badInput, .notJudged: 500
        }
    }
}
