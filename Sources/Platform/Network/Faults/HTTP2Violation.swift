import NIOHPACK
import NIOHTTP2

/// The rule of HTTP/2 that a server has broken (RFC 9113).
package enum HTTP2Violation: Error, Sendable, Hashable {
    /// `:status` is not three digits from 100 to 599 (section 8.3.2).
    case status
    /// The pseudo-header fields are not one `:status` before all other fields, or trailers have one
    /// (section 8.3).
    case pseudoFields
    /// A field's name is empty, not a token, or has capital letters (section 8.2.1).
    case fieldName
    /// A field's value has a line break or a NUL (section 8.2.1).
    case fieldValue
    /// A field that is about a connection of HTTP/1.1 (section 8.2.2).
    case connectionField
    /// The stream ends with an interim response (section 8.1).
    case interimEnd
    /// Trailers do not end the stream (section 8.1).
    case endlessTrailers
    /// The body has another length than `Content-Length` says (section 8.1.1).
    case contentLength
    /// The fields cannot be decompressed (section 4.3), or are too large: NIO reports both as one.
    case compression
    /// A frame that cannot be read, with the error code that says why.
    case frame(String)
    /// A frame that does not belong to the state of its stream.
    case streamState
    case settings
    case noSettings
    /// A window that is too large, or is increased by nothing, or more data than it allows (section
    /// 6.9).
    case window
    /// A push, which is turned off (section 8.4).
    case push
    /// A GOAWAY with a higher stream than the one before (section 6.8).
    case raisedGoAway
    /// More frames without content than any server needs.
    case flood
    /// More bytes than this many around the bodies of a connection.
    case overhead(Int)
    case other

    /// - Parameters:
    ///   - error: An error of NIOHTTP2, whose description may contain a value of the server's.
    ///   - code: The error code that the client ends the connection with, if it does.
    init(_ error: any Error, code: HTTP2ErrorCode?) {
        switch error {
        case is NIOHTTP2Errors.InvalidStatusValue, is NIOHTTP2Errors.InvalidPseudoHeaderValue:
            self = .status
        case is NIOHTTP2Errors.InvalidPseudoHeaders, is NIOHTTP2Errors.DuplicatePseudoHeader,
            is NIOHTTP2Errors.MissingPseudoHeader,
            is NIOHTTP2Errors.PseudoHeaderAfterRegularHeader,
            is NIOHTTP2Errors.UnknownPseudoHeader, is NIOHTTP2Errors.UnsupportedPseudoHeader:
            self = .pseudoFields
        case is NIOHTTP2Errors.InvalidHTTP2HeaderFieldName: self = .fieldName
        case is NIOHTTP2Errors.InvalidHTTP2HeaderFieldValue: self = .fieldValue
        case is NIOHTTP2Errors.ForbiddenHeaderField: self = .connectionField
        case is NIOHTTP2Errors.TrailersWithoutEndStream: self = .endlessTrailers
        case is NIOHTTP2Errors.ContentLengthViolated,
            is NIOHTTP2Errors.ContentLengthHeadersMismatch,
            is NIOHTTP2Errors.ContentLengthHeaderNegative,
            is NIOHTTP2Errors.ContentLengthHeaderMalformedValue:
            self = .contentLength
        case is any NIOHPACKError: self = .compression
        case is NIOHTTP2Errors.UnableToParseFrame:
            self = code == .compressionError ? .compression : .frame(code?.name ?? "")
        case is NIOHTTP2Errors.InvalidSetting, is NIOHTTP2Errors.ReceivedBadSettings:
            self = .settings
        case is NIOHTTP2Errors.MissingPreface: self = .noSettings
        case is NIOHTTP2Errors.InvalidFlowControlWindowSize,
            is NIOHTTP2Errors.FlowControlViolation, is NIOHTTP2Errors.InvalidWindowIncrementSize:
            self = .window
        case is NIOHTTP2Errors.PushInViolationOfSetting: self = .push
        case is NIOHTTP2Errors.RaisedGoawayLastStreamID: self = .raisedGoAway
        case is NIOHTTP2Errors.NoSuchStream, is NIOHTTP2Errors.BadStreamStateTransition,
            is NIOHTTP2Errors.InvalidStreamIDForPeer, is NIOHTTP2Errors.StreamIDTooSmall,
            is NIOHTTP2Errors.MaxStreamsViolation, is NIOHTTP2Errors.PriorityCycle:
            self = .streamState
        case is NIOHTTP2Errors.ExcessiveEmptyDataFrames, is NIOHTTP2Errors.ExcessiveRSTFrames,
            is NIOHTTP2Errors.ExcessiveControlFrames, is NIOHTTP2Errors.ExcessiveStreamErrors,
            is NIOHTTP2Errors.ExcessiveContinuationFrames,
            is NIOHTTP2Errors.ExcessiveNumberOfGlitches,
            is NIOHTTP2Errors.ExcessiveOutboundFrameBuffering:
            self = .flood
        default: self = .other
        }
    }
}
