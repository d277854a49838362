/// Answers that a relay gives in the server's place.
enum Answers {
    static let unauthorized = json(401, #"{"detail": "Invalid or expired token"}"#)

    static func json(_ status: Int, _ body: String) -> String {
        answer(status, "application/json", body)
    }

    static func html(_ status: Int, _ body: String) -> String {
        answer(status, "text/html", body)
    }

    private static func answer(_ status: Int, _ type: String, _ body: String) -> String {
        [
            "HTTP/1.1 \(status) Because",
            "Content-Type: \(type)",
            "Content-Length: \(body.utf8.count)",
            "",
            body,
        ]
        .joined(separator: "\r\n")
    }
}
