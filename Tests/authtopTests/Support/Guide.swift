/// The backends whose integration guides the built-in dialects come from.
enum Guide: String, Sendable, CaseIterable {
    case voltyks
    case bitbasel
    case melchat
    case creatist
    case intellipost

    /// The credentials that the program asks for, by their variables.
    var credentials: [String: String] {
        let values =
            switch self {
            case .bitbasel: ["IDENTITY_TOKEN": "sandbox"]
            case .melchat: ["EMAIL": "user@example.com", "CODE": "123456"]
            case .voltyks, .creatist, .intellipost:
                ["EMAIL": "user@example.com", "PASSWORD": "password"]
            }
        return Dictionary(
            uniqueKeysWithValues: values.map { ("AUTHTOP_\(rawValue.uppercased())_\($0)", $1) }
        )
    }

    /// The same before a command of a shell: a program that authtop runs gets none of its credentials.
    var assignments: String {
        credentials.sorted { $0.key < $1.key }.map { "\($0)='\($1)' " }.joined()
    }

    var loginPath: String {
        switch self {
        case .voltyks: "/api/Auth/Login"
        case .bitbasel: "/auth/apple"
        case .melchat: "/api/auth/verify"
        case .creatist: "/auth/login"
        case .intellipost: "/api/auth/login"
        }
    }

    var refreshPath: String {
        switch self {
        case .voltyks: "/api/Auth/RefreshToken"
        case .bitbasel, .creatist: "/auth/refresh"
        case .melchat, .intellipost: "/api/auth/refresh"
        }
    }

    var protectedPath: String {
        switch self {
        case .voltyks: "/api/chargers"
        case .bitbasel: "/posts/feed"
        case .melchat: "/api/messages/poll"
        case .creatist: "/users/me"
        case .intellipost: "/api/posts"
        }
    }

    /// Whether a refresh brings a new refresh token, after which the old one is refused.
    var rotates: Bool { self == .voltyks || self == .intellipost }

    /// The sandbox's policy under which a session can be renewed again and again: melchat's tokens
    /// are good for one refresh, and bring no other.
    var reuse: String { self == .melchat ? "none" : "strict" }
}
