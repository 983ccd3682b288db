package struct GatewayResponse: Equatable, Sendable {
  package var status: Int
  package var headers: [GatewayRequest.Header]
  package var body: [UInt8]

  package init(status: Int, headers: [GatewayRequest.Header] = [], body: [UInt8] = []) {
    self.status = status
    self.headers = headers
    self.body = body
  }

  package func header(_ name: String) -> String? {
    values(ofHeader: name).first
  }

  /// Returns all values of a header, in order.
  package func values(ofHeader name: String) -> [String] {
    headers.filter { $0.name.lowercased() == name.lowercased() }.map(\.value)
  }
}
