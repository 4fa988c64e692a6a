/* Memory for tree-sitter that has an end.
 *
 * A text of 64 KB can have a parser take gigabytes within one of its steps, in which it asks nobody whether to go on, and the
 * library cannot be told that there is no more memory: it takes a null pointer for a block. So the functions that it takes
 * memory with count what a thread's session holds. At the limit they leave the parser by longjmp, and everything that the
 * session took is freed when it ends, because what lay half-made refers to itself and nothing else.
 *
 * The jump goes over frames of tree-sitter and of a grammar's scanner alone: C, which has nothing to tidy up. Rust's callbacks
 * take no memory here. A session is of one thread; while it lasts, no other frees what it took.
 */

#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tree_sitter/api.h>

#if defined(_MSC_VER)
#define PER_THREAD __declspec(thread)
#else
#define PER_THREAD _Thread_local
#endif

/* Stands before each block. Blocks of the session that lasts are a list. */
typedef struct Block {
  struct Block *before;
  struct Block *after;
  uint64_t session;
  size_t size;
} Block;

/* As far before a block as keeps it aligned for anything. */
#define HEAD ((sizeof(Block) + 15) / 16 * 16)

static PER_THREAD struct {
  uint64_t session; /* 0 while there is none */
  Block *blocks;
  size_t live;
  size_t most;
  size_t limit;
  jmp_buf *way_out; /* of the parser that runs */
  bool was_left;
} here;

static Block *block_of(void *data) {
  return (Block *)(void *)((char *)data - HEAD);
}

static void *enter(Block *block, size_t size) {
  block->size = size;
  block->session = here.session;
  if (here.session != 0) {
    block->before = NULL;
    block->after = here.blocks;
    if (here.blocks != NULL) here.blocks->before = block;
    here.blocks = block;
    here.live += HEAD + size;
    if (here.live > here.most) here.most = here.live;
  }
  return (char *)block + HEAD;
}

static void leave(Block *block) {
  if (here.session == 0 || block->session != here.session) return;
  if (block->before != NULL) block->before->after = block->after;
  else here.blocks = block->after;
  if (block->after != NULL) block->after->before = block->before;
  here.live -= HEAD + block->size;
}

/* Does not return while a parser runs. Others use trees that there are: what they take is small. */
static void refuse(void) {
  if (here.way_out != NULL) longjmp(*here.way_out, 1);
}

static void ask(size_t size) {
  if (here.way_out == NULL) return;
  if (size > here.limit - HEAD || here.live > here.limit - HEAD - size) refuse();
}

/* What cannot be had at all ends the parser, if one runs, and else the process, as tree-sitter's own functions do. */
static Block *got(void *block, size_t size) {
  if (block == NULL) {
    refuse();
    fprintf(stderr, "no memory for %zu bytes of a syntax tree\n", size);
    abort();
  }
  return block;
}

static void *bounded_malloc(size_t size) {
  ask(size);
  return enter(got(size > SIZE_MAX - HEAD ? NULL : malloc(HEAD + size), size), size);
}

static void *bounded_calloc(size_t count, size_t each) {
  size_t size = each != 0 && count > SIZE_MAX / each ? SIZE_MAX : count * each;
  ask(size);
  return enter(got(size > SIZE_MAX - HEAD ? NULL : calloc(1, HEAD + size), size), size);
}

static void *bounded_realloc(void *data, size_t size) {
  if (data == NULL) return bounded_malloc(size);
  Block *block = block_of(data);
  if (size > block->size) ask(size - block->size);
  size_t old = block->size;
  leave(block);
  Block *moved = size > SIZE_MAX - HEAD ? NULL : realloc(block, HEAD + size);
  if (moved == NULL) enter(block, old);
  return enter(got(moved, size), size);
}

static void bounded_free(void *data) {
  if (data == NULL) return;
  leave(block_of(data));
  free(block_of(data));
}

/* Before anything else of tree-sitter's is used: it frees by these what it has taken by these. */
void hob_bounded_install(void) {
  ts_set_allocator(bounded_malloc, bounded_calloc, bounded_realloc, bounded_free);
}

/* `session` is a number that no other has; there must be none on this thread. */
void hob_bounded_begin(uint64_t session, size_t limit) {
  here.session = session;
  here.blocks = NULL;
  here.live = here.most = 0;
  here.limit = limit;
  here.way_out = NULL;
  here.was_left = false;
}

/* If a parser was left, frees everything that the session took and still holds. */
void hob_bounded_end(void) {
  Block *block = here.was_left ? here.blocks : NULL;
  here.session = 0;
  here.blocks = NULL;
  while (block != NULL) {
    Block *next = block->after;
    free(block);
    block = next;
  }
}

bool hob_bounded_was_left(void) {
  return here.was_left;
}

uint64_t hob_bounded_session(void) {
  return here.session;
}

/* The most that the session held at any time, in bytes. */
size_t hob_bounded_most(void) {
  return here.most;
}

typedef struct {
  const char *bytes;
  uint32_t length;
} Text;

static const char *read_text(void *payload, uint32_t at, TSPoint position, uint32_t *length) {
  const Text *text = payload;
  (void)position;
  *length = at < text->length ? text->length - at : 0;
  return text->bytes + (at < text->length ? at : text->length);
}

/* Parses within the session. False if the parser was left: neither it nor anything else that the session made may then be
 * used, but for the trees that were whole before. `tree` is null if `progress` ended it. */
bool hob_bounded_parse(TSParser *parser, const TSTree *old, Text *text, TSParseOptions options, TSTree **tree) {
  jmp_buf way_out;
  TSInput input = {text, read_text, TSInputEncodingUTF8, NULL};
  if (setjmp(way_out) != 0) {
    here.way_out = NULL;
    here.was_left = true;
    return false;
  }
  here.way_out = &way_out;
  *tree = ts_parser_parse_with_options(parser, old, input, options);
  here.way_out = NULL;
  return true;
}
