import Basics
import Client
import Model
import Observer
import Profiles
import Proxy
import UI

/// The answers of the control port.
struct ControlInterface: Sendable {
    let store: ObservationStore
    /// Whether experiments are forbidden.
    let isReadOnly: Bool

    func answer(_ request: WireRequest) async -> WireResponse {
        switch (request.method, request.path) {
        case ("GET", "/state"): .json(await state)
        case ("GET", "/findings"): .json(await findings)
        case ("GET", "/sessions"): .json(await sessions)
        case ("POST", "/faults"): await changeFaults(request.body)
        case ("POST", "/mark"): await mark(request.body)
        case ("POST", "/reset"): await reset()
        case (_, "/state"), (_, "/findings"), (_, "/sessions"):
            .refusal(405, "expected GET \(request.path)")
        case (_, "/faults"), (_, "/mark"), (_, "/reset"):
            .refusal(405, "expected POST \(request.path)")
        default:
            .refusal(
                404,
                "expected GET /state, /findings or /sessions, or POST /faults, /mark or /reset"
            )
        }
    }

    // MARK: - Questions

    private var state: JSONValue {
        get async {
            let scorecards = await store.scorecards
            return [
                "schema": 1,
                "findings": .integer(Int64(await store.findings.count)),
                "mark": await store.mark.map(JSONValue.string) ?? .null,
                "experiments": .array(scorecards.map(Self.json)),
            ]
        }
    }

    private var findings: JSONValue {
        get async {
            let findings = await store.findings
            return ["schema": 1, "findings": .array(findings.map(Self.json))]
        }
    }

    private var sessions: JSONValue {
        get async {
            let families = await store.families
            let list = families.map { family in
                JSONValue.object([
                    "session": .string(family.session.description),
                    "origin": .string(family.origin),
                    "generation": .integer(Int64(family.newest)),
                    "clients": .array(
                        family.clients.map {
                            .string($0.name ?? $0.process?.description ?? $0.userAgent ?? $0.peer)
                        }
                    ),
                    "subject": family.subject.map(JSONValue.string) ?? .null,
                    "ended": family.end.map { .string($0.rawValue) } ?? .null,
                ])
            }
            return ["schema": 1, "sessions": .array(list)]
        }
    }

    /// The fields of its event, with a sentence for each line.
    private static func json(_ scorecard: Scorecard) -> JSONValue {
        var members = fields(of: scorecard, at: scorecard.startedAt)
        if case .array(let lines)? = members["lines"] {
            members["lines"] = .array(
                zip(lines, scorecard.lines).map { json, line in
                    guard case .object(var members) = json else { return json }
                    members["message"] = .string(ScorecardText.sentence(line))
                    return .object(members)
                }
            )
        }
        return .object(members)
    }

    private static func json(_ finding: ObservedFinding) -> JSONValue {
        .object(fields(of: finding, at: finding.firstAt))
    }

    private static func fields(
        of kind: any EventKind,
        at moment: Moment
    ) -> [String: JSONValue] {
        let fields = EventLine.fields(of: kind, at: moment, causes: CauseText())
        return Dictionary(uniqueKeysWithValues: fields.map { ($0.name, $0.value) })
    }

    // MARK: - Changes

    private func changeFaults(_ body: [UInt8]) async -> WireResponse {
        guard !isReadOnly else {
            return .refusal(403, "--readonly forbids experiments")
        }
        let switches: FaultSwitches
        do throws(FaultSwitchesError) {
            switches = try FaultSwitches(parsing: body, at: .app)
        } catch {
            return .refusal(400, error.description)
        }
        let stopped = switches.settings.filter { $0.state == .off }
        if stopped == FaultSetting.allOff(at: .app) {
            await store.stop()
        } else {
            for setting in stopped { await store.stop(setting.fault) }
        }
        for setting in switches.settings where setting.state != .off {
            await store.begin(setting.fault, with: switches.session)
        }
        return .json(await state)
    }

    private func mark(_ body: [UInt8]) async -> WireResponse {
        guard case .object(let members)? = JSONValue(parsing: body),
            let name = members["test"]?.stringValue
        else { return .refusal(400, "expected JSON such as {\"test\":\"keeps me logged in\"}") }
        await store.mark(name)
        return .json(await state)
    }

    private func reset() async -> WireResponse {
        await store.forgetResults()
        return .json(await state)
    }
}
