/// How an open feed goes over to a new access token.
package enum FeedSwitch: Sendable, Hashable {
    /// Open the new socket before the old one is closed.
    case overlap
    /// Close the old socket, then open the new one.
    case restart
    /// Stay until the server closes.
    case keep
    /// Send this on the open socket, with `{access}` replaced by the token.
    case message(template: String)
}
