#include "xml_text.h"

#include "base/memory.h"
#include "base/text.h"

#include <criterion/criterion.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

/* libxml2, which LLVM needs: a reader of XML that is not ours. */
typedef struct xml_reader {
    void *(*read_memory)(const char *, int, const char *, const char *, int);
    void *(*context_new)(void *);
    struct xml_object {
        int type;
        void *nodes;
        int boolean;
        double number;
        char *text;
    } *(*evaluate)(const char *, void *);
    void (*object_free)(struct xml_object *);
    void (*context_free)(void *);
    void (*document_free)(void *);
} xml_reader;

static xml_reader reader_load(void) {
    void *library = dlopen("libxml2.so.2", RTLD_NOW);
    cr_assert(library, "libxml2.so.2 comes with LLVM: %s", dlerror());
    xml_reader reader;
    *(void **)&reader.read_memory = dlsym(library, "xmlReadMemory");
    *(void **)&reader.context_new = dlsym(library, "xmlXPathNewContext");
    *(void **)&reader.evaluate = dlsym(library, "xmlXPathEvalExpression");
    *(void **)&reader.object_free = dlsym(library, "xmlXPathFreeObject");
    *(void **)&reader.context_free = dlsym(library, "xmlXPathFreeContext");
    *(void **)&reader.document_free = dlsym(library, "xmlFreeDoc");
    cr_assert(reader.read_memory && reader.context_new && reader.evaluate && reader.object_free &&
              reader.context_free && reader.document_free);
    return reader;
}

const char *xml_text(const char *xml, const char *path) {
    enum { NO_NETWORK = 1 << 11, KEPT = 8 };
    static char *kept[KEPT];
    static size_t next;
    const xml_reader reader = reader_load();
    void *document = reader.read_memory(xml, (int)strlen(xml), "r.xml", NULL, NO_NETWORK);
    cr_assert(document, "it is no XML: %s", xml);
    char *words = ht_format("string(%s)", path);
    void *context = reader.context_new(document);
    struct xml_object *value = reader.evaluate(words, context);
    free(words);
    cr_assert(value && value->text);
    char **text = &kept[next++ % KEPT];
    free(*text);
    *text = ht_strdup(value->text);
    reader.object_free(value);
    reader.context_free(context);
    reader.document_free(document);
    return *text;
}
