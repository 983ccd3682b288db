import Testing

@Suite struct MappingTemplateTests {
  @Test(arguments: MappingCase.recorded) func isTrueToRecordings(_ test: MappingCase) throws {
    #expect(try test.output() == test.expected)
  }
}
