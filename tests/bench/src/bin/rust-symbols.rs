//! The reference of `changed_symbols.py` for Rust: the parser of the crate `syn`, which has nothing in common with
//! hob's.
//!
//! It reads one JSON object per line, `{"path", "text"}`, and answers each with one line: the definitions by qualified
//! name, each with the tokens of its own syntax tree, without comments and without the definitions inside it. For a
//! file that `syn` cannot parse, the answer is `null`. Items in the braces of a macro count as definitions, because
//! projects wrap items in macros that only set conditions (`cfg_net! { … }`).

use std::collections::BTreeMap;
use std::error::Error;
use std::io::{BufRead, Write, stdin, stdout};

use quote::ToTokens;
use serde_json::Value;
use syn::visit::Visit;
use syn::visit_mut::{self, VisitMut};
use syn::{Attribute, Block, File, ImplItem, Item, ItemImpl, ItemMacro, ItemTrait, Stmt, TraitItem, Type};

type Definitions = BTreeMap<String, Vec<String>>;

fn main() -> Result<(), Box<dyn Error>> {
    let mut out = stdout().lock();
    for line in stdin().lock().lines() {
        let request: Value = serde_json::from_str(&line?)?;
        let text = request["text"].as_str().unwrap_or_default();
        let answer = syn::parse_file(text).ok().map(|file| definitions_of(&file));
        writeln!(out, "{}", serde_json::to_string(&answer)?)?;
        out.flush()?;
    }
    Ok(())
}

fn definitions_of(file: &File) -> Definitions {
    let mut collector = ItemCollector::default();
    collector.visit_file(file);
    collector.found.values_mut().for_each(|texts| texts.sort());
    collector.found
}

/// Collects definitions, together with the names of what contains them.
#[derive(Default)]
struct ItemCollector {
    around: Vec<String>,
    found: Definitions,
}

impl ItemCollector {
    fn add_definition(&mut self, name: &str, own: String) {
        let parts: Vec<&str> = self.around.iter().map(String::as_str).chain([name]).collect();
        self.found.entry(parts.join(".")).or_default().push(own);
    }

    fn visit_inside(&mut self, name: &str, visit: impl FnOnce(&mut Self)) {
        self.around.push(name.to_owned());
        visit(self);
        self.around.pop();
    }

    fn add_trait(&mut self, of: &ItemTrait) {
        let mut own = of.clone();
        own.items.retain(|item| !matches!(item, TraitItem::Fn(_)));
        let name = of.ident.to_string();
        self.add_definition(&name, own_tokens(own, |strip, own| strip.visit_item_trait_mut(own)));
        self.visit_inside(&name, |inside| {
            for item in &of.items {
                let TraitItem::Fn(function) = item else { continue };
                let name = function.sig.ident.to_string();
                let tokens = own_tokens(function.clone(), |strip, own| strip.visit_trait_item_fn_mut(own));
                inside.add_definition(&name, tokens);
                if let Some(block) = &function.default {
                    inside.visit_inside(&name, |body| body.visit_block(block));
                }
            }
        });
    }

    fn add_members(&mut self, of: &ItemImpl) {
        let Some(owner) = name_of_type(&of.self_ty) else { return };
        self.visit_inside(&owner, |inside| {
            for item in &of.items {
                if let ImplItem::Type(of) = item {
                    inside.add_definition(&of.ident.to_string(), of.to_token_stream().to_string());
                }
                let ImplItem::Fn(function) = item else { continue };
                let name = function.sig.ident.to_string();
                let tokens = own_tokens(function.clone(), |strip, own| strip.visit_impl_item_fn_mut(own));
                inside.add_definition(&name, tokens);
                inside.visit_inside(&name, |body| body.visit_block(&function.block));
            }
        });
    }

    fn add_macro(&mut self, of: &ItemMacro) {
        if let Some(name) = &of.ident {
            self.add_definition(&name.to_string(), of.mac.tokens.to_string());
        } else if let Ok(items) = syn::parse2::<File>(of.mac.tokens.clone()) {
            self.visit_file(&items);
        }
    }
}

impl<'ast> Visit<'ast> for ItemCollector {
    fn visit_item(&mut self, item: &'ast Item) {
        match item {
            Item::Fn(function) => {
                let name = function.sig.ident.to_string();
                let tokens = own_tokens(function.clone(), |strip, own| strip.visit_item_fn_mut(own));
                self.add_definition(&name, tokens);
                self.visit_inside(&name, |inside| inside.visit_block(&function.block));
            }
            Item::Mod(module) => {
                if let Some((_, items)) = &module.content {
                    let name = module.ident.to_string();
                    let attributes = module.attrs.iter().filter(|one| !one.path().is_ident("doc"));
                    let own = attributes.map(|one| one.to_token_stream().to_string()).collect::<String>();
                    self.add_definition(&name, own);
                    self.visit_inside(&name, |inside| items.iter().for_each(|item| inside.visit_item(item)));
                }
            }
            Item::Trait(of) => self.add_trait(of),
            Item::Impl(of) => self.add_members(of),
            Item::Macro(of) => self.add_macro(of),
            Item::Struct(of) => self.add_definition(&of.ident.to_string(), item_tokens(item)),
            Item::Enum(of) => self.add_definition(&of.ident.to_string(), item_tokens(item)),
            Item::Union(of) => self.add_definition(&of.ident.to_string(), item_tokens(item)),
            Item::Type(of) => self.add_definition(&of.ident.to_string(), item_tokens(item)),
            _ => {}
        }
    }
}

/// Removes the definitions inside bodies, and documentation comments.
struct Strip;

impl VisitMut for Strip {
    fn visit_block_mut(&mut self, block: &mut Block) {
        block.stmts.retain(|statement| !matches!(statement, Stmt::Item(item) if is_definition(item)));
        visit_mut::visit_block_mut(self, block);
    }

    fn visit_attributes_mut(&mut self, attributes: &mut Vec<Attribute>) {
        attributes.retain(|attribute| !attribute.path().is_ident("doc"));
    }
}

fn is_definition(item: &Item) -> bool {
    !matches!(item, Item::Use(_) | Item::Const(_) | Item::Static(_) | Item::ExternCrate(_))
}

fn own_tokens<T: ToTokens>(mut node: T, strip: impl FnOnce(&mut Strip, &mut T)) -> String {
    strip(&mut Strip, &mut node);
    node.to_token_stream().to_string()
}

fn item_tokens(item: &Item) -> String {
    own_tokens(item.clone(), |strip, own| strip.visit_item_mut(own))
}

/// Returns the name of the type that an `impl` is for: the last part of its path, without references.
fn name_of_type(of: &Type) -> Option<String> {
    match of {
        Type::Path(path) => path.path.segments.last().map(|segment| segment.ident.to_string()),
        Type::Reference(of) => name_of_type(&of.elem),
        Type::Paren(of) => name_of_type(&of.elem),
        Type::Group(of) => name_of_type(&of.elem),
        _ => None,
    }
}
