import Tokens

/// How well a request fits the dialect that has recognised it, where several have.
package enum RequestFit: Int, Sendable, Hashable, Comparable {
    /// It lacks what the dialect wants in it, or holds what no token of the dialect can be.
    case incomplete
    /// It holds what the dialect wants in it.
    case complete
    /// Its tokens are also of a form that few texts have.
    case distinctive

    package static func < (left: RequestFit, right: RequestFit) -> Bool {
        left.rawValue < right.rawValue
    }

    fileprivate init(_ secret: Secret?, _ format: TokenFormat) {
        guard let secret, format.admits(secret) else {
            self = .incomplete
            return
        }
        self = format == .opaque ? .complete : .distinctive
    }
}

extension Dialect {
    /// How well a request fits that this dialect has recognised.
    package func fit(of recognised: RecognisedRequest, in request: WireRequest) -> RequestFit {
        switch recognised {
        case .login(let given):
            let names = Set(given.keys)
            let wanted = [Set(credentials.map(\.name))] + otherLoginOptions.map(\.credentials)
            return wanted.contains { $0.isSubset(of: names) } ? .complete : .incomplete
        case .refresh(let token):
            return RequestFit(token?.secret, tokens.refresh)
        case .logout(let scope, let refresh, let access):
            if refresh == nil, access == nil {
                let isMeantSo = anonymousLogouts.contains(scope) && request.body.isEmpty
                return isMeantSo ? .complete : .incomplete
            }
            return max(
                RequestFit(refresh?.secret, tokens.refresh),
                RequestFit(access?.secret, tokens.access)
            )
        case .protected(let token), .sessions(let token), .feed(let token, _),
            .endSession(_, let token):
            return RequestFit(token?.secret, tokens.access)
        }
    }
}
