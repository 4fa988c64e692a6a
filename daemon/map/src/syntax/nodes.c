/* Lists the nodes of a syntax tree, once, in the order of the text.
 *
 * tree-sitter keeps no node: it computes each anew from the subtrees around it whenever a reader asks, and a reader of facts asks
 * for kinds, places, fields and children of the same nodes again and again. Here they are computed once for all.
 *
 * A node that the grammar hides has no entry: its children stand in for it, with the fields that it is in.
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

/* `RawNode` of `mod.rs`. Numbers of nodes are places in the list. */
typedef struct {
  uint32_t start;
  uint32_t end;
  uint32_t start_row;
  uint32_t start_column;
  uint32_t end_row;
  uint32_t end_column;
  uint32_t parent; /* the root's is its own */
  uint32_t next; /* the node behind its last descendant */
  uint32_t named_children;
  uint32_t fields; /* a bit for each number modulo 32 of a field of its children */
  uint16_t kind;
  uint16_t field[2]; /* the fields that it is in, the innermost first; 0 for none */
  uint16_t flags;
} Node;

enum { NAMED = 1, EXTRA = 2, ERRONEOUS = 4, MISSING = 8 };

/* The children of a subtree that are being listed. */
typedef struct {
  const SubtreeHeapData *parent;
  const Subtree *children;
  const TSSymbol *aliases;
  const TSFieldMapEntry *map;
  const TSFieldMapEntry *map_end;
  Length position; /* behind the last child that was listed */
  uint32_t child;
  uint32_t structural; /* number of the children before it that are no extras */
  uint32_t node; /* the node whose children they are */
  uint16_t field[2]; /* the fields of the hidden subtrees between the two */
  bool is_node; /* the subtree is that node */
} Level;

typedef struct {
  const TSLanguage *language;
  Node *nodes;
  uint32_t count;
  uint32_t capacity;
  Level *levels;
  uint32_t depth;
  uint32_t room;
} List;

static void grow(List *self) {
  self->room = self->room == 0 ? 64 : self->room * 2;
  self->levels = realloc(self->levels, self->room * sizeof(Level));
  if (self->levels == NULL) {
    fprintf(stderr, "no memory for a syntax tree of depth %u\n", self->depth);
    abort();
  }
}

static void enter(List *self, Subtree subtree, Length position, uint32_t node, bool is_node, const uint16_t *field) {
  if (self->depth == self->room) grow(self);
  Level *level = &self->levels[self->depth++];
  level->parent = subtree.ptr;
  level->children = ts_subtree_children(subtree);
  level->aliases = ts_language_alias_sequence(self->language, subtree.ptr->production_id);
  ts_language_field_map(self->language, subtree.ptr->production_id, &level->map, &level->map_end);
  level->position = position;
  level->child = 0;
  level->structural = 0;
  level->node = node;
  level->field[0] = field[0];
  level->field[1] = field[1];
  level->is_node = is_node;
}

static void leave(List *self) {
  Level *level = &self->levels[--self->depth];
  if (level->is_node) self->nodes[level->node].next = self->count;
}

/* A third field is left out: no grammar has a node in three. */
static void add_field(uint16_t *field, uint16_t added) {
  if (added == 0 || field[0] == added) return;
  if (field[0] == 0) field[0] = added;
  else if (field[1] == 0) field[1] = added;
}

static void add_node(List *self, Subtree subtree, Length start, TSSymbol alias, uint32_t parent, const uint16_t *field) {
  Length end = length_add(start, ts_subtree_size(subtree));
  TSSymbol symbol = alias != 0 ? alias : ts_subtree_symbol(subtree);
  bool named = alias != 0 ? ts_language_symbol_metadata(self->language, alias).named : ts_subtree_named(subtree);
  Node *node = &self->nodes[self->count];
  node->start = start.bytes;
  node->end = end.bytes;
  node->start_row = start.extent.row;
  node->start_column = start.extent.column;
  node->end_row = end.extent.row;
  node->end_column = end.extent.column;
  node->parent = parent;
  node->next = ++self->count;
  node->named_children = ts_subtree_child_count(subtree) > 0 ? subtree.ptr->named_child_count : 0;
  node->fields = 0;
  node->kind = ts_language_public_symbol(self->language, symbol);
  node->field[0] = field[0];
  node->field[1] = field[1];
  node->flags = (named ? NAMED : 0) | (ts_subtree_extra(subtree) ? EXTRA : 0)
    | (ts_subtree_error_cost(subtree) > 0 ? ERRONEOUS : 0) | (ts_subtree_missing(subtree) ? MISSING : 0);
  if (field[0] != 0) self->nodes[parent].fields |= UINT32_C(1) << (field[0] % 32);
  if (field[1] != 0) self->nodes[parent].fields |= UINT32_C(1) << (field[1] % 32);
}

/* Lists the next child of the innermost level. */
static bool add_child(List *self) {
  Level *level = &self->levels[self->depth - 1];
  Subtree child = level->children[level->child];
  Length start = level->position;
  if (level->child++ > 0) start = length_add(start, ts_subtree_padding(child));
  level->position = length_add(start, ts_subtree_size(child));
  TSSymbol alias = 0;
  uint16_t field[2] = {0, 0};
  bool extra = ts_subtree_extra(child);
  if (!extra) {
    if (level->aliases != NULL) alias = level->aliases[level->structural];
    for (const TSFieldMapEntry *entry = level->map; entry < level->map_end; entry++) {
      if (!entry->inherited && entry->child_index == level->structural) add_field(field, entry->field_id);
    }
    level->structural++;
  }
  bool visible = alias != 0 || ts_subtree_visible(child);
  if (visible || !extra) {
    add_field(field, level->field[0]);
    add_field(field, level->field[1]);
  }
  bool has_children = ts_subtree_child_count(child) > 0;
  if (visible) {
    if (self->count == self->capacity) return false;
    uint32_t number = self->count;
    add_node(self, child, start, alias, level->node, field);
    if (has_children) enter(self, child, start, number, true, (uint16_t[2]){0, 0});
  } else if (has_children && child.ptr->visible_child_count > 0) {
    enter(self, child, start, level->node, false, field);
  }
  return true;
}

/* Writes the nodes of a tree, of which there is at least one, and returns their number; 0 if there are more than `capacity`. */
uint32_t hob_list_nodes(const TSTree *tree, Node *nodes, uint32_t capacity) {
  List list = {tree->language, nodes, 0, capacity, NULL, 0, 0};
  if (capacity == 0) return 0;
  const uint16_t none[2] = {0, 0};
  Length start = ts_subtree_padding(tree->root);
  add_node(&list, tree->root, start, 0, 0, none);
  if (ts_subtree_child_count(tree->root) > 0) enter(&list, tree->root, start, 0, true, none);
  bool fits = true;
  while (fits && list.depth > 0) {
    Level *level = &list.levels[list.depth - 1];
    if (level->child == level->parent->child_count) leave(&list);
    else fits = add_child(&list);
  }
  free(list.levels);
  return fits ? list.count : 0;
}
