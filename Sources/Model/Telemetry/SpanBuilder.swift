package import Basics
import FoundationEssentials

/// Makes spans of the events of a run: one for each renewal, with its requests as parts.
///
/// A renewal that an app's traceable request makes, or causes, is part of the app's trace. A wait for a token,
/// and a request that is sent once more, are traces of their own, with a link to the renewal.
package struct SpanBuilder: Sendable {
    /// The renewals that are in progress at a time, over all sessions.
    private static let openLimit = 1_024
    /// The parts of one renewal.
    private static let partLimit = 32

    private struct Flight: Sendable {
        var span: Span
        var parts: [Span] = []
    }

    private struct Key: Sendable, Hashable {
        var session: SessionID
        var number: Int
    }

    private let sampler: TraceSampler
    private var random: SeededGenerator
    private var flights: [Key: Flight] = [:]
    /// The last renewal of each session that is over.
    private var lastFlights: [SessionID: TraceContext] = [:]
    private var waits: [SessionID: Moment] = [:]
    /// The last request of each session that an app's span has sent and whose token was refused, until a
    /// renewal begins.
    private var refusals: [SessionID: TraceContext] = [:]
    private var finished: [Span] = []

    /// - Parameters:
    ///   - sampler: Which traces are recorded.
    ///   - random: For the ids.
    package init(sampler: TraceSampler, random: SeededGenerator) {
        self.sampler = sampler
        self.random = random
    }

    /// Takes one event in.
    ///
    /// - Returns: The spans that are over with it.
    package mutating func receive(_ event: SessionEvent) -> [Span] {
        if type(of: event.kind).forgetsSession { forget(event.session) }
        event.kind.apply(to: &self, in: event)
        defer { finished = [] }
        return finished.filter(\.context.isSampled)
    }

    // MARK: - Renewals

    mutating func start(_ started: RefreshStarted, in event: SessionEvent) {
        guard flights.count < Self.openLimit else { return }
        var span = span("renewal", .inner, from: event.moment, in: event)
        span.attributes.append(("authtop.trigger", .text(started.cause.rawValue)))
        let refused = refusals.removeValue(forKey: event.session)
        if started.cause.isRefusal, let refused { span.join(refused, sampler) }
        flights[Key(session: event.session, number: started.flight)] = Flight(span: span)
    }

    mutating func end(
        _ number: Int,
        _ failure: RefreshFailure.Class?,
        in event: SessionEvent
    ) {
        let key = Key(session: event.session, number: number)
        guard var flight = flights.removeValue(forKey: key) else { return }
        flight.span.endedAt = event.moment
        flight.span.status = failure == nil ? .ok : .error
        flight.span.attributes.append(
            ("authtop.outcome", .text(failure?.rawValue ?? "succeeded"))
        )
        lastFlights[event.session] = flight.span.context
        finished += [flight.span] + flight.parts
    }

    // MARK: - Requests and waits

    mutating func add(_ exchange: Exchange, in event: SessionEvent) {
        let start = event.moment.advanced(bySeconds: -exchange.seconds)
        if let number = exchange.flight {
            let key = Key(session: event.session, number: number)
            guard var flight = flights[key], flight.parts.count < Self.partLimit else { return }
            if flight.parts.isEmpty, let app = exchange.trace { flight.span.join(app, sampler) }
            let context = flight.span.context
            var part = span("refresh", .client, from: start, in: event)
            part.context = TraceContext(
                trace: context.trace,
                span: part.context.span,
                isSampled: context.isSampled
            )
            part.parent = context.span
            part.describe(exchange)
            flight.parts.append(part)
            flights[key] = flight
        } else if exchange.retryOf != nil || exchange.trace != nil && exchange.isRefused {
            var span = span(exchange.purpose.rawValue, .client, from: start, in: event)
            if let app = exchange.trace { span.join(app, sampler) }
            if exchange.isRefused { refusals[event.session] = exchange.trace }
            span.describe(exchange)
            if exchange.retryOf != nil { link(&span, of: event.session) }
            finished.append(span)
        }
    }

    mutating func wait(since start: Moment?, in event: SessionEvent) {
        if let start {
            waits[event.session] = start
        } else if let start = waits.removeValue(forKey: event.session) {
            var span = span("token.wait", .inner, from: start, in: event)
            link(&span, of: event.session)
            finished.append(span)
        }
    }

    private func link(_ span: inout Span, of session: SessionID) {
        let open = flights.first { $0.key.session == session }?.value.span.context
        if let flight = open ?? lastFlights[session] { span.links.append(flight) }
    }

    private mutating func forget(_ session: SessionID) {
        flights = flights.filter { $0.key.session != session }
        (lastFlights[session], waits[session], refusals[session]) = (nil, nil, nil)
    }

    /// Begins a trace with a span that is over.
    private mutating func span(
        _ name: String,
        _ kind: Span.Kind,
        from start: Moment,
        in event: SessionEvent
    ) -> Span {
        let trace = random.next().hexadecimal + (random.next() | 1).hexadecimal
        let context = TraceContext(
            trace: trace,
            span: (random.next() | 1).hexadecimal,
            isSampled: sampler.records(trace, of: nil)
        )
        var span = Span(context, of: nil, name, kind, from: start, to: event.moment)
        span.attributes = [
            ("authtop.profile", .text(event.profile)),
            ("authtop.session", .text(event.session.description)),
            ("authtop.generation", .integer(event.generation)),
        ]
        return span
    }
}

extension Span {
    /// Makes it a part of an app's span.
    fileprivate mutating func join(_ app: TraceContext, _ sampler: TraceSampler) {
        parent = app.span
        context = TraceContext(
            trace: app.trace,
            span: context.span,
            isSampled: sampler.records(app.trace, of: app)
        )
    }

    /// The target is left out: it may have more than an endpoint in it.
    fileprivate mutating func describe(_ exchange: Exchange) {
        attributes += [
            ("http.request.method", .text(exchange.method)),
            ("authtop.request", .integer(exchange.id)),
            ("authtop.purpose", .text(exchange.purpose.rawValue)),
        ]
        if let status = exchange.status {
            attributes.append(("http.response.status_code", .integer(status)))
        }
        status = exchange.status.map { $0 < 400 } ?? false ? .unset : .error
    }
}

extension Moment {
    fileprivate func advanced(bySeconds seconds: Double) -> Moment {
        Moment(
            now: now.advanced(bySeconds: seconds),
            wall: wall.addingTimeInterval(seconds)
        )
    }
}
