import Bytes
import DynamoDB
import UserStore

/// The write of one use of a nonce.
struct NonceWrite {
  let key: [UInt8]
  let mark: [UInt8]
  let write: ItemWrite

  init(_ nonce: NonceUse, mark: [UInt8], milliseconds: Int64) {
    key = Array("nonce#".utf8) + nonce.digest.hexadecimal
    self.mark = mark
    var item = Item.key(key)
    item.set(Layout.mark, .string(mark))
    item.set(Layout.expires, .number(nonce.expiresAt))
    write = .put(item, if: Layout.isFree, values: Layout.now(milliseconds))
  }
}
