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
        let body = ResponseBody(response, by: recognition)
        return recognition.serverWords(
            in: response,
            body,
            AnswerTraits(response, body, by: recognition),
            by: self,
            hiding: secrets
        )
    }

    /// Returns the backend's message in a response that may contain tokens, at the places of this
    /// exchange or of the other.
    func message(
        in body: ResponseBody,
        _ response: WireResponse,
        hiding secrets: KnownSecrets
    ) -> String? {
        recognition.message(in: body, response, by: self, hiding: secrets)
    }

    /// Returns why a success cannot be read, and the backend's message in it, if there is one.
    func unreadable(
        _ error: TokenParser.Unreadable,
        _ response: WireResponse,
        _ json: JSONValue,
        hiding secrets: KnownSecrets
    ) -> ResponseFailure {
        let words = message(in: .json(json), response, hiding: secrets)
        return .undecodable(
            status: response.status,
            message: words.map { "\(error.message), which says: \($0)" } ?? error.message
        )
    }
}

extension Recognition {
    /// Returns the words of an answer; those at the places of a profile, if there is one, are
    /// preferred.
    ///
    /// - Parameters:
    ///   - response: The response.
    ///   - body: Its body.
    ///   - parts: Its parts.
    ///   - dialect: The dialect of its backend, or `nil` without a profile.
    ///   - tokens: The tokens in it, of which no word may have a part.
    ///   - secrets: The secrets that the backend may repeat.
    /// - Returns: The words, on one line, bounded, and without secrets.
    func serverWords(
        in response: WireResponse,
        _ body: ResponseBody,
        _ parts: AnswerTraits,
        by dialect: Dialect?,
        with tokens: [Secret] = [],
        hiding secrets: KnownSecrets
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
        return message(in: body, response, by: dialect, with: tokens, hiding: secrets)
            ?? (parts.errorCode ?? Challenge.words(in: response)).map(hidden)
    }

    fileprivate func message(
        in body: ResponseBody,
        _ response: WireResponse,
        by dialect: Dialect?,
        with tokens: [Secret] = [],
        hiding secrets: KnownSecrets
    ) -> String? {
        let all = tokens + (dialect?.tokenTexts(in: response, body) ?? []).map(Secret.init)
        // A gateway in front of the backend has its own form.
        let paths = (dialect?.errorMessagePaths ?? []) + errorTexts
        return ServerMessage.find(
            in: body,
            at: paths,
            hiding: secrets.adding(all),
            of: all.map { $0.reveal() }
        )
        .map { UnknownSecrets.hidingNamed(in: $0, by: self.secrets) }
    }
}
