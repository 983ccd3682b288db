import Testing

@testable import fetch_keys

@Suite("Freshness of answers")
struct FreshnessTests {
  @Test(
    "The remaining seconds come from Cache-Control and Age",
    arguments: [
      ([], nil),
      (["Cache-Control: public"], nil),
      (["Cache-Control: max-age=600"], 600),
      (["cache-control:public,MAX-AGE=600 , must-revalidate\r\n"], 600),
      (["Cache-Control: max-age=\"600\""], 600),
      (["Cache-Control: public", "Cache-Control: max-age=60"], 60),
      (["Cache-Control: max-age=0"], 0),
      (["Cache-Control: max-age=600", "Cache-Control: max-age=600"], 600),
      (["Cache-Control: max-age=600, max-age=60"], 0),
      (["Cache-Control: max-age=600, no-store"], 0),
      (["Cache-Control: no-cache"], 0),
      (["Cache-Control: no-cache=\"a, max-age=9\", max-age=600"], 0),
      (["Cache-Control: x=\"a, no-store\\\", b\", max-age=600"], 600),
      (["Cache-Control: max-age"], 0),
      (["Cache-Control: max-age="], 0),
      (["Cache-Control: max-age=-1"], 0),
      (["Cache-Control: max-age=6e2"], 0),
      (["Cache-Control: max-age= 600"], 0),
      (["Cache-Control: max-age=600s"], 0),
      (["Cache-Control: s-maxage=600"], nil),
      (["Cache-Control: max-age=99999999999999999999999"], 1 << 31),
      (["Expires: Thu, 01 Dec 2094 16:00:00 GMT"], nil),
      (["X-Cache-Control: max-age=600"], nil),
      (["Age: 100", "Cache-Control: max-age=600"], 500),
      (["Cache-Control: max-age=600", "Age: 601"], 0),
      (["Cache-Control: max-age=600", "Age: 100", "Age: 5"], 500),
      (["Cache-Control: max-age=600", "Age: soon"], 600),
      (["Age: 100"], nil),
    ] as [([String], Int64?)])
  func secondsRemain(lines: [String], seconds: Int64?) {
    var freshness = Freshness()
    for line in lines { freshness.read(line: Array(line.utf8)) }
    #expect(freshness.seconds == seconds)
  }

  @Test("Only the head of the last status line is used, and trailers are ignored")
  func lastHeadCounts() {
    var answer = Answer()
    let lines = [
      "HTTP/1.1 103 Early Hints\r\n", "Cache-Control: max-age=1\r\n", "\r\n", "HTTP/1.1 200 OK\r\n",
      "Cache-Control: max-age=600\r\n", "\r\n", "Cache-Control: no-store\r\n",
    ]
    for line in lines {
      let isWanted = answer.take(line: Array(line.utf8))
      #expect(isWanted)
    }
    #expect(answer.status == 200)
    #expect(answer.maximumAgeSeconds == 600)
  }
}
