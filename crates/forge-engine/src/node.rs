//! The identity of an installation: its node id, the database that its data folder is bound to, and the attempts it owns.
//!
//! A data folder has an id, and so has a database. Each knows the other, so that neither a copied folder nor another
//! database can make a server end agents, or delete logs, that merely no row knows.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use forge_model::{AttemptId, Home, NodeId};
use forge_store::{NodeRecord, Place, Store, Unowned};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::crash::CrashPoints;
use crate::engine::Options;
use crate::error::{Error, Result};
use crate::folder::{self, Folder};
use crate::whole;

/// Holds the node's id. Written once and never replaced by a server: its inode tells a copy from a moved folder.
const ID_FILE: &str = "node-id";
/// Holds the [`Binding`].
const BINDING_FILE: &str = "database.json";

/// The database that a data folder belongs to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Binding {
    database: Uuid,
    /// The generation that the database must have for the node; none where it has not seen the node.
    generation: Option<Uuid>,
    /// A generation that it may have instead, if a start was killed before it was recorded here.
    next: Option<Uuid>,
}

/// What `forge node show` prints.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    /// The node's id; none before the first start.
    pub node: Option<NodeId>,
    /// The database that the folder is bound to.
    pub database: Option<Uuid>,
}

/// Returns the ids in a data folder.
///
/// # Errors
/// When a file cannot be read.
pub fn show(data: &Path) -> Result<Identity> {
    Ok(Identity { node: read_id(data)?, database: read_binding(data)?.map(|binding| binding.database) })
}

/// Gives a copied data folder an id of its own. Attempts of the old id stay with the other folder.
///
/// # Errors
/// When a server uses the folder, or it cannot be written.
pub fn renew(data: &Path) -> Result<NodeId> {
    let _lock = folder::lock(data)?;
    let id = NodeId::random();
    whole::write(&data.join(ID_FILE), &format!("{id}\n"))?;
    forget_binding(data)?;
    Ok(id)
}

/// Unbinds a data folder, so that the next start accepts whichever database it is given, and wherever the folder is.
///
/// # Errors
/// When a server uses the folder, or it cannot be written.
pub fn unbind(data: &Path) -> Result<()> {
    let _lock = folder::lock(data)?;
    forget_binding(data)
}

/// Checks that folder and database belong together, records the node, and makes it the owner of its older attempts.
///
/// The folder knows both generations before the database has the new one: whichever it has after a crash, the next start
/// goes on.
pub(crate) async fn enter(
    options: &Options,
    crash: &CrashPoints,
    store: &Store,
    folder: &Folder,
    place: &Place,
) -> Result<Home> {
    let data = &options.data;
    let id = match read_id(data)? {
        Some(id) => id,
        None => {
            let id = NodeId::random();
            whole::write(&data.join(ID_FILE), &format!("{id}\n"))?;
            id
        }
    };
    let database = store.database_id().await?;
    let binding = read_binding(data)?;
    let known = store.find_node(id).await?;
    if let Some(binding) = &binding {
        check_database(data, binding, database, known.as_ref())?;
    }
    let here = record_of(data, id)?;
    if let (Some(known), Some(_bound)) = (&known, &binding) {
        check_place(known, &here)?;
    }
    let generation = Uuid::new_v4();
    let before = known.and_then(|known| known.generation);
    write_binding(data, &Binding { database, generation: before, next: Some(generation) })?;
    crash.pass("node-intended");
    store.serve_as(&NodeRecord { generation: Some(generation), ..here.clone() }).await?;
    crash.pass("node-claimed");
    write_binding(data, &Binding { database, generation: Some(generation), next: None })?;
    adopt(store, folder, place, id).await?;
    Ok(Home { id, name: here.name, is_elsewhere: false })
}

fn check_database(data: &Path, binding: &Binding, found: Uuid, known: Option<&NodeRecord>) -> Result<()> {
    let rebind = "use the database that belongs to the folder (see DATABASE_URL), or give this server another folder with \
                  --data; to use this database with this folder on purpose, run `forge node rebind`: processes that the \
                  database does not know are kept";
    if binding.database != found {
        let message = format!(
            "the data folder {} belongs to the database {}, and this is the database {found}",
            data.display(),
            binding.database
        );
        return Err(Error::conflict("database_mismatch", message).hint(rebind));
    }
    if known.is_none() && binding.generation.is_some() {
        let message = format!(
            "the database does not know the node of the data folder {}: it was forgotten (POST /api/forge/nodes/{{id}}/forget), \
             or an older copy of the database was put back",
            data.display()
        );
        return Err(Error::conflict("database_mismatch", message).hint(rebind));
    }
    let generation = known.and_then(|known| known.generation);
    if generation == binding.generation || (generation.is_some() && generation == binding.next) {
        return Ok(());
    }
    let message = format!(
        "the database is an older copy than the data folder {} has seen: a backup was put back, or another server used a \
         copy of the folder",
        data.display()
    );
    Err(Error::conflict("database_mismatch", message).hint(rebind))
}

/// Refuses a folder that is a copy of another one.
fn check_place(known: &NodeRecord, here: &NodeRecord) -> Result<()> {
    let there = Path::new(&known.data_folder);
    let is_same_machine = known.machine == here.machine;
    let is_same_path = known.data_folder == here.data_folder;
    if is_same_path && (is_same_machine || known.inode == here.inode) {
        return Ok(());
    }
    // On the same machine it can be seen whether the folder was moved. Its inode does not tell: a snapshot of a filesystem
    // keeps it.
    let is_left = is_one_folder(there, Path::new(&here.data_folder))
        || !matches!(read_id(there), Ok(Some(id)) if id == known.id);
    if is_same_machine && is_left {
        return Ok(());
    }
    let message = format!(
        "the data folder {} is a copy: node {} is the folder {}{}",
        here.data_folder,
        known.id,
        known.data_folder,
        if is_same_machine { "" } else { " on another machine" }
    );
    Err(Error::conflict("data_folder_copied", message).hint(
        "run `forge node new-id` in the copy to make it an installation of its own; if the other folder is not used any \
         more, run `forge node rebind` here",
    ))
}

/// Whether two paths lead to one folder.
fn is_one_folder(one: &Path, other: &Path) -> bool {
    let id = |path: &Path| fs::metadata(path).map(|folder| (folder.dev(), folder.ino()));
    matches!((id(one), id(other)), (Ok(one), Ok(other)) if one == other)
}

fn record_of(data: &Path, id: NodeId) -> Result<NodeRecord> {
    let file = data.join(ID_FILE);
    let failed = |source: std::io::Error| {
        Error::unavailable("folder_not_writable", format!("{} cannot be read: {source}", file.display()))
            .hint("see who owns the data folder")
    };
    let data_folder = data.canonicalize().map_err(failed)?.to_string_lossy().into_owned();
    let inode = fs::metadata(&file).map_err(failed)?.ino();
    let host = rustix::system::uname().nodename().to_string_lossy().into_owned();
    let machine = fs::read_to_string("/etc/machine-id").map(|text| text.trim().to_owned());
    let machine = machine.ok().filter(|text| !text.is_empty()).unwrap_or_else(|| host.clone());
    Ok(NodeRecord {
        id,
        name: format!("{host}:{data_folder}"),
        data_folder,
        machine,
        inode: i64::from_ne_bytes(inode.to_ne_bytes()),
        generation: None,
    })
}

/// Makes this node the owner of the attempts of older versions that it has the worktree or a process of.
async fn adopt(store: &Store, folder: &Folder, place: &Place, id: NodeId) -> Result<()> {
    let unowned = store.list_unowned().await?;
    if unowned.is_empty() {
        return Ok(());
    }
    let is_ours = |unowned: &Unowned| {
        // A file in the folder is nobody else's.
        matches!(place, Place::Sqlite(_))
            || Path::new(&unowned.worktree).starts_with(folder.worktrees())
            || unowned.processes.iter().any(|process| folder.process(*process).exists())
    };
    let ours: Vec<AttemptId> =
        unowned.iter().filter(|unowned| is_ours(unowned)).map(|unowned| unowned.attempt).collect();
    tracing::info!(attempts = ours.len(), "this node owns {} attempts of an older version", ours.len());
    Ok(store.adopt(id, ours).await?)
}

fn read_id(data: &Path) -> Result<Option<NodeId>> {
    let path = data.join(ID_FILE);
    whole::read(&path)?.map(|text| text.trim().parse().map_err(|_source| unreadable(&path))).transpose()
}

fn read_binding(data: &Path) -> Result<Option<Binding>> {
    let path = data.join(BINDING_FILE);
    let text = whole::read(&path)?;
    text.map(|text| serde_json::from_str(&text).map_err(|_source| unreadable(&path))).transpose()
}

fn write_binding(data: &Path, binding: &Binding) -> Result<()> {
    let text = serde_json::to_string(binding)
        .map_err(|source| Error::internal("a binding cannot be written").because(source))?;
    whole::write(&data.join(BINDING_FILE), &text)
}

pub(crate) fn forget_binding(data: &Path) -> Result<()> {
    let path: PathBuf = data.join(BINDING_FILE);
    match fs::remove_file(&path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            let message = format!("{} cannot be removed: {error}", path.display());
            Err(Error::unavailable("folder_not_writable", message).hint("see who owns the data folder"))
        }
        Ok(()) | Err(_) => Ok(()),
    }
}

fn unreadable(path: &Path) -> Error {
    Error::conflict("node_unreadable", format!("{} cannot be read as an id", path.display()))
        .hint("restore the file, or run `forge node new-id`")
}
