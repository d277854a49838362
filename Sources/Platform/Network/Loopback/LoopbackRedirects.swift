package import Client
package import Model
import NIOCore
import Profiles

/// An HTTP server on 127.0.0.1 that answers the redirects of a login (RFC 8252 section 7.3).
package struct LoopbackRedirects: RedirectReceiver {
    /// Browsers keep connections that they do not use yet.
    private static let limit = Duration.seconds(60)

    private let group: any EventLoopGroup

    init(on group: any EventLoopGroup) {
        self.group = group
    }

    package func receive(
        on port: Int?,
        begin: @Sendable (Int) async -> (@Sendable (String) -> RedirectPage)
    ) async throws(AuthorizationFailure) {
        let server = try await listen(on: port)
        let answer = await begin(server.port)
        await server.run { request in
            let page = request.method == "GET" ? answer(request.target) : .notFound
            let response = WireResponse(
                status: page.status,
                headers: Self.headers,
                body: Array(page.html.utf8)
            )
            return (response, page.isLast)
        }
    }

    private func listen(on port: Int?) async throws(AuthorizationFailure) -> LoopbackServer {
        do {
            return try await LoopbackServer(port: port ?? 0, within: Self.limit, on: group)
        } catch let error as IOError {
            let fault = NetworkFault.text(ofListening: error.errnoCode)
            throw .notListening(detail: port.map { "port \($0): \(fault)" } ?? fault)
        } catch {
            throw .notListening(detail: "no port on 127.0.0.1 can be used")
        }
    }

    /// The page contains no script, and its address, which contains the code, is not passed on.
    private static let headers = [
        WireHeader("Content-Type", "text/html; charset=utf-8"),
        WireHeader("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'"),
        WireHeader("Referrer-Policy", "no-referrer"),
        WireHeader("X-Content-Type-Options", "nosniff"),
    ]
}
