/* Ritz: finite elements on accelerators.

   Conventions of the whole interface:
   - Handles are opaque. ritz_thing_create(..., &thing) makes one, ritz_thing_destroy(&thing) ends it and sets the pointer
     to NULL; destroying NULL is allowed. A failed create leaves *thing unchanged. Whatever a function gives through a
     ritz_thing ** is the caller's to end so. Pointers that are returned stay the library's or the handle's.
   - Options are plain structs, meant for designated initialisers; zero means the default, and so does NULL in place of
     an options struct. Those that start with `size` take their own sizeof there: a later version appends fields, and
     reads and writes no more than the caller has. 0 stands for the size that the library knows, which is right for a
     program that is built again with each version. Structs without a size, and structs inside others, stay as they are
     as long as the library's soname does.
   - What can fail returns ritz_status. ritz_message() then says what was wrong, where, and what to do. The library
     never prints, never exits, never aborts on bad input.
   - Wrong arguments are RITZ_ERROR_INPUT: NULL where nothing says that it is allowed, a value that its enumeration does
     not have, a size below zero, a number that is not finite. Functions that return no status give 0, NULL, NAN or
     "unknown" then, and those that end or set something do nothing.
   - Array arguments carry their shape in a comment: a[n][m] is row-major, contiguous. Arrays passed in stay the
     caller's unless the comment says otherwise.
   - Types of numbers: int32_t counts and indexes nodes, cells and block rows; int64_t counts nonzeros, degrees of
     freedom and bytes; double is real data on the host.
   - Handles may be used from one thread at a time, a device and all that is made on it together. */
#ifndef RITZ_H
#define RITZ_H

#include "ritz/assemble.h"
#include "ritz/base.h"
#include "ritz/cell.h"
#include "ritz/device.h"
#include "ritz/direct.h"
#include "ritz/form.h"
#include "ritz/integrate.h"
#include "ritz/market.h"
#include "ritz/matrix.h"
#include "ritz/mesh.h"
#include "ritz/output.h"
#include "ritz/physics.h"
#include "ritz/problem.h"
#include "ritz/solve.h"
#include "ritz/space.h"
#include "ritz/vector.h"

#endif
