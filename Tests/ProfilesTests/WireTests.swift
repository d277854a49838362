import Basics
import Foundation
import Testing

@testable import Profiles

@Suite("Wire: the exchanges that the guides show")
struct WireTests {
    @Test("the client sends what the guide shows", arguments: Golden.all)
    func requests(golden: Golden) throws {
        guard !golden.isSandboxOnly else { return }
        let sample = try sample(golden)
        try expectSame(try request(golden, sample), golden.request, sample)
    }

    @Test("the sandbox recognizes what the guide shows", arguments: Golden.all)
    func recognition(golden: Golden) throws {
        let sample = try sample(golden)
        let refresh = golden.request.holds("{refresh}") ? sample.refresh : nil
        let access = golden.request.holds("{access}") ? sample.access : nil
        let expected: RecognizedRequest =
            switch golden.exchange {
            case "login": .login(credentials: wanted(sample))
            case "refresh": .refresh(refresh)
            case "logout":
                .logout(
                    golden.variant == "everywhere" ? .everywhere : .this,
                    refresh: refresh,
                    access: access
                )
            case "protected": .protected(access)
            default: .feed(sample.access, since: nil)
            }
        let request = wireRequest(golden.request, sample)
        #expect(sample.dialect.withSandboxFeed().recognize(request) == expected)
    }

    @Test("the client reads what the guide shows", arguments: Golden.all)
    func readings(golden: Golden) throws {
        guard let answer = golden.answer, let meaning = golden.meaning else { return }
        let sample = try sample(golden)
        #expect(read(wireResponse(answer, sample), golden, sample) == meaning)
    }

    @Test("the sandbox answers what the guide shows", arguments: Golden.all)
    func answers(golden: Golden) throws {
        guard let answer = golden.answer, !golden.isClientOnly else { return }
        let sample = try sample(golden)
        let response = sample.dialect.answer(try decision(golden, sample))
        #expect(String(response.status) == answer.start)
        guard !answer.body.isEmpty else { return }
        let wanted = wireResponse(answer, sample)
        #expect(JSONValue(parsing: response.body) == JSONValue(parsing: wanted.body))
        #expect(response.header("content-type") == wanted.header("Content-Type"))
        #expect(read(response, golden, sample) == golden.meaning)
    }

    @Test("every dialect and provider has a login and a refresh among the goldens")
    func completeness() {
        for name in Dialect.builtIn().map(\.name) + Profile.providers().map(\.name) {
            let names = Golden.all.filter { $0.dialectName == name }.map(\.name)
            #expect(names.contains("login") && names.contains("refresh"), "\(name)")
        }
    }

    @Test("a request that differs from its golden is reported")
    func mismatch() throws {
        let golden = try #require(Golden.all.first { $0.testDescription == "melchat/logout" })
        let sample = try sample(golden)
        var request = try request(golden, sample)
        request.body = Array(#"{"refresh_token": "x"}"#.utf8)
        withKnownIssue { try expectSame(request, golden.request, sample) }
    }
}

extension WireTests {
    /// The variant whose answer holds no refresh token.
    private static let withoutRefresh = "client-credentials"

    private func sample(_ golden: Golden) throws -> Sample {
        if golden.variant == Self.withoutRefresh {
            return Sample(try Dialect.oauth2("grant = \"client_credentials\""))
        }
        if var provider = ProfileSource.builtIn(golden.dialectName),
            Profile.providerSources[provider.name] != nil
        {
            // A sign-in with a browser has no credentials to send.
            for grant in ["authorization_code", "device_code"] {
                provider.text.replace(
                    "\ngrant = \"\(grant)\"",
                    with: "\ngrant = \"password\""
                )
            }
            let profile = try Profile(provider, known: []) { ProfileSource.builtIn($0) }
            return Sample(profile.dialect)
        }
        return Sample(try #require(Dialect.builtIn(named: golden.dialectName)))
    }

    private func wanted(_ sample: Sample) -> [String: Secret] {
        let names = Set(sample.dialect.credentials.map(\.name))
        return Sample.credentials.filter { names.contains($0.key) }
    }

    private func request(_ golden: Golden, _ sample: Sample) throws -> WireRequest {
        let dialect = sample.dialect
        switch golden.exchange {
        case "login": return try dialect.loginRequest(Sample.credentials)
        case "refresh":
            return dialect.refreshRequest(sample.refresh, credentials: Sample.credentials)
        case "logout":
            let scope: LogoutScope = golden.variant == "everywhere" ? .everywhere : .this
            return try #require(
                dialect.logoutRequest(
                    scope,
                    refresh: sample.refresh,
                    access: sample.access,
                    credentials: Sample.credentials
                )
            )
        case "protected": return dialect.protectedRequest(sample.access)
        default:
            let feed = try #require(dialect.feedRequest(sample.access, since: nil))
            return WireRequest(method: "GET", target: feed.target, headers: feed.headers)
        }
    }

    private func decision(_ golden: Golden, _ sample: Sample) throws -> BackendResponse {
        switch (golden.exchange, golden.variant) {
        case ("login", Self.withoutRefresh): .loginIssued(sample.factsWithoutRefresh)
        case ("login", _): .loginIssued(sample.facts)
        case ("refresh", ""): .refreshIssued(sample.facts)
        case ("refresh", let cause):
            .refreshRefused(try #require(RefreshRefusalCause(rawValue: cause)))
        case ("logout", "everywhere"): .loggedOut(.everywhere)
        case ("logout", _): .loggedOut(.this)
        case ("protected", ""): .protectedContent(user: sample.user)
        case (_, let cause): .unauthorized(try #require(UnauthorizedCause(rawValue: cause)))
        }
    }

    private func read(_ response: WireResponse, _ golden: Golden, _ sample: Sample) -> String {
        let meaning = Meaning(sample: sample)
        return switch golden.exchange {
        case "login": meaning.of(sample.dialect.readLogin(response))
        case "refresh": meaning.of(sample.dialect.readRefresh(response))
        case "logout": meaning.of(sample.dialect.readLogout(response))
        default: meaning.of(sample.dialect.readProtected(response))
        }
    }

    private func wireRequest(_ message: Golden.Message, _ sample: Sample) -> WireRequest {
        let start = sample.filling(message.start).split(separator: " ", maxSplits: 1)
        return WireRequest(
            method: String(start.first ?? ""),
            target: String(start.last ?? ""),
            headers: message.headers.map { WireHeader($0.name, sample.filling($0.value)) },
            body: Array(sample.filling(message.body, as: .init(message.headers)).utf8)
        )
    }

    private func wireResponse(_ message: Golden.Message, _ sample: Sample) -> WireResponse {
        WireResponse(
            status: Int(message.start) ?? 0,
            headers: message.headers,
            body: Array(sample.filling(message.body, as: .init(message.headers)).utf8)
        )
    }

    /// Method and target alike, header names without case, bodies as JSON values.
    private func expectSame(
        _ request: WireRequest,
        _ golden: Golden.Message,
        _ sample: Sample
    ) throws {
        let wanted = wireRequest(golden, sample)
        #expect(request.method == wanted.method)
        #expect(request.target == wanted.target)
        #expect(Self.plain(request.headers) == Self.plain(wanted.headers))
        #expect(request.body.isEmpty == wanted.body.isEmpty)
        #expect(JSONValue(parsing: request.body) == JSONValue(parsing: wanted.body))
        guard case .form = Sample.Encoding(wanted.headers) else { return }
        #expect(Self.pairs(request.body) == Self.pairs(wanted.body))
    }

    private static func pairs(_ body: [UInt8]) -> [Substring] {
        String(decoding: body, as: UTF8.self).split(separator: "&").sorted()
    }

    private static func plain(_ headers: [WireHeader]) -> [String] {
        headers.map { "\($0.name.lowercased()): \($0.value)" }.sorted()
    }
}
