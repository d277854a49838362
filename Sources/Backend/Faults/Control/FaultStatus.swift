/// How one fault stands, for whoever asks.
package struct FaultStatus: Sendable, Hashable, Codable {
    package var name: String
    package var summary: String
    /// As it would be written: `off`, `on`, `once`, `next=3`, `p=0.2`.
    package var state: String
    /// All of it as it would be written.
    package var setting: String
    /// The exchanges in which it can show.
    package var kinds: [ExchangeKind]
    /// The number that may be given with it, such as `seconds=0 to 600`.
    package var parameter: String?
    /// How often it has acted.
    package var fired: Int
}
