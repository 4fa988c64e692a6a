//! Tests the facts and uses that hob reads from SQL of several dialects.

use crate::fixture::check_edges;
use crate::langs::lang::Lang;
use crate::langs::support::render::{check, torture};

const SAMPLE: &str = r#"-- Customers.
-- All of them.
CREATE TABLE IF NOT EXISTS public.customers (
  id bigserial PRIMARY KEY,
  "Full Name" varchar(80) NOT NULL, -- trailing
  key text, `kind` order_kind DEFAULT 'new; old',
  CONSTRAINT uq UNIQUE (id), CHECK (length(key) > 1)
);
create table sales.orders (id int, customer_id int references customers (id) on update cascade,
  total numeric(10, 2));
CREATE TYPE order_kind AS ENUM ('new', 'old');
CREATE UNIQUE INDEX CONCURRENTLY by_key ON customers USING btree (key, lower(kind));
/* Big ones. */
CREATE OR REPLACE VIEW big AS
  WITH recent AS (SELECT * FROM sales.orders o WHERE o.total > 1), x (a) AS (SELECT 1)
  SELECT c.id, c.key, EXTRACT(DAY FROM c.at) FROM CUSTOMERS AS c, recent r LEFT JOIN LATERAL total_of(c.id) t ON true
  WHERE c.key IS DISTINCT FROM r.key AND c.id IN (SELECT customers.id FROM customers) FOR UPDATE OF c;
CREATE FUNCTION total_of(who bigint, OUT x int) RETURNS SETOF customers LANGUAGE plpgsql AS $fn$
DECLARE v_total int;
BEGIN
  SELECT sum(total) INTO v_total FROM orders WHERE customer_id = who;
  UPDATE customers SET key = 'it''s' WHERE id = who;
  PERFORM audit_it(who);
  RETURN v_total;
END;
$fn$;
CREATE TRIGGER changed AFTER INSERT OR UPDATE ON customers FOR EACH ROW EXECUTE FUNCTION audit_it();
INSERT INTO customers (id, key) VALUES (1, 'x'), (2, 'y') ON CONFLICT (id) DO UPDATE SET key = 'z';
DELETE FROM customers USING big WHERE big.id = customers.id;
ALTER TABLE customers ADD COLUMN age int NOT NULL, ADD CONSTRAINT fk FOREIGN KEY (age) REFERENCES ages;
DROP TABLE a, b CASCADE;
DROP FUNCTION IF EXISTS total_of(bigint);
"#;

#[test]
fn definitions_and_uses() {
    check(
        Lang::Sql,
        SAMPLE,
        r#"struct customers 3-8@3:35 E | CREATE TABLE IF NOT EXISTS public.customers | Customers. All of them.
         field customers.id 4-4@4:3 E | id bigserial PRIMARY KEY
         field customers.Full Name 5-5@5:4 E | "Full Name" varchar(80) NOT NULL
         field customers.key 6-6@6:3 E | key text
         field customers.kind 6-6@6:14 E | `kind` order_kind DEFAULT 'new; old'
         struct sales.orders 9-10@9:20 E | create table sales.orders
         field sales.orders.id 9-9@9:28 E | id int
         field sales.orders.customer_id 9-9@9:36 E | customer_id int references customers (id) on update cascade
         field sales.orders.total 10-10@10:3 E | total numeric(10, 2)
         enum order_kind 11-11@11:13 E | CREATE TYPE order_kind
         variable by_key 12-12@12:34 E | CREATE UNIQUE INDEX CONCURRENTLY by_key ON customers USING btree (key, lower(kind))
         struct big 14-17@14:24 E | CREATE OR REPLACE VIEW big | Big ones.
         function total_of 18-26@18:17 E | CREATE FUNCTION total_of(who bigint, OUT x int) RETURNS SETOF customers
         function changed 27-27@27:16 E | CREATE TRIGGER changed AFTER INSERT OR UPDATE ON customers FOR EACH ROW
         field customers.age 30-30@30:34 E | age int NOT NULL
         6:20 type order_kind in customers
         7:37 call length in customers
         9:63 type customers in sales.orders
         9:74 use customers/id in sales.orders
         12:44 type customers in by_key
         12:67 use customers/key in by_key
         12:72 call lower in by_key
         15:39 type sales.orders in big
         16:12 use customers/id in big
         16:18 use customers/key in big
         16:23 call EXTRACT in big
         16:42 use customers/at in big
         16:51 type customers in big
         16:94 call total_of in big
         16:105 use customers/id in big
         17:11 use customers/key in big
         17:44 use customers/id in big
         17:68 use customers/id in big
         17:76 type customers in big
         18:63 type customers in total_of
         21:10 call sum in total_of
         21:39 type orders in total_of
         22:10 type customers in total_of
         23:11 call audit_it in total_of
         27:50 type customers in changed
         27:90 call audit_it in changed
         28:13 type customers
         28:24 use customers/id
         28:28 use customers/key
         29:13 type customers
         29:29 type big
         29:43 use big/id
         29:58 use customers/id
         30:13 type customers
         30:99 type ages
         31:12 type a
         31:15 type b
         32:25 use total_of"#,
    );
}

#[test]
fn broken_code_gives_facts() {
    torture(Lang::Sql, SAMPLE);
    torture(Lang::Sql, "CREATE TABLE a (x int);\nSELECT $$ [b] FROM c, d AS (e) 'f\\'");
}

#[test]
fn routines_of_other_dialects_end_where_they_end() {
    check(
        Lang::Sql,
        "DELIMITER //\nCREATE DEFINER=`root`@`localhost` PROCEDURE pay(IN who INT)\nBEGIN\n  IF who > 0 THEN\n    \
         UPDATE people SET paid = 1;\n  END IF;\n  CALL log_it(who);\nEND //\nDELIMITER ;\nCREATE TABLE people (id int);\n\
         CREATE TRIGGER t BEFORE INSERT ON people FOR EACH ROW\nBEGIN\n  INSERT INTO log (a) VALUES (1);\n  \
         SET x = CASE WHEN 1 THEN 2 END;\nEND;\nSELECT 1 FROM people # last\n;",
        "function pay 2-8@2:45 E | CREATE DEFINER=`root`@`localhost` PROCEDURE pay(IN who INT)
         struct people 10-10@10:14 E | CREATE TABLE people
         field people.id 10-10@10:22 E | id int
         function t 11-15@11:16 E | CREATE TRIGGER t BEFORE INSERT ON people FOR EACH ROW
         5:12 type people in pay
         7:8 call log_it in pay
         11:35 type people in t
         13:15 type log in t
         13:20 use log/a in t
         16:15 type people",
    );
    check(
        Lang::Sql,
        "IF NOT EXISTS (SELECT * FROM sys.objects)\nCREATE TABLE [dbo].[Order Lines] ([Id] int, Qty int)\nGO\n\
         CREATE PROC dbo.Load @id int AS\n  DECLARE @x int;\n  UPDATE l SET Qty = 1 FROM [Order Lines] l WITH (NOLOCK) \
         JOIN #tmp t ON t.id = l.Id;\n  EXEC @x = dbo.Store @id;\nGO\nCREATE TABLE c (a int)\n",
        "struct Order Lines 2-2@2:21 E | CREATE TABLE [dbo].[Order Lines]
         field Order Lines.Id 2-2@2:36 E | [Id] int
         field Order Lines.Qty 2-2@2:45 E | Qty int
         function Load 4-7@4:17 E | CREATE PROC dbo.Load @id int
         struct c 9-9@9:14 E | CREATE TABLE c
         field c.a 9-9@9:17 E | a int
         6:30 type Order Lines in Load
         6:83 use Order Lines/Id in Load
         7:17 call Store in Load",
    );
}

#[test]
fn data_and_bodies_in_other_languages_are_no_sql() {
    check(
        Lang::Sql,
        "COPY people (id, name) FROM stdin;\n1\tselect from x;\n\\.\nCREATE FUNCTION f() RETURNS int AS $$\nfrom os import x\n\
         $$ LANGUAGE plpython3u;\nCREATE TABLE after_all (a int);\nCREATE TABLE half (a int, b",
        "function f 4-6@4:17 E | CREATE FUNCTION f() RETURNS int
         struct after_all 7-7@7:14 E | CREATE TABLE after_all
         field after_all.a 7-7@7:25 E | a int
         struct half 8-8@8:14 E | CREATE TABLE half
         field half.a 8-8@8:20 E | a int
         field half.b 8-8@8:27 E | b
         1:6 type people
         1:14 use people/id
         1:18 use people/name",
    );
}

#[test]
fn files_see_each_other() {
    check_edges(
        r#"
//- /schema.sql
CREATE TABLE users (id int, name text);
CREATE TABLE users_old (id int);
CREATE TABLE posts (id int, user_id int REFERENCES users (id), users int);
CREATE FUNCTION touch(x int) RETURNS int AS $$ SELECT 1 FROM posts p WHERE p.user_id = x $$ LANGUAGE sql;
//- /migrations/1.sql
CREATE TABLE twice (id int);
ALTER TABLE users ADD COLUMN age int;
//- /migrations/2.sql
CREATE TABLE twice (id int);
//- /queries/q.sql
WITH users_old AS (SELECT 1) SELECT u.age, u.name, u.none, p.id, touch(p.id), count(*) FROM users u JOIN posts p ON p.id = u.id;
SELECT t.id FROM twice t, users_old, nowhere n WHERE n.id = 1;
UPDATE posts SET id = 1;
"#,
        "migrations/1.sql references schema.sql#users import
         queries/q.sql calls schema.sql#touch import
         queries/q.sql references [migrations/1.sql#twice migrations/2.sql#twice] candidate
         queries/q.sql references migrations/1.sql#users.age import
         queries/q.sql references schema.sql#posts import
         queries/q.sql references schema.sql#posts.id import
         queries/q.sql references schema.sql#users import
         queries/q.sql references schema.sql#users.id import
         queries/q.sql references schema.sql#users.name import
         queries/q.sql references schema.sql#users_old import
         schema.sql#posts references schema.sql#users exact
         schema.sql#posts references schema.sql#users.id exact
         schema.sql#touch references schema.sql#posts exact
         schema.sql#touch references schema.sql#posts.user_id exact",
    );
}
