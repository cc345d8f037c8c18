//! Projects: what is written is read back, and told.

use forge_model::{Fact, Project, ProjectId};

use crate::bed::{Bed, assert_conflict, assert_not_found, at, project, store_test};

store_test! {
    async fn a_project_is_there_once_it_was_created(bed: &Bed) {
        let project = bed.project().await;
        assert_eq!(bed.store.get_project(project.id).await.unwrap(), project);
        assert_eq!(bed.told(0).await, [Fact::ProjectCreated(project)]);
    }
}

store_test! {
    async fn projects_are_listed_newest_first(bed: &Bed) {
        let mut projects = [project(2), project(3), project(1)];
        for project in &projects {
            bed.store.create_project(project).await.unwrap();
        }
        projects.sort_by_key(|project| std::cmp::Reverse(project.created_at));
        assert_eq!(bed.store.list_projects().await.unwrap(), projects);
    }
}

store_test! {
    async fn a_repository_belongs_to_one_project(bed: &Bed) {
        let (first, second) = (project(1), project(2));
        bed.store.create_project(&first).await.unwrap();
        bed.store.create_project(&second).await.unwrap();
        let head = bed.head();
        let taken = "another project has this repository";
        let third = Project { git_repo_path: first.git_repo_path.clone(), ..project(3) };
        assert_conflict(bed.store.create_project(&third).await, taken);
        let path = first.git_repo_path.clone();
        assert_conflict(bed.store.update_project(second.id, |moved| moved.git_repo_path = path).await, taken);
        assert_eq!(bed.store.get_project(second.id).await.unwrap(), second);
        assert_not_found(bed.store.get_project(third.id).await, "project");
        assert_eq!(bed.head(), head);
    }
}

store_test! {
    async fn an_updated_project_has_every_new_value(bed: &Bed) {
        let old = bed.project().await;
        let new = Project {
            name: "new".into(),
            git_repo_path: "/elsewhere".into(),
            setup_script: None,
            dev_script: Some("npm start".into()),
            cleanup_script: None,
            copy_files: None,
            commit_prompt: Some("say why".into()),
            default_base_branch: Some("next".into()),
            fetch_submodules: true,
            skip_commit_hooks: true,
            skip_commit_signing: true,
            updated_at: at(9),
            ..old
        };
        let changed = new.clone();
        bed.store.update_project(new.id, move |project| *project = changed).await.unwrap();
        assert_eq!(bed.store.get_project(new.id).await.unwrap(), new);
        assert_eq!(bed.told(1).await, [Fact::ProjectUpdated(new)]);
    }
}

store_test! {
    async fn a_project_that_is_not_there_is_not_found(bed: &Bed) {
        assert_not_found(bed.store.get_project(ProjectId::random()).await, "project");
        assert_not_found(bed.store.update_project(ProjectId::random(), |_| {}).await, "project");
        assert_not_found(bed.store.delete_project(ProjectId::random()).await, "project");
        assert_eq!(bed.head(), 0);
    }
}
