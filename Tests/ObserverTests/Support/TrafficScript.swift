import FoundationEssentials
import Model
import Observer
import Profiles

@testable import Basics

/// A conversation of an app and its backend, written down by hand with its times.
struct TrafficScript {
    private(set) var steps: [(input: TrafficInput, at: Moment)] = []
    private(set) var seconds = 0.0
    private var last = 0
    private var methods: [Int: String] = [:]

    var origin = "https://api.example.com"
    var peer = "127.0.0.1"
    var userAgent = "okhttp/4.12"
    var connection = 1

    static let roundTrip = 0.02

    init() {}

    var now: Moment { Self.moment(seconds) }

    static func moment(_ seconds: Double) -> Moment {
        Moment(
            now: .origin.advanced(bySeconds: seconds + 1_000),
            wall: Date(timeIntervalSince1970: 1_763_733_600 + seconds)
        )
    }

    mutating func wait(_ seconds: Double) { self.seconds += seconds }

    private mutating func add(_ exchange: Int, _ kind: TrafficInput.Kind) {
        steps.append((TrafficInput(exchange: exchange, kind: kind), now))
    }

    // MARK: - On the wire

    mutating func send(
        _ method: String,
        _ target: String,
        bearer: String? = nil,
        headers: [WireHeader] = [],
        json: JSONValue? = nil,
        form: String? = nil,
        body raw: [UInt8] = []
    ) -> Int {
        last += 1
        methods[last] = method
        var fields = headers + [WireHeader("User-Agent", userAgent)]
        if let bearer { fields.append(WireHeader("Authorization", "Bearer \(bearer)")) }
        if json != nil { fields.append(WireHeader("Content-Type", "application/json")) }
        if form != nil {
            fields.append(WireHeader("Content-Type", "application/x-www-form-urlencoded"))
        }
        add(
            last,
            .requestHead(
                WireRequest(method: method, origin: origin, target: target, headers: fields),
                connection: connection,
                peer: peer
            )
        )
        let body = json.map { Array($0.serialized.utf8) } ?? form.map { Array($0.utf8) } ?? raw
        if !body.isEmpty { add(last, .requestBody(body)) }
        add(last, .requestEnd(bytes: body.count))
        return last
    }

    mutating func answer(
        _ exchange: Int,
        _ status: Int = 200,
        _ json: JSONValue? = nil,
        headers: [WireHeader] = [],
        isStored: Bool = false,
        body raw: [UInt8] = [],
        unread: Int = 0,
        isHTTP2: Bool = false
    ) {
        var fields = headers
        if json != nil { fields.append(WireHeader("Content-Type", "application/json")) }
        if json != nil, !isStored { fields.append(WireHeader("Cache-Control", "no-store")) }
        let line = isHTTP2 ? "HTTP/2 \(status)" : nil
        let head = WireResponse(status: status, statusLine: line, headers: fields)
        add(exchange, .responseHead(head))
        let body = json.map { Array($0.serialized.utf8) } ?? raw
        if !body.isEmpty { add(exchange, .responseBody(body)) }
        add(exchange, .responseEnd(bytes: body.count + unread))
    }

    mutating func deliver(_ exchange: Int, whole isWhole: Bool = true) {
        add(exchange, .delivered(whole: isWhole))
    }

    /// The app ends its connection, and waits no more.
    mutating func giveUp(_ exchange: Int) {
        add(exchange, .givenUp)
    }

    mutating func fail(_ exchange: Int, _ failure: ExchangeFailure) {
        add(exchange, .failed(failure))
    }

    /// Answers an exchange after a round trip, and delivers the answer.
    mutating func finish(
        _ exchange: Int,
        _ status: Int = 200,
        _ json: JSONValue? = nil,
        headers: [WireHeader] = []
    ) {
        wait(Self.roundTrip)
        answer(exchange, status, json, headers: headers)
        deliver(exchange)
    }

    mutating func inject(_ exchange: Int, _ experiment: String) {
        add(exchange, .injected(experiment: experiment))
    }

    // MARK: - Sockets

    mutating func dial(_ target: String, bearer: String? = nil) -> Int {
        send("GET", target, bearer: bearer, headers: [WireHeader("Upgrade", "websocket")])
    }

    mutating func open(_ socket: Int) {
        wait(Self.roundTrip)
        add(socket, .responseHead(WireResponse(status: 101)))
        add(socket, .socketOpened)
    }

    mutating func push(_ socket: Int, from side: TrafficSide = .backend, _ json: JSONValue) {
        push(socket, from: side, text: json.serialized)
    }

    mutating func push(_ socket: Int, from side: TrafficSide = .backend, text: String) {
        let payload = Array(text.utf8)
        add(
            socket,
            .socketMessage(
                SocketMessage(from: side, isText: true, payload: payload, bytes: payload.count)
            )
        )
    }

    mutating func pushBinary(_ socket: Int, from side: TrafficSide = .backend, _ payload: [UInt8]) {
        add(
            socket,
            .socketMessage(
                SocketMessage(from: side, isText: false, payload: payload, bytes: payload.count)
            )
        )
    }

    mutating func close(_ socket: Int, by side: TrafficSide, code: Int?, reason: String = "") {
        add(socket, .socketClosed(SocketEnd(by: side, code: code), reason: reason))
    }

    // MARK: - What apps do

    static func access(_ number: Int) -> String { "access-token-of-generation-\(number)" }
    static func refresh(_ number: Int) -> String { "refresh-token-of-generation-\(number)" }

    /// The tokens of a generation, as an answer brings them.
    ///
    /// - Parameters:
    ///   - number: The generation.
    ///   - life: The stated lifetime of the access token, in seconds.
    ///   - refresh: Whether there is a refresh token.
    ///   - claims: The claims of the access token, or `nil` if it has none.
    /// - Returns: The body of the answer.
    static func pair(
        _ number: Int,
        life: Double = 300,
        refresh: Bool = true,
        claims: JSONValue? = nil
    ) -> JSONValue {
        var members: [String: JSONValue] = [
            "access_token": .string(claims.map(webToken) ?? access(number)),
            "expires_in": .number(life),
        ]
        if refresh { members["refresh_token"] = .string(self.refresh(number)) }
        return .object(members)
    }

    /// A token with claims and no signature worth the name.
    static func webToken(_ claims: JSONValue) -> String {
        let parts = [JSONValue.object(["alg": "HS256"]), claims].map { part in
            Data(part.serialized.utf8).base64EncodedString()
                .replacing("=", with: "").replacing("+", with: "-").replacing("/", with: "_")
        }
        return parts.joined(separator: ".") + ".c2lnbmF0dXJl"
    }

    /// Logs in with a password.
    ///
    /// - Parameters:
    ///   - number: The generation of the tokens.
    ///   - life: The stated lifetime of the access token, in seconds.
    ///   - refresh: Whether there is a refresh token.
    ///   - claims: The claims of the access token, or `nil` if it has none.
    ///   - cookies: The fields that set cookies; the body has no tokens if there are any.
    /// - Returns: The number of the exchange.
    @discardableResult
    mutating func logIn(
        _ number: Int = 1,
        life: Double = 300,
        refresh: Bool = true,
        claims: JSONValue? = nil,
        cookies: [WireHeader] = []
    ) -> Int {
        let exchange = send("POST", "/login", json: ["username": "ada", "password": "correct"])
        let pair = Self.pair(number, life: life, refresh: refresh, claims: claims)
        finish(exchange, 200, cookies.isEmpty ? pair : ["ok": true], headers: cookies)
        return exchange
    }

    /// Sends an authorization code to the token endpoint, with more parameters after it.
    mutating func askByCode(_ more: String = "") -> Int {
        send("POST", "/token", form: "grant_type=authorization_code&code=c0dec0de" + more)
    }

    mutating func askRefresh(_ number: Int) -> Int {
        send("POST", "/auth/refresh", json: ["refresh_token": .string(Self.refresh(number))])
    }

    /// Sends a refresh token to the token endpoint, with more parameters after it.
    mutating func askByRefreshToken(_ number: Int, _ more: String = "") -> Int {
        let form = "grant_type=refresh_token&refresh_token=\(Self.refresh(number))"
        return send("POST", "/token", form: form + more)
    }

    /// Refreshes with the token of a generation, which brings the next.
    @discardableResult
    mutating func renew(_ number: Int, life: Double = 300) -> Int {
        let exchange = askRefresh(number)
        finish(exchange, 200, Self.pair(number + 1, life: life))
        return exchange
    }

    @discardableResult
    mutating func refuseRefresh(_ number: Int) -> Int {
        let exchange = askRefresh(number)
        finish(exchange, 400, ["error": "invalid_grant"])
        return exchange
    }

    @discardableResult
    mutating func call(_ number: Int, _ path: String = "/items", _ status: Int = 200) -> Int {
        let exchange = send("GET", path, bearer: Self.access(number))
        finish(exchange, status, status == 200 ? ["items": []] : ["error": "invalid_token"])
        return exchange
    }

    @discardableResult
    mutating func logOut(_ number: Int) -> Int {
        let exchange = send(
            "POST",
            "/auth/logout",
            bearer: Self.access(number),
            json: ["refresh_token": .string(Self.refresh(number))]
        )
        finish(exchange, 204)
        return exchange
    }
}
