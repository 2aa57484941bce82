/* Textures and surfaces as buffers: a structure of texels and sizes in the place of a texture
 * object, and the functions that fetch from it, which a kernel that calls them is cut out with.
 * A fetch does not return what a texture unit would: it hangs on the coordinates and on texels that
 * nobody writes while the kernel runs, and on nothing else, which is all that a transformation may
 * rely on. Coordinates count texels, those outside are clamped; real numbers are interpolated, so
 * that fractions of a texel show in results, whole ones are not. A surface is bytes; outside of it
 * nothing is read or written. */
#ifndef HT_REFACTOR_SOURCE_TEXTURE_NAMES_H
#define HT_REFACTOR_SOURCE_TEXTURE_NAMES_H

/* The structures' names. A reference is a variable, with a table of texels of its own. */
#define HT_TEXTURE_TYPE "hiptemper_texture"
#define HT_SURFACE_TYPE "hiptemper_surface"
#define HT_REFERENCE_TYPE "hiptemper_reference"
/* Sizes of a texture or a surface, of which a source says nothing. A texel has four floats; the
 * width of a surface counts its bytes. */
enum { HT_TEXTURE_WIDTH = 256, HT_TEXTURE_HEIGHT = 128, HT_TEXTURE_DEPTH = 4 };

extern const char ht_texture_names[];

#endif
