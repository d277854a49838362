package import Basics

/// Parsing of responses to a refresh, which alone can end a session.
extension Dialect {
    /// Parses a response; `secrets` are those that the backend may repeat.
    package func readRefresh(
        _ response: WireResponse,
        hiding secrets: KnownSecrets = .none
    ) -> RefreshResponse {
        decideRefresh(response, hiding: secrets).meaning
    }

    /// Parses a response, and returns what decided its meaning, too.
    ///
    /// - Parameters:
    ///   - response: The response.
    ///   - secrets: The secrets that the backend may repeat.
    ///   - hasWorked: Whether an earlier refresh of the session has succeeded.
    /// - Returns: The meaning.
    package func decideRefresh(
        _ response: WireResponse,
        hiding secrets: KnownSecrets = .none,
        hasWorked: Bool = false
    ) -> Decision<RefreshResponse> {
        guard let listed = self.refresh else {
            let message = "the dialect \(name) has no refresh"
            let failure = ResponseFailure.clientFault(status: response.status, message: message)
            return Decision(.failed(failure), by: .unlisted)
        }
        let body = ResponseBody(response, by: recognition)
        let isSuccess = ResponseClass(status: response.status) == .success
        let isWithoutAccess = listed.isWithoutAccess(response, body)
        let refresh =
            isSuccess && isWithoutAccess ? listed.findingErrorsInSuccess(recognition) : listed
        let isIssued = isSuccess && !isRefusal(body, by: refresh, response)
        let decision =
            isIssued
            ? issued(response, body, by: refresh, hiding: secrets, hasWorked: hasWorked)
            : declined(response, body, by: refresh, hiding: secrets, hasWorked: hasWorked)
        let recognized =
            isWithoutAccess
            ? recognizingRefusal(response, body, decision, hiding: secrets) : decision
        return keepingSuccessor(response, body, by: refresh, recognized, hiding: secrets)
    }

    /// Returns the decision on an object without an access token, or that its error refuses the refresh
    /// token in a way that is known of other backends, if no rule of the profile says what it means.
    ///
    /// In a success, also what may be about another token counts, if it is repeated.
    private func recognizingRefusal(
        _ response: WireResponse,
        _ body: ResponseBody,
        _ decision: Decision<RefreshResponse>,
        hiding secrets: KnownSecrets
    ) -> Decision<RefreshResponse> {
        guard case .failed = decision.meaning,
            [.unlisted, .unreadable, .failureFlag].contains(decision.rule)
        else { return decision }
        let status = response.status
        let parts = AnswerTraits(response, body, by: recognition)
        let refused = recognition.refusals.refused(by: parts)
        let isForGood = refused.contains(.refreshForGood)
        let isLikely =
            ResponseClass(status: status) == .success
            && (refused.contains(.refresh) || recognition.saysRefusal(in: body, status: status))
        guard isForGood || isLikely else { return decision }
        let refusal = Refusal(
            status: status,
            message: message(in: body, response, hiding: secrets),
            isBare: !isForGood
        )
        return Decision(.refused(refusal), by: .recognized)
    }

    /// Returns the decision, or that the response brings a refresh token alone, which replaces the one
    /// that was sent whatever else is wrong with the response.
    private func keepingSuccessor(
        _ response: WireResponse,
        _ body: ResponseBody,
        by refresh: RefreshExchange,
        _ decision: Decision<RefreshResponse>,
        hiding secrets: KnownSecrets
    ) -> Decision<RefreshResponse> {
        if case .issued = decision.meaning { return decision }
        guard
            let token = refresh.successor(
                in: response,
                body,
                otherwise: decision.meaning,
                hiding: secrets
            )
        else { return decision }
        let json = body.json ?? .null
        var successor = RefreshSuccessor(
            refresh: token,
            evidence: refresh.reading.refreshEvidence(
                of: token,
                in: response,
                json,
                lifetimes: lifetimes,
                startsLife: lifetimes.refreshSlides
            ),
            status: response.status,
            message: decision.meaning.message,
            retryAfter: decision.meaning.retryAfter
        )
        successor.captured = captured(in: response, json)
        return Decision(.refreshTokenOnly(successor), by: .refreshTokenOnly)
    }

    /// Returns the meaning of a response without tokens.
    private func declined(
        _ response: WireResponse,
        _ body: ResponseBody,
        by refresh: RefreshExchange,
        hiding secrets: KnownSecrets,
        hasWorked: Bool
    ) -> Decision<RefreshResponse> {
        let status = response.status
        let message = message(in: body, response, hiding: secrets)
        let failure = ResponseFailure(
            response,
            body,
            to: refresh.request,
            message: message,
            captures: refresh.request.captures,
            hasWorked: hasWorked
        )
        if ResponseClass.isNeverTerminal(status) {
            return Decision(.failed(failure), by: .neverTerminal)
        }
        if let fault = refresh.clientFaults.match(status: status, body), !fault.isBare {
            let isTokenMissing = refresh.clientFaults.saysTokenIsMissing(status: status, body)
            let advice = isTokenMissing ? refresh.place.whyMissing : nil
            let failure = ResponseFailure.clientFault(
                status: status,
                message: advice.map { advice in message.map { "\($0): \(advice)" } ?? advice }
                    ?? message
            )
            return Decision(.failed(failure), by: .clientFault(fault))
        }
        guard let terminal = refresh.terminal.match(status: status, body) else {
            if let cookie = refresh.deletedCookie(in: response) {
                return Decision(
                    .refused(Refusal(status: status, message: message)),
                    by: .cookieDeleted(cookie)
                )
            }
            let saysFailure = body.json.map(refresh.reading.saysFailure) ?? false
            return Decision(.failed(failure), by: saysFailure ? .failureFlag : .unlisted)
        }
        let refusal = Refusal(
            status: status,
            message: message,
            isBare: terminal.isBare,
            causes: refresh.terminal.causes(status: status, body)
        )
        return Decision(.refused(refusal), by: .terminal(terminal))
    }

    /// Returns whether a body with a successful status is a rejection nevertheless, by its flag or
    /// by a rule, if it contains no token.
    private func isRefusal(
        _ body: ResponseBody,
        by refresh: RefreshExchange,
        _ response: WireResponse
    ) -> Bool {
        guard body.isObject, let json = body.json else { return false }
        if refresh.reading.saysFailure(json) { return true }
        guard refresh.isWithoutAccess(response, body) else { return false }
        let rules = refresh.terminal + refresh.clientFaults
        return rules.filter(\.asksBody).match(status: response.status, body)?.isBare == false
    }

    private func issued(
        _ response: WireResponse,
        _ body: ResponseBody,
        by refresh: RefreshExchange,
        hiding secrets: KnownSecrets,
        hasWorked: Bool
    ) -> Decision<RefreshResponse> {
        let status = response.status
        let json = refresh.reading.readable(body, response)
        if refresh.reading.access.string(in: response, json ?? .null) == nil,
            refresh.deletedCookie(in: response) != nil
        {
            return declined(response, body, by: refresh, hiding: secrets, hasWorked: hasWorked)
        }
        guard let json else {
            let message = ResponseFailure.unreadable(
                body,
                refresh.request,
                hasWorked: hasWorked
            )
            return Decision(
                .failed(.undecodable(status: status, message: message)),
                by: .unreadable
            )
        }
        do throws(TokenParser.Unreadable) {
            var tokens = try refresh.reading.tokens(
                in: response,
                json,
                lifetimes: lifetimes,
                startsRefreshLife: lifetimes.refreshSlides,
                hiding: secrets
            )
            tokens.captured = captured(in: response, json)
            tokens.endsRefreshToken =
                tokens.refresh == nil && refresh.deletedCookie(in: response) != nil
            return Decision(.issued(withSubject(tokens, hiding: secrets)), by: .success)
        } catch {
            let failure = unreadable(error, response, json, hiding: secrets)
            return Decision(.failed(failure), by: .unreadable)
        }
    }
}

extension RefreshExchange {
    /// Whether a response is an object of the backend, and has no access token.
    fileprivate func isWithoutAccess(_ response: WireResponse, _ body: ResponseBody) -> Bool {
        guard body.isObject, let json = body.json else { return false }
        return reading.access.string(in: response, json) == nil
    }

    /// Returns it with the rules that name an error for any status: some backends answer every request
    /// with 200.
    fileprivate func findingErrorsInSuccess(_ recognition: Recognition) -> RefreshExchange {
        let places = recognition.errorPlaces + recognition.errorTexts
        func added(to rules: [ResponseRule]) -> [ResponseRule] {
            rules + rules.compactMap { $0.forAnyStatus(ifErrorIsIn: places) }
        }
        var refresh = self
        refresh.terminal = added(to: terminal)
        refresh.clientFaults = added(to: clientFaults)
        return refresh
    }

    /// Returns the name of the cookie with the refresh token if a response deletes it.
    fileprivate func deletedCookie(in response: WireResponse) -> String? {
        var names = reading.refresh.compactMap { place in
            if case .cookie(let name) = place { name } else { nil }
        }
        if case .cookie(let name) = place { names.append(name) }
        return names.first { SetCookie.change(of: $0, in: response) == .deleted }
    }
}

extension RefreshResponse {
    /// What is wrong with it, or what its backend says of that.
    fileprivate var message: String? {
        switch self {
        case .issued, .refreshTokenOnly: nil
        case .refused(let refusal): refusal.message
        case .failed(.transient(_, let message, _)), .failed(.clientFault(_, let message)),
            .failed(.clientForgotten(_, let message)), .failed(.forbidden(_, let message, _)):
            message
        case .failed(.undecodable(_, let message)): message
        }
    }

    fileprivate var retryAfter: RetryAfter? {
        guard case .failed(.transient(_, _, let retryAfter)) = self else { return nil }
        return retryAfter
    }
}
