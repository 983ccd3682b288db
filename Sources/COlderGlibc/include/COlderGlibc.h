// Defines __GLIBC__ on systems with glibc. There is nothing to call: COlderGlibc.c defines functions of glibc.

#ifndef AUTHORIZER_COLDERGLIBC_H
#define AUTHORIZER_COLDERGLIBC_H

#include <limits.h>

#endif
