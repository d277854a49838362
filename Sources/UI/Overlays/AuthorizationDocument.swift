import Model

/// The login that waits for the user, in a browser on this machine or on any device.
struct AuthorizationDocument {
    let viewModel: ViewModel

    var document: Document {
        var document = Document(title: "Log in with a browser")
        document.indent = 0
        guard let prompt = viewModel.session.authorization else {
            document.add(Line("the login is over", .dim))
            return document
        }
        if let device = prompt.device {
            document.title = "Log in on any device"
            document.add(Line("Open this address in a browser:"))
            document.add(Line())
            document.add(Line(prompt.url, .strong))
            document.add(Line())
            document.add(Line("and enter this code:"))
            document.add(Line())
            document.add(Line(device.userCode.visibleInOneLine, .strong))
            document.picture = AuthorizationText.picture(prompt).map { Line($0) }
        } else {
            let advice =
                prompt.isOpened
                ? "A browser was opened. If you do not see it, open this address on this machine:"
                : "Open this address in a browser on this machine:"
            document.add(Line(advice))
            document.add(Line())
            document.add(Line(prompt.url, .strong))
        }
        document.add(Line())
        let left = DurationFormatter.long(viewModel.clock.left(until: prompt.expiresAt))
        document.add(Line("waits for you, \(left) left", .dim))
        return document
    }
}
