/* XML as a reader that is not ours takes it. */
#ifndef HT_TESTS_CLI_XML_TEXT_H
#define HT_TESTS_CLI_XML_TEXT_H

/* Returns "string(PATH)" of an XML text, as XPath has it; borrowed for a few further calls. A text
 * that is no XML fails the test. */
const char *xml_text(const char *xml, const char *path);

#endif
