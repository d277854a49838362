import Basics
import NIOCore
import Testing

@testable import Profiles
@testable import Proxy

@Suite("Serving: one request")
struct ServedRequestTests {
    private static let refusal = ResponseMessage(
        minorVersion: 1,
        status: 401,
        reason: WireText(""),
        fields: []
    )
    private static let short = ByteBuffer(string: "hello")
    private static let long = ByteBuffer(repeating: 0, count: ServedRequest.bodyLimit + 1)

    private static func fields(_ token: String) -> SessionFields { .bearer(token) }

    /// A request that was sent with a body, and refused.
    private static func refused(body: ByteBuffer?) -> ServedRequest {
        var request = ServedRequest()
        #expect(request.receive(fields("a")) == .send)
        if let body { request.keep(body) }
        return request
    }

    @Test("is sent once more after a refusal, with its body and the other token")
    func repeated() {
        var request = Self.refused(body: Self.short)
        #expect(request.receive(Self.refusal, isRefusal: true) == .hold)
        #expect(request.receive(Self.fields("b")) == .sendAgain(Self.short))
        #expect(request.fields == Self.fields("b"))
        // The second refusal is the backend's answer.
        #expect(request.receive(Self.refusal, isRefusal: true) == .pass)
        #expect(request.receive(Self.fields("c")) == .nothing)
    }

    @Test("names the request that it repeats once it is sent again, and not before")
    func numbered() {
        var request = Self.refused(body: Self.short)
        #expect(request.receive(Self.refusal, isRefusal: true) == .hold)
        #expect(request.repeated == nil)
        #expect(request.receive(Self.fields("b"), repeating: 7) == .sendAgain(Self.short))
        #expect(request.repeated == 7)
        var growing = Self.refused(body: Self.short)
        #expect(growing.receive(Self.refusal, isRefusal: true) == .hold)
        growing.keep(Self.long)
        _ = growing.receive(Self.fields("b"), repeating: 8)
        #expect(growing.repeated == nil)
    }

    @Test("is not sent once more if nothing was refused")
    func accepted() {
        var request = Self.refused(body: Self.short)
        #expect(request.receive(Self.refusal, isRefusal: false) == .pass)
        #expect(request.kept == nil)
        #expect(request.receive(Self.refusal, isRefusal: true) == .pass)
    }

    @Test("is not sent once more if its body is longer than what is kept")
    func tooLong() {
        var request = Self.refused(body: Self.long)
        #expect(request.kept == nil)
        #expect(request.receive(Self.refusal, isRefusal: true) == .passTooLong)
        var growing = Self.refused(body: Self.short)
        #expect(growing.receive(Self.refusal, isRefusal: true) == .hold)
        growing.keep(Self.long)
        #expect(
            growing.receive(Self.fields("b")) == .passRefusal(Self.refusal, isTooLong: true)
        )
        #expect(growing.fields == Self.fields("a"))
    }

    @Test("gives the app the refusal if there is no other token")
    func withoutToken() {
        var waiting = ServedRequest()
        #expect(waiting.receiveNothing() == .withhold)
        var request = Self.refused(body: nil)
        #expect(request.receive(Self.refusal, isRefusal: true) == .hold)
        #expect(request.receiveNothing() == .passRefusal(Self.refusal, isTooLong: false))
    }

    @Test("carries the session's fields in place of its own, and keeps all others")
    func carried() {
        var request = RequestMessage(
            method: "GET",
            target: "/feed?token=old&x=1",
            minorVersion: 1,
            fields: [
                HeadField("authorization", "Basic old"), HeadField("Accept", "text/plain"),
                HeadField("Cookie", "theme=dark; session=old; lang=en"),
            ]
        )
        let fields = SessionFields(
            token: AccessToken(Secret("new")),
            replacing: [
                WireHeader("Authorization", "Bearer new"), WireHeader("Cookie", "session=new"),
            ],
            defaults: [WireHeader("accept", "application/json"), WireHeader("apikey", "k")],
            query: "token=new",
            problem: nil,
            proof: nil
        )
        #expect(request.ownName(of: fields) == "authorization")
        request.carry(fields)
        #expect(request.target == "/feed?x=1&token=new")
        #expect(
            request.fields.map { "\($0.name): \($0.value)" } == [
                "Accept: text/plain", "Authorization: Bearer new", "apikey: k",
                "Cookie: theme=dark; lang=en; session=new",
            ]
        )
    }
}

extension SessionFields {
    /// The fields of a bearer token.
    static func bearer(_ token: String) -> SessionFields {
        SessionFields(
            token: AccessToken(Secret(token)),
            replacing: [WireHeader("Authorization", "Bearer \(token)")],
            defaults: [],
            query: nil,
            problem: nil,
            proof: nil
        )
    }
}
