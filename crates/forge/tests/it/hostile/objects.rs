//! Missing objects, which git fetches by programs that the repository names.

use super::Hostile;

/// A branch whose object is missing. `$FETCH` is how it would be fetched.
const MISSING: &str = "git config core.repositoryFormatVersion 1; git config extensions.partialClone evil
    git config remote.evil.promisor true; echo 1234567890123456789012345678901234567890 > \"$COMMON/refs/heads/missing\"";
const BY_PROGRAM: &str = "git config remote.evil.url /any; git config remote.evil.uploadpack \"$TRIP\"";
const BY_HELPER: &str = "git config remote.evil.url \"ext::$TRIP x\"; git config protocol.ext.allow always";
/// Plain git fetches the object.
const CONTROL: &str = "git rev-parse --verify 'missing^{commit}'";

#[tokio::test]
async fn missing_object_of_repository_is_not_fetched() {
    for fetch in [BY_PROGRAM, BY_HELPER] {
        Hostile::repository(&format!("{fetch}; {MISSING}"))
            .control(CONTROL)
            .refuses("project", "repository_damaged")
            .live()
            .await;
    }
}

#[tokio::test]
async fn missing_object_left_by_agent_is_not_fetched() {
    for fetch in [BY_PROGRAM, BY_HELPER] {
        Hostile::agent(&format!("{fetch}; {MISSING}"))
            .control(CONTROL)
            .refuses("disk /api/projects/id/branches /api/projects/id/disk", "repository_damaged")
            .live()
            .await;
    }
}
