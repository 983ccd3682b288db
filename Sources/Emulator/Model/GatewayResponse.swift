/// A response of API Gateway.
public struct GatewayResponse: Equatable, Sendable {
  /// The status.
  public var status: Int
  /// The header lines in order.
  public var headers: [GatewayRequest.Header]
  /// The body.
  public var body: [UInt8]

  /// Creates a response.
  public init(status: Int, headers: [GatewayRequest.Header] = [], body: [UInt8] = []) {
    self.status = status
    self.headers = headers
    self.body = body
  }

  /// Returns the first value of a header.
  public func header(_ name: String) -> String? {
    values(ofHeader: name).first
  }

  /// Returns all values of a header, in order.
  func values(ofHeader name: String) -> [String] {
    headers.filter { $0.name.lowercased() == name.lowercased() }.map(\.value)
  }
}
