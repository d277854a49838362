/// Parsing of responses to a logout.
extension Dialect {
    package func readLogout(_ response: WireResponse) -> LogoutResponse {
        decideLogout(response).meaning
    }

    /// Parses a response to a logout, and returns what decided its meaning, too.
    package func decideLogout(_ response: WireResponse) -> Decision<LogoutResponse> {
        let status = response.status
        switch status {
        case 200..<300: return Decision(.acknowledged(status: status), by: .status)
        case 401, 404: return Decision(.tokenUnknown(status: status), by: .status)
        default:
            let isNever = ResponseClass.isNeverTerminal(status)
            return Decision(
                .failed(status: status, retryAfter: response.retryAfter),
                by: isNever ? .neverTerminal : .unlisted
            )
        }
    }
}
