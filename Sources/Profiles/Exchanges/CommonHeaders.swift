import Basics

/// The headers of every request, such as the key of a project, which `headers` at the top of a file
/// defines.
extension Dialect {
    /// Applies a change to every request but a browser's and the feed's.
    mutating func changeRequests(_ change: (inout RequestShape) -> Void) {
        func changed<Exchange>(
            _ exchange: Exchange,
            _ request: WritableKeyPath<Exchange, RequestShape>
        ) -> Exchange {
            var exchange = exchange
            change(&exchange[keyPath: request])
            return exchange
        }
        registration = registration.map { changed($0, \.request) }
        login = changed(login, \.request)
        if let pushed = login.authorization?.pushed {
            login.authorization?.pushed = changed(pushed, \.request)
        }
        otherLogins = otherLogins.map { changed($0, \.exchange.request) }
        refresh = refresh.map { changed($0, \.request) }
        logouts = logouts.mapValues { logout in
            var logout = changed(logout, \.request)
            logout.withoutRefresh = logout.withoutRefresh.map { changed($0, \.request) }
            return logout
        }
        protected = protected.map { changed($0, \.request) }
        introspection = introspection.map { changed($0, \.request) }
        userinfo = userinfo.map { changed($0, \.request) }
        sessions = sessions.map { sessions in
            var sessions = changed(sessions, \.request)
            sessions.end = sessions.end.map { changed($0, \.request) }
            return sessions
        }
    }

    /// The names, in lower case, of the header fields that carry a token or the client's
    /// credentials in any request.
    var tokenHeaderNames: Set<String> {
        var places = [
            refresh?.place, protected?.place, sessions?.place, sessions?.end?.place,
            introspection?.place, userinfo?.place,
        ]
        for logout in logouts.values {
            places += [logout.refreshPlace, logout.accessPlace, logout.withoutRefresh?.place]
        }
        let names = places.compactMap { $0?.headerName?.asciiLowercased }
        return Set(names).union(["authorization"])
    }
}
