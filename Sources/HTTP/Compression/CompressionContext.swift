/// The state that one side of a connection needs to use the compression that was agreed on.
struct CompressionContext {
    let inflater: Inflater
    /// `nil` if the agreed window is one that zlib cannot compress with; messages are then sent as
    /// they are, which the extension allows.
    let deflater: Deflater?

    init(_ agreed: AgreedCompression, isServer: Bool) {
        let server = (
            bits: agreed.serverMaxWindowBits, resetsContext: agreed.serverNoContextTakeover
        )
        let client = (
            bits: agreed.clientMaxWindowBits, resetsContext: agreed.clientNoContextTakeover
        )
        let (ours, theirs) = isServer ? (server, client) : (client, server)
        inflater = Inflater(.messages(resetsContext: theirs.resetsContext))
        deflater =
            WebSocketCompression.usableBits.contains(ours.bits)
            ? Deflater(windowBits: ours.bits, resetsContext: ours.resetsContext) : nil
    }
}
