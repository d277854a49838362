import Tokens

extension SessionEndExchange {
    static let keys = RequestShape.keys + ["token_in"]

    init(_ table: SchemaTable) throws(DialectError) {
        let place = try TokenLocation.read("token_in", in: table, for: .access) ?? .bearer
        self.init(
            request: try RequestShape(table, places: [("token_in", place)]),
            place: place
        )
        guard PlaceholderText(request.path).names == [Self.placeholder] else {
            let found = "\(request.path.quotedForError) does not name the session"
            let expected = "expected one {id}, as in DELETE /auth/sessions/{id}"
            throw table.error(at: "request", found, expected)
        }
    }
}
