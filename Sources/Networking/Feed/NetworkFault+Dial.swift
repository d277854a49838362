import WebSockets

extension NetworkFault {
    /// The fault behind a dial that got no answer; its libraries' errors come as descriptions.
    ///
    /// - Parameters:
    ///   - error: From the dialer.
    ///   - limit: The time it had.
    init(_ error: WebSocketDialError, limit: Duration) {
        switch error {
        case .invalidRequest(let part): self = .unfit("its \(part) is not fit for an upgrade")
        case .connectFailed(let description): self.init(connecting: description)
        case .tlsFailed(let description): self.init(tls: description)
        case .timedOut: self = .deadline(limit)
        case .disconnected(let description):
            self =
                Self.number(after: "errno: ", in: description)
                .map { NetworkFault(errno: CInt(clamping: $0)) } ?? .closed
        case .badHandshake(let rule): self = .badUpgrade(rule)
        case .badResponse(let violation): self = .badResponse(violation)
        case .cancelled: self = .cancelled
        }
    }

    private init(connecting description: String) {
        if let code = Self.number(after: "errno: ", in: description) {
            self.init(errno: CInt(clamping: code))
        } else if let code = Self.number(after: "(error ", in: description) {
            self =
                ResolverCode.absent.contains(code)
                ? .unknownHost : .noLookup("the name server does not answer")
        } else {
            self = .other("no connection")
        }
    }

    private static func number(after mark: String, in text: String) -> Int? {
        guard let range = text.firstRange(of: mark) else { return nil }
        return Int(text[range.upperBound...].prefix { $0 == "-" || $0.isWholeNumber })
    }
}
