import Basics
import Model
import Observer
import UI

/// The findings of a probe, as a sentence.
enum VerdictText {
    static func text(_ verdict: Verdict) -> String {
        switch verdict {
        case .clock(let offset): clock(offset)
        case .accessLifetime(let seconds, let source):
            "access token: \(lifetime(seconds, source))"
        case .refreshLifetime(let seconds, let source):
            "refresh token: \(lifetime(seconds, source))"
        case .noLifetime: "the access token's life is not stated: a client learns its end by a 401"
        case .expiriesDisagree: "two statements about an expiry disagree: a client trusts neither"
        case .cacheable: "the answer lacks Cache-Control: no-store (RFC 6749 section 5.1)"
        case .openCookies(let names):
            "cookies without HttpOnly or Secure: \(names.joined(separator: ", "))"
        case .shortToken(let bytes):
            "an opaque token has \(bytes) characters, which is less than 128 bits"
        case .wrongPassword(let status, let code): error("a wrong password", status, code)
        case .acceptsWrongPassword: "a login with a wrong password succeeds"
        case .acceptsBadAccess(let token):
            "a request with \(ExchangeText.text(token, isAccess: true)) succeeds"
        case .accessRefusal(let token, let status):
            "\(ExchangeText.text(token, isAccess: true)): \(status)"
        case .rotation(.replaces): "a refresh replaces the refresh token"
        case .rotation(.keeps): "a refresh returns the same refresh token"
        case .rotation(.keepsSilently): "a refresh returns no refresh token"
        case .refreshRefused(let status, let code):
            error("a refresh token at its first use", status, code)
        case .oldAccess(true): "the old access token lives on"
        case .oldAccess(false): "the old access token dies: requests in flight with it fail"
        case .refreshSlides(true): "a refresh restarts the refresh token's life"
        case .refreshSlides(false): "the refresh token's life counts from the login"
        case .refreshError(let token, let status, let code):
            error(ExchangeText.text(token, isAccess: false), status, code)
        case .acceptsBadRefresh(let token):
            "a refresh with \(ExchangeText.text(token, isAccess: false)) succeeds"
        case .resource(let resource, let answer): text(resource, answer)
        case .nonce(.notRequired): "a proof needs no nonce of the server"
        case .nonce(.leavesToken):
            "a challenge for a nonce leaves the refresh token alone: it works with the nonce"
        case .nonce(.spendsToken):
            "a challenge for a nonce spends the refresh token: a client that answers it has lost the "
                + "session"
        case .ancestor(.accepted): "a token that was replaced twice is accepted"
        case .ancestor(.refused):
            "a token that was replaced twice is refused, and the session lives"
        case .ancestor(.endsSession): "a token that was replaced twice ends the session"
        case .newAccessRefused(let status):
            "a request with the new access token is refused\(status.map { ": \($0)" } ?? "")"
        case .challenged(let code):
            "a request with the new access token is refused for what no refresh brings: \(code)"
        case .claims(let claims): text(claims)
        case .raceUnclear:
            "the server failed while two refreshes ran at once, which may have another cause"
        case .race(let race, let gap):
            "\(text(race)) (sent within \(DurationFormatter.fine(gap)))"
        case .lostAnswer(.notCommitted, let seconds):
            "a refresh whose client leaves before the answer is not carried out: the same token works "
                + "\(ExchangeText.seconds(seconds)) s later"
        case .lostAnswer(.recovers, let seconds):
            "after a lost answer the same token works again, \(ExchangeText.seconds(seconds)) s later"
        case .lostAnswer(.lost, let seconds):
            "after a lost answer the token is refused \(ExchangeText.seconds(seconds)) s later: the "
                + "session is lost to the client"
        case .accessEnd(let low, let high): end(low, high)
        case .refreshAfterExpiry(true): "a refresh works after the access token has expired"
        case .refreshAfterExpiry(false): "a refresh is refused once the access token has expired"
        case .logout(let logout): text(logout)
        case .logoutAll(let logout): text(logout)
        case .logoutRefused(let status):
            "the logout of a live session is refused\(status.map { ": \($0)" } ?? ""), so that what it "
                + "ends is not known"
        case .unknownLogout(let status):
            "unknown tokens: \(status.map { String($0) } ?? "no status")"
        case .feedOpening(let answer): opening(answer)
        case .feedAfter(let occasion, let code): feed(after: occasion, closedWith: code)
        case .feedRefusal(let token, let answer): feed(with: token, answer)
        }
    }

    private static func text(_ resource: OtherResource, _ answer: ResourceVerdict) -> String {
        let subject =
            resource == .omitted
            ? "a refresh without the resource" : "a refresh for another resource"
        let effect =
            switch answer.sessionLives {
            case true?: "; the session lives on"
            case false?: "; the next refresh is refused: the session is lost"
            case nil: ""
            }
        guard answer.isAccepted else {
            return "\(subject) is refused\(answer.code.map { ": \($0)" } ?? "")\(effect)"
        }
        let audience =
            switch answer.keepsAudience {
            case true?: "brings a token for the same audience"
            case false?: "brings a token for another audience"
            case nil: "succeeds; the token states no audience"
            }
        return "\(subject) \(audience)\(effect)"
    }

    private static func opening(_ answer: FeedAnswer) -> String {
        switch answer {
        case .accepted: "the feed opens with an access token, and stays open"
        case .refused(let status):
            "the feed refuses a valid access token\(status.map { ": \($0)" } ?? "")"
        case .closed(let code):
            "the feed closes a socket with a valid access token at once, with \(code)"
        }
    }

    private static func feed(after occasion: FeedOccasion, closedWith code: Int?) -> String {
        switch (occasion, code) {
        case (.refresh, nil):
            "a refresh leaves the socket open: a client uses the new token for the next one"
        case (.refresh, let code?):
            "a refresh closes the socket with \(code): a client opens another with the new token"
        case (.expiry, nil):
            "the socket outlives its token: a client need not hurry to open another"
        case (.expiry, let code?):
            "the end of its token closes the socket with \(code): a client opens another before"
        case (.logout, nil): "a logout leaves the socket open: a client closes it itself"
        case (.logout, let code?):
            "a logout closes the socket with \(code): a client must not open another"
        case (.opening, _), (.invalidToken, _): ""
        }
    }

    private static func feed(with token: InvalidFeedToken, _ answer: FeedAnswer) -> String {
        let name = token == .malformed ? "a malformed token" : "an expired token"
        switch answer {
        case .accepted: return "the feed opens with \(name), and stays open"
        case .refused(let status):
            let isClear = status == 401 || status == 403
            return "the feed with \(name): \(status.map { String($0) } ?? "refused") before the "
                + "upgrade"
                + (isClear ? "" : ", which a client may take for another mistake")
        case .closed(let code):
            let isClear = FeedPolicy.verdict(code: code) == .tokenRejected
            return "the feed with \(name): closed with \(code) after the upgrade"
                + (isClear
                    ? ": a client reads the code" : ", which a client may take for a failure")
        }
    }

    private static func lifetime(_ seconds: Double, _ source: ExpirySource) -> String {
        let by = source == .assumed ? "as documented" : "by \(ExpiryText.source(source))"
        return "\(DurationFormatter.long(seconds)), \(by)"
    }

    private static func clock(_ offset: ServerOffset) -> String {
        if offset.isSeeminglyBehind {
            let behind = DurationText.text(-offset.likelyHigh)
            return "the server's Date is \(behind) behind: its clock is, or the Date is old"
        }
        let ahead = DurationText.text(offset.low)
        return offset.isFar
            ? "the server's clock is \(ahead) ahead: absolute expiries are read wrongly"
            : "reachable; the server's Date agrees with authtop's clock"
    }

    private static func error(_ name: String, _ status: Int?, _ code: String?) -> String {
        guard let status else { return "\(name): no answer" }
        let loops = [404, 422, 429].contains(status) || status >= 500
        return "\(name): \(status)" + (code.map { " \($0)" } ?? "")
            + (loops ? ", which a client may take for a failure that passes" : "")
    }

    private static func text(_ race: RaceVerdict) -> String {
        switch race {
        case .same: "both of two refreshes at once get the same successor"
        case .forks: "both of two refreshes at once get tokens that are valid"
        case .oneDies: "both of two refreshes at once get tokens, and one refresh token is dead"
        case .oneWins: "one of two refreshes at once wins, and its tokens are valid"
        case .winnerDies: "two refreshes at once end the session"
        case .bothRefused: "both of two refreshes at once are refused"
        case .serverError:
            "two refreshes at once make the server fail (5xx): a client has to send one again"
        }
    }

    private static func text(_ claims: ClaimComparison) -> String {
        func names(_ claims: [SessionClaim]) -> String? {
            claims.isEmpty ? nil : claims.map(\.rawValue).joined(separator: ", ")
        }
        let parts = [
            names(claims.changed).map { "states another \($0) than the old one" },
            names(claims.lost).map { "has lost \($0), or a part of it" },
            names(claims.kept).map { "states the same \($0) as the old one" },
        ]
        return "the new access token \(parts.compactMap(\.self).joined(separator: ", and "))"
    }

    private static func end(_ low: Double?, _ high: Double?) -> String {
        switch (low, high) {
        case (let low?, let high?):
            "the access token ends between \(signed(low)) and \(signed(high)) s of its stated end"
        case (let low?, nil):
            "the access token is accepted \(signed(low)) s from its stated end, and longer"
        case (nil, let high?): "the access token is refused \(signed(high)) s from its stated end"
        case (nil, nil): "the access token's end was not seen"
        }
    }

    private static func signed(_ seconds: Double) -> String {
        seconds < 0 ? "−\(ExchangeText.seconds(-seconds))" : "+\(ExchangeText.seconds(seconds))"
    }

    private static func text(_ logout: LogoutVerdict) -> String {
        var parts = [
            logout.refreshLives.map { "the refresh token \($0 ? "lives on" : "dies")" },
            logout.accessLives.map { "the access token \($0 ? "lives on" : "dies")" },
        ].compactMap(\.self)
        if let others = logout.othersLive {
            parts.append("other sessions \(others ? "live on" : "die as well")")
        }
        return "after a logout: \(parts.joined(separator: ", "))"
    }

    private static func text(_ logout: LogoutAllVerdict) -> String {
        let parts = [
            logout.refreshLives.map { "refresh token \($0 ? "lives on" : "dies")" },
            logout.accessLives.map { "access token \($0 ? "lives on" : "dies")" },
        ].compactMap(\.self)
        return "after a logout everywhere, another session's \(parts.joined(separator: ", its "))"
    }
}
