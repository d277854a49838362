import NIOCore

/// The events of a connection, for one reader.
///
/// Nothing is lost to a slow reader: when too much waits, the connection stops reading, and the
/// peer has to wait. It ends after `.closed`, and for a cancelled reader, who may come back.
package struct WebSocketEvents: AsyncSequence, Sendable {
    package struct Iterator: AsyncIteratorProtocol {
        let queue: WebSocketEventQueue
        let handler: NIOLoopBound<WebSocketHandler>

        package mutating func next() async -> WebSocketEvent? {
            await queue.next { [handler] in
                handler.eventLoop.execute { handler.value.queueHasRoom() }
            }
        }
    }

    let queue: WebSocketEventQueue
    let handler: NIOLoopBound<WebSocketHandler>

    package func makeAsyncIterator() -> Iterator {
        Iterator(queue: queue, handler: handler)
    }
}
