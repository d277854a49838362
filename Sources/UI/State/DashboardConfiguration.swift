/// Settings that are fixed before the first frame.
package struct DashboardConfiguration: Sendable, Equatable {
    /// The offset of the user's time zone, east of Greenwich.
    package var utcOffsetSeconds: Int
    var theme: Theme
    /// The themes that a key shows one after the other.
    var themes: [Theme]
    /// Whether the theme is that of the terminal's ground, since the user has named none.
    var followsGround: Bool
    /// Whether colors are used; `false` with `NO_COLOR` or `--no-color`.
    var hasColor: Bool
    var isASCII: Bool
    /// Whether the bell rings when a session ends without the user's doing.
    var ringsAtEnd: Bool
    var keys: KeyMap
    /// The seconds without a key press after which the screen locks, or `nil` for never.
    var lockAfter: Double?
    /// Whether the user only watches: no key acts on a session or its backend.
    var isReadOnly: Bool
    /// The addresses of the proxy whose traffic is shown, or `nil` if sessions of the program's own
    /// are.
    var proxy: ProxyRoutes?

    package init(
        utcOffsetSeconds: Int = 0,
        theme: Theme = .dark,
        themes: [Theme] = Theme.builtIn,
        followsGround: Bool = false,
        hasColor: Bool = true,
        isASCII: Bool = false,
        ringsAtEnd: Bool = false,
        keys: KeyMap = .standard,
        lockAfter: Double? = nil,
        isReadOnly: Bool = false,
        proxy: ProxyRoutes? = nil
    ) {
        self.utcOffsetSeconds = utcOffsetSeconds
        self.theme = theme
        self.themes = themes
        self.followsGround = followsGround
        self.hasColor = hasColor
        self.isASCII = isASCII
        self.ringsAtEnd = ringsAtEnd
        self.keys = keys
        self.lockAfter = lockAfter
        self.isReadOnly = isReadOnly
        self.proxy = proxy
    }
}
