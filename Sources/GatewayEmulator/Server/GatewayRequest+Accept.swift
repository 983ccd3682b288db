internal import Foundation
internal import GatewayModel
internal import Text

extension GatewayRequest {
  /// Whether `Accept` gives a media type a higher quality than another one (RFC 9110 section 12.5.1).
  func prefers(_ type: String, to other: String) -> Bool { quality(of: type) > quality(of: other) }

  /// The quality of the most specific range that has the type; 0 if none has it.
  private func quality(of type: String) -> Double {
    let ranges = [type, type.head(before: "/") + "/*", "*/*"]
    var found: (rank: Int, quality: Double) = (ranges.count, 0)
    for element in values(ofHeader: "Accept").flatMap({ $0.splitBytes(at: ",") }) {
      let parts = element.lowercased().splitBytes(at: ";").map { $0.trimmingBlanks }
      guard let rank = ranges.firstIndex(where: { $0 == parts.first }), rank < found.rank else { continue }
      let weight = parts.dropFirst().first { $0.hasBytePrefix("q=") }
      found = (rank, weight.map { Double($0.dropFirst(bytes: 2)) ?? 0 } ?? 1)
    }
    return found.quality
  }
}
