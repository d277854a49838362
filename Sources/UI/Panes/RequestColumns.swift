/// The columns of the request table at a width; the less important ones go first.
struct RequestColumns {
    /// With milliseconds in the time and a column for the reason.
    let isWide: Bool
    /// The width of the column for the reason.
    let why: Int
    private let hasNumber: Bool
    private let columns: Int
    private let request: Int
    private let followed: Int
    /// The width of the session's column, or `nil` if there is none.
    private let session: Int?

    /// - Parameters:
    ///   - columns: The width of the table.
    ///   - hasSession: Whether the rows belong to several sessions.
    init(columns: Int, hasSession: Bool = false) {
        self.columns = columns
        isWide = columns >= 108
        why = isWide ? 12 : 0
        hasNumber = columns >= 70
        session = hasSession ? (isWide ? 14 : 3) : nil
        let room = columns - (isWide ? 59 : hasNumber ? 40 : 32) - (session.map { $0 + 2 } ?? 0)
        // `POST /api/auth/refresh` is 22 columns.
        let wanted = max(18, min(22, room - 18), room * 2 / 5)
        request = hasNumber ? min(48, wanted) : max(8, room)
        followed = hasNumber ? max(0, room - request) : 0
    }

    func line(
        time: Line,
        number: Line,
        session: Line,
        request: Line,
        status: Line,
        milliseconds: Line,
        token: [Line],
        why: Line,
        followed: [Line]
    ) -> Line {
        var line = time.fitted(to: isWide ? 12 : 8)
        if hasNumber { line += Line(" ") + number.fitted(to: 5, flushRight: true) }
        if let width = self.session { line += Line("  ") + session.fitted(to: width) }
        line += Line("  ") + request.fitted(to: self.request)
        line += Line("  ") + status.fitted(to: 6)
        line += Line(" ") + milliseconds.fitted(to: 5, flushRight: true)
        let width = isWide ? 7 : 6
        line += Line("  ") + Line.first(of: token, fitting: width).fitted(to: width)
        if isWide { line += Line("  ") + why.fitted(to: self.why) }
        if self.followed > 0 {
            line += Line("  ") + Line.first(of: followed, fitting: self.followed)
        }
        return line
    }
}
