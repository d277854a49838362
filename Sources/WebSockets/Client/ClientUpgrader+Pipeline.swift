import NIOCore
import NIOHTTP1

/// The handlers of a dial, from the upgrade's request to its result.
extension ClientUpgrader {
    /// Adds them above the transport, or its TLS.
    ///
    /// - Parameters:
    ///   - channel: Not active yet.
    ///   - request: Of the upgrade, without what this adds.
    /// - Returns: The result, once the answer's head is in.
    /// - Throws: When the channel has closed meanwhile.
    func configure(
        _ channel: any Channel,
        request: HTTPRequestHead
    ) throws -> EventLoopFuture<UpgradeResult> {
        let operations = channel.pipeline.syncOperations
        try operations.addHandler(EndOfTransportDelay())
        let encoder = HTTPRequestEncoder()
        let decoder = ByteToMessageHandler(
            HTTPResponseDecoder(
                // Frames that come together with the 101 would be lost otherwise.
                leftOverBytesStrategy: .forwardBytes,
                informationalResponseStrategy: .forward
            )
        )
        let upgrade = NIOTypedHTTPClientUpgradeHandler(
            httpHandlers: [encoder, decoder],
            upgradeConfiguration: NIOTypedHTTPClientUpgradeConfiguration(
                upgradeRequestHead: request,
                upgraders: [self],
                notUpgradingCompletionHandler: { Self.readRefusal(on: $0) }
            )
        )
        // No validation of the headers: `UpgradeRequest` has checked them, and a path is to be sent
        // as it was written.
        try operations.addHandler(encoder)
        try operations.addHandler(decoder)
        try ResponseGuard.add(around: decoder, in: operations, allowsUpgrade: true)
        try operations.addHandler(upgrade)
        return upgrade.upgradeResultFuture
    }

    private static func readRefusal(on channel: any Channel) -> EventLoopFuture<UpgradeResult> {
        channel.eventLoop.makeCompletedFuture {
            let refusal = channel.eventLoop.makePromise(of: WebSocketDialResult.self)
            do {
                try channel.pipeline.syncOperations.addHandler(RefusalReader(result: refusal))
            } catch {
                refusal.fail(error)
            }
            return refusal.futureResult
        }
    }
}
