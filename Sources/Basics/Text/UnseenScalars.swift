extension Unicode.Scalar {
    /// Whether the scalar controls a terminal, changes the direction of text, or is invisible.
    package var isUnseen: Bool {
        switch value {
        case 0x20...0x7E, 0xA1...0xAC, 0xAE...0x2FF: false
        default:
            switch properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse,
                .unassigned:
                true
            default: false
            }
        }
    }
}
