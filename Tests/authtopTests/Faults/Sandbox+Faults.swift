import TestSupport

extension Sandbox {
    /// Switches faults as any client may.
    func order(_ order: String) async throws {
        let answer = try await HandMadeRequest(
            method: "POST",
            target: "/__sandbox/faults",
            body: order
        )
        .send(to: port)
        guard answer.status == 200 else { throw NeverCame(what: order, evidence: answer.body) }
    }

    func switchOn(_ fault: String) async throws { try await order(#"{"on": "\#(fault)"}"#) }

    func switchAllOff() async throws { try await order(#"{"off": "all"}"#) }

    /// Waits until a fault has acted.
    func fired(_ name: String) async throws {
        try await eventually("\(name) to act") {
            try await report().faultsFired[name, default: 0] > 0
        }
    }
}
