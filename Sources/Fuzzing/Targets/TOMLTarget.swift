@testable import Basics
@testable import Profiles

/// A dialect's file from an untrusted source, which is read or rejected with a line of the file.
enum TOMLTarget: FuzzTarget {
    static let name = "toml"

    static func read(_ bytes: [UInt8]) {
        let text = String(decoding: bytes, as: UTF8.self)
        let result = dialect(text)
        // Only in some runs, because it doubles their time.
        if bytes.count.isMultiple(of: 4) { checkLineBreaks(text, result) }
        switch result {
        case .success(let dialect): use(dialect)
        case .failure(let error): check(error, of: text)
        }
    }

    private static func dialect(_ text: String) -> Result<Dialect, DialectError> {
        do throws(DialectError) {
            return .success(try Dialect(toml: text, file: "x.toml"))
        } catch {
            return .failure(error)
        }
    }

    /// Checks that both kinds of line breaks are equivalent, also in multi-line strings (TOML 1.0).
    private static func checkLineBreaks(_ text: String, _ result: Result<Dialect, DialectError>) {
        guard !text.utf8.contains(UInt8(ascii: "\r")) else { return }
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        require(isSame(result, dialect(lines.joined(separator: "\r\n"))), "line breaks are alike")
    }

    private static func isSame(
        _ one: Result<Dialect, DialectError>,
        _ other: Result<Dialect, DialectError>
    ) -> Bool {
        switch (one, other) {
        case (.success(let one), .success(let other)): one == other
        case (.failure(let one), .failure(let other)): one.line == other.line
        case (.success, .failure), (.failure, .success): false
        }
    }

    private static func check(_ error: DialectError, of text: String) {
        requireOneLine(error.description, limit: 1000)
        let lines = text.utf8.count { $0 == UInt8(ascii: "\n") } + 1
        guard let line = error.line else {
            require(text.utf8.count > TOMLReader.sizeLimit, "only a huge file has no line")
            return
        }
        require((1...lines).contains(line), "line \(line) of \(lines)")
    }

    /// Checks that a dialect can be used in both directions.
    private static func use(_ dialect: Dialect) {
        require(dialect.recognizesItself, "a dialect's own request is recognized")
        for answer in BackendResponse.samples { dialect.reread(answer) }
        let access = IssuedFacts.sample.access
        for scope in dialect.logoutScopes {
            let refresh = IssuedFacts.sample.refresh
            let request = dialect.logoutRequest(scope, refresh: refresh, access: access)
            requireSendable(request?.headers ?? [])
        }
        if let feed = dialect.feedRequest(access, since: "1") {
            requireSendable(feed.headers)
            require(!"\(feed)".contains(access.secret.reveal()), "the shown target has no token")
        }
        for say in dialect.feedScript.says.indices {
            _ = dialect.feedText(FeedSaying(say: say, number: 1), token: access)
        }
    }
}

/// Requires headers that cannot end another header or the message (RFC 9110 section 5).
private func requireSendable(_ headers: [WireHeader]) {
    for header in headers {
        let isName = header.name.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != 0x3A }
        require(isName && !header.name.isEmpty, "a header's name: \(header.name.debugDescription)")
        require(
            header.value.utf8.allSatisfy { (0x20...0x7E).contains($0) },
            "a header's value: \(header.value.debugDescription)"
        )
    }
}

extension Dialect {
    /// Parses a response of the sandbox, which may be of any kind.
    fileprivate func reread(_ answer: BackendResponse) {
        let response = self.answer(answer)
        requireSendable(response.headers)
        switch answer {
        case .loginIssued, .loginRejected: _ = readLogin(response)
        case .refreshIssued, .refreshRefused, .malformed: _ = readRefresh(response)
        case .loggedOut, .logoutRefused: _ = readLogout(response)
        case .protectedContent, .unauthorized: _ = readProtected(response)
        case .sessions, .sessionEnded, .sessionUnknown: _ = readSessionsAnswer(response)
        case .introspected: _ = decideStatement(.access, response)
        case .userinfo: _ = decideStatement(.user, response)
        }
    }

    /// Whether the sandbox recognizes the client's requests.
    fileprivate var recognizesItself: Bool {
        let access = IssuedFacts.sample.access
        var requests: [WireRequest?] = [sessionsRequest(access)]
        if let refresh = IssuedFacts.sample.refresh, hasRefreshToken {
            requests.append(refreshRequest(refresh))
        }
        if hasProtectedRequest { requests.append(protectedRequest(access)) }
        return requests.compactMap(\.self).allSatisfy { request in
            requireSendable(request.headers)
            return recognize(request) != nil
        }
    }
}

extension BackendResponse {
    fileprivate static let samples: [BackendResponse] =
        [
            .loginIssued(.sample), .loginRejected, .refreshIssued(.sample), .loggedOut(.this),
            .loggedOut(.everywhere), .logoutRefused(.this), .malformed,
            .protectedContent(user: IssuedFacts.sample.user),
            .sessions([SessionFacts(id: "1", startedAt: 0, isCurrent: true)]),
        ]
        + RefreshRefusalCause.allCases.map(BackendResponse.refreshRefused)
        + UnauthorizedCause.allCases.map(BackendResponse.unauthorized)
}
