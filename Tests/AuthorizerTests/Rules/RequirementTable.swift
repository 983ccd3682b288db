/// The value of each kind of condition for one token: `met`, `false` or `unknown`, one line for each token.
///
/// A token is of the partner, or of Apple after `apple`, and has these claims beside those that each token has.
enum RequirementTable {
  static let values = #"""
    {"claims":{"c":"a"}}
      met {"c":"a"}
      met {"c":"\u0061"}
      false {"c":"A"}
      false {"c":"a "}
      false {"c":""}
      unknown {}
      unknown {"c":null}
      unknown {"c":1}
      unknown {"c":true}
      unknown {"c":["a"]}
      unknown {"c":[]}
      unknown {"c":{"a":1}}
      unknown {"c":1.5}
    {"claims":{"c":"1"}}
      met {"c":"1"}
      unknown {"c":1}
    {"claims":{"c":"true"}}
      met {"c":"true"}
      unknown {"c":true}
    {"claims":{"c":true}}
      met {"c":true}
      false {"c":false}
      unknown {}
      unknown {"c":null}
      unknown {"c":"true"}
      unknown {"c":1}
      unknown {"c":[true]}
    {"claims":{"c":false}}
      met {"c":false}
      false {"c":true}
      unknown {"c":"false"}
      unknown {"c":0}
      unknown {"c":null}
      unknown {}
    {"claims":{"c":1}}
      met {"c":1}
      met {"c":1.0}
      met {"c":1e0}
      met {"c":10e-1}
      false {"c":2}
      false {"c":-1}
      false {"c":0}
      unknown {"c":1.5}
      unknown {"c":"1"}
      unknown {"c":true}
      unknown {"c":9223372036854775808}
      unknown {"c":1e99}
      unknown {"c":[1]}
      unknown {}
    {"claims":{"c":9223372036854775807}}
      met {"c":9223372036854775807}
      false {"c":9223372036854775806}
      unknown {"c":9223372036854775808}
    {"claims":{"c":["a","b"]}}
      met {"c":"a"}
      met {"c":"b"}
      false {"c":"c"}
      unknown {"c":["a","b"]}
      unknown {"c":7}
      unknown {}
    {"claims":{"c":["a",3]}}
      met {"c":3}
      met {"c":"a"}
      false {"c":4}
      false {"c":"b"}
      unknown {"c":true}
      unknown {"c":3.5}
    {"claims":{"c":"a","d":"b"}}
      met {"c":"a","d":"b"}
      false {"c":"a","d":"x"}
      unknown {"c":"a"}
      false {"c":"x"}
      unknown {}
    """#

  static let lists = #"""
    {"claims":{"c":{"contains":"a"}}}
      met {"c":["a"]}
      met {"c":["x","a"]}
      met {"c":["a",1]}
      met {"c":[null,"a"]}
      met {"c":[["a"],"a"]}
      false {"c":[]}
      false {"c":["x"]}
      false {"c":["x","A",""]}
      unknown {"c":["x",1]}
      unknown {"c":["x",null]}
      unknown {"c":[["a"]]}
      unknown {"c":[{"a":"a"}]}
      unknown {"c":"a"}
      unknown {"c":{"a":"a"}}
      unknown {"c":1}
      unknown {"c":null}
      unknown {}
    {"claims":{"c":{"contains":["a",1]}}}
      met {"c":[1]}
      met {"c":[1.0]}
      met {"c":["x","a"]}
      false {"c":["x",2]}
      false {"c":[]}
      unknown {"c":["x",true]}
      unknown {"c":[1.5]}
    {"claims":{"c":{"contains":true}}}
      met {"c":[false,true]}
      false {"c":[false]}
      unknown {"c":["true"]}
    {"claims":{"c":{"prefix":"ab"}}}
      met {"c":"ab"}
      met {"c":"abc"}
      met {"c":"\u0061bc"}
      false {"c":"a"}
      false {"c":""}
      false {"c":"Abc"}
      false {"c":"xab"}
      unknown {"c":["ab"]}
      unknown {"c":1}
      unknown {"c":true}
      unknown {"c":null}
      unknown {"c":{}}
      unknown {}
    {"claims":{"c":{"suffix":"@example.com"}}}
      met {"c":"ada@example.com"}
      met {"c":"@example.com"}
      met {"c":"ada\u0040example.com"}
      false {"c":"ada@example.com.evil"}
      false {"c":"ada@sub.example.com"}
      false {"c":"ADA@EXAMPLE.COM"}
      false {"c":"example.com"}
      false {"c":""}
      unknown {"c":["ada@example.com"]}
      unknown {"c":7}
      unknown {"c":null}
      unknown {}
    {"claims":{"c":{"prefix":"é"}}}
      met {"c":"\u00e9t\u00e9"}
      false {"c":"e\u0301"}
    {"claims":{"c":{"exists":true}}}
      met {"c":"a"}
      met {"c":""}
      met {"c":0}
      met {"c":false}
      met {"c":[]}
      met {"c":{}}
      met {"c":1.5}
      false {"c":null}
      false {}
    {"claims":{"c":{"exists":false}}}
      met {}
      met {"c":null}
      false {"c":"a"}
      false {"c":false}
      false {"c":[]}
    """#

  static let paths = #"""
    {"claims":{"a.b":"x"}}
      met {"a":{"b":"x"}}
      met {"a.b":"x"}
      met {"a.b":"x","a":{"b":"y"}}
      false {"a.b":"y","a":{"b":"x"}}
      false {"a":{"b":"y"}}
      unknown {"a":{}}
      unknown {"a":{"b":null}}
      unknown {"a":"x"}
      unknown {"a":["x"]}
      unknown {"a":null}
      unknown {}
    {"claims":{"a.b":{"exists":false}}}
      met {}
      met {"a":"x"}
      met {"a":{}}
      met {"a":[1]}
      false {"a":{"b":0}}
    {"claims":[{"path":["a","b"],"is":"x"}]}
      met {"a":{"b":"x"}}
      false {"a":{"b":"y"}}
      unknown {"a.b":"x"}
      unknown {"a > b":"x"}
      unknown {"a":"x"}
      unknown {}
    {"claims":[{"path":["a.b"],"is":"x"}]}
      met {"a.b":"x"}
      unknown {"a":{"b":"x"}}
    {"claims":[{"path":["https://sts.amazonaws.com/","aws_account"],"is":["123456789012"]}]}
      met {"https://sts.amazonaws.com/":{"aws_account":"123456789012"}}
      false {"https://sts.amazonaws.com/":{"aws_account":"210987654321"}}
      unknown {"https://sts.amazonaws.com/":{"aws_account":123456789012}}
      unknown {"https://sts.amazonaws.com/":"123456789012"}
      unknown {"aws_account":"123456789012"}
      unknown {}
    {"claims":[{"path":["a","b"],"is":{"exists":true}}]}
      met {"a":{"b":[]}}
      false {"a":7}
      false {}
    {"claims":[{"path":["a"],"is":{"prefix":"12"}},{"path":["a"],"is":{"suffix":"34"}}]}
      met {"a":"1234"}
      met {"a":"12..34"}
      false {"a":"1200"}
      unknown {"a":1234}
    """#

  static let scopes = #"""
    {"scopes":["a"]}
      met {"scope":"a"}
      met {"scope":"b a"}
      met {"scp":["a"]}
      met {"permissions":["a"],"scope":"b"}
      met {"cognito:groups":["a"]}
      met {"scope":7,"scp":"a"}
      false {}
      false {"scope":""}
      false {"scope":"b"}
      false {"scope":"A"}
      false {"scp":[]}
      false {"scp":["b"]}
      false {"permissions":["a b"]}
      false {"scope":null}
      met {"scope":null,"scp":["a"]}
      false {"scope":null,"scp":null}
      unknown {"scope":null,"scp":7}
      unknown {"scope":7}
      unknown {"scope":{"a":1}}
      unknown {"scp":["a",7]}
      unknown {"scope":"b","scp":["c",null]}
    {"scopes":["a","b"]}
      met {"scope":"a b"}
      met {"scope":"a","scp":["b"]}
      false {"scope":"a"}
      unknown {"scope":"a","scp":true}
    {"issuers":["partner"]}
      met {}
      false apple {}
    {"issuers":["apple","partner"]}
      met {}
      met apple {}
    {"issuers":["apple"],"claims":{"email_verified":true}}
      met apple {"email_verified":true}
      met apple {"email_verified":"true"}
      false apple {"email_verified":"false"}
      false apple {"email_verified":false}
      unknown apple {"email_verified":"yes"}
      unknown apple {"email_verified":1}
      unknown apple {}
      false {"email_verified":true}
      false {"email_verified":"true"}
    {"claims":{"email_verified":true}}
      met {"email_verified":true}
      unknown {"email_verified":"true"}
    {"issuers":["apple"],"scopes":["a"],"claims":{"c":"x"}}
      false {}
      unknown apple {"scope":"a"}
      false apple {"c":"x"}
      false apple {"scope":7,"c":"y"}
      unknown apple {"scope":7,"c":"x"}
      met apple {"scope":"a","c":"x"}
    """#

  static let groups = #"""
    {"any":[{"scopes":["a"]},{"claims":{"c":"x"}}]}
      met {"scope":"a"}
      met {"c":"x"}
      met {"scope":7,"c":"x"}
      met {"scope":"a","c":7}
      false {"c":"y"}
      unknown {}
      unknown {"c":7}
      unknown {"scope":7,"c":"y"}
    {"not":{"claims":{"c":"x"}}}
      met {"c":"y"}
      false {"c":"x"}
      unknown {}
      unknown {"c":7}
      unknown {"c":["x"]}
    {"not":{"scopes":["a"]}}
      met {}
      met {"scope":null}
      met {"scope":"b"}
      false {"scope":"a"}
      unknown {"scope":7}
    {"not":{"issuers":["apple"]}}
      met {}
      false apple {}
    {"not":{"claims":{"c":{"exists":true}}}}
      met {}
      met {"c":null}
      false {"c":0}
    {"not":{"claims":{"c":{"contains":"guest"}}}}
      met {"c":["owner"]}
      met {"c":[]}
      false {"c":["guest",7]}
      unknown {"c":["owner",7]}
      unknown {"c":"guest"}
      unknown {}
    {"not":{"claims":{"c":{"suffix":"@evil.example"}}}}
      met {"c":"ada@example.com"}
      false {"c":"ada@evil.example"}
      unknown {}
    {"not":{"any":[{"claims":{"c":"x"}},{"scopes":["a"]}]}}
      met {"c":"y"}
      false {"c":"x"}
      false {"scope":"a"}
      unknown {}
      unknown {"c":"y","scope":7}
    {"not":{"any":[{"claims":{"c":"x","d":"y"}}]}}
      met {"c":"z"}
      met {"d":"z"}
      false {"c":"x","d":"y"}
      unknown {"c":"x"}
      unknown {}
    {"any":[{"not":{"claims":{"c":"x"}}},{"scopes":["a"]}]}
      met {"c":"y"}
      met {"c":"x","scope":"a"}
      false {"c":"x"}
      unknown {}
    {"scopes":["a"],"any":[{"claims":{"c":"x"}},{"claims":{"c":"y"}}],"not":{"claims":{"d":"z"}}}
      met {"scope":"a","c":"y","d":"w"}
      false {"scope":"a","c":"y","d":"z"}
      false {"scope":"a","c":"w","d":"w"}
      false {"c":"y","d":"w"}
      unknown {"scope":"a","c":"y"}
      unknown {"scope":"a","d":"w"}
      false {"scope":"a","d":"z"}
    """#
}
