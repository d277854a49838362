import Dialects
import Networking
import Sessions
import Timekeeping

/// The sandbox offers a feed to every dialect; a backend of somebody's own does not.
struct SandboxFeed {
    let network: NetworkContext
    let origin: BackendOrigin

    /// The dialect with the sandbox's feed, where it has none of its own and the sandbox is there.
    ///
    /// Asks this machine only, once, without a credential.
    func added(to dialect: Dialect, time: any Timekeeper) async throws -> Dialect {
        guard !dialect.hasFeed, origin.isLoopback, !origin.isSecure else { return dialect }
        let root = try BackendOrigin(parsing: "http://\(origin.authority)")
        let answer = await network.tokenTransport(to: root).send(
            WireRequest(method: "HEAD", target: "/__sandbox/state"),
            connection: .own,
            deadline: time.now + .seconds(2)
        )
        guard case .answered(let response) = answer.outcome, response.status == 200,
            response.header("Server") == "authtop-sandbox"
        else { return dialect }
        return dialect.withSandboxFeed(under: origin.pathPrefix.isEmpty ? "/\(dialect.name)" : "")
    }
}
