package import Basics

/// The request that brings the parameters of a login in the browser to the server beforehand, so that
/// the browser carries only a reference to them (RFC 9126).
struct PushedExchange: Sendable, Hashable {
    /// A form, in which the client authenticates itself as at the token endpoint (section 2.1).
    var request: RequestShape

    /// Returns the request.
    ///
    /// - Parameters:
    ///   - parameters: What the browser's query would contain.
    ///   - query: What the file has in it.
    ///   - credentials: The client's credentials.
    /// - Returns: The request with all of them in its body.
    func filled(
        _ parameters: [(name: String, value: String)],
        besides query: FixedQuery,
        credentials: [String: Secret]
    ) -> WireRequest {
        var filled = request.filled(values: credentials)
        let own = request.fields
        let pushed = FormEncoding.encode(parameters.filter { own[$0.name] == nil })
        let parts = [String(decoding: filled.body, as: UTF8.self), query.text, pushed]
        filled.body = Array(parts.filter { !$0.isEmpty }.joined(separator: "&").utf8)
        return filled.acceptingJSON
    }
}

/// The server's reference to the parameters that it has received (RFC 9126 section 2.2).
package struct PushedAuthorization: Sendable, Hashable {
    let requestURI: String
}

/// The meaning of a response to a pushed request.
package enum PushedResponse: Sendable, Hashable {
    case accepted(PushedAuthorization)
    /// The server's `error` and `error_description` (RFC 9126 section 2.3), bounded and on one line.
    case refused(error: String, description: String?)
    case failed(ResponseFailure)
}

extension Dialect {
    /// Parses a response to a pushed request, and returns what decided its meaning, too.
    package func decidePushed(
        _ response: WireResponse,
        hiding secrets: KnownSecrets = .none
    ) -> Decision<PushedResponse> {
        let body = ResponseBody(response, by: recognition)
        func text(_ key: String) -> String? {
            body.json?.value(at: key)?.stringValue.flatMap { $0.isEmpty ? nil : $0 }
        }
        guard ResponseClass(status: response.status) == .success else {
            let isNever = ResponseClass.isNeverTerminal(response.status)
            if !isNever, let error = text("error") {
                let refused = PushedResponse.refused(
                    error: ServerMessage.bounded(error, hiding: secrets),
                    description: text("error_description")
                        .map { ServerMessage.bounded($0, hiding: secrets) }
                )
                return Decision(refused, by: .status)
            }
            let failure = ResponseFailure(
                response,
                body,
                to: login.authorization?.pushed?.request ?? login.request,
                message: message(in: body, response, hiding: secrets)
            )
            return Decision(.failed(failure), by: isNever ? .neverTerminal : .unlisted)
        }
        guard let requestURI = text("request_uri"), requestURI.utf8.count <= 2048,
            requestURI.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else {
            let failure = ResponseFailure.undecodable(
                status: response.status,
                message: "no request_uri in the answer"
            )
            return Decision(.failed(failure), by: .unreadable)
        }
        return Decision(.accepted(PushedAuthorization(requestURI: requestURI)), by: .success)
    }
}
