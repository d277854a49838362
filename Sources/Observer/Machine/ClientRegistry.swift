import Model

/// The clients of a run: requests that may come from one program count as one client's.
///
/// A page sends its `Origin` with some requests and not with others (Fetch standard, section 3.2), so
/// that it tells two clients apart only where both have one; so does a process.
struct ClientRegistry: Sendable {
    private struct Key: Hashable {
        let peer: String
        let userAgent: String?
        let name: String?
    }

    private struct Known {
        /// The client as it was seen first, which stands for it from then on.
        let client: ObservedClient
        var origin: String?
        var process: ClientProcess?

        /// Whether it may be the process that has sent a request, which is not always found.
        func mayBe(_ other: ClientProcess?) -> Bool {
            process == nil || other == nil || process == other
        }
    }

    /// The most pages of one program that are told apart.
    private static let pageLimit = 32

    /// Those of each program, the one that was used last at the end.
    private var known = RecentMap<Key, [Known]>(limit: 256)

    /// Finds the client that has sent a request.
    ///
    /// - Parameters:
    ///   - sender: The client as the request tells it.
    ///   - holders: The clients that are known to have the token of the request.
    /// - Returns: The client, as it was seen first.
    mutating func client(of sender: ObservedClient, among holders: [ObservedClient])
        -> ObservedClient
    {
        let key = Key(
            peer: Self.loopback.contains(sender.peer) ? Self.loopback[0] : sender.peer,
            userAgent: sender.userAgent,
            name: sender.name
        )
        // A page of which nothing may be known says `null`.
        let origin = sender.origin == "null" ? nil : sender.origin
        return known.change(key, default: []) { pages in
            let process = sender.process
            let isKnown = pages.contains { $0.process == process }
            let possible = pages.indices.filter {
                isKnown ? pages[$0].process == process : pages[$0].mayBe(process)
            }
            let place =
                if let origin {
                    possible.last { pages[$0].origin == origin }
                        ?? possible.last { pages[$0].origin == nil }
                } else {
                    possible.last { holders.contains(pages[$0].client) } ?? possible.last
                }
            var page = place.map { pages.remove(at: $0) } ?? Known(client: sender)
            page.origin = page.origin ?? origin
            page.process = page.process ?? process
            if pages.count >= Self.pageLimit { pages.removeFirst() }
            pages.append(page)
            return page.client
        }
    }

    /// The addresses of this machine by which one program reaches one server.
    private static let loopback = ["127.0.0.1", "::1"]
}
