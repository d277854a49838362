import Tokens

/// What the answers say that bring no tokens.
extension Dialect {
    package func readLogout(_ response: WireResponse) -> LogoutResponse {
        switch response.status {
        case 200..<300: .acknowledged(status: response.status)
        case 401, 404: .tokenUnknown(status: response.status)
        default: .failed(status: response.status, retryAfter: response.retryAfter)
        }
    }

    /// A page for people in place of data is a captive portal's, and says nothing; so does 403
    /// where the dialect does not count it.
    package func readProtected(_ response: WireResponse) -> ProtectedResponse {
        let exchange = protected ?? ProtectedExchange(request: login.request)
        let status = response.status
        if ResponseClass.isNeverTerminal(status) {
            return .inconclusive(retryAfter: response.retryAfter)
        }
        let errors = Challenge.errors(in: response)
        if !errors.isDisjoint(with: exchange.keptErrors) {
            return .inconclusive(retryAfter: response.retryAfter)
        }
        let isNamed = !errors.isDisjoint(with: exchange.expiredErrors)
        if exchange.expired.contains(status) || (400..<500).contains(status) && isNamed {
            return .tokenRejected
        }
        switch status {
        case 200..<300 where !ResponseBody(response).isHTML: return .accepted
        case 304, 409, 412, 422: return .accepted
        default: return .inconclusive(retryAfter: response.retryAfter)
        }
    }
}
