import Dashboard
import Dialects
import Lifecycle
import Networking
import Sessions
import Timekeeping
import Tokens

/// The faults of a sandbox, read and set by its own requests, as anyone can.
struct FaultControl: Sendable {
    /// How long the sandbox may take.
    private static let limit = Duration.seconds(5)
    /// More faults than this are not shown.
    private static let mostFaults = 100

    let transport: any TokenTransport
    let time: any Timekeeper

    /// - Parameters:
    ///   - origin: The backend's origin; the sandbox's own requests are below its root.
    ///   - network: The network.
    ///   - time: The clocks.
    init(of origin: BackendOrigin, on network: NetworkContext, time: any Timekeeper) {
        transport = network.tokenTransport(to: origin.withoutPath)
        self.time = time
    }

    /// Performs a request.
    ///
    /// - Returns: The faults as the sandbox states them after it, or why it did not.
    func perform(_ request: FaultRequest) async -> Result<[SandboxFault], FaultProblem> {
        let report = await transport.send(
            Self.message(request),
            connection: .shared,
            deadline: time.now + Self.limit
        )
        switch report.outcome {
        case .notSent(let cause):
            return .failure(FaultProblem("the sandbox was not asked: \(CauseText().text(cause))"))
        case .unanswered(let detail):
            return .failure(FaultProblem("the sandbox did not answer: \(detail)"))
        case .answered(let response):
            guard response.claimsSandbox else {
                return .failure(FaultProblem("something else answered in place of the sandbox"))
            }
            guard response.status == 200 else {
                return .failure(FaultProblem("the sandbox answered \(response.status)"))
            }
            guard let faults = Self.faults(in: response.body) else {
                return .failure(FaultProblem("the sandbox's answer is no list of faults"))
            }
            return .success(faults)
        }
    }

    private static func message(_ request: FaultRequest) -> WireRequest {
        let path = "/__sandbox/faults"
        let change: (key: String, value: String)
        switch request {
        case .read: return WireRequest(method: "GET", target: path)
        case .once(let name): change = ("once", name)
        case .on(let name): change = ("on", name)
        case .off(let name): change = ("off", name)
        case .allOff: change = ("off", "all")
        }
        return WireRequest(
            method: "POST",
            target: path,
            headers: [WireHeader("Content-Type", "application/json")],
            body: Array(JSONValue.object([change.key: .string(change.value)]).serialized.utf8)
        )
    }

    private static func faults(in body: [UInt8]) -> [SandboxFault]? {
        guard case .object(let members)? = JSONValue(parsing: body),
            case .array(let items)? = members["faults"]
        else { return nil }
        return items.prefix(mostFaults).compactMap { SandboxFault($0) }
    }
}

extension SandboxFault {
    /// Creates a fault from an entry of the list, or returns `nil` if it is none.
    fileprivate init?(_ value: JSONValue) {
        guard case .object(let members) = value, let name = members["name"]?.stringValue,
            let state = members["state"]?.stringValue,
            // What cannot be shown as it is cannot be sent back either.
            name == name.inOneLine(limit: 40)
        else { return nil }
        var kinds: [String] = []
        if case .array(let items)? = members["kinds"] { kinds = items.compactMap(\.stringValue) }
        self.init(
            name: name,
            summary: (members["summary"]?.stringValue ?? "").inOneLine(limit: 120),
            state: state.inOneLine(limit: 20),
            setting: members["setting"]?.stringValue?.inOneLine(limit: 60),
            kinds: kinds.prefix(10).map { $0.inOneLine(limit: 20) },
            parameter: members["parameter"]?.stringValue?.inOneLine(limit: 60),
            fired: members["fired"]?.numberValue.flatMap { Int(exactly: $0) } ?? 0
        )
    }
}
