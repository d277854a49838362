package import Basics

/// A notification that is due: an event, and what was left out before it.
package struct Notification: Sendable, Equatable {
    /// The index of the rule that asked for it.
    package let rule: Int
    package let event: SessionEvent
    /// The condition that the event fulfills, if the rule names it.
    package let condition: NotificationCondition?
    /// The number of notifications of this rule that were left out since the last one.
    package var dropped: Int
}

/// Decides which event is notified by which rule, and when.
///
/// Of one rule, at most one notification in each `interval` is due, and `runningLimit` run at once. Of
/// those that come meanwhile, the newest waits, and the others are counted.
package struct NotificationMachine: Sendable {
    package static let interval = Duration.seconds(1)
    package static let runningLimit = 2
    /// The number of findings that are remembered, so that each is notified once.
    private static let findingLimit = 4_096

    private struct State: Sendable {
        let rule: NotificationRule
        /// When the next one may start.
        var opensAt = Instant(nanoseconds: .min)
        var waiting: Notification?
        var running = 0
        /// The ends that were notified, by session.
        var warned: [SessionID: SessionEnds.End] = [:]
        /// The numbers of the findings that were notified.
        var findings: Set<Int> = []

        /// When what waits is due, or `nil` if nothing waits, or the end of another has to come first.
        var due: Instant? {
            waiting != nil && running < NotificationMachine.runningLimit ? opensAt : nil
        }

        /// When the end of a session is notified, or `nil` if it was.
        ///
        /// One that moves by less than the lead does not count as another one.
        func warning(of id: SessionID, _ end: SessionEnds.End) -> Instant? {
            guard rule.watches(.sessionEndsSoon) else { return nil }
            if let before = warned[id], before.login == end.login,
                end.at.seconds(since: before.at) <= rule.lead
            {
                return nil
            }
            return end.at.advanced(bySeconds: -rule.lead)
        }

        /// Remembers the number of a finding; returns `false` if it was remembered before.
        mutating func isFirst(_ finding: ObservedFinding) -> Bool {
            findings.count < NotificationMachine.findingLimit
                && findings.insert(finding.number).inserted
        }
    }

    private var states: [State]
    private var ends = SessionEnds()
    /// The app's session of which the newest status says that it has ended.
    private var endedApp: SessionID?
    private var isFinished = false

    package init(_ rules: [NotificationRule]) {
        states = rules.map { State(rule: $0) }
    }

    /// The indices of the rules of which something waits, or runs.
    package var busyRules: [Int] {
        states.indices.filter { states[$0].waiting != nil || states[$0].running > 0 }
    }

    /// When `advance(to:)` has something to do, or `nil` if only an event can bring that.
    package var nextDeadline: Instant? {
        (states.compactMap(\.due) + (isFinished ? [] : states.flatMap(warnings))).min()
    }

    /// Takes an event in.
    ///
    /// - Returns: The notifications that are due.
    package mutating func receive(_ event: SessionEvent, at moment: Moment) -> [Notification] {
        guard !isFinished else { return [] }
        ends.apply(event)
        let fulfilled = condition(of: event)
        for index in states.indices where states[index].rule.isOfProfile(event) {
            let rule = states[index].rule
            var condition = fulfilled.flatMap { rule.watches($0) ? $0 : nil }
            if condition == .certainFinding, let finding = event.kind as? ObservedFinding,
                !states[index].isFirst(finding)
            {
                condition = nil
            }
            guard condition != nil || rule.names(event) else { continue }
            offer(event, condition, to: index)
        }
        return advance(to: moment)
    }

    /// Returns the notifications that are due by now.
    package mutating func advance(to moment: Moment) -> [Notification] {
        if !isFinished { warn(at: moment) }
        var due: [Notification] = []
        for index in states.indices {
            guard let instant = states[index].due, instant <= moment.now,
                let notification = states[index].waiting.take()
            else { continue }
            states[index].opensAt = moment.now + Self.interval
            states[index].running += 1
            due.append(notification)
        }
        return due
    }

    /// A notification of a rule has been delivered, or could not be.
    ///
    /// - Returns: The notifications that are due because of that.
    package mutating func delivered(by rule: Int, at moment: Moment) -> [Notification] {
        states[rule].running -= 1
        return advance(to: moment)
    }

    /// Accepts no event from now on; what waits will still be due.
    package mutating func finish() {
        isFinished = true
    }

    /// The condition that an event fulfills: of an app's session, the status says how it has ended, and
    /// the event `signedOut` after it nothing more.
    private mutating func condition(of event: SessionEvent) -> NotificationCondition? {
        if let status = event.kind as? ObservedStatus {
            endedApp = status.end == nil ? nil : event.session
        }
        if event.kind is SignedOut, event.session == endedApp { return nil }
        return event.kind.condition
    }

    private mutating func offer(
        _ event: SessionEvent,
        _ condition: NotificationCondition?,
        to index: Int
    ) {
        let dropped = states[index].waiting.map { $0.dropped + 1 } ?? 0
        states[index].waiting = Notification(
            rule: index,
            event: event,
            condition: condition,
            dropped: dropped
        )
    }

    /// Offers the ends that are near.
    private mutating func warn(at moment: Moment) {
        let known = ends.known
        for index in states.indices {
            states[index].warned = states[index].warned.filter { known[$0.key] != nil }
            for (id, end) in known {
                guard let instant = states[index].warning(of: id, end), instant <= moment.now,
                    let event = ends.notice(of: id, at: moment)
                else { continue }
                states[index].warned[id] = end
                guard states[index].rule.isOfProfile(event) else { continue }
                offer(event, .sessionEndsSoon, to: index)
            }
        }
    }

    private func warnings(of state: State) -> [Instant] {
        ends.known.compactMap { state.warning(of: $0.key, $0.value) }
    }
}
