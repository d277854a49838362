/// Parsing of responses to a logout.
extension Dialect {
    package func readLogout(
        _ response: WireResponse,
        of scope: LogoutScope = .this
    ) -> LogoutResponse {
        decideLogout(response, of: scope).meaning
    }

    /// Parses a response to a logout, and returns what decided its meaning, too.
    package func decideLogout(
        _ response: WireResponse,
        of scope: LogoutScope = .this
    ) -> Decision<LogoutResponse> {
        let status = response.status
        func failed(_ rule: DecidingRule) -> Decision<LogoutResponse> {
            Decision(.failed(status: status, retryAfter: response.retryAfter), by: rule)
        }
        let acknowledged = logouts[scope]?.acknowledged ?? []
        if (200..<300).contains(status) || acknowledged.contains(status) {
            return Decision(.acknowledged(status: status), by: .status)
        }
        guard [401, 404].contains(status) else {
            return failed(ResponseClass.isNeverTerminal(status) ? .neverTerminal : .unlisted)
        }
        // What refuses the client, or its request, says nothing of the token (RFC 6749 section 5.2).
        let body = ResponseBody(response, by: recognition)
        if let fault = refresh?.clientFaults.match(status: status, body), !fault.isBare {
            return failed(.clientFault(fault))
        }
        return Decision(.tokenUnknown(status: status), by: .status)
    }
}
