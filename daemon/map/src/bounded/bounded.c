/* Limits the memory of tree-sitter.
 *
 * A text of 64 KB can make a parser take gigabytes within one of its steps, in which it calls no callback. tree-sitter cannot be
 * told that there is no more memory: it takes a null pointer for a block. So these allocation functions count what a thread's
 * session holds. At the limit they abandon the parser by longjmp, and everything that the session took is freed when it ends,
 * because half-made objects refer only to each other.
 *
 * The jump crosses frames of tree-sitter and of a grammar's scanner alone: C, which has nothing to clean up. Rust's callbacks
 * take no memory here. A session belongs to one thread; while it lasts, no other thread frees what it took.
 *
 * A tree is many small blocks that end together. A session whose trees and parsers all end with it takes small blocks from an
 * arena: one after the other, in the order in which the parser makes them, which is nearly that in which a walk visits them.
 * A freed block waits for the next block of its size; the arena is freed as a whole, and no tree is dropped node by node. Its
 * chunks may serve the thread's next arena, so a tree that outlived its session would be written over. Against
 * a call of `malloc` for each block and a list of them all, reading the facts of Django or tokio takes about a tenth less time.
 * Blocks of other sessions and large ones come from the system, because they may have to outlive the session or to grow in place.
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

/* The head of each block from the system. The blocks of the current session form a list. */
typedef struct Block {
  struct Block *before;
  struct Block *after;
  uint64_t session;
  size_t tag;
} Block;

/* Returns the last word before a block: twice its size, plus one if the block is in an arena. */
static size_t *tag_of(void *data) {
  return (size_t *)data - 1;
}

static size_t size_of(void *data) {
  return *tag_of(data) / 2;
}

static bool is_of_arena(void *data) {
  return *tag_of(data) % 2 != 0;
}

/* The size of a head, which keeps the block behind it aligned for any type. It counts for every block, in an arena too. */
#define HEAD ((sizeof(Block) + 15) / 16 * 16)
_Static_assert(offsetof(Block, tag) == HEAD - sizeof(size_t), "the tag is the last word before a block");

/* Sizes of blocks in an arena, with their tags, are multiples of this many bytes. */
#define STEP 16
/* Most bytes of a block in an arena, with its tag. */
#define SMALL 1024
/* Bytes of an arena's first chunk, and of the largest; each chunk is twice as large as the one before, up to the largest. */
#define FIRST_CHUNK ((size_t)64 << 10)
#define LAST_CHUNK ((size_t)1 << 20)

/* The head of each chunk of an arena. */
typedef struct Chunk {
  struct Chunk *before;
  size_t size;
} Chunk;

/* Number of sizes of chunks. */
#define CHUNK_SIZES 5
_Static_assert(FIRST_CHUNK << (CHUNK_SIZES - 1) == LAST_CHUNK, "each size is twice the one before");

/* Chunks that the last arenas of a thread left for its next one, by size, as far as `most` allows. An arena takes those of the
 * sizes that it would otherwise allocate, so that what a file may take does not depend on the files before it. */
static PER_THREAD struct {
  Chunk *chunks[CHUNK_SIZES];
  size_t bytes;
  size_t most;
} spare;

static PER_THREAD struct {
  uint64_t session; /* 0 outside of a session */
  Block *blocks;
  size_t live;   /* bytes of blocks in use, each with its head; this is limited */
  size_t system; /* those of blocks from the system */
  size_t most;   /* most bytes of `system` and the chunks together so far */
  size_t limit;
  jmp_buf *way_out; /* of the running parser; null if none runs */
  bool was_left;
  bool has_arena;
  Chunk *chunks;
  size_t in_chunks; /* bytes of all chunks */
  char *next; /* the free rest of the last chunk; it begins with a tag, so that the block behind it is aligned */
  char *end;
  void *freed[SMALL / STEP + 1]; /* lists of freed blocks by number of steps; each block begins with a pointer to the next */
} here;

static Block *block_of(void *data) {
  return (Block *)(void *)((char *)data - HEAD);
}

static void note_most(void) {
  size_t held = here.system + here.in_chunks;
  if (held > here.most) here.most = held;
}

static void *enter(Block *block, size_t size) {
  block->tag = size * 2;
  block->session = here.session;
  if (here.session != 0) {
    block->before = NULL;
    block->after = here.blocks;
    if (here.blocks != NULL) here.blocks->before = block;
    here.blocks = block;
    here.live += HEAD + size;
    here.system += HEAD + size;
    note_most();
  }
  return (char *)block + HEAD;
}

static void leave(Block *block) {
  if (here.session == 0 || block->session != here.session) return;
  if (block->before != NULL) block->before->after = block->after;
  else here.blocks = block->after;
  if (block->after != NULL) block->after->before = block->before;
  here.live -= HEAD + block->tag / 2;
  here.system -= HEAD + block->tag / 2;
}

/* Abandons the running parser. Returns if none runs: then existing trees are used, which takes little. */
static void refuse(void) {
  if (here.way_out != NULL) longjmp(*here.way_out, 1);
}

static void ask(size_t size) {
  if (here.way_out == NULL) return;
  if (size > here.limit - HEAD || here.live > here.limit - HEAD - size) refuse();
}

/* If the system has no memory, abandons the running parser, or aborts as tree-sitter's own functions do. */
static void *got(void *block, size_t size) {
  if (block == NULL) {
    refuse();
    fprintf(stderr, "no memory for %zu bytes of a syntax tree\n", size);
    abort();
  }
  return block;
}

/* Returns the number of steps of a small block with its tag. */
static size_t steps_of(size_t size) {
  return (size + sizeof(size_t) + STEP - 1) / STEP;
}

static bool fits_arena(size_t size) {
  return here.has_arena && size <= SMALL - sizeof(size_t);
}

/* Returns the place of spare chunks of a size. */
static Chunk **spare_of(size_t size) {
  size_t number = 0;
  while (number < CHUNK_SIZES - 1 && FIRST_CHUNK << number < size) number++;
  return &spare.chunks[number];
}

static Chunk *take_spare(Chunk **place) {
  Chunk *chunk = *place;
  *place = chunk->before;
  spare.bytes -= chunk->size;
  return chunk;
}

static void add_chunk(void) {
  size_t size = here.chunks == NULL ? FIRST_CHUNK : here.chunks->size * 2;
  if (size > LAST_CHUNK) size = LAST_CHUNK;
  /* Freed blocks only serve blocks of their own size, so an arena may be larger than the blocks in use. */
  if (here.in_chunks > here.limit) refuse();
  Chunk **place = spare_of(size);
  Chunk *chunk = *place != NULL ? take_spare(place) : got(malloc(size), size);
  chunk->before = here.chunks;
  chunk->size = size;
  here.chunks = chunk;
  here.in_chunks += size;
  note_most();
  here.end = (char *)chunk + size;
  here.next = (char *)chunk + (sizeof(Chunk) + STEP - 1) / STEP * STEP + STEP - sizeof(size_t);
}

static void *arena_malloc(size_t size) {
  size_t steps = steps_of(size);
  void *data = here.freed[steps];
  if (data != NULL) {
    here.freed[steps] = *(void **)data;
  } else {
    if (here.next == NULL || (size_t)(here.end - here.next) < steps * STEP) add_chunk();
    data = here.next + sizeof(size_t);
    here.next += steps * STEP;
  }
  *tag_of(data) = size * 2 + 1;
  here.live += HEAD + size;
  return data;
}

static void give_back(void *data) {
  size_t steps = steps_of(size_of(data));
  *(void **)data = here.freed[steps];
  here.freed[steps] = data;
}

static void arena_free(void *data) {
  here.live -= HEAD + size_of(data);
  give_back(data);
}

static void *system_malloc(size_t size) {
  return enter(got(size > SIZE_MAX / 2 - HEAD ? NULL : malloc(HEAD + size), size), size);
}

static void *bounded_malloc(size_t size) {
  ask(size);
  return fits_arena(size) ? arena_malloc(size) : system_malloc(size);
}

static void *bounded_calloc(size_t count, size_t each) {
  size_t size = each != 0 && count > SIZE_MAX / each ? SIZE_MAX : count * each;
  ask(size);
  if (fits_arena(size)) return memset(arena_malloc(size), 0, size);
  return enter(got(size > SIZE_MAX / 2 - HEAD ? NULL : calloc(1, HEAD + size), size), size);
}

static void *arena_realloc(void *data, size_t size) {
  size_t old = size_of(data);
  here.live -= HEAD + old;
  if (fits_arena(size) && steps_of(size) == steps_of(old)) {
    *tag_of(data) = size * 2 + 1;
    here.live += HEAD + size;
    return data;
  }
  void *moved = fits_arena(size) ? arena_malloc(size) : system_malloc(size);
  memcpy(moved, data, old < size ? old : size);
  give_back(data);
  return moved;
}

static void *bounded_realloc(void *data, size_t size) {
  if (data == NULL) return bounded_malloc(size);
  size_t old = size_of(data);
  if (size > old) ask(size - old);
  if (is_of_arena(data)) return arena_realloc(data, size);
  Block *block = block_of(data);
  leave(block);
  Block *moved = size > SIZE_MAX / 2 - HEAD ? NULL : realloc(block, HEAD + size);
  if (moved == NULL) enter(block, old);
  return enter(got(moved, size), size);
}

static void bounded_free(void *data) {
  if (data == NULL) return;
  if (is_of_arena(data)) {
    arena_free(data);
    return;
  }
  leave(block_of(data));
  free(block_of(data));
}

/* Must run before anything else of tree-sitter is used, which has to free its blocks by the functions that allocated them. */
void hob_bounded_install(void) {
  ts_set_allocator(bounded_malloc, bounded_calloc, bounded_realloc, bounded_free);
}

/* Begins a session. `session` is a number that no other session has; the thread must have none. With `has_arena`, the caller
 * must drop everything that the session makes before it ends. */
void hob_bounded_begin(uint64_t session, size_t limit, bool has_arena) {
  here.session = session;
  here.blocks = NULL;
  here.live = here.system = here.most = 0;
  here.limit = limit;
  here.way_out = NULL;
  here.was_left = false;
  here.has_arena = has_arena;
}

static void free_chunk(Chunk *chunk) {
  if (chunk->size > spare.most - spare.bytes) {
    free(chunk);
    return;
  }
  Chunk **place = spare_of(chunk->size);
  chunk->before = *place;
  *place = chunk;
  spare.bytes += chunk->size;
}

/* Makes this thread keep chunks of its ended arenas, up to `most` bytes; frees those that it has if they are more. */
void hob_bounded_keep(size_t most) {
  spare.most = most;
  if (spare.bytes <= most) return;
  for (size_t number = 0; number < CHUNK_SIZES; number++) {
    while (spare.chunks[number] != NULL) free(take_spare(&spare.chunks[number]));
  }
}

/* Returns the bytes of the chunks that this thread keeps. */
size_t hob_bounded_kept(void) {
  return spare.bytes;
}

/* Turns a list of chunks around. */
static Chunk *reversed(Chunk *chunk) {
  Chunk *turned = NULL;
  while (chunk != NULL) {
    Chunk *before = chunk->before;
    chunk->before = turned;
    turned = chunk;
    chunk = before;
  }
  return turned;
}

static void free_arena(void) {
  /* Small chunks come first: every arena needs them, and a large one would leave no room for them. */
  Chunk *chunk = reversed(here.chunks);
  while (chunk != NULL) {
    Chunk *next = chunk->before;
    free_chunk(chunk);
    chunk = next;
  }
  here.chunks = NULL;
  here.next = here.end = NULL;
  here.in_chunks = 0;
  memset(here.freed, 0, sizeof here.freed);
  here.has_arena = false;
}

/* Ends the session. If it had an arena or a parser was abandoned, frees everything that the session still holds. */
void hob_bounded_end(void) {
  Block *block = here.was_left || here.has_arena ? here.blocks : NULL;
  here.session = 0;
  here.blocks = NULL;
  while (block != NULL) {
    Block *next = block->after;
    free(block);
    block = next;
  }
  if (here.has_arena) free_arena();
}

bool hob_bounded_was_left(void) {
  return here.was_left;
}

bool hob_bounded_has_arena(void) {
  return here.has_arena;
}

uint64_t hob_bounded_session(void) {
  return here.session;
}

/* Returns the most bytes of the system's memory that the session held at once; an arena's chunks count whole. */
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

/* Parses within the session. Returns false if the parser was abandoned: then neither it nor anything else that the session made
 * may be used, except trees that were complete before. `tree` is null if `progress` stopped the parser. */
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
