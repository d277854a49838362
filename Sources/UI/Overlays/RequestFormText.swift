import Model

/// The form of a request as it is read.
struct RequestFormText {
    /// Columns of a value.
    private static let room = 44

    let form: RequestForm
    let bodyType: String
    let viewModel: ViewModel

    var document: Document {
        var document = Document(title: "Send a request")
        document.indent = 0
        let width = (RequestForm.Field.allCases.map(\.rawValue.count).max() ?? 0) + 2
        for field in RequestForm.Field.allCases {
            let isFocused = form.focus == field
            let name = FormRow.name(field.rawValue, isFocused: isFocused, width: width)
            document.add(name + value(of: field, isFocused: isFocused))
        }
        document.add(Line())
        for line in remarks { document.add(line) }
        return document
    }

    private func value(of field: RequestForm.Field, isFocused: Bool) -> Line {
        let text = form.text(of: field)
        let cursor = isFocused ? FormRow.cursor : Line()
        guard text.isEmpty else { return FormRow.end(of: text, room: Self.room) + cursor }
        let empty = field == .body ? Line("none", .dim) : Line("missing", .warning)
        return isFocused ? cursor + Line(" ") + empty : empty
    }

    private var remarks: [Line] {
        var lines: [Line] = []
        if let problem = form.problem { lines.append(Line(problem, .warning)) }
        if isJSON, form.hasOddBody {
            lines.append(Line("the body is not JSON: it is sent as JSON all the same", .warning))
        }
        let backend = viewModel.session.capabilities?.baseURL ?? "the profile's backend"
        lines.append(Line("sent to \(backend) with the access token", .dim))
        if !form.text(of: .body).isEmpty { lines.append(Line("the body is \(bodyType)", .dim)) }
        return lines
    }

    private var isJSON: Bool { bodyType.lowercased().contains("json") }
}
