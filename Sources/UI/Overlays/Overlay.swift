import Basics
import Model
import Profiles

/// The content over the panes.
enum Overlay: Sendable, Equatable {
    case help
    case statistics
    /// The server's statements about the tokens in use; `asked` is the access token of the pair
    /// that it was asked about.
    case introspections(asked: Fingerprint?)
    /// Of a pane, and of the entry in its list.
    case detail(PaneID, number: Int?)
    case question(Question)
    case login(LoginForm)
    /// The login that waits for the user's browser.
    case authorization
    case request(RequestForm)
    /// The user's active sessions, one of them under the cursor.
    case sessions(selected: Int)
    /// Faults and experiments, one of them under the cursor.
    case faults(FaultChoice)
    /// Of the tokens of an app's session.
    case familyTree
    /// Every action and pane, by its name.
    case palette(Palette)

    /// Returns the content of the overlay.
    func document(_ viewModel: ViewModel) -> Document {
        switch self {
        case .help: HelpText.document(viewModel)
        case .statistics:
            StatisticsText(statistics: viewModel.session.statistics, viewModel: viewModel).document
        case .introspections(let asked):
            IntrospectionOverlayText(viewModel: viewModel, asked: asked).document
        case .detail(let pane, let number):
            PaneCatalogue.pane(pane)?.detail(viewModel, of: number)
                ?? Document(title: "Nothing", lines: ["there is nothing to show any more"])
        case .question(let question): question.document(viewModel)
        case .login(let form): LoginFormText(form: form, viewModel: viewModel).document
        case .authorization: AuthorizationDocument(viewModel: viewModel).document
        case .request(let form):
            RequestFormText(form: form, bodyType: viewModel.bodyType, viewModel: viewModel).document
        case .sessions(let selected):
            SessionsText(
                active: viewModel.session.activeSessions,
                selected: selected,
                viewModel: viewModel
            )
            .document
        case .familyTree: FamilyTreeText(viewModel: viewModel).document
        case .faults(let choice): FaultsText(choice, viewModel).document
        case .palette(let palette):
            PaletteText(
                title: "Actions and panes",
                list: PaletteList(viewModel: viewModel, palette: palette)
            )
            .document
        }
    }
}

/// An overlay and how far its text is scrolled.
struct OpenOverlay: Sendable, Equatable {
    var content: Overlay
    var scroll = 0
    /// What is searched in its text; empty for nothing.
    var search = ""
    /// Whether that is being written.
    var isSearching = false

    init(_ content: Overlay) {
        self.content = content
    }

    func document(_ viewModel: ViewModel) -> Document {
        let document = content.document(viewModel)
        guard isSearching || !search.isEmpty else { return document }
        var found = Document(title: document.title)
        let cursor = isSearching ? FormRow.cursor : Line()
        found.addUnbroken(Line("/", .key) + Line(search) + cursor)
        found.add(document.lines(with: Needle(search)))
        return found
    }
}

/// Actions that need a confirmation.
enum Question: Sendable, Hashable {
    case logOut
    case logOutEverywhere
    case endSession(ListedSession)
    case experiment(Fault)

    func document(_ viewModel: ViewModel) -> Document {
        switch self {
        case .logOut:
            let place = viewModel.session.capabilities?.baseURL ?? "the backend"
            return Document(
                title: "Log out?",
                lines: [
                    Line("This ends the session on \(place)"),
                    Line("and erases its tokens here."),
                    Line(),
                    answers("yes, log out", viewModel.keys),
                ]
            )
        case .logOutEverywhere:
            let user = viewModel.session.current?.pair.statements.displayName ?? "this user"
            return Document(
                title: "Log out everywhere?",
                lines: [
                    Line("This ends every session of \(user), on every device."),
                    Line(),
                    answers("yes, log out everywhere", viewModel.keys),
                ]
            )
        case .experiment(let fault):
            let isOwn = fault.place == .client
            let place =
                isOwn
                ? viewModel.session.capabilities?.baseURL : viewModel.proxy?.routes.first?.backend
            var lines = [Line(fault.words, .strong)]
            if !isOwn { lines.append(Line(fault.sentence)) }
            let risk = fault.risk ?? "The app may lose its session and log its user out."
            lines.append(Line(risk, .warning))
            lines += fault.outcomes.map { Line($0) }
            lines += [Line(), answers(isOwn ? "yes, run it" : "yes, begin it", viewModel.keys)]
            let kind = isOwn ? "Experiment with" : "Experiment with an app on"
            return Document(title: "\(kind) \(place ?? "the backend")?", lines: lines)
        case .endSession(let session):
            let own = Line("It is this one: you will be logged out.", .warning)
            let other = Line("The device that uses it will have to log in again.")
            return Document(
                title: "End this session?",
                lines: [
                    Line(session.name ?? session.id, .strong),
                    session.isCurrent == true ? own : other,
                    Line(),
                    answers("yes, end it", viewModel.keys),
                ]
            )
        }
    }

    private func answers(_ yes: String, _ keys: KeyMap) -> Line {
        let (confirm, decline) = (keys.name(of: .confirm), keys.name(of: .decline))
        return "\(confirm, .key) \(yes)    \(decline, .key) no"
    }
}
