#include "viz/text_layout.h"
#include "viz/fonts.h"
#include <gvplugin_textlayout.h>
#include <string_view>

namespace symbiosis {

namespace {

boolean measure(textspan_t* span, char**) {
  const bool isMono = std::string_view(span->font->name).find("Mono") != std::string_view::npos;
  const bool isBold = (span->font->flags & HTML_BF) != 0;
  const Font font = isMono ? Font::mono : isBold ? Font::sansBold : Font::sans;
  span->size.x = textWidth(span->str, font, span->font->size);
  span->size.y = 1.2 * span->font->size;
  span->yoffset_layout = 0;
  span->yoffset_centerline = kLift * span->font->size;
  span->layout = nullptr;
  span->free_layout = nullptr;
  return TRUE;
}

} // namespace

const lt_symlist_t* textLayoutPlugins() {
  static gvtextlayout_engine_t engine{measure};
  static gvplugin_installed_t types[]{{0, "textlayout", 1000, &engine, nullptr},
                                      {0, nullptr, 0, nullptr, nullptr}};
  static gvplugin_api_t apis[]{{API_textlayout, types}, {api_t(0), nullptr}};
  static char name[] = "symbiosis";
  static gvplugin_library_t library{name, apis};
  static const lt_symlist_t plugins[]{{"gvplugin_symbiosis_LTX_library", &library}, {nullptr, nullptr}};
  return plugins;
}

} // namespace symbiosis
