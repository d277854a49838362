extension RefreshStarted {
    package func apply(to spans: inout SpanBuilder, in event: SessionEvent) {
        spans.start(self, in: event)
    }
}

extension RefreshSucceeded {
    package func apply(to spans: inout SpanBuilder, in event: SessionEvent) {
        spans.end(flight, nil, in: event)
    }
}

extension RefreshFailed {
    package func apply(to spans: inout SpanBuilder, in event: SessionEvent) {
        spans.end(flight, failure.kind, in: event)
    }
}

extension TokenAwaited {
    package func apply(to spans: inout SpanBuilder, in event: SessionEvent) {
        spans.wait(since: since, in: event)
    }
}

extension Exchange {
    package func apply(to spans: inout SpanBuilder, in event: SessionEvent) {
        spans.add(self, in: event)
    }
}
