//! Whether a process works in a folder, or has something in it open.

use std::path::Path;

/// Who is in a folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Inside {
    /// Nobody that this user may see.
    Nobody,
    /// A process, by its number.
    Process(u32),
    /// The system does not tell.
    Unknown,
}

/// Looks at every process there is.
#[cfg(target_os = "linux")]
pub(crate) fn look(folder: &Path) -> Inside {
    use std::fs;
    let Ok(folder) = fs::canonicalize(folder) else { return Inside::Nobody };
    let Ok(processes) = fs::read_dir("/proc") else { return Inside::Unknown };
    let within = |link: &Path| fs::read_link(link).is_ok_and(|target| target.starts_with(&folder));
    for process in processes.flatten() {
        let Some(pid) = process.file_name().to_str().and_then(|name| name.parse().ok()) else { continue };
        let path = process.path();
        let open = fs::read_dir(path.join("fd")).into_iter().flatten().flatten();
        if ["cwd", "root", "exe"].iter().any(|name| within(&path.join(name)))
            || open.map(|entry| entry.path()).any(|link| within(&link))
        {
            return Inside::Process(pid);
        }
    }
    Inside::Nobody
}

/// There is no portable way to ask.
#[cfg(not(target_os = "linux"))]
pub(crate) fn look(_folder: &Path) -> Inside {
    Inside::Unknown
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn who_has_a_file_open_is_inside_and_nobody_is_beside() {
        let folder = tempfile::tempdir().unwrap();
        let (used, unused) = (folder.path().join("used"), folder.path().join("use"));
        std::fs::create_dir(&used).unwrap();
        std::fs::create_dir(&unused).unwrap();
        let _open = std::fs::File::create(used.join("file")).unwrap();
        assert_eq!(look(&used), Inside::Process(std::process::id()));
        assert_eq!(look(&unused), Inside::Nobody);
    }
}
