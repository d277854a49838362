extension Unicode.Scalar {
    /// Whether it steers a terminal, turns the direction of text, or has no shape that a person
    /// would see.
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
