//! Tests the facts that hob reads from HCL, and the addresses that they name.

use crate::fixture::check_edges;
use crate::langs::lang::Lang;
use crate::langs::support::project::fake::Fake;
use crate::langs::support::render::{check, torture};

const SAMPLE: &str = r#"terraform {
  required_providers { aws = { source = "hashicorp/aws" } }
  backend "s3" {}
}
provider "aws" { region = var.region }
provider "aws" {
  alias  = "west"
  region = "us-west-2"
}

# Where things run.
# All of them.
variable "region" {
  type        = string
  default     = "eu"
  description = "The region."
}
locals {
  # Put on everything.
  tags = merge(var.tags, {
    name = "${local.prefix}-${var.region}"
  })
  ids = [for key, web in aws_instance.web : web.id if key.x != each.value]
}
data "aws_ami" "ubuntu" { most_recent = true }
resource "aws_instance" "web" {
  provider = aws.west
  count    = length(var.zones) > 0 ? var.zones[0].count : 1
  ami      = data.aws_ami.ubuntu.id
  dynamic "rule" {
    for_each = local.rules
    content { port = rule.value.port + var.base }
  }
  user_data = <<-EOT
    %{ for zone in var.zones ~}
    ${zone.name} ${aws_eip.ip[*].address}
    %{ endfor ~}
  EOT
  lifecycle { ignore_changes = [tags] }
  depends_on = [module.vpc, aws_iam_role.role]
}
module "vpc" {
  source    = "./modules/vpc"
  providers = { aws = aws.west, aws.peer = aws }
  cidr      = var.cidr
}
output "id" { value = module.vpc.subnets["a"].id }
dependency "net" { config_path = "../net" }
path "secret/*" { policy = dependency.net.outputs.id }
"#;

#[test]
fn definitions_imports_and_references() {
    check(
        Lang::Hcl,
        SAMPLE,
        r#"struct provider.aws 5-5@5:11 | provider "aws"
         struct provider.aws.west 6-9@6:11 | provider "aws"
         variable var.region 13-17@13:11 | variable "region" | The region.
         constant local.tags 20-22@20:3 | tags = merge(var.tags | Put on everything.
         constant local.ids 23-23@23:3 | ids = [for key, web in aws_instance.web : web.id if key.x != each.value]
         struct data.aws_ami.ubuntu 25-25@25:17 | data "aws_ami" "ubuntu"
         struct aws_instance.web 26-41@26:26 | resource "aws_instance" "web"
         module module.vpc 42-46@42:9 | module "vpc"
         variable output.id 47-47@47:9 E | output "id"
         struct dependency.net 48-48@48:13 | dependency "net"
         import module ./modules/vpc as module.vpc @42
         5:27 use var.region in provider.aws
         20:16 use var.tags in local.tags
         21:15 use local.prefix in local.tags
         21:31 use var.region in local.tags
         23:26 use aws_instance.web in local.ids
         27:14 use provider.aws.west in aws_instance.web
         28:21 use var.zones in aws_instance.web
         28:38 use var.zones in aws_instance.web
         29:14 use data.aws_ami.ubuntu in aws_instance.web
         31:16 use local.rules in aws_instance.web
         32:40 use var.base in aws_instance.web
         35:20 use var.zones in aws_instance.web
         36:20 use aws_eip.ip in aws_instance.web
         40:17 use module.vpc in aws_instance.web
         40:29 use aws_iam_role.role in aws_instance.web
         44:23 use provider.aws.west in module.vpc
         44:44 use provider.aws in module.vpc
         45:3 use module.vpc/var.cidr in module.vpc
         45:15 use var.cidr in module.vpc
         47:23 use module.vpc in output.id
         47:34 use module.vpc/output.subnets in output.id
         49:28 use dependency.net"#,
    );
}

#[test]
fn broken_code_gives_facts() {
    torture(Lang::Hcl, SAMPLE);
}

#[test]
fn half_written_blocks_keep_those_around_them() {
    check(
        Lang::Hcl,
        "variable \"a\" {}\nresource \"x\" {\n  y = var.\n}\nresource \"aws_x\" \"z\" {\n  y = var.a\n}\nmodule \"",
        r#"variable var.a 1-1@1:11 | variable "a"
         struct aws_x.z 5-7@5:19 | resource "aws_x" "z"
         6:7 use var.a in aws_x.z"#,
    );
}

#[test]
fn sources_of_modules_are_found() {
    let fake = Fake::new(&[
        ("live/main.tf", "module \"vpc\" { source = \"../modules/vpc\" }"),
        ("live/other.tf", ""),
        ("modules/vpc/main.tf", ""),
        ("modules/vpc/out.tf", ""),
        ("modules/vpc/test.tfvars", ""),
    ]);
    let rules = &super::imports::HclImportRules;
    for (module, found) in [
        ("../modules/vpc", "[modules/vpc/main.tf modules/vpc/out.tf]"),
        ("../modules//vpc/", "[modules/vpc/main.tf modules/vpc/out.tf]"),
        ("./gone", "unknown"),
        ("../../out", "unknown"),
        ("terraform-aws-modules/vpc/aws", "ext:terraform-aws-modules/vpc/aws"),
        ("git::https://x.org/vpc?ref=1", "ext:git::https://x.org/vpc"),
    ] {
        assert_eq!(fake.resolve(rules, "live/main.tf", module), found, "{module}");
    }
    let found = fake.path_of(rules, "live/other.tf", "module.vpc");
    assert_eq!(found, "[modules/vpc/main.tf modules/vpc/out.tf] 2");
    assert_eq!(fake.path_of(rules, "live/other.tf", "module.gone"), "in scope");
}

#[test]
fn a_folder_is_a_module() {
    check_edges(
        r#"
//- /main.tf
provider "aws" { alias = "west" }
resource "aws_instance" "web" {
  provider = aws.west
  type     = var.size
  name     = local.name
  other    = var.elsewhere
  ami      = data.aws_ami.it.id
}
module "net" {
  source = "./net"
  cidr   = var.size
  wrong  = 1 + data.aws_ami.it.x + var.size
}
module "far" {
  source = "acme/far/aws"
  cidr   = aws_instance.web[0].id
}
//- /variables.tf
variable "size" {}
locals { name = "x-${var.size}" }
data "aws_ami" "it" {}
//- /outputs.tf
output "web" { value = [module.net.id, module.net.none, module.far.x] }
//- /terraform.tfvars
size = "big"
unknown = 1
//- /net/main.tf
variable "cidr" {}
variable "elsewhere" {}
output "id" { value = aws_vpc.it.id }
resource "aws_vpc" "it" { cidr = var.cidr, size = var.size }
"#,
        "main.tf#aws_instance.web references main.tf#provider.aws.west exact
         main.tf#aws_instance.web references variables.tf#data.aws_ami.it import
         main.tf#aws_instance.web references variables.tf#local.name import
         main.tf#aws_instance.web references variables.tf#var.size import
         main.tf#module.far references main.tf#aws_instance.web exact
         main.tf#module.far references tf:ext:acme/far/aws import
         main.tf#module.net references net/main.tf#var.cidr import
         main.tf#module.net references variables.tf#data.aws_ami.it import
         main.tf#module.net references variables.tf#var.size import
         net/main.tf#aws_vpc.it references net/main.tf#var.cidr exact
         net/main.tf#output.id references net/main.tf#aws_vpc.it exact
         outputs.tf#output.web references main.tf#module.far import
         outputs.tf#output.web references main.tf#module.net import
         outputs.tf#output.web references net/main.tf#output.id import
         outputs.tf#output.web references tf:ext:acme/far/aws import
         terraform.tfvars references variables.tf#var.size import
         variables.tf#local.name references variables.tf#var.size exact",
    );
}
