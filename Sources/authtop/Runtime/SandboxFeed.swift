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
        guard !dialect.hasFeed, origin.isLoopback else { return dialect }
        let answer = await network.tokenTransport(to: origin).send(
            WireRequest(method: "HEAD", target: "/ws/feed"),
            connection: .own,
            deadline: time.now + .seconds(2)
        )
        guard case .answered(let response) = answer.outcome,
            response.header("Sandbox-Feed") != nil
        else { return dialect }
        return dialect.withSandboxFeed()
    }
}
