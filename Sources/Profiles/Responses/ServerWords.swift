package import Basics

/// The server's own words in an answer that does not bring what was asked for.
extension Dialect {
    /// Returns what the server says in such an answer: its message, what its challenge says, the
    /// address that it redirects to, or `nil` if it says nothing.
    ///
    /// - Parameters:
    ///   - response: The response.
    ///   - secrets: The secrets that the backend may repeat.
    /// - Returns: The words, on one line, bounded, and without secrets.
    package func serverWords(in response: WireResponse, hiding secrets: KnownSecrets) -> String? {
        if (300..<400).contains(response.status), let location = response.header("Location") {
            let hider = UnknownSecrets(known: secrets, names: recognition.secrets)
            return "to \(hider.hiding(in: location, limit: ServerMessage.lengthLimit).text)"
        }
        return message(in: ResponseBody(response), response, hiding: secrets)
            ?? Challenge.words(in: response).map { ServerMessage.bounded($0, hiding: secrets) }
    }
}
