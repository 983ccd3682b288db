#include "CConsolePage.h"

// #embed is part of C23, and clang also has it for older standards. A change of a file compiles this one again.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char document[] = {
#embed "../ConsolePage/index.html"
};

static const unsigned char style[] = {
#embed "../ConsolePage/console.css"
};

static const unsigned char script[] = {
#embed "../ConsolePage/Script/elements.js"
    ,
#embed "../ConsolePage/Script/formats.js"
    ,
#embed "../ConsolePage/Script/server.js"
    ,
#embed "../ConsolePage/Script/decisions.js"
    ,
#embed "../ConsolePage/Script/list.js"
    ,
#embed "../ConsolePage/Script/detail.js"
    ,
#embed "../ConsolePage/Script/replay.js"
    ,
#embed "../ConsolePage/Script/matrix.js"
    ,
#embed "../ConsolePage/Script/state.js"
    ,
#embed "../ConsolePage/Script/findings.js"
    ,
#embed "../ConsolePage/Script/builder.js"
    ,
#embed "../ConsolePage/Script/keyboard.js"
    ,
#embed "../ConsolePage/Script/start.js"
};

struct console_file console_file(enum console_name name) {
  switch (name) {
  case console_document:
    return (struct console_file){document, sizeof document};
  case console_style:
    return (struct console_file){style, sizeof style};
  case console_script:
    break;
  }
  return (struct console_file){script, sizeof script};
}
