package import Tokens

/// What an answer to a login means.
extension Dialect {
    /// `credentials` are those that were sent, by their names.
    package func readLogin(
        _ response: WireResponse,
        credentials: [String: Secret] = [:]
    ) -> LoginAnswer {
        let status = response.status
        let body = AnswerBody(response)
        if AnswerClass(status: status) == .success,
            let json = login.reading.readable(body, response), !login.reading.saysFailure(json)
        {
            return issued(response, json, keeping: login.kept.flatMap { credentials[$0] })
        }
        let words = words(in: body, response)
        let saysFailure = body.json.map(login.reading.saysFailure) ?? false
        let isRefusal = saysFailure && AnswerClass(status: status) == .success
        if isRefusal || login.rejected.contains(status), !AnswerClass.isNeverTerminal(status) {
            return .rejected(status: status, words: words)
        }
        return .failed(AnswerFailure(response, body, to: login.request, words: words))
    }

    private func issued(
        _ response: WireResponse,
        _ json: JSONValue,
        keeping kept: Secret?
    ) -> LoginAnswer {
        do throws(TokenReading.Unreadable) {
            var tokens = try login.reading.tokens(
                in: response,
                json,
                lifetimes: lifetimes,
                startsRefreshLife: true
            )
            if tokens.refresh == nil { tokens.refresh = kept.map(RefreshToken.init) }
            return .issued(withSubject(tokens))
        } catch {
            return .failed(.undecodable(status: response.status, words: error.words))
        }
    }

    /// The backend's words in an answer that may hold tokens, be they at the places of this exchange
    /// or of the other.
    func words(in body: AnswerBody, _ response: WireResponse) -> String? {
        let readings = [login.reading, refresh?.reading].compactMap(\.self)
        let tokens = readings.flatMap { $0.access + $0.refresh }.compactMap { place in
            place.value(in: response, body.json ?? .null)?.stringValue
        }
        return ServerWords.find(in: body, at: words, hiding: tokens)
    }
}
