/// A close frame of the server's.
package struct FeedClose: Sendable, Hashable {
    /// 1006 stands for the end of the transport without a close frame (RFC 6455 section 7.4.1).
    package var code: UInt16
    package var reason: String

    package init(code: UInt16, reason: String) {
        self.code = code
        self.reason = reason
    }
}
