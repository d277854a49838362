import Testing

extension EventStream {
    /// The numbers of the feed's messages, as they were applied: what arrived twice counts once.
    var appliedMessages: [Int] {
        get throws {
            try events
                .filter { $0.kind == "feedMessage" && $0["duplicate"] == nil }
                .compactMap { $0.integer("seq") }
        }
    }

    /// Waits until the feed has moved so often, each time after a renewal.
    func feedSwitches(_ count: Int) async throws {
        var last: Event?
        for _ in 1...count { last = try await first("feedSwitched", after: last) }
    }

    /// Waits for a request that the backend lets in.
    func expectAccepted(after event: Event) async throws {
        try await first("an accepted request", after: event) {
            $0.isRequest("protected") && $0.status == 200
        }
    }

    /// Waits for five renewals, none of which fails, and for a request with the last access token.
    ///
    /// - Parameters:
    ///   - earlier: Look only behind this one.
    ///   - rotates: Whether each of them brings another refresh token.
    /// - Returns: The last of them.
    /// - Throws: `NeverCame`, or when a line is no JSON object.
    func fiveRenewals(after earlier: Event, rotates: Bool = true) async throws -> Event {
        var last = earlier
        for _ in 0..<5 {
            last = try await first("refreshSucceeded", after: last)
            #expect(last["rotated"] == .flag(rotates))
        }
        try await first("a request with the last token", after: last) {
            $0.isRequest("protected") && $0.status == 200
                && $0.integer("usedGeneration") == last.generation
        }
        #expect(try all("refreshFailed").map(\.line) == [])
        return last
    }

    func all(_ kind: String) throws -> [Event] { try events.filter { $0.kind == kind } }

    /// Checks that tokens were renewed in time, and that no caller was affected.
    ///
    /// A request that was in progress when the program ended does not count.
    ///
    /// - Parameters:
    ///   - least: This many renewals there have to be whose feed has moved as well; the last may
    ///     have been cut short by the end.
    ///   - location: Of the test.
    /// - Throws: When a line is no JSON object.
    func expectSmoothRenewals(
        atLeast least: Int,
        at location: SourceLocation = #_sourceLocation
    ) throws {
        let events = try events
        let problem = events.filter { event in
            ["refreshFailed", "feedRefused", "feedFailed", "draining", "dropped"]
                .contains(event.kind)
                || event.isRequest("protected") && !(200..<300).contains(event.status ?? 0)
                    && event.text("message")?.hasPrefix("given up before") != true
                || event.enters("expired") || event.enters("blocked")
        }
        #expect(problem.map(\.line).isEmpty, sourceLocation: location)
        let renewals = events.filter { $0.kind == "refreshSucceeded" }
        #expect(renewals.count > least, sourceLocation: location)
        #expect(renewals.allSatisfy { $0.number("leadLeft") ?? 0 > 0 }, sourceLocation: location)
        for renewal in renewals.dropLast() {
            let later = events.dropFirst(renewal.index)
            let opened = later.first {
                $0.kind == "feedOpened" && $0.integer("usedGeneration") == renewal.generation
            }
            let switched = later.first { $0.kind == "feedSwitched" }
            #expect(opened != nil, "generation \(renewal.generation)", sourceLocation: location)
            #expect(switched?.integer("gap") == 0, sourceLocation: location)
            #expect(switched?.index ?? 0 > opened?.index ?? .max, sourceLocation: location)
        }
    }
}
