import Basics
import Model

/// All that is known of one line of the feed.
struct FeedDetail {
    let line: FeedLine
    let viewModel: ViewModel

    var document: Document {
        var document = Document(title: "Feed")
        document.add("time", viewModel.clock.formatter.timeWithMilliseconds(line.at.wall))
        guard case .message(let message) = line.kind else {
            let text = FeedRow.text(line.kind, isStream: viewModel.hasEventStream)
            document.add("what", Line(text, FeedRow.style(line.kind)))
            if case .closed(_, let code, _, _) = line.kind, !viewModel.hasEventStream {
                document.add("close code", "\(code): \(CloseCodeText.text(code))")
            }
            if case .switched(_, _, _, let gap, _) = line.kind, gap > 0 {
                let count = CountFormatter.count(gap, "message")
                document.add("lost", "\(count) between the two sockets, by their numbers", .bad)
                document.add(
                    "what to do",
                    "have the profile's feed ask for them by since, if the backend keeps them"
                )
            }
            if case .missing = line.kind {
                document.add("what it means", "the server left them out, or sends them later")
            }
            if case .refused(let socket, _) = line.kind,
                let evidence = viewModel.session.feed.evidence.evidence(numbered: socket)
            {
                document.add(evidence)
            }
            addCompression(of: line.kind.sockets.last, to: &document)
            return document
        }
        document.add("socket", String(message.socket))
        addCompression(of: message.socket, to: &document)
        document.add("id", message.id ?? "none")
        document.add("seq", message.seq.map(String.init) ?? "none")
        document.add("type", message.type ?? "none")
        if message.isDuplicate {
            document.add("duplicate", "received before, not applied again", .warning)
        }
        document.indent = 0
        document.addHeading("Message")
        document.add(Line(message.excerpt))
        return document
    }

    /// How much the compression of a socket's messages saves, as of its last ping.
    private func addCompression(of socket: Int?, to document: inout Document) {
        guard let socket, let record = viewModel.session.feed.sockets.entry(numbered: socket),
            let traffic = record.traffic, traffic.content > 0
        else { return }
        let percent = (Double(traffic.received) / Double(traffic.content) * 100).rounded()
        document.add(
            "compressed",
            "to \(Int(percent)) % so far: \(CountFormatter.bytes(traffic.content)) came as "
                + CountFormatter.bytes(traffic.received)
        )
    }
}
