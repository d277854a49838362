import Basics
import Model
import Profiles

/// The text of a profile that was learned.
struct ProfileDraft {
    private let seen: ProfileEvidence
    private let base: String
    private var document = TOMLDocument()
    /// The cookies whose values the profile captures, with the names that it gives to them.
    private var captured: [String: String] = [:]
    /// The places of other values that it captures, with their names.
    private var capturedPlaces: [String: String] = [:]

    init(_ seen: ProfileEvidence, base: String) {
        self.seen = seen
        self.base = base
        isOAuth = Self.isOAuth(seen)
        write()
    }

    var text: String { document.text }

    /// Whether the token endpoint is that of OAuth 2.0, whose dialect has the rest.
    private let isOAuth: Bool

    private static func isOAuth(_ seen: ProfileEvidence) -> Bool {
        guard let body = (seen.refresh ?? seen.login)?.request.body, body.format == .form else {
            return false
        }
        let grants = ["password", "refresh_token", "client_credentials"]
        return body.fields.contains { field in
            guard field.path == "grant_type", case .text(let grant) = field.value else {
                return false
            }
            return grants.contains(grant)
        }
    }

    // MARK: - The file

    private mutating func write() {
        let origin = seen.origin.inOneLine(limit: 200)
        comment("What authtop saw of \(origin). What is marked as guessed")
        comment("was not seen.")
        document.addBlank()
        if isOAuth { add("extends", "oauth2") }
        add("base_url", base)
        add("rotation", seen.rotation)
        if isOAuth {
            writeClient()
            if seen.logout == nil {
                document.set("disable", to: .list([.string("logout")]), comment: "none was seen")
            }
        }
        writeCaptures()
        writeLogin()
        writeRefresh()
        writeProtected()
        writeLogout()
        writeFeed()
    }

    private mutating func add(_ key: String, _ value: String, _ comment: String? = nil) {
        document.set(key, to: value, comment: comment)
    }

    private mutating func comment(_ text: String) { document.addComment(text) }

    private mutating func open(_ table: String..., of exchange: ObservedExchange? = nil) {
        document.beginTable(table, comment: exchange.map { "#\($0.number)" })
    }

    /// Says that a table is missing.
    private mutating func omit(_ table: String?, _ reason: String) {
        document.addBlank()
        comment(reason)
        if let table { comment("[\(table)]") }
    }

    private mutating func add(request exchange: ObservedExchange) {
        let origin = exchange.request.origin == seen.origin ? "" : exchange.request.origin
        let path = ProfileEvidence.path(of: exchange) ?? "/"
        add("request", "\(exchange.request.method) \(origin)\(path)")
    }

    // MARK: - Captured values

    /// Writes the cookies whose values the app sends again, where an answer with tokens sets them.
    private mutating func writeCaptures() {
        let requests = [seen.refresh, seen.protected, seen.logout, seen.feed].compactMap(\.self)
        let repeated = Set(requests.flatMap { ($0.request.repeatedCookies ?? [:]).values })
        let answers = [seen.login, seen.refresh].compactMap { $0?.answer }
        let cookies = repeated.sorted().filter { name in
            answers.contains { $0.cookies.contains { $0.name == name && $0.value != nil } }
        }
        let places = [seen.refresh, seen.logout].compactMap(\.self)
            .flatMap { valuesSent(by: $0).map(\.place) }
        guard !cookies.isEmpty || !places.isEmpty else { return }
        open("capture")
        for place in places where capturedPlaces[place] == nil {
            let known = Set(capturedPlaces.values)
            let last = place.part(after: "header:").map(String.init) ?? place
            // A word such as `id` stands for something else in a profile.
            let name = "login_" + Self.credentialName(last)
            let free = [name, "\(name)_2", "\(name)_3", "\(name)_4"].first { !known.contains($0) }
            capturedPlaces[place] = free ?? "value_\(known.count)"
            add(capturedPlaces[place] ?? name, place)
        }
        for (index, cookie) in cookies.enumerated() {
            let name = index == 0 ? "csrf" : "csrf_\(index + 1)"
            captured[cookie] = name
            add(name, "cookie:\(cookie)")
        }
    }

    /// Returns the values in a request that an answer had brought, and that are not its tokens, with
    /// their places in that.
    private func valuesSent(
        by exchange: ObservedExchange
    ) -> [(sent: TokenOccurrence, place: String)] {
        let request = exchange.request
        let own = exchange.purpose == .refresh ? seen.refreshToken : exchange.refresh
        // Some backends want the access token, too, which has ended by then.
        let access = exchange.purpose == .refresh ? exchange.access : nil
        let others = (request.returned ?? []) + [request.subject, access].compactMap(\.self)
        return others.filter { $0.fingerprint != own }.compactMap { sent in
            guard [.body, .header, .authorization].contains(sent.place),
                sent.place != .body || sent.path != nil,
                let value = seen.values[sent.fingerprint], value.place != .cookie
            else { return nil }
            return Self.place(issued: value).map { (sent, $0) }
        }
    }

    /// Writes the fields of a body that are no tokens: the words, and the values that are captured.
    private mutating func write(otherFieldsOf exchange: ObservedExchange, in body: BodyFacts) {
        let values = valuesSent(by: exchange).compactMap { sent, place in
            sent.place == .body
                ? sent.path.flatMap { path in
                    capturedPlaces[place].map { (path, TOMLDocument.Value.string("{\($0)}")) }
                } : nil
        }
        let constants = Self.constants(of: body)
        write(fields: constants.filter { !isOAuth || $0.0 != "client_id" } + values)
        let tokens = exchange.request.presented.filter {
            $0.fingerprint == exchange.refresh || $0.fingerprint == exchange.access?.fingerprint
        }
        // What authenticates the client is in every request of its tokens.
        let client = isOAuth ? ["client_id", "client_secret"] : []
        let known = Set(values.map(\.0) + tokens.compactMap(\.path) + client)
        for field in body.fields {
            switch field.value {
            case .text, .texts, .flag: break
            case .token, .credential, .other:
                guard !known.contains(field.path) else { break }
                let name = field.path.inOneLine(limit: 64)
                comment("It also sent \(name), with a value of its own.")
            }
        }
    }

    private mutating func write(headersOf exchange: ObservedExchange) {
        let repeated = (exchange.request.repeatedCookies ?? [:]).sorted { $0.key < $1.key }
        for (header, cookie) in repeated where captured[cookie] == nil {
            let value = "with the value of the cookie \(cookie), from elsewhere"
            comment("It also sent \(header) \(value).")
        }
        let headers = repeated.compactMap { header, cookie in
            captured[cookie].map { (header, "{\($0)}") }
        }
        let values = valuesSent(by: exchange).compactMap { sent, place in
            capturedPlaces[place].flatMap { name in
                switch sent.place {
                case .header: (sent.name, "{\(name)}")
                case .authorization:
                    (
                        "Authorization",
                        "\(sent.name.halves(at: " ").map { String($0.after) } ?? "Bearer") {\(name)}"
                    )
                case .body, .query, .path, .cookie, .subprotocol, .message: nil
                }
            }
        }
        guard !headers.isEmpty || !values.isEmpty else { return }
        let cookies = Set(repeated.map(\.value)).sorted().compactMap { cookie in
            captured[cookie].map { "\(cookie)={\($0)}" }
        }
        let all =
            headers + values
            + (cookies.isEmpty ? [] : [("Cookie", cookies.joined(separator: "; "))])
        document.set("headers", to: .table(all.map { ($0.0, .string($0.1)) }))
    }

    // MARK: - Login and refresh

    private mutating func writeClient() {
        let source = (seen.login ?? seen.refresh)?.request
        let fields = source?.body?.fields ?? []
        let paths = Set(fields.map(\.path))
        let client =
            source?.usesBasic == true
            ? "basic"
            : paths.contains("client_secret")
                ? "body" : paths.contains("client_id") ? "public" : "none"
        add("client_auth", client)
        for field in fields where field.path == "client_id" {
            if case .text(let id) = field.value { add("client_id", id) }
        }
        let grant = seen.login?.request.discriminator
        switch grant {
        case "password", "client_credentials": add("grant", grant ?? "")
        default:
            add("grant", "refresh_token", "guessed: a refresh token that you have already")
        }
    }

    private mutating func writeLogin() {
        guard let login = seen.login ?? (isOAuth ? seen.refresh : nil) else {
            return writeLoginByRefresh()
        }
        open("login", of: login)
        add(request: login)
        guard !isOAuth else { return }
        if login.request.usesBasic == true {
            add("client_auth", "basic", "client_id is the user's name, client_secret the password")
        }
        write(bodyOf: login)
        open("login", "response")
        write(answerTo: login)
    }

    /// Where no login was seen, a refresh token that the user has is exchanged.
    private mutating func writeLoginByRefresh() {
        guard let refresh = seen.refresh, let body = refresh.request.body,
            let place = refresh.request.presented.first(where: { $0.fingerprint == refresh.refresh }
            ),
            place.place == .body, let path = place.path
        else {
            return omit("login", "No login was seen: a profile needs one.")
        }
        open("login")
        comment("guessed: no login was seen, so that a refresh token is exchanged instead")
        add(request: refresh)
        add("body", body.format.rawValue)
        document.set("credentials", to: .list([.string("refresh_token")]))
        let constants = Self.constants(of: body)
        write(fields: constants + [(path, .string("{refresh_token}"))])
        open("login", "response")
        write(answerTo: refresh)
    }

    private mutating func write(bodyOf login: ObservedExchange) {
        guard let body = login.request.body else { return }
        add("body", body.format.rawValue)
        let credentials = body.fields.filter { $0.value == .credential }
            .map { ($0.path, Self.credentialName($0.path)) }
        if !credentials.isEmpty {
            document.set("credentials", to: .list(credentials.map { .string($0.1) }))
        }
        let values = credentials.map { ($0.0, TOMLDocument.Value.string("{\($0.1)}")) }
        write(fields: Self.constants(of: body) + values)
        let others = body.fields.filter { $0.value == .other || $0.value == .token }
        for field in others {
            comment("It also sent \(field.path.inOneLine(limit: 64)), with a value of its own.")
        }
    }

    private mutating func writeRefresh() {
        guard let refresh = seen.refresh else {
            return omit("refresh", "No renewal was seen.")
        }
        open("refresh", of: refresh)
        add(request: refresh)
        guard !isOAuth else { return }
        if let place = Self.place(of: seen.refreshToken, in: refresh) {
            add("token_in", place)
        } else {
            comment("token_in: the place of the refresh token is none that a profile can name")
        }
        if let body = refresh.request.body { write(otherFieldsOf: refresh, in: body) }
        write(headersOf: refresh)
        open("refresh", "response")
        write(answerTo: refresh)
        writeTerminal()
    }

    private mutating func writeTerminal() {
        var known: Set<[String]> = []
        for exchange in seen.refusals {
            guard let status = exchange.status, let answer = exchange.answer else { continue }
            let names = [answer.errorKey, answer.errorCode].compactMap(\.self)
            let naming = names.count == 2 ? names : []
            guard known.insert([String(status)] + naming).inserted else { continue }
            document.beginElement(of: ["refresh", "terminal"])
            document.set("status", to: .integer(status), comment: "#\(exchange.number)")
            for (key, value) in zip(["key", "equals"], naming) { add(key, value) }
        }
        guard known.isEmpty else { return }
        document.beginElement(of: ["refresh", "terminal"])
        document.set("status", to: .integer(401), comment: "guessed: no refusal was seen")
    }

    /// Writes where the answer has its tokens, and what it states of their ends.
    private mutating func write(answerTo exchange: ObservedExchange) {
        let issued = exchange.answer?.issued ?? []
        let roles: [TokenRole] = seen.usesIDToken ? [.id] : [.access, .session]
        let access = roles.lazy.compactMap { role in issued.first { $0.role == role } }.first
        let refresh = seen.isSingle ? access : issued.first { $0.role == .refresh }
        let tokens = [("access", access), ("refresh", refresh)]
        for (name, token) in tokens {
            guard let token, let place = Self.place(issued: token) else { continue }
            add(name, place)
        }
        for (name, token) in tokens {
            guard let token else { continue }
            if let field = token.expiryField {
                add("\(name)_expires", field)
            } else if case .webToken = token.token.format, token.expiry != nil {
                add("\(name)_expires", "jwt")
            } else if token.place == .cookie, token.expiry != nil {
                add("\(name)_expires", "cookie:\(token.name)")
            } else {
                comment("\(name)_expires: the answer states none")
            }
        }
    }

    private mutating func write(fields: [(String, TOMLDocument.Value)]) {
        guard !fields.isEmpty else { return }
        document.set("fields", to: Self.table(fields))
    }

    // MARK: - What tokens are used for

    private mutating func writeProtected() {
        guard let protected = seen.protected,
            let place = Self.place(of: protected.access?.fingerprint, in: protected)
        else {
            if isOAuth { return }
            return omit("protected", "No request with an access token was seen.")
        }
        open("protected", of: protected)
        add(request: protected)
        add("token_in", place)
        if let access = protected.access, access.place == .authorization,
            let (_, scheme) = access.name.halves(at: " ")
        {
            add("scheme", String(scheme))
        }
        write(headersOf: protected)
        if !seen.expiredStatuses.isEmpty, seen.expiredStatuses != [401] {
            document.set("expired", to: .list(seen.expiredStatuses.map { .integer($0) }))
        }
    }

    private mutating func writeLogout() {
        guard let logout = seen.logout else {
            if let number = seen.otherLogout {
                omit(nil, "#\(number) was a logout, whose path has a value that none can name.")
            } else if !isOAuth {
                omit(nil, "No logout was seen.")
            }
            return
        }
        open("logout", "this", of: logout)
        add(request: logout)
        let refresh = Self.place(of: logout.refresh, in: logout)
        let access = Self.place(of: logout.access?.fingerprint, in: logout)
        if let refresh { add("refresh_in", refresh) }
        if let access, access != refresh { add("access_in", access) }
        if let body = logout.request.body {
            let isNamed = [refresh, access].compactMap(\.self).contains {
                $0.begins(with: body.format.rawValue)
            }
            if !isNamed { add("body", body.format.rawValue) }
            write(otherFieldsOf: logout, in: body)
        }
        write(headersOf: logout)
    }

    private mutating func writeFeed() {
        guard let feed = seen.feed, let access = feed.access,
            let path = ProfileEvidence.path(of: feed)
        else { return }
        let place: String? =
            switch access.place {
            case .subprotocol:
                access.name.ends(with: ".") ? "subprotocol:\(access.name)" : "subprotocol"
            case .query: "query:\(access.name)"
            case .path, .message: nil
            case .authorization, .header, .cookie, .body:
                Self.place(of: access.fingerprint, in: feed)
            }
        guard let place else {
            return omit("feed", "The socket \(path) gets its token in a message.")
        }
        open("feed", of: feed)
        // The rest of the query tells the app's position, such as the number of the last message.
        add("path", String(path.part(before: "?")))
        add("token_in", place)
        write(headersOf: feed)
    }
}
