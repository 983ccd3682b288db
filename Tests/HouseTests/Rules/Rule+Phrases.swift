extension Rule {
  /// Texts use the terms of the field. Plain technical English needs none of these phrases, so there are no exemptions.
  static let phrases: [Rule] = [
    Rule(
      "no text has a phrase that readers stumble over",
      bad: [
        ["Sources/A/B.swift": "// It \(spoken("is_told_of")) here.\n"],
        ["docs/a.md": "# A\n\nIt is\ntold of.\n"], ["Sources/A/B.swift": "  /// It is\n  /// told of.\n"],
        ["Makefile": "# It \(spoken("is_told_of")).\n"],
        ["docs/a.md": "# A\n\n\(spoken("Who-ever")) asks.\n"],
      ],
      good: ["Sources/A/B.swift": "// It is. Told of it, is told, of, \(spoken("who-evermore"))\n"]
    ) { repository in
      repository.files(under: "").flatMap { file in
        phrases(in: file.text).map { "\(file.path): \($0)" }
      }
    }
  ]

  /// The phrases by their first word. The list has `_` in place of blanks, and a hyphen in single words, so that it does
  /// not contain what it rejects.
  private static let rejected: [[UInt8]: [(phrase: String, words: [[UInt8]])]] = {
    var phrases: [[UInt8]: [(phrase: String, words: [[UInt8]])]] = [:]
    for phrase in rejectedPhrases.split(whereSeparator: \.isWhitespace) {
      let text = spoken(String(phrase))
      let words = text.split(separator: " ").map { Array($0.utf8) }
      guard let first = words.first else { continue }
      phrases[first, default: []].append((text, words))
    }
    return phrases
  }()

  private static func spoken(_ phrase: String) -> String {
    phrase.replacing("_", with: " ").replacing("-", with: "")
  }

  private static func phrases(in text: String) -> [String] {
    let words = words(of: text)
    return words.indices.flatMap { index in
      (rejected[words[index]] ?? []).filter { words[index...].starts(with: $0.words) }.map(\.phrase)
    }
  }

  /// The words in lower case. A mark between two words is an empty word; comment markers and line ends add no
  /// empty word.
  private static func words(of text: String) -> [[UInt8]] {
    var words: [[UInt8]] = []
    var word: [UInt8] = []
    for byte in text.utf8 {
      let isLetter: Bool
      switch byte {
      case 0x41...0x5A, 0x61...0x7A, 0x27, 0x80...: isLetter = true
      default: isLetter = false
      }
      if isLetter {
        word.append((0x41...0x5A).contains(byte) ? byte | 0x20 : byte)
        continue
      }
      if !word.isEmpty {
        words.append(word)
        word = []
      }
      switch byte {
      // A blank, the end of a line, and what begins a line of a comment: / # *
      case 0x20, 0x0A, 0x0D, 0x2F, 0x23, 0x2A: break
      default: if words.last?.isEmpty == false { words.append([]) }
      }
    }
    return word.isEmpty ? words : words + [word]
  }

  /// Words match as a whole, so each inflected form has an entry of its own.
  private static let rejectedPhrases = """
    a_kept_answer a_kept_policy a_token_a_line a_word_about_keys an_event_is_known_by answers_are_kept any-body
    are_believed_for are_kept_under are_passed_over are_told_of as_it_stands_in asking_again_in asks_for_nothing
    be_passed_over begin_anew begins_anew built_anew by_another_road cannot_be_asked_of cannot_be_had
    cannot_stand_in come_out_nowhere comes_out_nowhere counts_in_its_place counts_in_place_of every-body
    forgets_every goes_with_no half_stands_in has_no_business has_no_part_in has_no_place_in has_seen_to_it
    has_told_of have_no_business have_seen_to hears_of_nothing holds_a_wildcard holds_nowhere in_the_place_of
    in_the_same_breath in_the_words_of_the_configuration in_whichever_order is_as_good_as_none is_asked_once_more
    is_believed_until is_built_anew is_in_hand is_judged_by is_kept_under is_like_the_one is_no_condition_key
    is_no_error_of_ours is_no_kind_of is_no_place_of is_no_regular_expression is_no_setting is_no_verb
    is_nothing_to_speak_of is_passed_over is_said_at_start is_taken_for_none is_taken_so is_the_store's_business
    is_told_of is_told_once is_written_anew its_default_holds its_own_affair keeps_answers_under keeps_no_answers
    keeps_nothing kept_answer kept_answers keys_at_hand laid_out_anew lies_within_over made_anew may_be_had
    may_go_by_any_name may_too_much meant_so never_passed_over no-body no-body's no_business_of no_more_right
    no_sound_zip not_known_of_this not_to_be_told nothing_to_speak_of of_other_houses one_line_a_reason
    ours_to_mend own_word_for passed_over_there reader_that_went_away rings_for_every_stranger
    says_it_in_its_words says_nothing_of sees_to_it served_anew so_many_bytes some-body some-body's
    speaks_about_the_call stand_in_apostrophes stands_before_no stands_behind_it stands_beside stands_in_line
    stands_twice stands_under stands_whole start_anew starting_anew starts_anew takes_it_otherwise
    takes_policies_alone takes_so_much tells_of text_like_any_other that_is_none the_condition_of_a_write
    the_gate_for to_be_said_about told_again told_of_once tried_anew under_way_at_once verified_anew
    what_became_of what_becomes_of what_came_is what_came_of what_is_kept what_is_particular_to what_is_to_be_said
    what_is_written_holds what_stands_there what_there_is_to_say whatever_became_of whatever_it_holds
    whatever_it_is whatever_the_environment_says where_nothing_is_said where_there_is_none
    which_others_may_not_have who-ever who_asks who_came_before who_comes_often who_may_enter will_be_told_of
    with_what_it_started writes_it_anew
    """
}
