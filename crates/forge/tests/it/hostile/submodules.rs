//! Submodules with hostile addresses, names and commands.

use std::net::TcpListener;

use serde_json::json;

use super::Hostile;

/// A submodule `lib` whose address is in `$URL`.
const MODULE: &str = "git config -f .gitmodules submodule.lib.path lib; git config -f .gitmodules submodule.lib.url \"$URL\"
    git add .gitmodules; git update-index --add --cacheinfo \"160000,$(git rev-parse HEAD),lib\"; git commit -qm x";
/// Plain git that allows every protocol.
const UPDATE: &str = "git -c protocol.allow=always submodule update --init";

/// Fetching refuses the address; without it, the submodule is left out.
fn fetching(hostile: Hostile, fetch: bool) -> Hostile {
    let hostile = hostile.project(json!({"fetch_submodules": fetch}));
    if fetch { hostile.refuses("start", "submodule_address_refused") } else { hostile }
}

#[tokio::test]
async fn command_as_submodule_address_does_not_run() {
    for fetch in [false, true] {
        let hostile = Hostile::repository(&format!("URL=\"ext::$TRIP x\"; {MODULE}")).control(UPDATE);
        fetching(hostile, fetch).live().await;
    }
}

#[tokio::test]
async fn local_submodule_outside_is_not_fetched() {
    for fetch in [false, true] {
        let hostile = Hostile::repository(&format!(
            "git init -q \"$OUTSIDE/repo\"; git -C \"$OUTSIDE/repo\" commit -q --allow-empty -m x; URL=\"$OUTSIDE/repo\"; {MODULE}"
        ))
        .probed_by_git();
        fetching(hostile, fetch).live().await;
    }
}

#[tokio::test]
async fn http_submodule_is_not_contacted() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let port = listener.local_addr().unwrap().port();
    for (fetch, scheme) in [(false, "https"), (true, "http"), (true, "git")] {
        let hostile = Hostile::repository(&format!("URL={scheme}://127.0.0.1:{port}/x.git; {MODULE}"));
        fetching(hostile, fetch).live().await;
        assert!(listener.accept().is_err(), "{scheme} with {fetch} was contacted");
    }
}

#[tokio::test]
async fn option_as_submodule_address_does_not_run() {
    for url in ["--upload-pack=$TRIP", "-u$TRIP", "ssh://-oProxyCommand=$TRIP/x"] {
        let hostile = Hostile::repository(&format!("URL=\"{url}\"; {MODULE}"));
        fetching(hostile, true).live().await;
    }
}

#[tokio::test]
async fn submodule_update_command_does_not_run() {
    Hostile::repository(&format!("URL=./lib; {MODULE}"))
        .turn("git config submodule.lib.update \"!$TRIP\"; git config submodule.lib.url \"$COMMON\"; git config submodule.lib.active true")
        .control(UPDATE)
        .live()
        .await;
}

#[tokio::test]
async fn submodule_names_do_not_leave_repository() {
    Hostile::repository(
        "printf '[submodule \"../../outside\"]\\n\\tpath = lib\\n\\turl = ./x\\n[submodule \"a\"]\\n\\tpath = ../../outside\\n\\turl = ./x\\n\
         [submodule \"b\"]\\n\\tpath = -x\\n\\turl = ./x\\n[submodule \"c\\nd\"]\\n\\tpath = link/x\\n\\turl = ./x\\n[submodule' > .gitmodules
         ln -s \"$OUTSIDE\" link; mkdir -p \"$COMMON/modules\"; git init -q --bare \"$COMMON/modules/b\"
         git add link .gitmodules; git update-index --add --cacheinfo \"160000,$(git rev-parse HEAD),lib\"; git commit -qm x",
    )
    .live()
    .await;
}

#[tokio::test]
async fn submodule_repository_changed_by_agent_does_not_run() {
    Hostile::repository(
        "git init -q ../library; git -C ../library commit -q --allow-empty -m x
         git -c protocol.file.allow=always submodule --quiet add ../library lib; git commit -qm x",
    )
    .turn(
        "modules=$(git rev-parse --git-dir)/modules/lib; git config -f \"$modules/config\" core.fsmonitor \"$TRIP\"
         git config -f \"$modules/config\" filter.x.clean \"$TRIP\"; mkdir -p \"$modules/info\" \"$modules/hooks\"
         echo '* filter=x' > \"$modules/info/attributes\"; cp \"$TRIP\" \"$modules/hooks/post-checkout\"
         cp \"$TRIP\" \"$modules/hooks/post-index-change\"; echo 1 > lib/a",
    )
.refuses("restore delete-file delete", "work_not_saved")
    .live()
    .await;
}
