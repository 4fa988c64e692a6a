/* A cursor over a syntax tree that steps over tokens without names.
 *
 * tree-sitter's own cursor stops at each token, computes the place of a node anew when it leaves the node, and counts descendants
 * that nobody asks for. Walks over trees took a fifth of the time in which a file's facts are read; with this one
 * they take half of that. The order of nodes, their places, names and fields are the same (`mod.rs` has the test).
 *
 * A node that the grammar hides has no place of its own in the walk: its children stand in for it. The stack holds hidden
 * nodes as well, because a place is found from the node around it.
 *
 * The headers are tree-sitter's private ones, of the very version that is linked: another version that is laid out otherwise
 * is read by its own headers.
 */

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "subtree.h"
#include "language.h"
#include "tree.h"

#if defined(_MSC_VER)
#define PER_THREAD __declspec(thread)
#else
#define PER_THREAD _Thread_local
#endif

/* A node on the way from the root. */
typedef struct {
  const Subtree *subtree;
  Length position;
  uint32_t child;
  uint32_t structural; /* its number among the children that are no extras */
  TSSymbol alias;
  bool visible;
} Entry;

typedef struct {
  const TSTree *tree;
  Entry *entries; /* the root of the walk first */
  uint32_t size;
  uint32_t capacity;
} Cursor;

/* Where a look over the children of a node is. */
typedef struct {
  const SubtreeHeapData *parent;
  const Subtree *children;
  const TSSymbol *aliases;
  Length position;
  uint32_t child;
  uint32_t structural;
} Look;

/* Stacks of cursors that ended, for the next ones: most cursors see few nodes. */
#define SPARE 8
#define SPARE_CAPACITY 1024

static PER_THREAD struct {
  Entry *entries[SPARE];
  uint32_t capacities[SPARE];
  uint32_t count;
} spare;

static void grow(Cursor *self) {
  self->capacity = self->capacity == 0 ? 32 : self->capacity * 2;
  self->entries = realloc(self->entries, self->capacity * sizeof(Entry));
  if (self->entries == NULL) {
    fprintf(stderr, "no memory for a walk of depth %u\n", self->size);
    abort();
  }
}

static void push(Cursor *self, Entry entry) {
  if (self->size == self->capacity) grow(self);
  self->entries[self->size++] = entry;
}

static Entry *top(const Cursor *self) {
  return &self->entries[self->size - 1];
}

static TSNode node_at(const Cursor *self) {
  const Entry *entry = top(self);
  TSNode node = {
    {entry->position.bytes, entry->position.extent.row, entry->position.extent.column, entry->alias},
    entry->subtree,
    self->tree,
  };
  return node;
}

static Look first_look(const Cursor *self, const Entry *entry) {
  const SubtreeHeapData *parent = entry->subtree->ptr;
  Look look = {
    parent, ts_subtree_children(*entry->subtree), ts_language_alias_sequence(self->tree->language, parent->production_id),
    entry->position, 0, 0,
  };
  return look;
}

static void look_on(Look *self) {
  Subtree child = self->children[self->child++];
  if (!ts_subtree_extra(child)) self->structural++;
  if (self->child == self->parent->child_count) return;
  Length position = length_add(self->position, ts_subtree_size(child));
  self->position = length_add(position, ts_subtree_padding(self->children[self->child]));
}

/* The look behind a child of the node on top of the stack. */
static Look look_behind(const Cursor *self, const Entry *entry) {
  Look look = first_look(self, top(self));
  look.position = entry->position;
  look.child = entry->child;
  look.structural = entry->structural;
  look_on(&look);
  return look;
}

static bool has_wanted(Subtree hidden, bool named) {
  if (ts_subtree_child_count(hidden) == 0) return false;
  return (named ? hidden.ptr->named_child_count : hidden.ptr->visible_child_count) > 0;
}

static bool is_named(const Cursor *self, const Entry *entry) {
  if (entry->alias != 0) return ts_language_symbol_metadata(self->tree->language, entry->alias).named;
  return ts_subtree_named(*entry->subtree);
}

/* Goes on with a look, into hidden nodes and out of them, up to the children of the visible node at `base`. */
static bool find(Cursor *self, Look look, uint32_t base, bool named) {
  for (;;) {
    while (look.child < look.parent->child_count) {
      const Subtree *child = &look.children[look.child];
      TSSymbol alias = look.aliases != NULL && !ts_subtree_extra(*child) ? look.aliases[look.structural] : 0;
      bool visible = alias != 0 || ts_subtree_visible(*child);
      Entry entry = {child, look.position, look.child, look.structural, alias, visible};
      if (visible && (!named || is_named(self, &entry))) {
        push(self, entry);
        return true;
      }
      if (!visible && has_wanted(*child, named)) {
        push(self, entry);
        look = first_look(self, top(self));
      } else {
        look_on(&look);
      }
    }
    if (self->size <= base + 1) return false;
    Entry hidden = self->entries[--self->size];
    look = look_behind(self, &hidden);
  }
}

void hob_cursor_begin(Cursor *self, TSNode node) {
  self->tree = node.tree;
  self->entries = NULL;
  self->size = self->capacity = 0;
  if (spare.count > 0) {
    spare.count--;
    self->entries = spare.entries[spare.count];
    self->capacity = spare.capacities[spare.count];
  }
  Entry entry = {
    node.id, {node.context[0], {node.context[1], node.context[2]}}, 0, 0, (TSSymbol)node.context[3], true,
  };
  push(self, entry);
}

void hob_cursor_end(Cursor *self) {
  if (spare.count < SPARE && self->capacity <= SPARE_CAPACITY) {
    spare.entries[spare.count] = self->entries;
    spare.capacities[spare.count++] = self->capacity;
  } else {
    free(self->entries);
  }
}

/* Before the thread ends: nobody else frees its spare stacks. */
void hob_cursor_free_spare(void) {
  while (spare.count > 0) free(spare.entries[--spare.count]);
}

/* Both go to the node that they find, and tell it; if there is none, they stay. */
bool hob_cursor_first_child(Cursor *self, bool named, TSNode *found) {
  Entry *entry = top(self);
  if (!has_wanted(*entry->subtree, named)) return false;
  if (!find(self, first_look(self, entry), self->size - 1, named)) return false;
  *found = node_at(self);
  return true;
}

bool hob_cursor_next_sibling(Cursor *self, bool named, TSNode *found) {
  uint32_t size = self->size;
  if (size < 2) return false;
  uint32_t base = size - 2;
  while (!self->entries[base].visible) base--;
  Entry entry = self->entries[--self->size];
  if (find(self, look_behind(self, &entry), base, named)) {
    *found = node_at(self);
    return true;
  }
  self->size = size;
  return false;
}

/* Goes to the visible node around. */
bool hob_cursor_parent(Cursor *self) {
  if (self->size < 2) return false;
  do self->size--;
  while (!top(self)->visible);
  return true;
}

/* The number of the field that the node is in, of the visible node around it or of a hidden one between; 0 without one. */
uint16_t hob_cursor_field(const Cursor *self) {
  for (uint32_t at = self->size - 1; at > 0; at--) {
    const Entry *entry = &self->entries[at];
    if (at != self->size - 1 && entry->visible) break;
    if (ts_subtree_extra(*entry->subtree)) break;
    const TSFieldMapEntry *map, *end;
    uint32_t production = self->entries[at - 1].subtree->ptr->production_id;
    ts_language_field_map(self->tree->language, production, &map, &end);
    for (; map < end; map++) {
      if (!map->inherited && map->child_index == entry->structural) return map->field_id;
    }
  }
  return 0;
}
