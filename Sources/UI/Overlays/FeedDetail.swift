import Basics
import Model

/// All that is known of one line of the feed.
struct FeedDetail {
    let line: FeedLine
    let viewModel: ViewModel

    var document: Document {
        var document = Document(title: "Feed")
        document.add("time", viewModel.clock.formatter.timeWithMilliseconds(line.at.wall))
        guard case .message(let message) = line.event else {
            let text = FeedRow.text(line.event, isStream: viewModel.hasEventStream)
            document.add("what", Line(text, FeedRow.style(line.event)))
            if case .closed(let closed) = line.event, !viewModel.hasEventStream {
                document.add("close code", "\(closed.code): \(CloseCodeText.text(closed.code))")
            }
            if case .switched(let switched) = line.event, switched.gap > 0 {
                let count = CountFormatter.count(switched.gap, "message")
                document.add("lost", "\(count) between the two sockets, by their numbers", .bad)
                document.add(
                    "what to do",
                    "have the profile's feed ask for them by since, if the backend keeps them"
                )
            }
            if case .missing = line.event {
                document.add("what it means", "the server left them out, or sends them later")
            }
            if case .refused(let refused) = line.event,
                let evidence = viewModel.session.feed.evidence.evidence(numbered: refused.socket)
            {
                document.add(evidence)
            }
            addCompression(of: line.event.sockets.last, to: &document)
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

    /// Adds the saving by the compression of a socket's messages, as of its last ping.
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
