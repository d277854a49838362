/// An expectation of a test that did not come true.
package struct NeverCame: Error, CustomStringConvertible {
    package let what: String
    /// The evidence that there was instead.
    package let evidence: String

    package init(what: String, evidence: String) {
        self.what = what
        self.evidence = evidence
    }

    package var description: String { "never came: \(what)\n\(evidence)" }
}

/// Waits for what another process does, by looking again and again.
///
/// - Parameters:
///   - what: For the message when it never comes.
///   - limit: Ten times what is expected, or more: the machine may be busy.
///   - pause: Between looks.
///   - evidence: The evidence that there is instead, for the message.
///   - look: Nil: not yet.
/// - Returns: The value that was found.
/// - Throws: `NeverCame`, or what `look` throws.
@discardableResult
package func eventually<Value>(
    _ what: String,
    within limit: Duration = .seconds(180),
    every pause: Duration = .milliseconds(20),
    evidence: () -> String = { "" },
    look: () async throws -> Value?
) async throws -> Value {
    let clock = ContinuousClock()
    let end = clock.now + limit
    while true {
        if let value = try await look() { return value }
        guard clock.now < end else { throw NeverCame(what: what, evidence: evidence()) }
        try await Task.sleep(for: pause)  // polls
    }
}

/// Waits until something is so.
package func eventually(
    _ what: String,
    within limit: Duration = .seconds(180),
    evidence: () -> String = { "" },
    isSo: () async throws -> Bool
) async throws {
    try await eventually(what, within: limit, evidence: evidence) { try await isSo() ? () : nil }
}
