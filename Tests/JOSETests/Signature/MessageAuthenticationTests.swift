import Bytes
import Testing

@testable import JOSE

@Suite("HMAC with SHA-256")
struct MessageAuthenticationTests {
  struct Vector: Sendable, CustomTestStringConvertible {
    let section: String
    let key: [UInt8]
    let data: [UInt8]
    /// In hexadecimal; test case 5 contains only the first 16 bytes.
    let tag: String
    var testDescription: String { "RFC 4231 section \(section)" }
  }

  static let vectors = [
    Vector(
      section: "4.2", key: [UInt8](repeating: 0x0B, count: 20), data: Array("Hi There".utf8),
      tag: "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"),
    Vector(
      section: "4.3", key: Array("Jefe".utf8), data: Array("what do ya want for nothing?".utf8),
      tag: "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"),
    Vector(
      section: "4.4", key: [UInt8](repeating: 0xAA, count: 20), data: [UInt8](repeating: 0xDD, count: 50),
      tag: "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"),
    Vector(
      section: "4.5", key: Array(1...25), data: [UInt8](repeating: 0xCD, count: 50),
      tag: "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b"),
    Vector(
      section: "4.6", key: [UInt8](repeating: 0x0C, count: 20), data: Array("Test With Truncation".utf8),
      tag: "a3b6167473100ee06e0c796c2955552b"),
    Vector(
      section: "4.7", key: [UInt8](repeating: 0xAA, count: 131),
      data: Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
      tag: "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"),
    Vector(
      section: "4.8", key: [UInt8](repeating: 0xAA, count: 131),
      data: Array(
        """
        This is a test using a larger than block-size key and a larger than block-size data. The key needs to be \
        hashed before being used by the HMAC algorithm.
        """.utf8),
      tag: "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2"),
  ]

  @Test("the vectors of RFC 4231", arguments: vectors)
  func vector(_ vector: Vector) throws {
    let tag = try #require(MessageAuthentication.tag(over: vector.data[...], key: vector.key))
    #expect(tag.count == MessageAuthentication.tagBytes)
    let text = String(decoding: tag.hexadecimal, as: UTF8.self)
    #expect(text.hasPrefix(vector.tag))
  }

  @Test("only the complete tag of the same message and secret is accepted")
  func comparison() throws {
    let message = Array("a message".utf8)
    let secret = try SharedSecret([UInt8](repeating: 7, count: 32), for: [.hs256])
    let other = try SharedSecret([UInt8](repeating: 8, count: 32), for: [.hs256])
    let authentication = MessageAuthentication(secret: secret)
    let tag = try #require(authentication.tag(over: message[...]))
    #expect(authentication.isTag(tag, over: message[...]))
    #expect(!MessageAuthentication(secret: other).isTag(tag, over: message[...]))
    #expect(!authentication.isTag(tag, over: message.dropLast()))
    #expect(!authentication.isTag(Array(tag.dropLast()), over: message[...]))
    #expect(!authentication.isTag([], over: message[...]))
    for index in tag.indices {
      var forged = tag
      forged[index] ^= 1
      #expect(!authentication.isTag(forged, over: message[...]))
    }
  }

  @Test(
    "base64url is encoded and decoded",
    arguments: [
      ("", ""), ("f", "Zg"), ("fo", "Zm8"), ("foo", "Zm9v"), ("foob", "Zm9vYg"), ("fooba", "Zm9vYmE"),
      ("foobar", "Zm9vYmFy"),
    ])
  func base64URL(bytes: String, text: String) {
    #expect(Base64URL.encode(Array(bytes.utf8)) == Array(text.utf8))
    #expect(Base64URL.decode(Array(text.utf8)) == Array(bytes.utf8))
  }

  @Test("base64url round trip of every byte")
  func everyByte() {
    let bytes = (0...255).map { UInt8($0) }
    for count in [256, 255, 254] {
      let part = Array(bytes.suffix(count))
      #expect(Base64URL.decode(Base64URL.encode(part)) == part)
    }
  }
}
