package import Basics

/// The server's own words in an answer that does not bring what was asked for.
extension Dialect {
    /// Returns what the server says in such an answer: its message or the code of its error, what its
    /// challenge says, the address that it redirects to, or `nil` if it says nothing.
    ///
    /// - Parameters:
    ///   - response: The response.
    ///   - secrets: The secrets that the backend may repeat.
    /// - Returns: The words, on one line, bounded, and without secrets.
    package func serverWords(in response: WireResponse, hiding secrets: KnownSecrets) -> String? {
        let body = ResponseBody(response)
        return recognition.words(in: response, body.json, hiding: secrets) {
            message(in: body, response, hiding: secrets)
        }
    }
}

extension Recognition {
    /// Returns the same without a profile.
    ///
    /// - Parameters:
    ///   - response: The response.
    ///   - json: Its body, if that is JSON.
    ///   - tokens: The tokens in it, of which no word may have a part.
    ///   - secrets: The secrets that the backend may repeat.
    /// - Returns: The words, on one line, bounded, and without secrets.
    package func serverWords(
        in response: WireResponse,
        _ json: JSONValue?,
        with tokens: [Secret],
        hiding secrets: KnownSecrets
    ) -> String? {
        words(in: response, json, hiding: secrets) {
            ServerMessage.find(
                in: json.map(ResponseBody.json) ?? ResponseBody(response, by: self),
                at: errorTexts,
                hiding: secrets,
                of: tokens.map { $0.reveal() }
            )
            .map { UnknownSecrets.hidingNamed(in: $0, by: self.secrets) }
        }
    }

    fileprivate func words(
        in response: WireResponse,
        _ json: JSONValue?,
        hiding secrets: KnownSecrets,
        message: () -> String?
    ) -> String? {
        let hider = UnknownSecrets(known: secrets, names: self.secrets)
        func hidden(_ text: String) -> String {
            hider.hiding(in: text, limit: ServerMessage.lengthLimit).text
        }
        if (300..<400).contains(response.status), let location = response.header("Location") {
            return "to \(hidden(location))"
        }
        if let message = GRPCStatus.message(of: response), !message.isEmpty {
            return hidden(message)
        }
        let other = json.flatMap(errorCode)?.code ?? Challenge.words(in: response)
        return message() ?? other.map(hidden)
    }
}
