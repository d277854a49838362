package import Basics

/// One operation with its time, as part of a trace.
package struct Span: Sendable, Equatable {
    /// As OTLP numbers them.
    package enum Kind: Int, Sendable {
        case inner = 1
        case client = 3
    }

    /// As OTLP numbers them.
    package enum Status: Int, Sendable {
        case unset = 0
        case ok = 1
        case error = 2
    }

    package enum Value: Sendable, Equatable {
        case text(String)
        case integer(Int)
    }

    package var context: TraceContext
    /// The span that it is a part of, or `nil` if it begins the trace.
    package var parent: String?
    package var name: String
    package var kind: Kind
    package var startedAt: Moment
    package var endedAt: Moment
    package var attributes: [(name: String, value: Value)] = []
    package var status = Status.unset
    /// Spans of other traces that it has to do with.
    package var links: [TraceContext] = []

    package init(
        _ context: TraceContext,
        of parent: String?,
        _ name: String,
        _ kind: Kind,
        from startedAt: Moment,
        to endedAt: Moment
    ) {
        self.context = context
        self.parent = parent
        self.name = name
        self.kind = kind
        self.startedAt = startedAt
        self.endedAt = endedAt
    }

    package static func == (left: Span, right: Span) -> Bool {
        left.context == right.context && left.parent == right.parent && left.name == right.name
            && left.kind == right.kind && left.startedAt == right.startedAt
            && left.endedAt == right.endedAt && left.status == right.status
            && left.links == right.links
            && left.attributes.elementsEqual(right.attributes, by: ==)
    }
}

/// Which traces are recorded, as `OTEL_TRACES_SAMPLER` names it.
package struct TraceSampler: Sendable, Equatable {
    /// The part of the traces that is recorded, from 0 to 1.
    package var ratio: Double
    /// Whether a trace of an app is recorded where the app records it.
    package var followsParent: Bool

    package static let `default` = TraceSampler(ratio: 1, followsParent: true)

    package init(ratio: Double, followsParent: Bool) {
        self.ratio = ratio
        self.followsParent = followsParent
    }

    /// - Parameters:
    ///   - name: `always_on`, `always_off` or `traceidratio`, or one of them after `parentbased_`.
    ///   - argument: The ratio, or `nil` for 1.
    package init?(name: String, argument: Double?) {
        let base = name.part(after: "parentbased_")
        let ratios: [String: Double] = [
            "always_on": 1, "always_off": 0, "traceidratio": argument ?? 1,
        ]
        guard let ratio = ratios[base.map(String.init) ?? name], (0...1).contains(ratio) else {
            return nil
        }
        self.init(ratio: ratio, followsParent: base != nil)
    }

    /// Whether a trace is recorded.
    ///
    /// - Parameters:
    ///   - trace: Its id, whose last digits decide, so that all programs decide alike.
    ///   - parent: What an app says of it, or `nil` if the trace is not of an app.
    /// - Returns: Whether it is.
    func records(_ trace: String, of parent: TraceContext?) -> Bool {
        if followsParent, let parent { return parent.isSampled }
        guard ratio < 1, let number = UInt64(trace.suffix(16), radix: 16) else { return ratio > 0 }
        return Double(number >> 1) < ratio * 0x1p63
    }
}
