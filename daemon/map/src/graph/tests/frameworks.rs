//! Tests that each call by which a framework runs a handler of a route, a task, a fixture or a command is found from
//! both ends.

use hob_base::CancelToken;

use crate::fixture::{lookup_node, map, show_edge, shown_uses};
use crate::graph::{EdgeKind, EdgeKinds};

/// Checks that a fixture has these calls by a framework and no others, from both ends.
#[track_caller]
fn check_calls(lang: &str, fixture: &str, expected: &[&str]) {
    let map = map(fixture);
    let found: Vec<String> =
        shown_uses(&map).into_iter().filter(|edge| edge.ends_with(" framework")).collect();
    assert_eq!(found, expected, "{:#?}", shown_uses(&map));
    let calls: EdgeKinds = [EdgeKind::Calls].into_iter().collect();
    for edge in expected {
        let to = edge.rsplit(' ').nth(1).expect("an edge has an end");
        let node = lookup_node(&map, &format!("{lang}:{to}"));
        let back = map.edges_in(node, calls, &CancelToken::default()).expect("nobody stops it");
        let back: Vec<String> = back.iter().map(|edge| show_edge(&map, edge)).collect();
        assert!(back.iter().any(|one| one == edge), "{edge} is not among {back:#?}");
    }
}

#[test]
fn a_decorated_handler_is_called_by_its_route() {
    check_calls(
        "py",
        "
//- /app.py
from fastapi import APIRouter, Depends, FastAPI

app = FastAPI()
router = APIRouter(prefix=\"/users\")

def get_db(): ...

@app.get(\"/items/{item_id}\")
async def read_item(item_id: int, db=Depends(get_db)): ...

@router.post(\"\")
def add_user(): ...

class Views:
    @app.route(\"/about\")
    def about(self): ...

@cache.get(key)
def not_a_route(): ...
",
        &[
            "app.py#/about calls app.py#Views.about framework",
            "app.py#/items/{item_id} calls app.py#read_item framework",
            "app.py#/users calls app.py#add_user framework",
            "app.py#read_item calls app.py#get_db framework",
        ],
    );
}

#[test]
fn routes_of_django_lead_to_views_in_other_files() {
    check_calls(
        "py",
        "
//- /shop/urls.py
from django.urls import include, path
from django.contrib.auth.decorators import login_required
from . import views

urlpatterns = [
    path('', views.home, name='home'),
    path('items/<int:pk>/', login_required(views.ItemView.as_view())),
    path('blog/', include('blog.urls')),
]
//- /shop/views.py
def home(request): ...
class ItemView:
    @classmethod
    def as_view(cls): ...
//- /blog/__init__.py
//- /blog/urls.py
urlpatterns = []
//- /os_path.py
from pathlib import path
path('a', home)
def home(): ...
",
        &[
            "shop/urls.py#/ calls shop/views.py#home framework",
            "shop/urls.py#/items/<int:pk>/ calls shop/views.py#ItemView framework",
        ],
    );
}

#[test]
fn a_test_calls_the_fixtures_that_its_parameters_name() {
    check_calls(
        "py",
        "
//- /tests/conftest.py
import pytest

@pytest.fixture
def db(): ...

@pytest.fixture(scope=\"session\")
def client(db): ...
//- /tests/api/conftest.py
import pytest

@pytest.fixture
def client(): ...
//- /tests/api/test_users.py
import pytest

@pytest.fixture
def user(client): ...

@pytest.mark.parametrize('n', [1, 2])
def test_user(user, db, tmp_path, n): ...

class TestAdmin:
    @pytest.fixture
    def admin(self, user): ...

    def test_admin(self, admin): ...
//- /n.py
def n(): ...
def tmp_path(): ...
",
        &[
            "tests/api/test_users.py#TestAdmin.admin calls tests/api/test_users.py#user framework",
            "tests/api/test_users.py#TestAdmin.test_admin calls tests/api/test_users.py#TestAdmin.admin framework",
            "tests/api/test_users.py#test_user calls tests/api/test_users.py#user framework",
            "tests/api/test_users.py#test_user calls tests/conftest.py#db framework",
            "tests/api/test_users.py#user calls tests/api/conftest.py#client framework",
            "tests/conftest.py#client calls tests/conftest.py#db framework",
        ],
    );
}

#[test]
fn tasks_commands_and_receivers_are_called() {
    check_calls(
        "py",
        "
//- /app/tasks.py
from celery import shared_task

@shared_task
def send_mail(to): ...
//- /app/models.py
from django.db.models.signals import post_save
from .tasks import send_mail

def created(sender, **kw):
    send_mail.delay('x')

post_save.connect(created)
connection.connect(created)
//- /app/cli.py
import click

@click.group()
def cli(): ...

@cli.command()
def serve(): ...
",
        &[
            "app/cli.py calls app/cli.py#cli framework",
            "app/cli.py#cli calls app/cli.py#serve framework",
            "app/models.py calls app/models.py#created framework",
            "app/models.py#created calls app/tasks.py#send_mail framework",
            "app/tasks.py calls app/tasks.py#send_mail framework",
        ],
    );
}

#[test]
fn routes_of_servers_lead_to_named_handlers_and_hold_those_in_place() {
    check_calls(
        "js",
        "
//- /server.js
import express from 'express';
import { list, users } from './users.js';

const app = express();
const options = { schema: {} };
app.get('/users', options, list);
app.post('/users', async (req, res) => { users.add(req.body); });
app.route('/items/:id').get(show).put(change);
app.use('/static', express.static('public'));
client.get('/users', list);
app.get('setting', list);
function show(req, res) {}
function change(req, res) {}
//- /users.js
export function list(req, res) {}
export const users = { check(req, res, next) {}, add(user) {} };
",
        &[
            "server.js#/items/:id calls server.js#change framework",
            "server.js#/items/:id~2 calls server.js#show framework",
            "server.js#/users calls users.js#list framework",
        ],
    );
}

#[test]
fn routes_of_controllers_begin_with_the_controllers_path() {
    check_calls(
        "ts",
        "
//- /cats.controller.ts
import { Controller, Get, Post } from '@nestjs/common';

@Controller('cats')
export class CatsController {
  @Get()
  findAll(): string[] { return []; }

  @Post(':id')
  @HttpCode(204)
  create(id: string) {}
}
",
        &[
            "cats.controller.ts#/cats calls cats.controller.ts#CatsController.findAll framework",
            "cats.controller.ts#/cats/:id calls cats.controller.ts#CatsController.create framework",
        ],
    );
}

#[test]
fn annotations_register_methods() {
    check_calls(
        "java",
        "
//- /UserController.java
package shop;

@RestController
@RequestMapping(\"/api\")
class UserController {
    @GetMapping(value = \"/users/{id}\", produces = \"application/json\")
    User show(long id) { return null; }

    @PostMapping
    void add(User user) {}

    @Scheduled(fixedRate = 5000)
    void clean() {}
}
",
        &[
            "UserController.java#/api calls UserController.java#UserController.add framework",
            "UserController.java#/api/users/{id} calls UserController.java#UserController.show framework",
            "UserController.java#UserController calls UserController.java#UserController.clean framework",
        ],
    );
}

#[test]
fn routes_of_go_lead_to_functions_and_methods() {
    check_calls(
        "go",
        "
//- /main.go
package main

import \"net/http\"

type server struct{}

func (s *server) show(w http.ResponseWriter, r *http.Request) {}

func list(w http.ResponseWriter, r *http.Request) {}

func auth(next http.Handler) http.Handler { return next }

func main() {
	s := &server{}
	http.HandleFunc(\"GET /users\", list)
	mux.Handle(\"/items\", auth(http.HandlerFunc(list)))
	r.Get(\"/users/{id}\", s.show)
	client.Get(\"/users\", 5)
}
",
        &[
            "main.go#/users calls main.go#list framework",
            "main.go#/users/{id} calls main.go#server.show framework",
        ],
    );
}

#[test]
fn routes_of_rails_lead_to_actions() {
    check_calls(
        "rb",
        "
//- /config/routes.rb
Rails.application.routes.draw do
  root \"home#index\"
  get \"/about\", to: \"home#about\"
  namespace :admin do
    resources :users, except: [:destroy]
  end
  get \"/news\" => \"home#about\"
end
//- /app/controllers/home_controller.rb
class HomeController < ApplicationController
  before_action :check
  def index; end
  def about; end

  private

  def check; end
end
//- /app/controllers/admin/users_controller.rb
module Admin
  class UsersController < ApplicationController
    def index; end
    def show; end
  end
end
//- /lib/other.rb
class Other
  def create; end
end
",
        &[
            "app/controllers/home_controller.rb#HomeController calls app/controllers/home_controller.rb#HomeController.check framework",
            "config/routes.rb#/ calls app/controllers/home_controller.rb#HomeController.index framework",
            "config/routes.rb#/about calls app/controllers/home_controller.rb#HomeController.about framework",
            "config/routes.rb#/admin/users calls app/controllers/admin/users_controller.rb#Admin.UsersController.index framework",
            "config/routes.rb#/admin/users/:id calls app/controllers/admin/users_controller.rb#Admin.UsersController.show framework",
            "config/routes.rb#/news calls app/controllers/home_controller.rb#HomeController.about framework",
        ],
    );
}

#[test]
fn routes_of_rust_lead_to_handlers() {
    check_calls(
        "rs",
        "
//- /Cargo.toml
[package]
name = \"shop\"
//- /src/main.rs
mod users;

#[get(\"/about\")]
async fn about() {}

async fn list() {}

fn app() {
    Router::new()
        .route(\"/users\", get(list).post(users::add))
        .route(\"/users/{id}\", web::get().to(users::show));
    client.get(\"/users\");
}
//- /src/users.rs
pub async fn add() {}
pub async fn show() {}
",
        &[
            "src/main.rs#/about calls src/main.rs#about framework",
            "src/main.rs#/users calls src/main.rs#list framework",
            "src/main.rs#/users calls src/users.rs#add framework",
            "src/main.rs#/users/{id} calls src/users.rs#show framework",
        ],
    );
}

#[test]
fn routes_of_controllers_in_csharp_and_php() {
    check_calls(
        "cs",
        "
//- /UsersController.cs
namespace Shop;

[ApiController]
[Route(\"api/[controller]\")]
public class UsersController : ControllerBase
{
    [HttpGet(\"{id}\")]
    public User Show(int id) { return null; }

    [HttpPost]
    public void Add(User user) { }
}
",
        &[
            "UsersController.cs#/api/users calls UsersController.cs#UsersController.Add framework",
            "UsersController.cs#/api/users/{id} calls UsersController.cs#UsersController.Show framework",
        ],
    );
    check_calls(
        "php",
        "
//- /routes/web.php
<?php
use App\\Http\\UserController;

Route::get('/users', [UserController::class, 'index']);
Route::post('/login', LoginController::class);
//- /app/Http/UserController.php
<?php
namespace App\\Http;

class UserController
{
    public function index() {}

    #[Route('/about', name: 'about')]
    public function about() {}
}
",
        &[
            "app/Http/UserController.php#/about calls app/Http/UserController.php#UserController.about framework",
            "routes/web.php#/users calls app/Http/UserController.php#UserController.index framework",
        ],
    );
}
