import Basics
import Profiles

/// A request as it is written: a method, a path and a body, with those before it at hand.
struct RequestForm: EditableForm, Sendable, Equatable {
    enum Field: String, CaseIterable, Sendable {
        case method
        case path
        case body
    }

    /// The longest value, in UTF-8 bytes.
    static let sizeLimit = 64 * 1024

    private(set) var focus = Field.path
    /// Why it could not be sent as it is.
    private(set) var problem: String?
    private var values: [Field: Secret]
    private let history: RequestHistory
    /// The index of the history's entry that is shown; the count for the request being edited.
    private var place: Int
    private var draft: [Field: Secret] = [:]

    init(history: RequestHistory) {
        self.history = history
        place = history.entries.count
        values = [.method: Secret("GET"), .path: Secret("/"), .body: Secret("")]
    }

    var isAtEnd: Bool { focus == Field.allCases.last }

    func text(of field: Field) -> String { values[field]?.reveal() ?? "" }

    /// Whether there is a body that is no JSON.
    var hasOddBody: Bool {
        let text = text(of: .body)
        return !text.isEmpty && JSONValue(parsing: Array(text.utf8)) == nil
    }

    /// Puts an earlier request in the place of what is written, or a later one: -1 and 1.
    mutating func recall(_ step: Int) {
        let next = min(max(0, place + step), history.entries.count)
        guard next != place else { return }
        if place == history.entries.count { draft = values }
        place = next
        problem = nil
        guard next < history.entries.count else {
            values = draft
            return
        }
        let entry = history.entries[next]
        values = [
            .method: Secret(entry.method), .path: Secret(entry.target), .body: entry.body,
        ]
    }

    /// Returns the request if it can be sent; otherwise moves the focus to the invalid field and
    /// shows the reason.
    mutating func request() -> CustomRequest? {
        do throws(CustomRequestProblem) {
            return try CustomRequest(
                method: text(of: .method),
                target: text(of: .path),
                body: values[.body] ?? Secret("")
            )
        } catch {
            problem = error.message
            switch error.part {
            case .method: focus = .method
            case .path: focus = .path
            case .body: focus = .body
            }
            return nil
        }
    }

    mutating func move(by steps: Int) {
        let fields = Field.allCases
        let index = fields.firstIndex(of: focus) ?? 0
        focus = fields[(index + steps + fields.count) % fields.count]
    }

    mutating func change(_ body: (inout String) -> Void) {
        var text = text(of: focus)
        body(&text)
        values[focus] = Secret(text)
        problem = nil
        place = history.entries.count
    }
}
