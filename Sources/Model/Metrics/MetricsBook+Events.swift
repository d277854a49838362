import Basics

// What each kind of event means to a monitor.

extension Capabilities {
    package func apply(to metrics: inout MetricsBook, in event: SessionEvent) {
        metrics.update(event) { session, _ in session.isObserved = role == .observed }
    }
}

extension SessionStateChanged {
    package func apply(to metrics: inout MetricsBook, in event: SessionEvent) {
        metrics.update(event) { session, _ in session.enter(to, at: event.moment.now) }
    }
}

extension TokensIssued {
    package func apply(to metrics: inout MetricsBook, in event: SessionEvent) {
        metrics.update(event) { session, profile in
            session.hold(pair, at: event.moment.now)
            if pair.origin == .login { profile.successfulLogins += 1 }
        }
    }
}

extension LoginFailed {
    package func apply(to metrics: inout MetricsBook, in event: SessionEvent) {
        metrics.update(event) { _, profile in profile.failedLogins[failure.kind, default: 0] += 1 }
    }
}

extension SignedOut {
    package func apply(to metrics: inout MetricsBook, in event: SessionEvent) {
        metrics.update(event) { session, profile in
            // An app's session says more of its end in `ObservedStatus`.
            guard reason != .never, !session.isObserved else { return }
            profile.ends[reason, default: 0] += 1
        }
    }
}

extension ObservedStatus {
    package func apply(to metrics: inout MetricsBook, in event: SessionEvent) {
        guard let end else { return }
        metrics.update(event) { _, profile in profile.observedEnds[end, default: 0] += 1 }
    }
}

extension RenewalPlanned {
    package func apply(to metrics: inout MetricsBook, in event: SessionEvent) {
        metrics.update(event) { session, _ in session.plan(plan) }
    }
}

extension RefreshStarted {
    package func apply(to metrics: inout MetricsBook, in event: SessionEvent) {
        metrics.update(event) { session, profile in
            let start = MonitoredSession.Flight(
                number: flight,
                cause: cause,
                startedAt: event.moment.now
            )
            if let lateness = session.start(start) { profile.lateness.add(lateness) }
        }
    }
}

extension RefreshSucceeded {
    package func apply(to metrics: inout MetricsBook, in event: SessionEvent) {
        metrics.end(flight, nil, in: event)
    }
}

extension RefreshFailed {
    package func apply(to metrics: inout MetricsBook, in event: SessionEvent) {
        metrics.end(flight, failure.kind, in: event)
    }
}

extension MetricsBook {
    fileprivate mutating func end(
        _ number: Int,
        _ failure: RefreshFailure.Class?,
        in event: SessionEvent
    ) {
        update(event) { session, profile in
            guard let flight = session.end(number) else { return }
            let renewal = ProfileMetrics.Renewal(trigger: flight.cause, failure: failure)
            profile.renewals[renewal, default: 0] += 1
            profile.durations.add(max(0, event.moment.now.seconds(since: flight.startedAt)))
        }
    }
}

extension SkewChanged {
    package func apply(to metrics: inout MetricsBook, in event: SessionEvent) {
        metrics.update(event) { _, profile in profile.serverOffset = offset }
    }
}

extension FeedStateChanged {
    package func apply(to metrics: inout MetricsBook, in event: SessionEvent) {
        metrics.update(event) { session, _ in
            switch state {
            case .idle: session.isFeedOpen = nil
            case .open, .rotating: session.isFeedOpen = true
            case .dialing, .backoff, .refused, .stopped: session.isFeedOpen = false
            }
        }
    }
}

extension FeedMessagesMissing {
    package func apply(to metrics: inout MetricsBook, in event: SessionEvent) {
        metrics.update(event) { _, profile in
            profile.lostMessages += FeedGap.count(after: after, before: before)
        }
    }
}

extension FeedSwitched {
    package func apply(to metrics: inout MetricsBook, in event: SessionEvent) {
        metrics.update(event) { _, profile in profile.lostMessages += max(0, gap) }
    }
}

extension Exchange {
    package func apply(to metrics: inout MetricsBook, in event: SessionEvent) {
        guard !why.isExperiment, let result = ProfileMetrics.RequestResult(self) else { return }
        metrics.update(event) { _, profile in profile.requests[result, default: 0] += 1 }
    }
}

extension ObservedFinding {
    package func apply(to metrics: inout MetricsBook, in event: SessionEvent) {
        let count = metrics.occurrences(of: self)
        let finding = ProfileMetrics.Finding(
            rule: rule,
            severity: severity,
            confidence: confidence
        )
        metrics.update(event) { _, profile in profile.findings[finding, default: 0] += count }
    }
}

extension EventsDropped {
    package func apply(to metrics: inout MetricsBook, in event: SessionEvent) {
        metrics.droppedEvents += count
    }
}
