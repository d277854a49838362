import Dashboard
import Dialects
import Lifecycle
import Networking
import Sessions
import Timekeeping

/// A document at a URL, without credentials.
struct RemoteDocument {
    let url: String
    /// What errors begin with.
    let name: String
    var security = TransportSecurity.standard

    /// - Throws: `CommandFailure` if the server did not answer, or the URL is none.
    func fetch(in environment: LiveEnvironment, caFile: String?) async throws -> WireResponse {
        let start = url.firstRange(of: "://")?.upperBound ?? url.startIndex
        let slash = url[start...].firstIndex(of: "/") ?? url.endIndex
        let origin: BackendOrigin
        do {
            origin = try BackendOrigin(parsing: String(url[..<slash]))
        } catch {
            throw CommandFailure(.badInput, "\(name): expected https, or this machine")
        }
        let target = slash == url.endIndex ? "/" : String(url[slash...])
        let time = environment.time
        let configuration = try environment.networkConfiguration(caFile: caFile)
        let report = await withNetwork(configuration) {
            await $0.tokenTransport(to: BackendOrigins(origin, security: security)).send(
                WireRequest(method: "GET", target: target),
                connection: .own,
                deadline: time.now + .seconds(10)
            )
        }
        switch report.outcome {
        case .notSent(let cause):
            throw CommandFailure(.unreachable, "\(url): \(CauseText().text(cause))")
        case .unanswered(let detail):
            throw CommandFailure(.unreachable, "\(url): \(detail)")
        case .answered(let answer): return answer
        }
    }
}
