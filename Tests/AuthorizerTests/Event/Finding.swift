import JSON

@testable import Authorizer

/// The result of reading an event's credential.
enum Finding: Equatable {
  case token(String)
  case refused(ReasonCode)

  init(
    in event: [UInt8], _ sources: [TokenSource] = [.header("authorization")], allowsQueryTokens: Bool = false
  ) throws {
    let request = try AuthorizationRequest(parsing: event)
    let places = CredentialPlaces(sources: sources, allowsQuery: allowsQueryTokens, acceptsDPoP: false)
    do throws(CredentialFlaw) {
      self = .token(String(decoding: try request.credential(in: places).token, as: UTF8.self))
    } catch {
      self = .refused(ReasonCode(error))
    }
  }
}

extension TestEvent {
  /// An event with these members, as JSON without the braces.
  static func bytes(_ kind: EventKind, parsing members: String) throws -> [UInt8] {
    guard case .object(let members) = try JSONTree(parsing: Array("{\(members)}".utf8)) else { return [] }
    return bytes(kind, members)
  }
}
