import Basics
import Client
import Model
import Observer
import Platform
import Profiles
import UI

/// The faults of a sandbox, read and set by its own requests, as anyone can.
struct FaultControl: Sendable {
    /// The time that the sandbox may take.
    private static let limit = Duration.seconds(5)

    let transport: any TokenTransport
    let time: any Timekeeper

    /// - Parameters:
    ///   - origins: The origins of the backend; the sandbox's own requests are below its root.
    ///   - network: The network.
    ///   - time: The clocks.
    init(of origins: BackendOrigins, on network: NetworkContext, time: any Timekeeper) {
        transport = network.tokenTransport(to: origins.root)
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

    /// Returns those of our faults that the list contains, in our order.
    private static func faults(in body: [UInt8]) -> [SandboxFault]? {
        guard case .object(let members)? = JSONValue(parsing: body),
            case .array(let items)? = members["faults"]
        else { return nil }
        return Fault.ofBackend.compactMap { fault in
            items.lazy.compactMap { SandboxFault(fault, statedIn: $0) }.first
        }
    }
}

extension SandboxFault {
    /// Creates a fault from an entry of the list, or returns `nil` if the entry is about another.
    ///
    /// Of the entry's texts none is used as it is: any server can claim to be the sandbox, and may
    /// repeat a token in one.
    fileprivate init?(_ fault: Fault, statedIn value: JSONValue) {
        guard case .object(let members) = value,
            members["name"]?.stringValue == fault.name,
            let setting = members["setting"]?.stringValue.flatMap({
                try? FaultSetting(parsing: $0, at: .backend)
            }), setting.fault.name == fault.name
        else { return nil }
        self.init(
            setting: setting,
            fired: members["fired"]?.numberValue.flatMap { Int(exactly: $0) } ?? 0
        )
    }
}
