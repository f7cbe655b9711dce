// report/xml_text.h: any text as part of an XML or HTML page. Pure function.
#pragma once

#include <string>
#include <string_view>

namespace godwit {

// Fit for element content and for attributes in double quotes. Bytes that are no UTF-8, and control
// characters that XML forbids, become U+FFFD.
std::string xml_text(std::string_view text);

}  // namespace godwit
