/* ritz-gmsh: reads a mesh or meshes a geometry with Gmsh and writes it to standard output as a binary .msh file, version
   4.1. A program of its own, so that Gmsh may crash, keeps its global state to itself, and is no part of libritz.

   Licence: the text of these files is under Ritz's (BSD-2-Clause); the program made of them links Gmsh and so is, as a
   whole, under Gmsh's: the GNU General Public License, version 2 or later. */
#ifndef RITZ_GMSH_H
#define RITZ_GMSH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Ends the program with "error: ..." on standard error. */
void fail(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));
/* The same with what Gmsh had to say, if `error` is set or Gmsh logged one: "error: Gmsh could not DOING: ...". */
void judge(int error, const char *doing);
/* The same for calls that fail by themselves, whatever was logged before. */
void require(int error, const char *doing);
void *allocate(size_t n, size_t size);

/* From now on this process dies by SIGSYS when it tries to start a program, and ends with a message when it tries to
   create, change or remove a file; false where the system cannot do that. */
bool confine(void);

/* Fragments all bodies, so that those that touch share their faces; groups and names go to what came of each part. */
void glue_bodies(int dim);
/* Groups for a geometry that has none: "body", "solid1" ... (in 2D "face1" ...), "face1" ... (in 2D "edge1" ...) by
   their tags, and the names that the file gives. */
void name_parts(int dim);
/* Groups for a mesh that has none, one for each part of it, named by its number: a .bdf's properties, a .mesh's
   references. */
void number_parts(void);

/* The model's nodes, elements, entities and groups. */
void write_msh(FILE *file);

#endif
