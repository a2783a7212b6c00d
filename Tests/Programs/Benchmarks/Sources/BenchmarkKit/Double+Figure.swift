import Foundation

extension Double {
    /// With as many digits as a person wants to see.
    package var figureText: String {
        String(format: abs(self) < 10 ? "%.2f" : abs(self) < 1000 ? "%.1f" : "%.0f", self)
    }
}
