// What the static libraries of Swift and GCC need of glibc 2.35, so that authorizer-local starts on 2.34, which Amazon
// Linux 2023 and RHEL 9 have. The linker prefers these definitions to those of glibc. They are hidden, so no shared
// library uses them. No code of this package calls them.

#define _GNU_SOURCE

#include "COlderGlibc.h"

#ifdef __GLIBC__

#include <dlfcn.h>
#include <link.h>
#include <stddef.h>
#include <stdint.h>

#define HIDDEN __attribute__((visibility("hidden")))

// glibc 2.35 has a second version of these two, which does not set errno in SVID's way. The first one has the oldest
// version of the processor, and computes the same.
#if defined(__x86_64__)
#define FIRST_VERSION "GLIBC_2.2.5"
#elif defined(__aarch64__)
#define FIRST_VERSION "GLIBC_2.17"
#endif

#ifdef FIRST_VERSION

double first_hypot(double x, double y);
float first_hypotf(float x, float y);

__asm__(".symver first_hypot, hypot@" FIRST_VERSION);
__asm__(".symver first_hypotf, hypotf@" FIRST_VERSION);

HIDDEN double hypot(double x, double y) { return first_hypot(x, y); }

HIDDEN float hypotf(float x, float y) { return first_hypotf(x, y); }

#endif

// libgcc's unwinder finds the table of an address with this function, if it was built with glibc 2.35 or later. With an
// older one it calls dl_iterate_phdr(3), as this does.
#if __GLIBC_PREREQ(2, 35)

struct search {
  uintptr_t address;
  struct dl_find_object *found;
};

static int examine(struct dl_phdr_info *object, size_t size, void *context) {
  (void)size;
  struct search *search = context;
  uintptr_t start = UINTPTR_MAX, end = 0;
  void *table = NULL;
  int is_inside = 0;
  for (size_t index = 0; index < object->dlpi_phnum; index++) {
    const ElfW(Phdr) *header = &object->dlpi_phdr[index];
    uintptr_t first = object->dlpi_addr + header->p_vaddr;
    if (header->p_type == PT_GNU_EH_FRAME) table = (void *)first;
    if (header->p_type != PT_LOAD) continue;
    uintptr_t last = first + header->p_memsz;
    if (first < start) start = first;
    if (last > end) end = last;
    if (search->address >= first && search->address < last) is_inside = 1;
  }
  if (!is_inside) return 0;
  // libgcc reads only the table. There is no link_map here, and no flag is defined.
  *search->found = (struct dl_find_object){
    .dlfo_map_start = (void *)start, .dlfo_map_end = (void *)end, .dlfo_eh_frame = table,
  };
  return 1;
}

HIDDEN int _dl_find_object(void *address, struct dl_find_object *found) {
  struct search search = {.address = (uintptr_t)address, .found = found};
  return dl_iterate_phdr(examine, &search) == 1 ? 0 : -1;
}

#endif
#endif
