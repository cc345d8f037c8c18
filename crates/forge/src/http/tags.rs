//! Tags over REST, and once more as the templates of an older client.

use axum::extract::State;
use forge_engine::Engine;
use forge_model::TagId;

use super::compat::{NewTag, NewTemplate, TagChange, TagSearch, TemplateChange};
use super::envelope::{Answer, done, ok};
use super::extract::{Body, Id, Query};
use super::spec::Operation;
use super::wire;

pub(super) fn operations() -> Vec<Operation> {
    const TEMPLATE: &str = "/api/templates/{id}";
    vec![
        Operation::get("listTags", "/api/tags", "Every tag, by name", list),
        Operation::post("createTag", "/api/tags", "Makes a tag", create),
        Operation::get("getTag", "/api/tags/{id}", "One tag", get),
        Operation::put("updateTag", "/api/tags/{id}", "Changes a tag; what is missing stays", update),
        Operation::delete("deleteTag", "/api/tags/{id}", "Deletes a tag", delete),
        Operation::get("listTaskTemplates", "/api/templates", "Every tag; an older spelling", list_templates),
        Operation::post(
            "createTaskTemplate",
            "/api/templates",
            "Makes a tag; an older spelling",
            create_template,
        ),
        Operation::get("getTaskTemplate", TEMPLATE, "One tag; an older spelling", get_template),
        Operation::put("updateTaskTemplate", TEMPLATE, "Changes a tag; an older spelling", update_template),
        Operation::delete("deleteTaskTemplate", TEMPLATE, "Deletes a tag; an older spelling", delete),
    ]
}

async fn list(State(engine): State<Engine>, Query(of): Query<TagSearch>) -> Answer<Vec<wire::Tag<'static>>> {
    let tags = engine.list_tags(of.search.as_deref()).await?;
    ok(tags.iter().map(wire::Tag::from).collect::<Vec<_>>())
}

async fn create(State(engine): State<Engine>, Body(tag): Body<NewTag>) -> Answer<wire::Tag<'static>> {
    ok(wire::Tag::from(&engine.create_tag(tag.into()).await?))
}

async fn get(State(engine): State<Engine>, Id(id): Id<TagId>) -> Answer<wire::Tag<'static>> {
    ok(wire::Tag::from(&engine.get_tag(id).await?))
}

async fn update(
    State(engine): State<Engine>,
    Id(id): Id<TagId>,
    Body(change): Body<TagChange>,
) -> Answer<wire::Tag<'static>> {
    ok(wire::Tag::from(&engine.update_tag(id, change.into()).await?))
}

async fn delete(State(engine): State<Engine>, Id(id): Id<TagId>) -> Answer<()> {
    engine.delete_tag(id).await?;
    done()
}

async fn list_templates(
    State(engine): State<Engine>,
    Query(of): Query<TagSearch>,
) -> Answer<Vec<wire::Template<'static>>> {
    let tags = engine.list_tags(of.search.as_deref()).await?;
    ok(tags.iter().map(wire::Template::from).collect::<Vec<_>>())
}

async fn create_template(
    State(engine): State<Engine>,
    Body(template): Body<NewTemplate>,
) -> Answer<wire::Template<'static>> {
    ok(wire::Template::from(&engine.create_tag(template.into_command()?).await?))
}

async fn get_template(State(engine): State<Engine>, Id(id): Id<TagId>) -> Answer<wire::Template<'static>> {
    ok(wire::Template::from(&engine.get_tag(id).await?))
}

async fn update_template(
    State(engine): State<Engine>,
    Id(id): Id<TagId>,
    Body(change): Body<TemplateChange>,
) -> Answer<wire::Template<'static>> {
    ok(wire::Template::from(&engine.update_tag(id, change.into()).await?))
}
