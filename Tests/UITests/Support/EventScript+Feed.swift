import Basics
import Model

extension EventScript {
    mutating func dial() {
        sockets += 1
        let target = "ws://127.0.0.1:8787/ws/feed?token=‹\(Self.fingerprints[generation % 8])›"
        add(FeedDialing(socket: sockets, generation: generation, target: target))
        add(FeedStateChanged(.dialing(socket: sockets, generation: generation)))
    }

    mutating func open() {
        dial()
        wait(0.009)
        add(FeedOpened(socket: sockets, generation: generation, after: .milliseconds(9)))
        add(FeedStateChanged(.open(socket: sockets, generation: generation, since: now.now)))
    }

    mutating func switchSocket(gap: Int = 0) {
        let old = sockets
        open()
        add(
            FeedSwitched(
                from: old,
                to: sockets,
                duplicates: 0,
                gap: gap,
                after: .milliseconds(9)
            )
        )
    }

    mutating func message(
        type: String = "post.created",
        excerpt: String? = nil,
        isDuplicate: Bool = false
    ) {
        messages += 1
        let text = excerpt ?? #"{"id":\#(messages),"title":"Sunset over the Rhine"}"#
        add(
            FeedMessageReceived(
                socket: sockets,
                id: String(messages),
                seq: Int64(messages),
                type: type,
                excerpt: text,
                isDuplicate: isDuplicate
            )
        )
    }
}
