// Made from docs/openapi.json by `npm run types`: do not edit.

export interface paths {
    "/api/agents": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Every agent: whether it is installed and logged in here, and what to do where not */
        get: operations["listExecutors"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/agents/{name}/schema": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What a variant of an agent may set, as a JSON schema to draw a form from */
        get: operations["getExecutorSchema"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/approvals/{id}/respond": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Answers an approval. The first answer stands: who comes later gets 409, and that answer in error_data */
        post: operations["respondToApprovalRequest"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/approvals/{id}/status": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What came of an approval */
        get: operations["getApprovalStatus"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/approvals/create": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Asks a person, and answers at once: the status tells later what was answered */
        post: operations["createApprovalRequest"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/approvals/pending": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What waits for an answer, oldest first, with who asks */
        get: operations["getPendingApprovals"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/github/check": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Whether there is a GitHub token that was seen to work */
        get: operations["authGithubCheck"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/github/device/poll": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Whether the person has signed in at GitHub; not available yet */
        post: operations["authGithubDevicePoll"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/github/device/start": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Begins a sign-in at GitHub; not available yet */
        post: operations["authGithubDeviceStart"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/config": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The configuration, with secrets masked */
        get: operations["getConfig"];
        /** Changes the configuration; what is missing stays, a mask keeps its secret */
        put: operations["updateConfig"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/containers/info": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The attempt whose worktree is at a path, or around it */
        get: operations["getContainerInfo"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/drafts/stream/ws": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The drafts of a project's attempts, `{"drafts": {attempt: {"follow_up": draft, "retry": draft or null}}}`, and every change of them */
        get: operations["streamDrafts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Server-sent events: `json_patch`, and typed names beside it; `id` is the place in the log */
        get: operations["subscribeToEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/execution-processes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The processes of an attempt, oldest first */
        get: operations["listExecutionProcesses"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/execution-processes/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One process */
        get: operations["getExecutionProcess"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/execution-processes/{id}/caps": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What it may use at most */
        get: operations["getProcessCaps"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/execution-processes/{id}/entries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The last entries of what an agent said and did, or those before them */
        get: operations["listEntries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/execution-processes/{id}/entries/{index}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One entry, with everything that lists and streams cut */
        get: operations["getEntry"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/execution-processes/{id}/normalized-logs/ws": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What an agent said and did, as entries that are added and replaced */
        get: operations["streamNormalizedLogs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/execution-processes/{id}/output": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What a process has printed up to now, as text; the header X-Position says where it ends */
        get: operations["getOutput"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/execution-processes/{id}/raw-logs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What a process has printed up to now, as entries */
        get: operations["listRawLogs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/execution-processes/{id}/raw-logs/ws": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What a process printed and prints */
        get: operations["streamRawLogs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/execution-processes/{id}/stop": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Stops a process and all that it started */
        post: operations["stopExecutionProcess"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/execution-processes/stream/ws": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** An attempt's processes, `{"execution_processes": {id: process}}`, and every change of them */
        get: operations["streamExecutionProcesses"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/execution-runs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Runs, newest first */
        get: operations["listExecutionRuns"];
        put?: never;
        /** Starts a run */
        post: operations["createExecutionRun"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/execution-runs/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One run */
        get: operations["getExecutionRun"];
        put?: never;
        post?: never;
        /** Deletes a run. Its branch and what was in its worktree are kept, unless they shall go as well */
        delete: operations["deleteExecutionRun"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/execution-runs/{id}/follow-up": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Goes on with the conversation */
        post: operations["followUpExecutionRun"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/execution-runs/{id}/interrupt": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Lets the agent end its turn, without ending it; answers when the turn is over */
        post: operations["interruptExecutionRun"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/execution-runs/{id}/logs/ws": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What the run's newest agent printed and prints */
        get: operations["streamExecutionRunLogs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/execution-runs/{id}/processes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The processes of a run, oldest first */
        get: operations["listExecutionRunProcesses"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/execution-runs/{id}/restore": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Makes the worktree what a snapshot has; what is in it is saved first */
        post: operations["restoreExecutionRunSnapshot"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/execution-runs/{id}/snapshots": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What was saved of the worktree, newest first */
        get: operations["listExecutionRunSnapshots"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/execution-runs/{id}/stop": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Stops what runs; answers when nothing of it runs any more */
        post: operations["stopExecutionRun"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/filesystem/directory": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What is in a folder */
        get: operations["listDirectory"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/filesystem/git-repos": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Repositories below a folder, or where people keep them; most recently changed first */
        get: operations["listGitRepositories"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/forge/agents": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** A project's standing agents */
        get: operations["getForgeAgents"];
        put?: never;
        /** The project's standing agent of this type, made if there is none */
        post: operations["createForgeAgent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/forge/auth-required": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Whether calls need the token; itself needs none */
        get: operations["getAuthRequired"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/forge/config": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What is set for all projects */
        get: operations["getForgeConfig"];
        /** Sets it; what is missing stays */
        put: operations["updateForgeConfig"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/forge/nodes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The installations that use the database, the one that started last first */
        get: operations["listNodes"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/forge/nodes/{id}/forget": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Declares a node gone for good: its attempts become this node's, and what runs in them is lost */
        post: operations["forgetNode"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/forge/omni/instances": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** There are none */
        get: operations["listOmniInstances"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/forge/omni/notifications": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** There are none */
        get: operations["listOmniNotifications"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/forge/omni/status": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Omni is not enabled */
        get: operations["getOmniStatus"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/forge/omni/validate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Omni is not enabled: nothing is sent to the host */
        post: operations["validateOmni"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/forge/projects/{id}/branch-status": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** How the project's checkout stands to a branch of its remote, by what was last fetched */
        get: operations["getProjectBranchStatus"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/forge/projects/{id}/profiles": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The profiles that a project's attempts can be started with */
        get: operations["getProjectProfiles"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/forge/projects/{id}/profiles/trust": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Confirms a variant that a project's repository adds, so that attempts can use it */
        post: operations["trustProjectVariant"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/forge/projects/{id}/pull": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Brings the project's checkout up to date with its remote; not available yet */
        post: operations["pullProject"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/forge/projects/{id}/settings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What is set for a project */
        get: operations["getProjectSettings"];
        /** Sets it; what is missing stays */
        put: operations["updateProjectSettings"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/forge/releases": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Releases that the server knows of: none, as it asks nobody */
        get: operations["listReleases"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/gc": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Takes away worktrees that nobody uses; they are saved first */
        post: operations["collect"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Whether it serves; 503 while the database does not answer */
        get: operations["apiHealth"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/images/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Deletes an image, also from its tasks */
        delete: operations["deleteImage"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/images/{id}/file": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The image itself */
        get: operations["getImageFile"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/images/task/{task_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** A task's images, in order */
        get: operations["getTaskImages"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/images/task/{task_id}/upload": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Takes an image in and gives it to a task */
        post: operations["uploadTaskImage"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/images/upload": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Takes an image in; the same bytes are one */
        post: operations["uploadImage"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/info": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The configuration, the machine, and every executor with its variants */
        get: operations["getSystemInfo"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/mcp-config": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The MCP servers that an executor's own program knows, with keys masked */
        get: operations["getMcpConfig"];
        put?: never;
        /** Makes the MCP servers of an executor's own program these; a mask keeps its key */
        post: operations["updateMcpConfig"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/openapi.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** This description, as OpenAPI 3.1 */
        get: operations["openapi"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/profiles": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Every variant of every executor */
        get: operations["getExecutorProfiles"];
        /** Makes the profiles these: the whole document, of any content type */
        put: operations["updateExecutorProfiles"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/projects": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Every project, newest first */
        get: operations["listProjects"];
        put?: never;
        /** Takes a repository in, or makes one */
        post: operations["createProject"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/projects/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One project */
        get: operations["getProject"];
        /** Changes a project; a field left out keeps its value */
        put: operations["updateProject"];
        post?: never;
        /** Deletes a project, not its repository */
        delete: operations["deleteProject"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/projects/{id}/branches": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Its branches, the current one first */
        get: operations["listProjectBranches"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/projects/{id}/disk": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What a project takes on the disk */
        get: operations["getProjectDisk"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/projects/{id}/open-editor": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Opens a project's folder, or a file in it, in the person's editor */
        post: operations["openProjectInEditor"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/projects/{id}/search": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Files and folders by a part of their path, the best ten */
        get: operations["searchProjectFiles"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/projects/{id}/tasks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The tasks of a project; an older spelling */
        get: operations["listProjectTasks"];
        put?: never;
        /** Makes a task; an older spelling */
        post: operations["createProjectTask"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/projects/{id}/tasks/{task_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One task; an older spelling */
        get: operations["getProjectTask"];
        /** Changes a task; an older spelling */
        put: operations["updateProjectTask"];
        post?: never;
        /** Deletes a task; an older spelling */
        delete: operations["deleteProjectTask"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/projects/{id}/tasks/create-and-start": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Makes a task and starts an attempt; an older spelling, whose `id` is the attempt's */
        post: operations["createAndStartProjectTask"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/projects/{id}/tasks/stream/ws": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** A project's board and every change of it; an older spelling */
        get: operations["streamProjectTasks"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/projects/{id}/usage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What all attempts and runs of a project used up */
        get: operations["getProjectUsage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/projects/stream/ws": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** All projects, `{"projects": {id: project}}`, and every change of them */
        get: operations["streamProjects"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/routes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Every operation in a line */
        get: operations["listRoutes"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/sounds/{sound}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** A sound */
        get: operations["getNotificationSound"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/tags": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Every tag, by name */
        get: operations["listTags"];
        put?: never;
        /** Makes a tag */
        post: operations["createTag"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/tags/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One tag */
        get: operations["getTag"];
        /** Changes a tag; what is missing stays */
        put: operations["updateTag"];
        post?: never;
        /** Deletes a tag */
        delete: operations["deleteTag"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/task-attempts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Attempts, newest first */
        get: operations["listTaskAttempts"];
        put?: never;
        /** Starts an attempt of a task */
        post: operations["createTaskAttempt"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/task-attempts/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One attempt */
        get: operations["getTaskAttempt"];
        put?: never;
        post?: never;
        /** Deletes an attempt */
        delete: operations["deleteTaskAttempt"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/task-attempts/{id}/branch-status": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** How the branch stands to its target, and the worktree to the branch */
        get: operations["getTaskAttemptBranchStatus"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/task-attempts/{id}/change-target-branch": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Says which branch the work shall go to */
        post: operations["changeTaskAttemptTargetBranch"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/task-attempts/{id}/children": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The task that the attempt's came out of, and those that came out of the attempt */
        get: operations["getTaskAttemptChildren"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/task-attempts/{id}/commit-compare": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** How a commit stands to the attempt's HEAD */
        get: operations["compareCommitToHead"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/task-attempts/{id}/commit-info": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What a commit says of itself */
        get: operations["getCommitInfo"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/task-attempts/{id}/conflicts/abort": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Gives up the rebase, merge, cherry-pick or revert that git is in the middle of; saves first */
        post: operations["abortTaskAttemptConflicts"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/task-attempts/{id}/delete-file": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Deletes a file of the worktree by a commit; what is in the worktree is saved first */
        post: operations["deleteTaskAttemptFile"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/task-attempts/{id}/diff": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The files that an attempt changes, as they are now */
        get: operations["getTaskDiff"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/task-attempts/{id}/diff/ws": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The files that an attempt changes, `{"entries": {path: file}}`, and every change of them */
        get: operations["streamTaskDiff"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/task-attempts/{id}/disk": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What an attempt takes on the disk */
        get: operations["getTaskAttemptDisk"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/task-attempts/{id}/draft": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** A draft; an empty one where nobody wrote it */
        get: operations["getDraft"];
        /** Changes a draft */
        put: operations["updateDraft"];
        /** Changes a draft; an older spelling */
        post: operations["saveDraft"];
        /** Empties a draft; one that is queued leaves the queue */
        delete: operations["deleteDraft"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/task-attempts/{id}/draft/queue": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Sends a draft as soon as nothing runs, or does not any more */
        post: operations["queueDraftExecution"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/task-attempts/{id}/follow-up": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Goes on with the conversation */
        post: operations["followUpTaskAttempt"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/task-attempts/{id}/follow-ups": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The prompts that wait for their turn */
        get: operations["listFollowUps"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/task-attempts/{id}/follow-ups/{follow_up_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /** Changes a prompt that waits for its turn */
        put: operations["updateFollowUp"];
        post?: never;
        /** Takes a prompt out of the queue */
        delete: operations["deleteFollowUp"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/task-attempts/{id}/interrupt": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Lets the agent end its turn, without ending it; answers when the turn is over */
        post: operations["interruptTaskAttempt"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/task-attempts/{id}/logs/stream": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What the agent of the newest turn says, as server-sent events */
        get: operations["streamTaskAttemptLogs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/task-attempts/{id}/merge": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Merges the branch into its target; not available yet */
        post: operations["mergeTaskAttempt"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/task-attempts/{id}/offers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The commands, modes and models that the agent lets a person choose from */
        get: operations["getTaskAttemptOffers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/task-attempts/{id}/open-editor": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Opens an attempt's worktree, or a file in it, in the person's editor */
        post: operations["openTaskAttemptInEditor"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/task-attempts/{id}/pr": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Makes a pull request of the branch; not available yet */
        post: operations["createTaskAttemptPullRequest"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/task-attempts/{id}/pr/attach": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Takes a pull request that is there for the attempt's; not available yet */
        post: operations["attachExistingPullRequest"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/task-attempts/{id}/push": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Pushes the branch to the remote; not available yet */
        post: operations["pushTaskAttemptBranch"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/task-attempts/{id}/rebase": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Puts the branch on top of another; not available yet */
        post: operations["rebaseTaskAttempt"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/task-attempts/{id}/replace-process": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Puts another turn in the place of one: the worktree and the conversation go back to what they were before */
        post: operations["replaceTaskAttemptProcess"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/task-attempts/{id}/restore": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Makes the worktree what a snapshot has; what is in it is saved first */
        post: operations["restoreSnapshot"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/task-attempts/{id}/run-agent-setup": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Runs what sets an agent up, for agents that have such a thing */
        post: operations["runAgentSetup"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/task-attempts/{id}/snapshots": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What was saved of the worktree, newest first */
        get: operations["listSnapshots"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/task-attempts/{id}/start-dev-server": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Runs the project's dev script, in place of the project's dev server that runs */
        post: operations["startDevServer"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/task-attempts/{id}/stop": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Stops what runs and empties the queue; answers when nothing of it runs any more */
        post: operations["stopTaskAttemptExecution"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/task-attempts/{id}/usage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What all turns of an attempt used up */
        get: operations["getTaskAttemptUsage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/tasks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The tasks of a project, newest first */
        get: operations["listTasks"];
        put?: never;
        /** Makes a task */
        post: operations["createTask"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/tasks/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One task */
        get: operations["getTask"];
        /** Changes a task; a field left out or null keeps its value */
        put: operations["updateTask"];
        post?: never;
        /** Deletes a task with its attempts */
        delete: operations["deleteTask"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/tasks/{id}/attempts/start": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Starts an attempt of a task; an older spelling */
        post: operations["startTaskAttempt"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/tasks/{id}/usage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What all attempts of a task used up */
        get: operations["getTaskUsage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/tasks/create-and-start": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Makes a task and starts an attempt of it, both or neither */
        post: operations["createAndStartTask"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/tasks/stream/ws": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** A project's board, `{"tasks": {id: task}}`, and every change of it */
        get: operations["streamTasks"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/templates": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Every tag; an older spelling */
        get: operations["listTaskTemplates"];
        put?: never;
        /** Makes a tag; an older spelling */
        post: operations["createTaskTemplate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/templates/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One tag; an older spelling */
        get: operations["getTaskTemplate"];
        /** Changes a tag; an older spelling */
        put: operations["updateTaskTemplate"];
        post?: never;
        /** Deletes a tag; an older spelling */
        delete: operations["deleteTaskTemplate"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/docs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** This description, as a page */
        get: operations["docs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Whether it serves, without the envelope */
        get: operations["healthCheck"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/mcp": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** A message of the Model Context Protocol, or several; docs/mcp.md tells the tools that there are */
        post: operations["mcp"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What the server has counted, as Prometheus reads it */
        get: operations["metrics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/site.webmanifest": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What a browser calls the page it is asked to keep */
        get: operations["webManifest"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        ActionType: {
            executor_profile_id: components["schemas"]["ProfileId"] | null;
            /** @description The mode that was asked for, in the agent's words. */
            mode?: string | null;
            /** @description The model that was asked for, in the agent's words. */
            model?: string | null;
            prompt: string;
            /** @enum {string} */
            type: "CodingAgentInitialRequest";
        } | {
            executor_profile_id: components["schemas"]["ProfileId"] | null;
            /** @description The mode that was asked for, in the agent's words. */
            mode?: string | null;
            /** @description The model that was asked for, in the agent's words. */
            model?: string | null;
            prompt: string;
            session_id: string;
            /** @enum {string} */
            type: "CodingAgentFollowUpRequest";
        } | {
            context: string;
            language: string;
            script: string;
            /** @enum {string} */
            type: "ScriptRequest";
        };
        /**
         * @description Who works: `"CLAUDE_CODE"`, `"CLAUDE_CODE:PLAN"`, or both apart.
         * @example CLAUDE_CODE
         * @example {
         *       "executor": "CLAUDE_CODE",
         *       "variant": "PLAN"
         *     }
         */
        AnyProfile: string | {
            executor?: string;
            variant?: string | null;
        };
        /** @description `{"status": "approved"}`, `{"status": "denied", "reason": …}`, or the word alone. */
        AnyVerdict: ("approved" | "denied") | {
            reason?: string | null;
            /** @enum {string} */
            status: "approved" | "denied";
        };
        /** @description Something that somebody asked a person, and what came of it. */
        Approval: {
            /** Format: date-time */
            answered_at: string | null;
            /** @description Which of the choices was picked. */
            choice: string | null;
            /** @description The answers that the asker takes; none where it takes just yes or no. */
            choices: components["schemas"]["ApprovalChoice"][];
            context: unknown;
            /** Format: date-time */
            created_at: string;
            /**
             * Format: uuid
             * @description The process that waits for the answer.
             */
            execution_process_id: string | null;
            /** Format: uuid */
            id: string;
            message: string;
            /** @description The file, command, query or tool that it wants to do this to. */
            object: string | null;
            /** @description The same, where the answer was no. */
            reason: string | null;
            /** @description What was said with the answer. */
            response: string | null;
            /** @description `pending`, `approved`, `denied` or `timed_out`. */
            status: string;
            /**
             * Format: date-time
             * @description When no answer counts as no.
             */
            timeout_at: string | null;
            /**
             * @description What an agent wants to do, as its context has it: `read`, `edit`, `delete`, `move`, `run`, `search`, `fetch`,
             *     `delegate`, `implement` (a plan), `grant` (permissions), `answer` (a question) or `use` (another tool).
             */
            verb: string | null;
        };
        /** @description An answer, in either spelling. */
        ApprovalAnswer: {
            /** @description Yes or no. */
            approved?: boolean | null;
            /** @description One of the approval's choices, by its id. It says yes or no by itself. */
            choice?: string | null;
            /** @description What is said with it. */
            comment?: string | null;
            /**
             * Format: uuid
             * @description The process that waits, where the caller knows it; another one than it is, is refused.
             */
            execution_process_id?: string | null;
            /** @description The other spelling of yes or no. */
            status?: components["schemas"]["AnyVerdict"] | null;
        };
        /** @description An answer that the asker takes. */
        ApprovalChoice: {
            id: string;
            /** @description `allow_once`, `allow_always`, `reject_once` or `reject_always`. */
            kind: string;
            /** @description What a person reads. */
            name: string;
        };
        /** @description An approval that was just asked for. */
        Asked: {
            /** Format: date-time */
            answered_at: string | null;
            /**
             * Format: uuid
             * @description The same as `id`.
             */
            approval_id: string;
            /** @description Which of the choices was picked. */
            choice: string | null;
            /** @description The answers that the asker takes; none where it takes just yes or no. */
            choices: components["schemas"]["ApprovalChoice"][];
            context: unknown;
            /** Format: date-time */
            created_at: string;
            /**
             * Format: uuid
             * @description The process that waits for the answer.
             */
            execution_process_id: string | null;
            /** Format: uuid */
            id: string;
            message: string;
            /** @description The file, command, query or tool that it wants to do this to. */
            object: string | null;
            /** @description The same, where the answer was no. */
            reason: string | null;
            /** @description What was said with the answer. */
            response: string | null;
            /** @description `pending`, `approved`, `denied` or `timed_out`. */
            status: string;
            /**
             * Format: date-time
             * @description When no answer counts as no.
             */
            timeout_at: string | null;
            /**
             * @description What an agent wants to do, as its context has it: `read`, `edit`, `delete`, `move`, `run`, `search`, `fetch`,
             *     `delegate`, `implement` (a plan), `grant` (permissions), `answer` (a question) or `use` (another tool).
             */
            verb: string | null;
        };
        /** @description A pull request that is there. */
        AttachBody: {
            /**
             * Format: uint64
             * @description Its number; without it, the one that was made of the attempt's branch.
             */
            pr_number?: number | null;
        };
        /** @description A pull request that belongs to an attempt now. */
        AttachedPullRequest: {
            pr_attached: boolean;
            /** Format: uint64 */
            pr_number: number | null;
            /** @description `open`, `merged`, `closed` or `unknown`. */
            pr_status: string | null;
            pr_url: string | null;
        };
        /** @description Whether calls need the token. */
        AuthRequired: {
            auth_required: boolean;
        };
        /** @description Whether an executor can be started. */
        Availability: {
            available: boolean;
            executor: string;
            /** @description What keeps it from being started. */
            reason: string | null;
        };
        /** @description A branch of a repository. */
        Branch: {
            is_current: boolean;
            is_remote: boolean;
            /** Format: date-time */
            last_commit_date: string;
            name: string;
        };
        /** @description How a branch stands to its target, and its checkout to the branch. */
        BranchStatus: {
            /**
             * Format: uint64
             * @description The same as `commits_ahead`.
             */
            ahead: number | null;
            /**
             * Format: uint64
             * @description The same as `commits_behind`.
             */
            behind: number | null;
            /** Format: uint64 */
            commits_ahead: number | null;
            /** Format: uint64 */
            commits_behind: number | null;
            /** @description The branch that was compared with. */
            compared_with: string;
            /** @description What git is in the middle of: `rebase`, `merge`, `cherry_pick`, `revert` or `patches`. */
            conflict_op: string | null;
            conflicted_files: string[];
            /** @description The same as `conflicted_files`. */
            conflicts: string[];
            /** @description Whether a remote was asked: it never is, so what is told of one is what was last fetched. */
            fetched: boolean;
            /** @description Whether tracked files differ from the commit that stands; none when there is no checkout. */
            has_uncommitted_changes: boolean | null;
            head_oid: string | null;
            /** @description Why HEAD of the worktree is not on the attempt's branch while nothing runs, and the way out; none when it is. */
            head_problem: components["schemas"]["HeadProblem"] | null;
            is_rebase_in_progress: boolean;
            /** @description What was made of the branch, newest first; nothing yet. */
            merges: components["schemas"]["Merge"][];
            /** Format: uint64 */
            remote_commits_ahead: number | null;
            /** Format: uint64 */
            remote_commits_behind: number | null;
            /** @description In a word: `conflicts`, `diverged`, `ahead`, `behind`, `up_to_date`, or `unknown` when a branch is gone. */
            status: string;
            target_branch_name: string;
            /** Format: uint */
            uncommitted_count: number | null;
            /** Format: uint */
            untracked_count: number | null;
            /**
             * @description What is not saved, committed or copied in the worktree, which programs git does not run there, and caps that are
             *     not enforced.
             */
            warnings: string[];
        };
        /** @description What a process may use at most. Without caps nothing is enforced, and nothing is missing. */
        CapsOf: {
            /** Format: double */
            cpus: number | null;
            enforced: boolean;
            /** Format: uint64 */
            memory: number | null;
            /** Format: uint64 */
            processes: number | null;
            why: string | null;
        };
        /** @description The branch that the work shall go to. */
        ChangedTarget: {
            new_target_branch: string;
            /** @description How many commits the attempt is ahead of it, and behind. */
            status: number[];
            /** @description The same as `new_target_branch`. */
            target_branch: string;
        };
        /** @description How to collect. */
        Collect: {
            /**
             * @description Only tell what would be taken away.
             * @default false
             */
            dry_run?: boolean;
        };
        /** @description What a collection did, or would do. */
        Collection: {
            /** Format: uint64 */
            bytes: number;
            collected: components["schemas"]["Taken"][];
            dry_run: boolean;
            left: components["schemas"]["Left"][];
            /**
             * Format: uint
             * @description How many snapshots had expired.
             */
            snapshots: number;
            unregistered: string[];
        };
        /** @description How a command ended. */
        CommandExitStatus: {
            /**
             * Format: int64
             * @description The number.
             */
            code: number;
            /** @enum {string} */
            type: "exit_code";
        } | {
            /** @description Whether. */
            success: boolean;
            /** @enum {string} */
            type: "success";
        };
        /** @description What came of a command. */
        CommandRunResult: {
            /** @description How it ended, where that is known. */
            exit_status: components["schemas"]["CommandExitStatus"] | null;
            /** @description What it printed. */
            output: string | null;
        };
        /** @description How a commit stands to the attempt's HEAD. */
        CommitCompare: {
            /**
             * Format: uint64
             * @description How many commits HEAD has that the commit does not have.
             */
            ahead_from_head: number;
            /**
             * Format: uint64
             * @description How many it lacks.
             */
            behind_from_head: number;
            /** Format: uint64 */
            deletions: number;
            /** Format: uint64 */
            files_changed: number;
            head_oid: string;
            /** Format: uint64 */
            insertions: number;
            /** @description Whether HEAD goes on from the commit. */
            is_linear: boolean;
            /** @description The commit. */
            target_oid: string;
        };
        /** @description What a commit says of itself. */
        CommitInfo: {
            author: string;
            author_email: string;
            /** Format: date-time */
            authored_at: string;
            sha: string;
            /** @description The first line of its message. */
            subject: string;
        };
        /** @description The configuration. Secrets are masked. */
        Config: {
            analytics_enabled: boolean | null;
            /** @enum {string} */
            config_version: "v7";
            contact_email_opt_in: boolean | null;
            contact_username_opt_in: boolean | null;
            disclaimer_acknowledged: boolean;
            editor: {
                custom_command: string | null;
                /** @enum {string} */
                editor_type: "VS_CODE" | "CURSOR" | "WINDSURF" | "INTELLI_J" | "ZED" | "XCODE" | "CUSTOM";
                remote_ssh_host: string | null;
                remote_ssh_user: string | null;
            } & {
                [key: string]: unknown;
            };
            executor_profile: {
                executor: string;
                variant?: string | null;
            };
            git_branch_prefix: string;
            github: {
                default_pr_base: string | null;
                oauth_token: string | null;
                pat: string | null;
                primary_email: string | null;
                username: string | null;
            } & {
                [key: string]: unknown;
            };
            github_login_acknowledged: boolean;
            /** @enum {string} */
            language: "BROWSER" | "EN" | "JA" | "ES" | "KO";
            last_app_version: string | null;
            notifications: {
                push_enabled: boolean;
                sound_enabled: boolean;
                /** @enum {string} */
                sound_file: "ABSTRACT_SOUND1" | "ABSTRACT_SOUND2" | "ABSTRACT_SOUND3" | "ABSTRACT_SOUND4" | "GENIE_NOTIFY1" | "GENIE_NOTIFY2" | "PHONE_VIBRATION";
            } & {
                [key: string]: unknown;
            };
            onboarding_acknowledged: boolean;
            show_release_notes: boolean;
            showcases: {
                seen_features: string[];
            } & {
                [key: string]: unknown;
            };
            telemetry_acknowledged: boolean;
            /** @enum {string} */
            theme: "LIGHT" | "DARK" | "SYSTEM";
            workspace_dir: string | null;
        } & {
            [key: string]: unknown;
        };
        /** @description What shall be different: what is missing stays, `null` clears. */
        ConfigChange: {
            analytics_enabled?: boolean | null;
            /** @enum {string} */
            config_version?: "v7";
            contact_email_opt_in?: boolean | null;
            contact_username_opt_in?: boolean | null;
            disclaimer_acknowledged?: boolean;
            editor?: {
                custom_command?: string | null;
                /** @enum {string} */
                editor_type?: "VS_CODE" | "CURSOR" | "WINDSURF" | "INTELLI_J" | "ZED" | "XCODE" | "CUSTOM";
                remote_ssh_host?: string | null;
                remote_ssh_user?: string | null;
            } & {
                [key: string]: unknown;
            };
            executor_profile?: {
                executor: string;
                variant?: string | null;
            } | string;
            git_branch_prefix?: string;
            github?: {
                default_pr_base?: string | null;
                oauth_token?: string | null;
                pat?: string | null;
                primary_email?: string | null;
                username?: string | null;
            } & {
                [key: string]: unknown;
            };
            github_login_acknowledged?: boolean;
            /** @enum {string} */
            language?: "BROWSER" | "EN" | "JA" | "ES" | "KO";
            last_app_version?: string | null;
            notifications?: {
                push_enabled?: boolean;
                sound_enabled?: boolean;
                /** @enum {string} */
                sound_file?: "ABSTRACT_SOUND1" | "ABSTRACT_SOUND2" | "ABSTRACT_SOUND3" | "ABSTRACT_SOUND4" | "GENIE_NOTIFY1" | "GENIE_NOTIFY2" | "PHONE_VIBRATION";
            } & {
                [key: string]: unknown;
            };
            onboarding_acknowledged?: boolean;
            show_release_notes?: boolean;
            showcases?: {
                seen_features?: string[];
            } & {
                [key: string]: unknown;
            };
            telemetry_acknowledged?: boolean;
            /** @enum {string} */
            theme?: "LIGHT" | "DARK" | "SYSTEM";
            workspace_dir?: string | null;
        } & {
            [key: string]: unknown;
        };
        /** @description Who works at a path. */
        Container: {
            /**
             * Format: uuid
             * @description The attempt; `null` where it is a run without a task.
             */
            attempt_id: string | null;
            branch: string;
            /** @description The top of the worktree. */
            container_id: string;
            /**
             * Format: uuid
             * @description The run without a task; `null` where it is an attempt.
             */
            execution_run_id: string | null;
            /** @description There is none: attempts work in worktrees. */
            image: string | null;
            /** Format: uuid */
            project_id: string;
            /** Format: uuid */
            task_id: string | null;
        };
        /** @description A task to make and start: the task nested under `task`, or its fields beside the others. */
        CreateAndStart: {
            /** @description Where to begin: a branch, also a remote's such as `origin/main`, a tag or a commit. */
            base_branch?: string | null;
            description?: string | null;
            executor_profile_id?: components["schemas"]["AnyProfile"] | null;
            /** @description Images that were uploaded before. */
            image_ids?: string[] | null;
            /** @description Begins with the uncommitted changes of the project's folder, which are a commit of their own on the branch. */
            include_uncommitted?: boolean | null;
            /** Format: uuid */
            parent_task_attempt?: string | null;
            /** Format: uuid */
            project_id?: string | null;
            task?: components["schemas"]["CreateTask"] | null;
            title?: string | null;
            /** @description Deprecated: every attempt works in a worktree of its own. `false` is accepted, and the answer has a warning. */
            use_worktree?: boolean | null;
            /** @description The variant, where the profile names none. */
            variant?: string | null;
        };
        /** @description Something to ask a person. */
        CreateApproval: {
            /** @description Whatever shall be shown beside it. */
            context?: unknown;
            /**
             * Format: uuid
             * @description The process that waits for the answer. Once that has ended, the approval is `timed_out`.
             */
            execution_process_id?: string | null;
            /** @description What is asked. */
            message: string;
            /**
             * Format: uint64
             * @description After so many seconds without an answer the approval is `timed_out`. Left out, it waits.
             */
            timeout_seconds?: number | null;
        };
        /** @description A run to start. */
        CreateExecutionRun: {
            /** @description Where to begin: a branch, tag or commit; without it, the branch that the repository has checked out. */
            base_branch?: string | null;
            /** @description Another name for `executor_profile_id`. */
            executor?: components["schemas"]["AnyProfile"] | null;
            executor_profile_id?: components["schemas"]["AnyProfile"] | null;
            /** @description Begins with the uncommitted changes of the project's folder, which are a commit of their own on the branch. */
            include_uncommitted?: boolean | null;
            /**
             * Format: uuid
             * @description Where it works.
             */
            project_id: string;
            /** @description What it is asked for. */
            prompt: string;
            /** @description The variant, where the profile does not say. */
            variant?: string | null;
        };
        /** @description A project to make. */
        CreateProject: {
            cleanup_script?: string | null;
            commit_prompt?: string | null;
            copy_files?: string | null;
            /** @description The branch that work begins at where none is named; it has to be there. */
            default_base_branch?: string | null;
            dev_script?: string | null;
            /** @description Whether submodules are fetched, over https and ssh, from the addresses that the repository names. */
            fetch_submodules?: boolean | null;
            git_repo_path?: string | null;
            name: string;
            /** @description An older client's name for it. */
            repo_path?: string | null;
            setup_script?: string | null;
            /** @description Whether Forge commits without the `pre-commit` and `commit-msg` hooks (`git commit --no-verify`). */
            skip_commit_hooks?: boolean | null;
            /** @description Whether Forge leaves its commits unsigned; `false`: it signs them if git's settings ask for that. */
            skip_commit_signing?: boolean | null;
            /** @description Some clients leave it out: then the repository is there. */
            use_existing_repo?: boolean | null;
        };
        /** @description A standing agent to make, or to be told about if it is there. */
        CreateStandingAgent: {
            /** @description A word such as `wish`, `forge` or `review`. */
            agent_type: string;
            /** Format: uuid */
            project_id: string;
        };
        /** @description A tag to make. */
        CreateTag: {
            /** @description The text that is put in. */
            content: string;
            description?: string | null;
            /** @description One word, under which it is put into texts. */
            tag_name: string;
        };
        /** @description A task to make. The project may stand in the path instead. */
        CreateTask: {
            description?: string | null;
            /** @description Images that were uploaded before. */
            image_ids?: string[] | null;
            /** Format: uuid */
            parent_task_attempt?: string | null;
            /** Format: uuid */
            project_id?: string | null;
            title: string;
        };
        /** @description A template to make: a tag, as an older client spells it. */
        CreateTemplate: {
            content?: string | null;
            description?: string | null;
            /** @description Spaces become `_`, because a tag is one word. */
            name?: string | null;
            tag_name?: string | null;
            task_template?: components["schemas"]["TemplateText"] | null;
        };
        /** @description What a person enters at GitHub. */
        DeviceCode: {
            device_code: string;
            /** Format: uint64 */
            expires_in: number;
            /** Format: uint64 */
            interval: number;
            user_code: string;
            verification_uri: string;
        };
        /** @description A dev server that runs. */
        DevServer: {
            after_head_commit: string | null;
            before_head_commit: string | null;
            /** Format: date-time */
            completed_at: string | null;
            /** Format: date-time */
            created_at: string;
            /** @description Whether another turn took the place of the one it was part of. */
            dropped: boolean;
            /**
             * Format: uuid
             * @description The execution run it works for; null in an attempt.
             */
            execution_run_id: string | null;
            executor_action: components["schemas"]["ExecutorAction"];
            /** Format: int32 */
            exit_code: number | null;
            /** Format: uuid */
            id: string;
            /**
             * Format: uint16
             * @description The port that the script was told to use, as `PORT` and `FORGE_PORT`.
             */
            port: number | null;
            reason: components["schemas"]["Reason"] | null;
            run_reason: string;
            /** Format: int32 */
            signal: number | null;
            /** Format: date-time */
            started_at: string;
            state: string;
            status: string;
            /**
             * Format: uuid
             * @description The attempt it works for; null in a run.
             */
            task_attempt_id: string | null;
            /** Format: date-time */
            updated_at: string;
            /** @description Where it answers if the script does as it was told. */
            url: string | null;
            /** @description What its turn used up; null before its end, and where the agent does not say. */
            usage: components["schemas"]["Usage"] | null;
        };
        /** @description A file that differs. */
        Diff: {
            /** Format: uint64 */
            additions: number | null;
            /** @description `added`, `deleted`, `modified`, `renamed` or `permissionChange`. */
            change: string;
            contentOmitted: boolean;
            /** Format: uint64 */
            deletions: number | null;
            newContent: string | null;
            newPath: string | null;
            /** @description None where there is no file, where it is no text, and where it was left out. */
            oldContent: string | null;
            oldPath: string | null;
        };
        /** @description The files that differ, by their path: what a reader of the stream has. */
        DiffCopy: {
            entries: {
                [key: string]: components["schemas"]["DiffEntry"];
            };
        };
        /** @description A file that differs, as it stands in the diff stream. */
        DiffEntry: {
            content: components["schemas"]["Diff"];
            /** @description `DIFF`. */
            type: string;
        };
        /** @description Bytes. */
        Disk: {
            /** Format: uint64 */
            cache: number;
            /** Format: uint64 */
            logs: number;
            /** Format: uint64 */
            pool: number;
            /**
             * Format: uint64
             * @description In the repository, beyond what branches and tags have.
             */
            snapshots: number;
            /** Format: uint64 */
            tmp: number;
            /** Format: uint64 */
            total: number;
            /** Format: uint64 */
            worktrees: number;
        };
        /** @description A prompt that is being written. One that nobody ever wrote is empty and has version 0. */
        Draft: {
            /** Format: date-time */
            created_at: string;
            /**
             * Format: uuid
             * @description The same as `id`, by another name.
             */
            draft_id: string;
            /** @description `follow_up` or `retry`. */
            draft_type: string;
            /** Format: uuid */
            id: string;
            image_ids: string[] | null;
            prompt: string;
            /** @description Whether it is sent as soon as nothing runs. As long as it is, it cannot be edited. */
            queued: boolean;
            /**
             * Format: uuid
             * @description The process whose turn it shall take the place of.
             */
            retry_process_id: string | null;
            /**
             * Format: date-time
             * @description The same as `updated_at`, by another name.
             */
            saved_at: string;
            /** @description Always false: from the queue to its process it is one step. */
            sending: boolean;
            /** Format: uuid */
            task_attempt_id: string;
            /** Format: date-time */
            updated_at: string;
            variant: string | null;
            /**
             * Format: int64
             * @description Counts its changes, and never goes back.
             */
            version: number;
        };
        /** @description Changes of a draft. A field that is left out or `null` keeps its value, but for `variant`. */
        DraftBody: {
            /**
             * @description Deprecated: use `prompt`.
             * @default null
             */
            follow_up_prompt?: string | null;
            /**
             * @description Its images; `[]` clears them.
             * @default null
             */
            image_ids?: string[] | null;
            /**
             * @description The text; `""` clears it.
             * @default null
             */
            prompt?: string | null;
            /**
             * Format: uuid
             * @description The process whose turn it replaces, in a draft of type `retry`.
             * @default null
             */
            retry_process_id?: string | null;
            /**
             * @description The variant to send it with. `null` and `""` clear it: the original front end sends `null` when a person chooses
             *     the default variant, and leaves the field out otherwise.
             */
            variant?: string | null;
            /**
             * Format: int64
             * @description The version that was read; when there is another meanwhile, nothing is changed.
             * @default null
             */
            version?: number | null;
        };
        /** @description A file or folder. */
        Entry: {
            is_directory: boolean;
            is_git_repo: boolean;
            /**
             * Format: uint64
             * @description Not looked at.
             */
            last_modified: number | null;
            name: string;
            path: string;
            /** @description `directory` or `file`. */
            type: string;
        };
        /** @description The machine that the server runs on. */
        Environment: {
            bitness: string;
            os_architecture: string;
            os_type: string;
            os_version: string;
        };
        /** @description One program run in an attempt or an execution run. */
        ExecutionProcess: {
            after_head_commit: string | null;
            before_head_commit: string | null;
            /** Format: date-time */
            completed_at: string | null;
            /** Format: date-time */
            created_at: string;
            /** @description Whether another turn took the place of the one it was part of. */
            dropped: boolean;
            /**
             * Format: uuid
             * @description The execution run it works for; null in an attempt.
             */
            execution_run_id: string | null;
            executor_action: components["schemas"]["ExecutorAction"];
            /** Format: int32 */
            exit_code: number | null;
            /** Format: uuid */
            id: string;
            reason: components["schemas"]["Reason"] | null;
            run_reason: string;
            /** Format: int32 */
            signal: number | null;
            /** Format: date-time */
            started_at: string;
            state: string;
            status: string;
            /**
             * Format: uuid
             * @description The attempt it works for; null in a run.
             */
            task_attempt_id: string | null;
            /** Format: date-time */
            updated_at: string;
            /** @description What its turn used up; null before its end, and where the agent does not say. */
            usage: components["schemas"]["Usage"] | null;
        };
        /** @description Work without a task: a branch, a worktree and a conversation. */
        ExecutionRun: {
            /** @description `run/` and the first eight digits of the id. */
            branch: string;
            container_ref: string;
            /** Format: date-time */
            created_at: string;
            executor: string;
            executor_profile_id: components["schemas"]["ProfileId"];
            /** Format: uuid */
            id: string;
            /** @description The node that has the worktree and the processes; null for a run of an older version. */
            node: string | null;
            /** @description `succeeded`, `failed`, `stopped` or `lost`. */
            outcome: string | null;
            /** Format: uuid */
            project_id: string;
            /** @description What it was asked for at its start. */
            prompt: string;
            reason: components["schemas"]["Reason"] | null;
            stage: string | null;
            /** @description `queued`, `running`, `stopping`, `finished` or `unreachable`. */
            state: string;
            /** @description `pending`, `running`, `completed`, `failed` or `killed`. */
            status: string;
            /** @description Where it began. */
            target_branch: string;
            /** @description Whether another node has them: then nothing can be done with the run here. */
            unreachable: boolean;
            /** Format: date-time */
            updated_at: string;
            variant: string | null;
            worktree_deleted: boolean;
            worktree_path: string;
        };
        /** @description An agent, and whether it can be started here. */
        Executor: {
            /** @description Whether it can be started as it is. */
            available: boolean;
            /** @description What it can do beside what all can. */
            capabilities: string[];
            /** @description The page about it: an address, or a file of Forge's repository. */
            docs: string | null;
            /** @description Whether its program would be downloaded when it is started. */
            downloads: boolean;
            /** @description What a person can do, if something is to be done. */
            how_to_fix: string | null;
            /** @description Whether its program is there. */
            installed: boolean;
            /** @description What keeps it from being started. */
            lacks: components["schemas"]["Lack"] | null;
            /** @description Whether somebody is logged in, as far as that can be seen without asking the agent. */
            logged_in: components["schemas"]["LoggedIn"];
            /** @description The oldest version that Forge can speak to, where that is known. */
            min_version: string | null;
            /** @description What it is called in `executor_profile_id`. */
            name: string;
            /** @description Where its program is. */
            path: string | null;
            /** @description How Forge speaks to it. */
            protocol: string;
            /** @description The version that Forge is tested with. */
            tested_version: string | null;
            /** @description What people call it. */
            title: string;
            /** @description Its built-in variants. */
            variants: string[];
            /** @description The version that is installed, where its files say so. */
            version: string | null;
        };
        /** @description What was run. `next_action` is always null: what comes next is the attempt's affair, not its process's. */
        ExecutorAction: {
            next_action: string | null;
            typ: components["schemas"]["ActionType"];
        };
        /** @description What is different in a file. */
        FileChange: {
            /** @enum {string} */
            action: "write";
            /** @description The whole of it. */
            content: string;
        } | {
            /** @enum {string} */
            action: "delete";
        } | {
            /** @enum {string} */
            action: "rename";
            /** @description Which. */
            new_path: string;
        } | {
            /** @enum {string} */
            action: "edit";
            /** @description Whether the line numbers in it are those of the file. */
            has_line_numbers: boolean;
            /** @description Both sides, as `diff -u` shows them. */
            unified_diff: string;
        };
        /** @description What a follow-up came to: the process that runs, perhaps in the place of another, or its place in the queue. */
        FollowedUp: components["schemas"]["Replaced"] | components["schemas"]["ExecutionProcess"] | components["schemas"]["Queued"];
        /** @description A prompt that waits for its turn. */
        FollowUp: {
            /** Format: date-time */
            created_at: string;
            /** Format: uuid */
            id: string;
            /** @description Whether it interrupts the turn that runs. */
            interrupt: boolean;
            /** @description The mode to work in from there on; null keeps the one that was used. */
            mode: string | null;
            /** @description The model to use from there on; null keeps the one that was used. */
            model: string | null;
            prompt: string;
            /**
             * Format: uuid
             * @description The process whose turn it takes the place of.
             */
            retry_process_id: string | null;
            /** Format: uuid */
            task_attempt_id: string;
            variant: string | null;
            /**
             * Format: date-time
             * @description When it is sent by itself: the agent's limit is reset then. A person who sends something else takes its place.
             */
            waits_until: string | null;
        };
        /** @description What the agent is told next. */
        FollowUpBody: {
            /** @description An older client's name for it. */
            follow_up_prompt?: string | null;
            /**
             * @description With `retry_process_id`: false refuses when something in the worktree is not committed. Left out or true, it is
             *     saved as a snapshot.
             */
            force_when_dirty?: boolean | null;
            /** @description Images that go with the prompt. */
            image_ids?: string[] | null;
            /** @description Whether the turn that runs is interrupted for it. Else it waits until that is over. */
            interrupt?: boolean | null;
            /** @description The mode to work in from here on, as the agent offers it; left out, it stays. */
            mode?: string | null;
            /** @description The model to use from here on, as the agent offers it; left out, it stays. */
            model?: string | null;
            /** @description With `retry_process_id`: false leaves the worktree as it is. */
            perform_git_reset?: boolean | null;
            prompt?: string | null;
            /**
             * Format: uuid
             * @description The process whose turn this one takes the place of.
             */
            retry_process_id?: string | null;
            /** @description The variant to use from here on; left out, it stays. */
            variant?: string | null;
            /** @description Whether a turn that the account's limit ends goes on by itself when the limit is reset. */
            wait_for_limit?: boolean | null;
        };
        /** @description Changes of a queued prompt. A field that is left out keeps its value; `null` and a blank text clear it. */
        FollowUpChange: {
            /**
             * @description True interrupts the turn that runs, at once.
             * @default null
             */
            interrupt?: boolean | null;
            mode?: string | null;
            model?: string | null;
            /** @default null */
            prompt?: string | null;
            variant?: string | null;
        };
        /** @description What became of a node that is gone. */
        ForgottenNode: {
            /**
             * Format: uint
             * @description The number of attempts and runs that are this node's now.
             */
            attempts: number;
        };
        /** @description Why HEAD of a worktree is not on the attempt's branch. */
        HeadProblem: {
            /** @description `head_detached_from_branch`. */
            code: string;
            hint: string | null;
            message: string;
        };
        /** @description Whether the server serves. */
        Health: {
            message: string;
            service: string;
            /** @description `ok` or `unavailable`. */
            status: string;
            version: string;
        };
        /** @description An image that was uploaded. */
        Image: {
            /** Format: date-time */
            created_at: string;
            /** @description Where an agent finds it in its worktree: mention it so in a prompt. */
            file_path: string;
            /** @description SHA-256, as hex. */
            hash: string;
            /** Format: uuid */
            id: string;
            mime_type: string;
            /** @description What the file was called by whoever sent these bytes first. */
            original_name: string;
            /** Format: int64 */
            size_bytes: number;
            /** Format: date-time */
            updated_at: string;
        };
        /** @description What there is to know about the server, its configuration and its executors. */
        Info: {
            /** @description Empty: nothing is told to anybody. */
            analytics_user_id: string;
            /** @description Which executors can be started on this machine. */
            availability: components["schemas"]["Availability"][];
            /** @description What each executor can do beside what all can. */
            capabilities: {
                [key: string]: string[];
            };
            config: components["schemas"]["Config"];
            environment: components["schemas"]["Environment"];
            /** @description The same as a list. */
            executor_profiles: components["schemas"]["KnownProfile"][];
            /** @description Settings by executor and variant: `{EXECUTOR: {VARIANT: {EXECUTOR: {…}}}}`. */
            executors: unknown;
            version: string;
        };
        /** @description Named settings of an executor. */
        KnownProfile: {
            executor: string;
            settings: {
                [key: string]: unknown;
            };
            variant: string;
        };
        /** @description What keeps an agent from being started. */
        Lack: {
            /** @description `not_installed` or `wrong_version`. */
            code: string;
            message: string;
        };
        Left: {
            /** Format: uuid */
            task_attempt_id: string;
            why: string;
            worktree_path: string;
        };
        /** @description What is in a folder: folders first, then files, each by name. */
        Listing: {
            current_path: string;
            entries: components["schemas"]["Entry"][];
            /** @description Whether there are more than are told. */
            truncated: boolean;
        };
        /**
         * @description Whether somebody is logged in.
         * @enum {string}
         */
        LoggedIn: "yes" | "no" | "unknown";
        /** @description The servers that an agent shall know, by name. They take the place of those that it knows. */
        McpBody: {
            servers: {
                [key: string]: unknown;
            };
        };
        /** @description The servers, and how they stand in the file. */
        McpConfig: {
            is_toml_config: boolean;
            /** @description Servers to choose from, as the file names them: Forge itself. */
            preconfigured: {
                [key: string]: unknown;
            };
            /** @description The servers by name. Keys are masked; a mask that is sent back keeps the key. */
            servers: {
                [key: string]: unknown;
            };
            servers_path: string[];
            template: unknown;
        };
        /** @description The MCP servers that an executor's own program knows. */
        McpReply: {
            /** @description The program's settings file. */
            config_path: string;
            mcp_config: components["schemas"]["McpConfig"];
        };
        /** @description What was made of a branch: merged here, or a pull request. */
        Merge: {
            /** Format: date-time */
            created_at: string;
            id: string;
            merge_commit: string;
            target_branch_name: string;
            /** Format: uuid */
            task_attempt_id: string;
            /** @enum {string} */
            type: "direct";
        } | {
            /** Format: date-time */
            created_at: string;
            id: string;
            pr_info: components["schemas"]["PullRequestInfo"];
            target_branch_name: string;
            /** Format: uuid */
            task_attempt_id: string;
            /** @enum {string} */
            type: "pr";
        };
        /** @description What became of a merge. */
        Merged: {
            merged: boolean;
            message: string | null;
        };
        /** @description A pull request that was made: its address, or more for who asked in the older spelling. */
        NewPullRequest: string | {
            /** Format: uint64 */
            pr_number: number;
            pr_url: string;
        };
        /** @description An installation that uses the database. */
        Node: {
            /**
             * Format: int64
             * @description The number of its attempts and runs.
             */
            attempts: number;
            /** Format: uuid */
            id: string;
            /** @description Whether it is the node that answers. */
            is_own: boolean;
            /** @description `<host>:<data folder>`; `unknown` for the owner of attempts of an older version that no known data folder has. */
            name: string;
            /**
             * Format: date-time
             * @description When its server last started.
             */
            started_at: string;
        };
        /** @description One item of a transcript. */
        NormalizedEntry: {
            /** @description The text to show. */
            content: string;
            /**
             * @description Whether something was left out because it is too long: asked for by itself, the entry has it. The last of the
             *     fields, by which [`is_cut`] knows.
             */
            cut?: boolean;
            /** @description What it is. */
            entry_type: components["schemas"]["NormalizedEntryType"];
            /**
             * @description What the agent said word for word, as far as it is not too long; `{"type": "stderr"}` for a message that its
             *     program printed on standard error.
             */
            metadata: unknown;
            /** @description When it was said, where the agent tells. */
            timestamp: string | null;
        };
        /** @description Who can do something about what went wrong. */
        NormalizedEntryError: {
            /** @enum {string} */
            type: "setup_required";
        } | {
            /** @enum {string} */
            type: "other";
        };
        /** @description What an entry is. */
        NormalizedEntryType: {
            /** @enum {string} */
            type: "user_message";
        } | {
            /** @description The tool. */
            denied_tool: string;
            /** @enum {string} */
            type: "user_feedback";
        } | {
            /** @enum {string} */
            type: "assistant_message";
        } | {
            /** @description What it does. */
            action_type: components["schemas"]["ToolAction"];
            /** @description How far it is. */
            status: components["schemas"]["ToolStatus"];
            /** @description The agent's name for it; `mcp:server:tool` for one of an MCP server. */
            tool_name: string;
            /** @enum {string} */
            type: "tool_use";
        } | {
            /** @enum {string} */
            type: "system_message";
        } | {
            /** @description Who can do something about it. */
            error_type: components["schemas"]["NormalizedEntryError"];
            /** @enum {string} */
            type: "error_message";
        } | {
            /** @enum {string} */
            type: "thinking";
        } | {
            /** @enum {string} */
            type: "loading";
        } | {
            /**
             * Format: uint64
             * @description How many processes there were.
             */
            execution_processes: number;
            /** @description Whether the turn failed. */
            failed: boolean;
            /** @description Whether a person has to set something up first. */
            needs_setup: boolean;
            /** @enum {string} */
            type: "next_action";
        };
        /** @description An entry and its number. */
        NumberedEntry: {
            /** @description The entry as it is now. */
            entry: components["schemas"]["NormalizedEntry"];
            /**
             * Format: uint64
             * @description Its number, from 0, which it keeps.
             */
            index: number;
        };
        /** @description One thing to choose. */
        Offer: {
            description: string | null;
            /** @description What is sent back. */
            id: string;
            /** @description What a person reads. */
            name: string;
        };
        /** @description What an agent lets a person choose from, as it last told. */
        Offers: {
            /** @description Commands that can stand at the beginning of a prompt, after a slash. */
            commands: components["schemas"]["Offer"][];
            /** @description The mode that it works in. */
            mode: string | null;
            /** @description The model that it uses. */
            model: string | null;
            /** @description The models that it can use. */
            models: components["schemas"]["Offer"][];
            /** @description The modes that it can work in. */
            modes: components["schemas"]["Offer"][];
        };
        /** @description Where Omni is and how to sign in. */
        OmniAccount: {
            api_key?: string | null;
            host?: string | null;
        };
        /** @description How Omni is reached. A field that is left out keeps its value; `null` and a blank text clear it. */
        OmniChange: {
            /** @description The mask that stood in the answer keeps the key that is there. */
            api_key?: string | null;
            enabled?: boolean | null;
            host?: string | null;
            instance?: string | null;
            recipient?: string | null;
            recipient_type?: components["schemas"]["RecipientType"] | null;
        };
        /** @description How Omni is reached. */
        OmniConfig: {
            /** @description A mask where there is a key. */
            api_key: string | null;
            enabled: boolean;
            host: string | null;
            instance: string | null;
            recipient: string | null;
            recipient_type: components["schemas"]["RecipientType"] | null;
        };
        /** @description Accounts that messages can be sent from. */
        OmniInstances: {
            instances: unknown[];
        };
        /** @description Messages that were sent. */
        OmniNotifications: {
            notifications: unknown[];
        };
        /** @description Whether messages are sent by Omni. */
        OmniStatus: {
            config: unknown;
            enabled: boolean;
        };
        /** @description Whether an account works. */
        OmniVerdict: {
            error: string | null;
            instances: unknown[];
            valid: boolean;
        };
        /** @description What to open. Without anything, the whole folder is opened in the editor of the configuration. */
        OpenBody: {
            /** @description The editor, in place of the one in the configuration. */
            editor_type?: string | null;
            /** @description Another name of `file_path`. */
            file?: string | null;
            /** @description A file below the folder. */
            file_path?: string | null;
            /**
             * Format: uint32
             * @description A line of the file, from 1 on.
             */
            line?: number | null;
        };
        /** @description How an editor was opened. */
        Opened: {
            /** @description What to open in a browser where the editor runs elsewhere; `null` where it was started by the server. */
            url: string | null;
        };
        /** @description A frame: changes of the document that a stream keeps, or its end. */
        PatchFrame: {
            /** @description RFC 6902 operations. */
            JsonPatch: components["schemas"]["PatchOperation"][];
            /**
             * Format: uint64
             * @description Where to go on after a break: `?after=`.
             */
            position: number;
        } | {
            finished: boolean;
        };
        /** @description One operation of a JSON patch. */
        PatchOperation: {
            /** @description `add`, `replace` or `remove`. */
            op: string;
            /** @description A JSON pointer. */
            path: string;
            /** @description Absent for `remove`. */
            value?: unknown;
        };
        /** @description An approval that waits, with who asks; all of that is null where somebody outside does. */
        PendingApproval: {
            /** Format: date-time */
            answered_at: string | null;
            /**
             * Format: uuid
             * @description The attempt or execution run.
             */
            attempt_id: string | null;
            /** @description Which of the choices was picked. */
            choice: string | null;
            /** @description The answers that the asker takes; none where it takes just yes or no. */
            choices: components["schemas"]["ApprovalChoice"][];
            context: unknown;
            /** Format: date-time */
            created_at: string;
            /**
             * Format: uuid
             * @description The process that waits for the answer.
             */
            execution_process_id: string | null;
            /** Format: uuid */
            id: string;
            message: string;
            /** @description The file, command, query or tool that it wants to do this to. */
            object: string | null;
            /** Format: uuid */
            project_id: string | null;
            project_name: string | null;
            /** @description The same, where the answer was no. */
            reason: string | null;
            /** @description What was said with the answer. */
            response: string | null;
            /** @description `pending`, `approved`, `denied` or `timed_out`. */
            status: string;
            /**
             * Format: uuid
             * @description Null for a run.
             */
            task_id: string | null;
            /**
             * Format: date-time
             * @description When no answer counts as no.
             */
            timeout_at: string | null;
            /** @description The title of the task. */
            title: string | null;
            /**
             * @description What an agent wants to do, as its context has it: `read`, `edit`, `delete`, `move`, `run`, `search`, `fetch`,
             *     `delegate`, `implement` (a plan), `grant` (permissions), `answer` (a question) or `use` (another tool).
             */
            verb: string | null;
        };
        /** @description What a client may send along; the server needs none of it. */
        Poll: {
            /** @description As the start gave it. */
            device_code?: string | null;
        };
        /** @description Why something was not done. */
        Problem: {
            data: string | null;
            error_data: {
                /** @description For programs. */
                code: string;
                /** @description What to do. */
                hint: string | null;
                /** @description Under which the server's log tells more. */
                request_id: string;
            };
            /** @description For people. */
            message: string;
            /** @constant */
            success: false;
        };
        /** @description An executor and a variant; a variant that was not picked is left out. */
        ProfileId: {
            executor: string;
            variant?: string | null;
        };
        /** @description The profiles as a text to edit. */
        Profiles: {
            /** @description The whole document as JSON text. */
            content: string;
            /** @description What `content` says. */
            executors: unknown;
            /** @description The file that holds what differs from the built-in profiles. */
            path: string;
        };
        /** @description A git repository that Forge works on. */
        Project: {
            cleanup_script: string | null;
            commit_prompt: string | null;
            copy_files: string | null;
            /** Format: date-time */
            created_at: string;
            /** @description The branch that work begins at where none is named; `null`: the one that the repository has checked out. */
            default_base_branch: string | null;
            dev_script: string | null;
            /** @description Whether submodules are fetched from the addresses that the repository names. */
            fetch_submodules: boolean;
            git_repo_path: string;
            /** Format: uuid */
            id: string;
            name: string;
            setup_script: string | null;
            /** @description Whether Forge commits without the `pre-commit` and `commit-msg` hooks. */
            skip_commit_hooks: boolean;
            /** @description Whether Forge leaves its commits unsigned even if git's settings ask for signatures. */
            skip_commit_signing: boolean;
            /** Format: date-time */
            updated_at: string;
        };
        /** @description What shall be different in a project. */
        ProjectChange: components["schemas"]["UpdateProject"];
        /** @description The profiles that a project's attempts can be started with. */
        ProjectProfiles: {
            /** @description `{EXECUTOR: {VARIANT: {EXECUTOR: {…}}}}`. */
            executors: unknown;
            /** @description What the repository brings along and cannot be used, and why. */
            problems: string[];
            /** @description The variants that the repository adds. */
            repository_variants: components["schemas"]["RepositoryVariant"][];
            /** @description Other names of variants: those that agents of the repository are asked for by. */
            short_names: {
                [key: string]: string;
            };
        };
        /** @description What became of a pull. Not in the envelope, as clients expect it. */
        Pulled: {
            details: string | null;
            message: string;
            success: boolean;
        };
        /** @description A pull request to make. */
        PullRequestBody: {
            body?: string | null;
            /** @description An older client's name for the body. Who uses it is answered with an object, others with the address alone. */
            description?: string | null;
            target_branch?: string | null;
            title: string;
        };
        /** @description How a pull request stands. */
        PullRequestInfo: {
            merge_commit_sha: string | null;
            /** Format: date-time */
            merged_at: string | null;
            /** Format: uint64 */
            number: number;
            /** @description `open`, `merged`, `closed` or `unknown`. */
            status: string;
            url: string;
        };
        /** @description Whether a draft shall be sent as soon as nothing runs. */
        QueueBody: {
            /** @description An older client's name for it. */
            execute?: boolean | null;
            /** @description Whether the caller takes it for queued; when it is not so, nothing is changed. */
            expected_queued?: boolean | null;
            /**
             * Format: int64
             * @description The version that was read; when there is another meanwhile, nothing is changed.
             */
            expected_version?: number | null;
            /** @description A new text, saved first. */
            prompt?: string | null;
            queued?: boolean | null;
        };
        /** @description The answer to a follow-up that has to wait. */
        Queued: {
            /**
             * Format: uint
             * @description How many prompts of the attempt come before it.
             */
            ahead: number;
            follow_up: components["schemas"]["FollowUp"];
            /**
             * Format: uint
             * @description The attempt's place among those that wait for room, from 1; null while it has room.
             */
            queue_position: number | null;
            queued: boolean;
        };
        /** @description A draft that was put in the queue, or taken out. */
        QueuedDraft: {
            /**
             * Format: uint
             * @description How many prompts stand before it in the queue.
             */
            ahead: number | null;
            /** Format: date-time */
            created_at: string;
            /**
             * Format: uuid
             * @description The same as `id`, by another name.
             */
            draft_id: string;
            /** @description `follow_up` or `retry`. */
            draft_type: string;
            /** @description The process that was started with it, where nothing ran. The draft is empty then. */
            execution_process: components["schemas"]["ExecutionProcess"] | null;
            /**
             * Format: uuid
             * @description The id of that process.
             */
            execution_process_id: string | null;
            /** Format: uuid */
            id: string;
            image_ids: string[] | null;
            prompt: string;
            /** @description Whether it is sent as soon as nothing runs. As long as it is, it cannot be edited. */
            queued: boolean;
            /**
             * Format: uuid
             * @description The process whose turn it shall take the place of.
             */
            retry_process_id: string | null;
            /**
             * Format: date-time
             * @description The same as `updated_at`, by another name.
             */
            saved_at: string;
            /** @description Always false: from the queue to its process it is one step. */
            sending: boolean;
            /** Format: uuid */
            task_attempt_id: string;
            /** Format: date-time */
            updated_at: string;
            variant: string | null;
            /**
             * Format: int64
             * @description Counts its changes, and never goes back.
             */
            version: number;
        };
        /** @description What was printed in one go. */
        RawEntry: {
            content: string;
            /**
             * Format: uint64
             * @description Its number, from 0, which it keeps.
             */
            index: number;
            /** Format: uint64 */
            position: number;
            /** @description `STDOUT` or `STDERR`. */
            type: string;
        };
        /** @description Some entries in a row, oldest first. */
        RawPage: {
            entries: components["schemas"]["RawEntry"][];
            /** @description Whether the process has ended and there is nothing after this page. */
            finished: boolean;
            /**
             * Format: uint64
             * @description Where to go on: the `after` of the next page.
             */
            position: number;
        };
        /** @description Why something failed, and what to do. */
        Reason: {
            code: string;
            hint: string;
            message: string;
            /**
             * Format: date-time
             * @description When the account's limit is reset, where the agent says so.
             */
            resets_at?: string | null;
        };
        /** @description What to rebase on. */
        RebaseBody: {
            /** @description An older client's name for it. */
            base_branch?: string | null;
            /** @description The branch that it shall go on from; the attempt's target where it is left out. */
            new_base_branch?: string | null;
            /** @description The branch that the work began at, where that is not the attempt's target. */
            old_base_branch?: string | null;
        };
        /** @description What became of a rebase. */
        Rebased: {
            /** @description The files that are to be resolved. */
            conflicts: string[];
            /** @description `rebased` or `conflicts`. */
            status: string;
        };
        /**
         * @description What a recipient is named by.
         * @enum {string}
         */
        RecipientType: "PhoneNumber" | "UserId";
        /** @description A release of Forge. */
        Release: {
            body: string | null;
            created_at: string;
            html_url: string;
            name: string;
            prerelease: boolean;
            published_at: string | null;
            tag_name: string;
        };
        /** @description A prompt that left its attempt's queue. */
        RemovedFollowUp: {
            /** Format: date-time */
            created_at: string;
            /** Format: uuid */
            id: string;
            /** @description Whether it interrupts the turn that runs. */
            interrupt: boolean;
            /** @description The mode to work in from there on; null keeps the one that was used. */
            mode: string | null;
            /** @description The model to use from there on; null keeps the one that was used. */
            model: string | null;
            prompt: string;
            /**
             * Format: uuid
             * @description The process whose turn it takes the place of.
             */
            retry_process_id: string | null;
            /** @description The draft that has the prompt again, `follow_up` or `retry`; null if it was sent, or was not queued as a draft. */
            returned_to_draft: string | null;
            /** Format: uuid */
            task_attempt_id: string;
            variant: string | null;
            /**
             * Format: date-time
             * @description When it is sent by itself: the agent's limit is reset then. A person who sends something else takes its place.
             */
            waits_until: string | null;
            /**
             * @description Why: `sent` (its turn began), `removed`, `stopped` (the attempt was), `deleted` (the attempt was); null in an event
             *     of an older version.
             */
            why: string | null;
        };
        /** @description A turn that takes the place of another. */
        ReplaceBody: {
            /** @description The attempt's executor, perhaps with another variant. */
            executor_profile_id?: components["schemas"]["AnyProfile"] | null;
            /** @description An older client's name for it. */
            follow_up_prompt?: string | null;
            /** @description False refuses when something in the worktree is not committed. Left out or true, it is saved as a snapshot. */
            force_when_dirty?: boolean | null;
            /** @description Images that go with the prompt. */
            image_ids?: string[] | null;
            /** @description False leaves the worktree as it is. */
            perform_git_reset?: boolean | null;
            /**
             * Format: uuid
             * @description The agent's process of that turn; left out, it is the newest.
             */
            process_id?: string | null;
            prompt?: string | null;
            /** @description The variant to use from here on; left out, it stays. */
            variant?: string | null;
        };
        /** @description A turn that took the place of another. The fields of its process are there once it runs. */
        Replaced: {
            after_head_commit?: string | null;
            before_head_commit?: string | null;
            /** Format: date-time */
            completed_at?: string | null;
            /** Format: date-time */
            created_at?: string;
            /**
             * Format: uint
             * @description How many processes were dropped.
             */
            deleted_count: number;
            /** @description Whether another turn took the place of the one it was part of. */
            dropped?: boolean;
            /**
             * Format: uuid
             * @description The execution run it works for; null in an attempt.
             */
            execution_run_id?: string | null;
            executor_action?: components["schemas"]["ExecutorAction"];
            /** Format: int32 */
            exit_code?: number | null;
            /** @description Whether it was put back. What was in it is saved as a snapshot. */
            git_reset_applied: boolean;
            /** @description Whether the worktree was different from what it was before the turn that was replaced. */
            git_reset_needed: boolean;
            /** Format: uuid */
            id?: string;
            /**
             * Format: uuid
             * @description The process that runs now; null while the attempt stands in the queue.
             */
            new_execution_id: string | null;
            reason?: components["schemas"]["Reason"] | null;
            run_reason?: string;
            /** Format: int32 */
            signal?: number | null;
            /** Format: date-time */
            started_at?: string;
            state?: string;
            status?: string;
            /** @description The commit that stood before that turn. */
            target_before_oid: string | null;
            /**
             * Format: uuid
             * @description The attempt it works for; null in a run.
             */
            task_attempt_id?: string | null;
            /** Format: date-time */
            updated_at?: string;
            /** @description What its turn used up; null before its end, and where the agent does not say. */
            usage?: components["schemas"]["Usage"] | null;
        };
        /** @description A repository that was found. */
        Repository: {
            is_directory: boolean;
            is_git_repo: boolean;
            /**
             * Format: uint64
             * @description Seconds since its folder changed.
             */
            last_modified: number;
            name: string;
            path: string;
            /** @description `directory`. */
            type: string;
        };
        /** @description A variant that a project's repository adds. */
        RepositoryVariant: {
            /** @description Of what the repository says of it. Sent back with the confirmation, only this content is confirmed. */
            digest: string;
            executor: string;
            /** @description Whether a person has confirmed it; otherwise nothing starts with it. */
            trusted: boolean;
            variant: string;
        };
        /** @description The answer that stands: in the envelope for clients that open it, and beside it for those that do not. */
        Responded: {
            data: components["schemas"]["Verdict"];
            error_data: string | null;
            message: string | null;
            reason?: string | null;
            /** @description `approved` or `denied`. */
            status: string;
            success: boolean;
        };
        /** @description What to put back. */
        Restore: {
            /** @description A snapshot's name. */
            snapshot: string;
        };
        /** @description One operation. */
        Route: {
            method: string;
            /** @description What clients call it. */
            operation: string;
            path: string;
            summary: string;
        };
        /** @description Everything that can be asked, without shapes. */
        Routes: {
            routes: components["schemas"]["Route"][];
            version: string;
        };
        RpcAnswer: {
            error?: components["schemas"]["RpcFault"];
            id: string | number | null;
            /** @enum {string} */
            jsonrpc: "2.0";
            result?: components["schemas"]["RpcResult"];
        };
        /** @description JSON-RPC 2.0: a `result` or an `error` for each message that has an `id`. */
        RpcAnswers: {
            error?: components["schemas"]["RpcFault"];
            id: string | number | null;
            /** @enum {string} */
            jsonrpc: "2.0";
            result?: components["schemas"]["RpcResult"];
        } | components["schemas"]["RpcAnswer"][];
        RpcFault: {
            code: number;
            message: string;
        };
        RpcMessage: {
            /** @description Left out, no answer is wanted. */
            id?: string | number;
            /** @enum {string} */
            jsonrpc: "2.0";
            /**
             * @example initialize
             * @example ping
             * @example tools/list
             * @example tools/call
             * @example notifications/initialized
             */
            method: string;
            params?: components["schemas"]["RpcParams"];
        };
        /**
         * @description JSON-RPC 2.0 of the Model Context Protocol.
         * @example {
         *       "id": 1,
         *       "jsonrpc": "2.0",
         *       "method": "tools/list"
         *     }
         * @example {
         *       "id": 2,
         *       "jsonrpc": "2.0",
         *       "method": "tools/call",
         *       "params": {
         *         "name": "list_projects"
         *       }
         *     }
         */
        RpcMessages: {
            /** @description Left out, no answer is wanted. */
            id?: string | number;
            /** @enum {string} */
            jsonrpc: "2.0";
            /**
             * @example initialize
             * @example ping
             * @example tools/list
             * @example tools/call
             * @example notifications/initialized
             */
            method: string;
            params?: components["schemas"]["RpcParams"];
        } | components["schemas"]["RpcMessage"][];
        RpcParams: Record<string, never>;
        RpcResult: Record<string, never>;
        /** @description A frame of a run's output. */
        RunFrame: {
            /** Format: uuid */
            execution_process_id: string;
            /**
             * Format: uint64
             * @description Where to go on after a break: `?after=`, with `execution_process_id` to stay at this process.
             */
            position: number;
            Stdout: string;
        } | {
            /** Format: uuid */
            execution_process_id: string;
            /** Format: uint64 */
            position: number;
            Stderr: string;
        } | {
            finished: boolean;
        };
        /** @description A file or folder of a project. */
        SearchResult: {
            is_file: boolean;
            /** @description What it was found by: `FileName`, `DirectoryName` or `FullPath`. */
            match_type: string;
            path: string;
        };
        /** @description What is set. */
        Settings: {
            omni_config: components["schemas"]["OmniConfig"] | null;
            omni_enabled: boolean;
        };
        /** @description Changes of the settings. A field that is left out keeps its value; `null` and a blank text clear it. */
        SettingsChange: {
            /** @description `null` forgets it. */
            omni_config?: components["schemas"]["OmniChange"] | null;
            omni_enabled?: boolean | null;
        };
        /** @description An agent to be set up. */
        SetupBody: {
            executor_profile_id?: components["schemas"]["AnyProfile"] | null;
        };
        /** @description What was saved of a worktree. */
        Snapshot: {
            /** Format: date-time */
            created_at: string;
            /** Format: uuid */
            execution_process_id: string | null;
            name: string;
            oid: string;
            what: string;
        };
        /** @description A conversation that a project always has. */
        StandingAgent: {
            agent_type: string;
            /** Format: date-time */
            created_at: string;
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            project_id: string;
            /**
             * Format: uuid
             * @description The task whose attempts are the conversation; it is on no board.
             */
            task_id: string;
            /** Format: date-time */
            updated_at: string;
        };
        /** @description An attempt to start for a task that is there. The task may stand in the path instead. */
        StartBody: {
            /** @description Where to begin: a branch, also a remote's such as `origin/main`, a tag or a commit. */
            base_branch?: string | null;
            /** @description An older client's name for it. */
            executor?: components["schemas"]["AnyProfile"] | null;
            executor_profile_id?: components["schemas"]["AnyProfile"] | null;
            /** @description Begins with the uncommitted changes of the project's folder, which are a commit of their own on the branch. */
            include_uncommitted?: boolean | null;
            /** Format: uuid */
            task_id?: string | null;
            /** @description Deprecated: every attempt works in a worktree of its own. `false` is accepted, and the answer has a warning. */
            use_worktree?: boolean | null;
            /** @description The variant, where the profile names none. */
            variant?: string | null;
        };
        /** @description `id` is the attempt's. */
        StartedAttempt: {
            /** Format: uuid */
            attempt_id: string;
            attempts: components["schemas"]["TaskAttempt"][];
            base_branch: string;
            branch: string;
            branch_name: string;
            /**
             * Format: uint64
             * @description Always null: agents do not tell it apart from the input.
             */
            cache_creation_tokens: number | null;
            /** Format: uint64 */
            cache_read_tokens: number | null;
            container_ref: string;
            /**
             * Format: double
             * @description What its turns cost in US dollars; null where no agent has told.
             */
            cost_usd: number | null;
            /** Format: date-time */
            created_at: string;
            /** @description None while the attempt stands in the queue. */
            execution_process: components["schemas"]["ExecutionProcess"] | null;
            /** Format: uuid */
            execution_process_id: string | null;
            executor: string;
            executor_profile_id: components["schemas"]["ProfileId"];
            /** Format: uuid */
            id: string;
            /**
             * Format: uint64
             * @description Tokens of its turns up to now; null where no agent has told.
             */
            input_tokens: number | null;
            /** @description The node that has the worktree and the processes; null for an attempt of an older version. */
            node: string | null;
            outcome: string | null;
            /** Format: uint64 */
            output_tokens: number | null;
            /** Format: uuid */
            project_id: string;
            /**
             * Format: uint
             * @description Its place among those that wait for room, from 1.
             */
            queue_position: number | null;
            queued: boolean;
            reason: components["schemas"]["Reason"] | null;
            /** Format: date-time */
            setup_completed_at: string | null;
            stage: string | null;
            state: string;
            status: string;
            target_branch: string;
            task: components["schemas"]["TaskWithAttemptStatus"];
            task_attempt: components["schemas"]["TaskAttempt"];
            /** Format: uuid */
            task_id: string;
            /**
             * @description Whether another node has them: then nothing can be done with the attempt here, and `state` is `unreachable` unless
             *     it is finished.
             */
            unreachable: boolean;
            /** Format: date-time */
            updated_at: string;
            /** @description Which parts of the request, the project and the configuration were not followed, and why. */
            warnings: components["schemas"]["StartWarning"][];
            worktree_deleted: boolean;
            worktree_path: string;
        };
        /** @description What the start of a run made. */
        StartedRun: {
            /** @description Null while the run stands in the queue. */
            execution_process: components["schemas"]["ExecutionProcess"] | null;
            /** Format: uuid */
            execution_process_id: string | null;
            execution_run: components["schemas"]["ExecutionRun"];
            /** Format: uuid */
            execution_run_id: string;
            /**
             * Format: uint
             * @description Its place among those that wait for room, from 1.
             */
            queue_position: number | null;
            queued: boolean;
        };
        /** @description `id` is the task's. */
        StartedTask: {
            /** Format: int64 */
            attempt_count: number;
            /** Format: uuid */
            attempt_id: string;
            attempts: components["schemas"]["TaskAttempt"][];
            /** Format: date-time */
            created_at: string;
            description: string | null;
            /** Format: uuid */
            dev_server_id: string | null;
            /** @description None while the attempt stands in the queue. */
            execution_process: components["schemas"]["ExecutionProcess"] | null;
            /** Format: uuid */
            execution_process_id: string | null;
            executor: string;
            has_in_progress_attempt: boolean;
            has_merged_attempt: boolean;
            /** Format: uuid */
            id: string;
            last_attempt_failed: boolean;
            /** Format: uuid */
            parent_task_attempt: string | null;
            /** Format: uuid */
            project_id: string;
            /**
             * Format: uint
             * @description Its place among those that wait for room, from 1.
             */
            queue_position: number | null;
            queued: boolean;
            status: components["schemas"]["TaskStatus"];
            task: components["schemas"]["Task"];
            task_attempt: components["schemas"]["TaskAttempt"];
            title: string;
            /** Format: date-time */
            updated_at: string;
            /** @description Which parts of the request, the project and the configuration were not followed, and why. */
            warnings: components["schemas"]["StartWarning"][];
        };
        /** @description A part of the request, the project or the configuration that a start did not follow. */
        StartWarning: {
            /** @description `worktree_made`, `file_not_copied` or `caps_not_enforced`. */
            code: string;
            hint: string;
            message: string;
        };
        /** @description A run of which nothing runs any more. */
        StoppedRun: {
            /** @description `run/` and the first eight digits of the id. */
            branch: string;
            container_ref: string;
            /** Format: date-time */
            created_at: string;
            executor: string;
            executor_profile_id: components["schemas"]["ProfileId"];
            /** Format: uuid */
            id: string;
            /** @description The node that has the worktree and the processes; null for a run of an older version. */
            node: string | null;
            /** @description `succeeded`, `failed`, `stopped` or `lost`. */
            outcome: string | null;
            /** Format: uuid */
            project_id: string;
            /** @description What it was asked for at its start. */
            prompt: string;
            reason: components["schemas"]["Reason"] | null;
            /** @description The prompts that this stop took out of the queue unsent. */
            removed_follow_ups: components["schemas"]["RemovedFollowUp"][];
            stage: string | null;
            /** @description `queued`, `running`, `stopping`, `finished` or `unreachable`. */
            state: string;
            /** @description `pending`, `running`, `completed`, `failed` or `killed`. */
            status: string;
            /** @description Where it began. */
            target_branch: string;
            /** @description Whether another node has them: then nothing can be done with the run here. */
            unreachable: boolean;
            /** Format: date-time */
            updated_at: string;
            variant: string | null;
            worktree_deleted: boolean;
            worktree_path: string;
        };
        /** @description An attempt of which nothing runs any more. */
        StoppedTaskAttempt: {
            base_branch: string;
            branch: string;
            branch_name: string;
            /**
             * Format: uint64
             * @description Always null: agents do not tell it apart from the input.
             */
            cache_creation_tokens: number | null;
            /** Format: uint64 */
            cache_read_tokens: number | null;
            container_ref: string;
            /**
             * Format: double
             * @description What its turns cost in US dollars; null where no agent has told.
             */
            cost_usd: number | null;
            /** Format: date-time */
            created_at: string;
            executor: string;
            executor_profile_id: components["schemas"]["ProfileId"];
            /** Format: uuid */
            id: string;
            /**
             * Format: uint64
             * @description Tokens of its turns up to now; null where no agent has told.
             */
            input_tokens: number | null;
            /** @description The node that has the worktree and the processes; null for an attempt of an older version. */
            node: string | null;
            outcome: string | null;
            /** Format: uint64 */
            output_tokens: number | null;
            /** Format: uuid */
            project_id: string;
            reason: components["schemas"]["Reason"] | null;
            /**
             * @description The prompts that this stop took out of the queue unsent. One that was queued as a draft is a draft again; keep the
             *     text of the others, or send them again.
             */
            removed_follow_ups: components["schemas"]["RemovedFollowUp"][];
            /** Format: date-time */
            setup_completed_at: string | null;
            stage: string | null;
            state: string;
            status: string;
            target_branch: string;
            /** Format: uuid */
            task_id: string;
            /**
             * @description Whether another node has them: then nothing can be done with the attempt here, and `state` is `unreachable` unless
             *     it is finished.
             */
            unreachable: boolean;
            /** Format: date-time */
            updated_at: string;
            worktree_deleted: boolean;
            worktree_path: string;
        };
        /** @description A text that people put into tasks by its name. */
        Tag: {
            content: string;
            /** Format: date-time */
            created_at: string;
            description: string | null;
            /** Format: uuid */
            id: string;
            tag_name: string;
            /** Format: date-time */
            updated_at: string;
        };
        /** @description Changes of a tag. A field that is left out or `null` keeps its value. */
        TagChange: {
            content?: string | null;
            /** @description `""` clears it. */
            description?: string | null;
            tag_name?: string | null;
        };
        Taken: {
            /** Format: uint64 */
            bytes: number;
            /** Format: uuid */
            task_attempt_id: string;
            worktree_path: string;
        };
        /** @description The branch that the work shall go to. */
        TargetChange: {
            new_target_branch?: string | null;
            /** @description An older client's name for it. */
            target_branch?: string | null;
        };
        /** @description What is wanted. */
        Task: {
            /** Format: date-time */
            created_at: string;
            description: string | null;
            /** Format: uuid */
            dev_server_id: string | null;
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            parent_task_attempt: string | null;
            /** Format: uuid */
            project_id: string;
            status: components["schemas"]["TaskStatus"];
            title: string;
            /** Format: date-time */
            updated_at: string;
        };
        /** @description One try at a task: a branch, a worktree and a conversation. */
        TaskAttempt: {
            base_branch: string;
            branch: string;
            branch_name: string;
            /**
             * Format: uint64
             * @description Always null: agents do not tell it apart from the input.
             */
            cache_creation_tokens: number | null;
            /** Format: uint64 */
            cache_read_tokens: number | null;
            container_ref: string;
            /**
             * Format: double
             * @description What its turns cost in US dollars; null where no agent has told.
             */
            cost_usd: number | null;
            /** Format: date-time */
            created_at: string;
            executor: string;
            executor_profile_id: components["schemas"]["ProfileId"];
            /** Format: uuid */
            id: string;
            /**
             * Format: uint64
             * @description Tokens of its turns up to now; null where no agent has told.
             */
            input_tokens: number | null;
            /** @description The node that has the worktree and the processes; null for an attempt of an older version. */
            node: string | null;
            outcome: string | null;
            /** Format: uint64 */
            output_tokens: number | null;
            /** Format: uuid */
            project_id: string;
            reason: components["schemas"]["Reason"] | null;
            /** Format: date-time */
            setup_completed_at: string | null;
            stage: string | null;
            state: string;
            status: string;
            target_branch: string;
            /** Format: uuid */
            task_id: string;
            /**
             * @description Whether another node has them: then nothing can be done with the attempt here, and `state` is `unreachable` unless
             *     it is finished.
             */
            unreachable: boolean;
            /** Format: date-time */
            updated_at: string;
            worktree_deleted: boolean;
            worktree_path: string;
        };
        /**
         * @description Changes of a task. A field that is left out or `null` keeps its value: the original front end sends every field, and
         *     `null` for those that it does not change.
         */
        TaskChange: {
            /**
             * @description A new description; `""` clears it.
             * @default null
             */
            description?: string | null;
            /**
             * @description The images of the task from now on; `[]` clears them.
             * @default null
             */
            image_ids?: string[] | null;
            /** @description Another parent, by its id; `""` clears it. */
            parent_task_attempt?: string | null;
            /**
             * @description A new status.
             * @default null
             */
            status?: components["schemas"]["TaskStatus"] | null;
            /**
             * @description A new title.
             * @default null
             */
            title?: string | null;
        };
        /** @description Where an attempt came from, and what came out of it. */
        TaskRelationships: {
            children: components["schemas"]["TaskWithAttemptStatus"][];
            current_attempt: components["schemas"]["TaskAttempt"];
            /** @description The same as `parent_task`. */
            parent: components["schemas"]["TaskWithAttemptStatus"] | null;
            parent_task: components["schemas"]["TaskWithAttemptStatus"] | null;
        };
        /**
         * @description How far a task is.
         * @enum {string}
         */
        TaskStatus: "todo" | "inprogress" | "inreview" | "done" | "cancelled" | "agent" | "archived";
        /** @description What is wanted, with what its attempts make of it. */
        TaskWithAttemptStatus: {
            /** Format: int64 */
            attempt_count: number;
            /** Format: date-time */
            created_at: string;
            description: string | null;
            /** Format: uuid */
            dev_server_id: string | null;
            executor: string;
            has_in_progress_attempt: boolean;
            has_merged_attempt: boolean;
            /** Format: uuid */
            id: string;
            last_attempt_failed: boolean;
            /** Format: uuid */
            parent_task_attempt: string | null;
            /** Format: uuid */
            project_id: string;
            status: components["schemas"]["TaskStatus"];
            task: components["schemas"]["Task"];
            /** @description The attempt by whose id the task was asked for, as an older client does. */
            task_attempt?: components["schemas"]["TaskAttempt"] | null;
            title: string;
            /** Format: date-time */
            updated_at: string;
        };
        /** @description A tag in both spellings. */
        Template: {
            content: string;
            /** Format: date-time */
            created_at: string;
            description: string | null;
            /** Format: uuid */
            id: string;
            /** @description The tag's name. */
            name: string;
            tag_name: string;
            /** @description The text; an object where the text is one, as it was sent. */
            task_template: unknown;
            /** Format: date-time */
            updated_at: string;
        };
        /** @description Changes of a template. A field that is left out or `null` keeps its value. */
        TemplateChange: {
            content?: string | null;
            /** @description `""` clears it. */
            description?: string | null;
            name?: string | null;
            tag_name?: string | null;
            task_template?: components["schemas"]["TemplateText"] | null;
        };
        /** @description A text, or the fields of a task, which are kept as a text too. */
        TemplateText: string | {
            [key: string]: unknown;
        };
        /** @description A thing to do. */
        TodoItem: {
            /** @description What. */
            content: string;
            /** @description How much it matters, where the agent says. */
            priority: string | null;
            /** @description How far it is, in the agent's words. */
            status: string;
        };
        /** @description What a tool does. */
        ToolAction: {
            /** @enum {string} */
            action: "file_read";
            /** @description Below the worktree, where it lies there. */
            path: string;
        } | {
            /** @enum {string} */
            action: "file_edit";
            /** @description What is different. */
            changes: components["schemas"]["FileChange"][];
            /** @description Below the worktree, where it lies there. */
            path: string;
        } | {
            /** @enum {string} */
            action: "command_run";
            /** @description The command. */
            command: string;
            /** @description What came of it, once it has ended. */
            result: components["schemas"]["CommandRunResult"] | null;
        } | {
            /** @enum {string} */
            action: "search";
            /** @description What. */
            query: string;
        } | {
            /** @enum {string} */
            action: "web_fetch";
            /** @description The page, or what was looked for. */
            url: string;
        } | {
            /** @enum {string} */
            action: "tool";
            /** @description What it was given. */
            arguments: unknown;
            /** @description What it gave back. */
            result: components["schemas"]["ToolResult"] | null;
            /** @description Its name. */
            tool_name: string;
        } | {
            /** @enum {string} */
            action: "task_create";
            /** @description On what. */
            description: string;
        } | {
            /** @enum {string} */
            action: "plan_presentation";
            /** @description The plan. */
            plan: string;
        } | {
            /** @enum {string} */
            action: "todo_management";
            /** @description `write`, `read` or `update`. */
            operation: string;
            /** @description The list. */
            todos: components["schemas"]["TodoItem"][];
        } | {
            /** @enum {string} */
            action: "other";
            /** @description What it does. */
            description: string;
        };
        /** @description What a tool gave back. */
        ToolResult: {
            /** @description How to show it. */
            type: components["schemas"]["ToolResultValueType"];
            /** @description The result. */
            value: unknown;
        };
        /** @description How a result is to be shown. */
        ToolResultValueType: {
            /** @enum {string} */
            type: "markdown";
        } | {
            /** @enum {string} */
            type: "json";
        };
        /** @description How far a tool is. */
        ToolStatus: {
            /** @enum {string} */
            status: "created";
        } | {
            /** @enum {string} */
            status: "success";
        } | {
            /** @enum {string} */
            status: "failed";
        } | {
            /** @description Why. */
            reason: string | null;
            /** @enum {string} */
            status: "denied";
        } | {
            /** @description What is to be answered. */
            approval_id: string;
            /**
             * Format: date-time
             * @description When it was asked for.
             */
            requested_at: string;
            /** @enum {string} */
            status: "pending_approval";
            /**
             * Format: date-time
             * @description When it counts as refused.
             */
            timeout_at: string;
        } | {
            /** @enum {string} */
            status: "timed_out";
        };
        /** @description A tool that the agent used. */
        ToolUse: {
            /** @description What it does. */
            action_type: components["schemas"]["ToolAction"];
            /** @description How far it is. */
            status: components["schemas"]["ToolStatus"];
            /** @description The agent's name for it; `mcp:server:tool` for one of an MCP server. */
            tool_name: string;
        };
        /** @description A frame of a transcript: entries that are new or different, or its end. */
        TranscriptFrame: {
            /** @description RFC 6902 operations. */
            JsonPatch: components["schemas"]["TranscriptOperation"][];
            /**
             * Format: uint64
             * @description Where to go on after a break: `?after=`.
             */
            position: number;
        } | {
            finished: boolean;
        };
        /** @description An entry that is new or different. */
        TranscriptOperation: {
            /** @description `add` or `replace`. */
            op: string;
            /** @description `/entries/` and the number of the entry, from 0. */
            path: string;
            /** @description The entry as it is now. */
            value: components["schemas"]["TranscriptValue"];
        };
        /** @description Some entries in a row, oldest first. */
        TranscriptPage: {
            /**
             * Format: uint64
             * @description Where the page before this one ends; null when this one holds the first entry.
             */
            before: number | null;
            entries: components["schemas"]["NumberedEntry"][];
            /**
             * Format: uint64
             * @description How many entries there are by now.
             */
            total: number;
        };
        /** @description An entry, and of what kind it is. */
        TranscriptValue: {
            /** @description The entry. */
            content: components["schemas"]["NormalizedEntry"];
            /** @description `NORMALIZED_ENTRY`. */
            type: string;
        };
        /** @description The variant to confirm. */
        TrustBody: {
            /** @description The variant's `digest` as it was read. If the repository has changed it since, nothing is confirmed (409). */
            digest?: string | null;
            /** @description The executor, such as `CLAUDE_CODE`. */
            executor: string;
            /** @description One of the project's `repository_variants`, or a short name of it. */
            variant: string;
        };
        /**
         * @description Changes of a project. A field that is left out keeps its value. `null` keeps the name, the path and
         *     `fetch_submodules`, and clears every other field: the original front end's form sends it for an emptied field. So does a blank text.
         */
        UpdateProject: {
            /** @description See [`Project::cleanup_script`]. */
            cleanup_script?: string | null;
            /** @description See [`Project::commit_prompt`]. */
            commit_prompt?: string | null;
            /** @description See [`Project::copy_files`]. */
            copy_files?: string | null;
            /**
             * @description The branch that work begins at where none is named; it has to be there. `null` is the one that the repository
             *     has checked out.
             */
            default_base_branch?: string | null;
            /** @description See [`Project::dev_script`]. */
            dev_script?: string | null;
            /** @description Whether submodules are fetched, over https and ssh, from the addresses that the repository names. */
            fetch_submodules?: boolean | null;
            /** @description A new place of the repository. */
            git_repo_path?: string | null;
            /** @description A new name. */
            name?: string | null;
            /** @description See [`Project::setup_script`]. */
            setup_script?: string | null;
            /** @description Whether Forge commits without the `pre-commit` and `commit-msg` hooks (`git commit --no-verify`). */
            skip_commit_hooks?: boolean | null;
            /** @description Whether Forge leaves its commits unsigned; `false`: it signs them if git's settings ask for that. */
            skip_commit_signing?: boolean | null;
        };
        /** @description Tokens and money that turns used up, as far as agents tell. */
        Usage: {
            /**
             * Format: uint64
             * @description Tokens that the model took from its cache.
             */
            cached_tokens: number;
            /**
             * Format: double
             * @description What it cost in US dollars; null where no agent says.
             */
            cost_usd: number | null;
            /**
             * Format: uint64
             * @description Tokens that the model read, without those from its cache.
             */
            input_tokens: number;
            /**
             * Format: uint64
             * @description Tokens that the model wrote, its thoughts among them.
             */
            output_tokens: number;
        };
        /** @description Yes or no. */
        Verdict: {
            reason?: string | null;
            /** @description `approved` or `denied`. */
            status: string;
        };
    };
    responses: {
        /** @description It was not done; `error_data` says why and what to do */
        Problem: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Problem"];
            };
        };
    };
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    listExecutors: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Executor"][];
                        error_data: string | null;
                        message: string | null;
                        /** @constant */
                        success: true;
                    };
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    getExecutorSchema: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: unknown;
                        error_data: string | null;
                        message: string | null;
                        /** @constant */
                        success: true;
                    };
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    respondToApprovalRequest: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ApprovalAnswer"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Responded"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    getApprovalStatus: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Approval"];
                        error_data: string | null;
                        message: string | null;
                        /** @constant */
                        success: true;
                    };
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    createApprovalRequest: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateApproval"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Asked"];
                        error_data: string | null;
                        message: string | null;
                        /** @constant */
                        success: true;
                    };
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    getPendingApprovals: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["PendingApproval"][];
                        error_data: string | null;
                        message: string | null;
                        /** @constant */
                        success: true;
                    };
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    authGithubCheck: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: string;
                        error_data: string | null;
                        message: string | null;
                        /** @constant */
                        success: true;
                    };
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    authGithubDevicePoll: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["Poll"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: string;
                        error_data: string | null;
                        message: string | null;
                        /** @constant */
                        success: true;
                    };
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    authGithubDeviceStart: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["DeviceCode"];
                        error_data: string | null;
                        message: string | null;
                        /** @constant */
                        success: true;
                    };
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    getConfig: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Config"];
                        error_data: string | null;
                        message: string | null;
                        /** @constant */
                        success: true;
                    };
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    updateConfig: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ConfigChange"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Config"];
                        error_data: string | null;
                        message: string | null;
                        /** @constant */
                        success: true;
                    };
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    getContainerInfo: {
        parameters: {
            query: {
                /** @description The whole path of a worktree, or of something in it. */
                ref: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Container"];
                        error_data: string | null;
                        message: string | null;
                        /** @constant */
                        success: true;
                    };
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    streamDrafts: {
        parameters: {
            query: {
                /**
                 * @description Goes on after the `position` of a frame. Without it, or when the log does not reach back so far, the first
                 *     frame holds everything.
                 */
                after?: number | null;
                project_id: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A WebSocket of text frames, each one JSON value */
            101: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PatchFrame"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    subscribeToEvents: {
        parameters: {
            query?: {
                /** @description Goes on after this place; 0 is everything that is kept. */
                after?: number | null;
                /** @description `events` leaves out the `json_patch` messages, `json_patch` the named ones; both are sent without it. */
                format?: "events" | "json_patch" | null;
                /** @description Only what belongs to this project. */
                project_id?: string | null;
            };
            header?: {
                /** @description The `id` of the last event that was heard: goes on after it. Browsers send it by themselves. */
                "last-event-id"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": string;
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    listExecutionProcesses: {
        parameters: {
            query: {
                /**
                 * @description Goes on where the page with this `X-Next-Cursor` ended. What was added meanwhile neither hides anything nor
                 *     brings it twice.
                 */
                cursor?: string | null;
                /**
                 * @description Only so many of the list, at most 1000. The header `X-Next-Cursor` tells how to go on; without it this was the
                 *     last page.
                 */
                limit?: number | null;
                /** @description Whether processes are shown whose turn another one took the place of. */
                show_soft_deleted?: boolean;
                task_attempt_id: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    /** @description The request for the next page, as `rel="next"`. */
                    Link?: string;
                    /** @description Where the next page begins, to be given back as `cursor`; none after the last. */
                    "X-Next-Cursor"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["ExecutionProcess"][];
                        error_data: string | null;
                        message: string | null;
                        /** @constant */
                        success: true;
                    };
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    getExecutionProcess: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["ExecutionProcess"];
                        error_data: string | null;
                        message: string | null;
                        /** @constant */
                        success: true;
                    };
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    getProcessCaps: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["CapsOf"] | null;
                        error_data: string | null;
                        message: string | null;
                        /** @constant */
                        success: true;
                    };
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    listEntries: {
        parameters: {
            query?: {
                /** @description Only entries with a smaller index: the `before` of the page that was read last. */
                before?: number | null;
                /** @description So many at most, up to 1000; 100 if it is left out. A page of long entries may hold fewer. */
                limit?: number | null;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["TranscriptPage"];
                        error_data: string | null;
                        message: string | null;
                        /** @constant */
                        success: true;
                    };
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    getEntry: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                index: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["NumberedEntry"];
                        error_data: string | null;
                        message: string | null;
                        /** @constant */
                        success: true;
                    };
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    streamNormalizedLogs: {
        parameters: {
            query?: {
                /** @description Goes on after this position. */
                after?: number;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A WebSocket of text frames, each one JSON value */
            101: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TranscriptFrame"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    getOutput: {
        parameters: {
            query?: {
                /** @description Only what was printed after this position. */
                after?: number;
                /** @description Only the last so many lines. */
                tail?: number | null;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    listRawLogs: {
        parameters: {
            query?: {
                /** @description Only what was printed after this position. */
                after?: number;
                /** @description So many entries at most, up to 10000; 1000 if it is left out. A page of long entries may hold fewer. */
                limit?: number | null;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["RawPage"];
                        error_data: string | null;
                        message: string | null;
                        /** @constant */
                        success: true;
                    };
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    streamRawLogs: {
        parameters: {
            query?: {
                /** @description Goes on after this position. */
                after?: number;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A WebSocket of text frames, each one JSON value */
            101: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PatchFrame"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    stopExecutionProcess: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["ExecutionProcess"];
                        error_data: string | null;
                        message: string | null;
                        /** @constant */
                        success: true;
                    };
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    streamExecutionProcesses: {
        parameters: {
            query: {
                /**
                 * @description Goes on after the `position` of a frame. Without it, or when the log does not reach back so far, the first
                 *     frame holds everything.
                 */
                after?: number | null;
                /** @description Whether processes are shown whose turn another one took the place of. */
                show_soft_deleted?: boolean;
                task_attempt_id: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A WebSocket of text frames, each one JSON value */
            101: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PatchFrame"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    listExecutionRuns: {
        parameters: {
            query?: {
                /**
                 * @description Goes on where the page with this `X-Next-Cursor` ended. What was added meanwhile neither hides anything nor
                 *     brings it twice.
                 */
                cursor?: string | null;
                /**
                 * @description Only so many of the list, at most 1000. The header `X-Next-Cursor` tells how to go on; without it this was the
                 *     last page.
                 */
                limit?: number | null;
                /** @description Of one project only. */
                project_id?: string | null;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    /** @description The request for the next page, as `rel="next"`. */
                    Link?: string;
                    /** @description Where the next page begins, to be given back as `cursor`; none after the last. */
                    "X-Next-Cursor"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["ExecutionRun"][];
                        error_data: string | null;
                        message: string | null;
                        /** @constant */
                        success: true;
                    };
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    createExecutionRun: {
        parameters: {
            query?: never;
            header?: {
                /** @description Repeating a call with the same key and body gives the same answer. */
                "idempotency-key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateExecutionRun"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["StartedRun"];
                        error_data: string | null;
                        message: string | null;
                        /** @constant */
                        success: true;
                    };
                };
            };
            /** @description It stands in the queue */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["StartedRun"];
                        error_data: string | null;
                        message: string | null;
                        /** @constant */
                        success: true;
                    };
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    getExecutionRun: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["ExecutionRun"];
                        error_data: string | null;
                        message: string | null;
                        /** @constant */
                        success: true;
                    };
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    deleteExecutionRun: {
        parameters: {
            query?: {
                /** @description Whether branch and snapshots go as well. */
                discard?: boolean;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: string | null;
                        error_data: string | null;
                        message: string | null;
                        /** @constant */
                        success: true;
                    };
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    followUpExecutionRun: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["FollowUpBody"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["FollowedUp"];
                        error_data: string | null;
                        message: string | null;
                        /** @constant */
                        success: true;
                    };
                };
            };
            /** @description It stands in the queue */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["FollowedUp"];
                        error_data: string | null;
                        message: string | null;
                        /** @constant */
                        success: true;
                    };
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    interruptExecutionRun: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["ExecutionRun"];
                        error_data: string | null;
                        message: string | null;
                        /** @constant */
                        success: true;
                    };
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    streamExecutionRunLogs: {
        parameters: {
            query?: {
                /** @description Goes on after this position. */
                after?: number;
                /** @description Of this process and not of the newest: a position is one process's. */
                execution_process_id?: string | null;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A WebSocket of text frames, each one JSON value */
            101: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunFrame"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    listExecutionRunProcesses: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["ExecutionProcess"][];
                        error_data: string | null;
                        message: string | null;
                        /** @constant */
                        success: true;
                    };
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    restoreExecutionRunSnapshot: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Restore"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["ExecutionRun"];
                        error_data: string | null;
                        message: string | null;
                        /** @constant */
                        success: true;
                    };
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    listExecutionRunSnapshots: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Snapshot"][];
                        error_data: string | null;
                        message: string | null;
                        /** @constant */
                        success: true;
                    };
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    stopExecutionRun: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["StoppedRun"];
                        error_data: string | null;
                        message: string | null;
                        /** @constant */
                        success: true;
                    };
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    listDirectory: {
        parameters: {
            query?: {
                /** @description A whole path, from `/` or `~` on. */
                path?: string | null;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Listing"];
                        error_data: string | null;
                        message: string | null;
                        /** @constant */
                        success: true;
                    };
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    listGitRepositories: {
        parameters: {
            query?: {
                /** @description A whole path, from `/` or `~` on. */
                path?: string | null;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Repository"][];
                        error_data: string | null;
                        message: string | null;
                        /** @constant */
                        success: true;
                    };
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    getForgeAgents: {
        parameters: {
            query: {
                /** @description Those of this type only. */
                agent_type?: string | null;
                project_id: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["StandingAgent"][];
                        error_data: string | null;
                        message: string | null;
                        /** @constant */
                        success: true;
                    };
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    createForgeAgent: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateStandingAgent"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["StandingAgent"];
                        error_data: string | null;
                        message: string | null;
                        /** @constant */
                        success: true;
                    };
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    getAuthRequired: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuthRequired"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    getForgeConfig: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Settings"];
                        error_data: string | null;
                        message: string | null;
                        /** @constant */
                        success: true;
                    };
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    updateForgeConfig: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SettingsChange"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Settings"];
                        error_data: string | null;
                        message: string | null;
                        /** @constant */
                        success: true;
                    };
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    listNodes: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Node"][];
                        error_data: string | null;
                        message: string | null;
                        /** @constant */
                        success: true;
                    };
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    forgetNode: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["ForgottenNode"];
                        error_data: string | null;
                        message: string | null;
                        /** @constant */
                        success: true;
                    };
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    listOmniInstances: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OmniInstances"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    listOmniNotifications: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OmniNotifications"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    getOmniStatus: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OmniStatus"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    validateOmni: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["OmniAccount"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OmniVerdict"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    getProjectBranchStatus: {
        parameters: {
            query?: {
                /** @description The remote's branch to compare with; `main` where it is left out. */
                base?: string | null;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["BranchStatus"];
                        error_data: string | null;
                        message: string | null;
                        /** @constant */
                        success: true;
                    };
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    getProjectProfiles: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["ProjectProfiles"];
                        error_data: string | null;
                        message: string | null;
                        /** @constant */
                        success: true;
                    };
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    trustProjectVariant: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TrustBody"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["ProjectProfiles"];
                        error_data: string | null;
                        message: string | null;
                        /** @constant */
                        success: true;
                    };
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    pullProject: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Pulled"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    getProjectSettings: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Settings"];
                        error_data: string | null;
                        message: string | null;
                        /** @constant */
                        success: true;
                    };
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    updateProjectSettings: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SettingsChange"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Settings"];
                        error_data: string | null;
                        message: string | null;
                        /** @constant */
                        success: true;
                    };
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    listReleases: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Release"][];
                        error_data: string | null;
                        message: string | null;
                        /** @constant */
                        success: true;
                    };
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    collect: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["Collect"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Collection"];
                        error_data: string | null;
                        message: string | null;
                        /** @constant */
                        success: true;
                    };
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    apiHealth: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: string;
                        error_data: string | null;
                        message: string | null;
                        /** @constant */
                        success: true;
                    };
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    deleteImage: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: string | null;
                        error_data: string | null;
                        message: string | null;
                        /** @constant */
                        success: true;
                    };
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    getImageFile: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "image/*": string;
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    getTaskImages: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                task_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Image"][];
                        error_data: string | null;
                        message: string | null;
                        /** @constant */
                        success: true;
                    };
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    uploadTaskImage: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                task_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": {
                    /** Format: binary */
                    file?: string;
                    /** Format: binary */
                    image?: string;
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Image"];
                        error_data: string | null;
                        message: string | null;
                        /** @constant */
                        success: true;
                    };
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    uploadImage: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": {
                    /** Format: binary */
                    file?: string;
                    /** Format: binary */
                    image?: string;
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Image"];
                        error_data: string | null;
                        message: string | null;
                        /** @constant */
                        success: true;
                    };
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    getSystemInfo: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Info"];
                        error_data: string | null;
                        message: string | null;
                        /** @constant */
                        success: true;
                    };
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    getMcpConfig: {
        parameters: {
            query: {
                /** @description The executor, such as `CLAUDE_CODE`. */
                executor: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["McpReply"];
                        error_data: string | null;
                        message: string | null;
                        /** @constant */
                        success: true;
                    };
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    updateMcpConfig: {
        parameters: {
            query: {
                /** @description The executor, such as `CLAUDE_CODE`. */
                executor: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["McpBody"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: string;
                        error_data: string | null;
                        message: string | null;
                        /** @constant */
                        success: true;
                    };
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    openapi: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": unknown;
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    getExecutorProfiles: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Profiles"];
                        error_data: string | null;
                        message: string | null;
                        /** @constant */
                        success: true;
                    };
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    updateExecutorProfiles: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": Record<string, never>;
                "text/plain": string;
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: string;
                        error_data: string | null;
                        message: string | null;
                        /** @constant */
                        success: true;
                    };
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    listProjects: {
        parameters: {
            query?: {
                /**
                 * @description Goes on where the page with this `X-Next-Cursor` ended. What was added meanwhile neither hides anything nor
                 *     brings it twice.
                 */
                cursor?: string | null;
                /**
                 * @description Only so many of the list, at most 1000. The header `X-Next-Cursor` tells how to go on; without it this was the
                 *     last page.
                 */
                limit?: number | null;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    /** @description The request for the next page, as `rel="next"`. */
                    Link?: string;
                    /** @description Where the next page begins, to be given back as `cursor`; none after the last. */
                    "X-Next-Cursor"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Project"][];
                        error_data: string | null;
                        message: string | null;
                        /** @constant */
                        success: true;
                    };
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    createProject: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateProject"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Project"];
                        error_data: string | null;
                        message: string | null;
                        /** @constant */
                        success: true;
                    };
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    getProject: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Project"];
                        error_data: string | null;
                        message: string | null;
                        /** @constant */
                        success: true;
                    };
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    updateProject: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ProjectChange"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Project"];
                        error_data: string | null;
                        message: string | null;
                        /** @constant */
                        success: true;
                    };
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    deleteProject: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: string | null;
                        error_data: string | null;
                        message: string | null;
                        /** @constant */
                        success: true;
                    };
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    listProjectBranches: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Branch"][];
                        error_data: string | null;
                        message: string | null;
                        /** @constant */
                        success: true;
                    };
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    getProjectDisk: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Disk"];
                        error_data: string | null;
                        message: string | null;
                        /** @constant */
                        success: true;
                    };
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    openProjectInEditor: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["OpenBody"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Opened"];
                        error_data: string | null;
                        message: string | null;
                        /** @constant */
                        success: true;
                    };
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    searchProjectFiles: {
        parameters: {
            query: {
                /** @description `settings` looks in ignored files too; everything else, in those that git does not ignore. */
                mode?: string | null;
                /** @description A part of the path, in any case. */
                q: string;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["SearchResult"][];
                        error_data: string | null;
                        message: string | null;
                        /** @constant */
                        success: true;
                    };
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    listProjectTasks: {
        parameters: {
            query?: {
                /**
                 * @description Goes on where the page with this `X-Next-Cursor` ended. What was added meanwhile neither hides anything nor
                 *     brings it twice.
                 */
                cursor?: string | null;
                /**
                 * @description Only so many of the list, at most 1000. The header `X-Next-Cursor` tells how to go on; without it this was the
                 *     last page.
                 */
                limit?: number | null;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    /** @description The request for the next page, as `rel="next"`. */
                    Link?: string;
                    /** @description Where the next page begins, to be given back as `cursor`; none after the last. */
                    "X-Next-Cursor"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["TaskWithAttemptStatus"][];
                        error_data: string | null;
                        message: string | null;
                        /** @constant */
                        success: true;
                    };
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    createProjectTask: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateTask"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["TaskWithAttemptStatus"];
                        error_data: string | null;
                        message: string | null;
                        /** @constant */
                        success: true;
                    };
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    getProjectTask: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                task_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["TaskWithAttemptStatus"];
                        error_data: string | null;
                        message: string | null;
                        /** @constant */
                        success: true;
                    };
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    updateProjectTask: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                task_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TaskChange"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["TaskWithAttemptStatus"];
                        error_data: string | null;
                        message: string | null;
                        /** @constant */
                        success: true;
                    };
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    deleteProjectTask: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                task_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Taken on; it is not done yet */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: string | null;
                        error_data: string | null;
                        message: string | null;
                        /** @constant */
                        success: true;
                    };
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    createAndStartProjectTask: {
        parameters: {
            query?: never;
            header?: {
                /** @description Repeating a call with the same key and body gives the same answer. */
                "idempotency-key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateAndStart"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["StartedAttempt"];
                        error_data: string | null;
                        message: string | null;
                        /** @constant */
                        success: true;
                    };
                };
            };
            /** @description The attempt stands in the queue */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["StartedAttempt"];
                        error_data: string | null;
                        message: string | null;
                        /** @constant */
                        success: true;
                    };
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    streamProjectTasks: {
        parameters: {
            query?: {
                /**
                 * @description Goes on after the `position` of a frame. Without it, or when the log does not reach back so far, the first
                 *     frame holds everything.
                 */
                after?: number | null;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A WebSocket of text frames, each one JSON value */
            101: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PatchFrame"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    getProjectUsage: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Usage"];
                        error_data: string | null;
                        message: string | null;
                        /** @constant */
                        success: true;
                    };
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    streamProjects: {
        parameters: {
            query?: {
                /**
                 * @description Goes on after the `position` of a frame. Without it, or when the log does not reach back so far, the first
                 *     frame holds everything.
                 */
                after?: number | null;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A WebSocket of text frames, each one JSON value */
            101: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PatchFrame"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    listRoutes: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Routes"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    getNotificationSound: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                sound: "ABSTRACT_SOUND1" | "ABSTRACT_SOUND2" | "ABSTRACT_SOUND3" | "ABSTRACT_SOUND4" | "GENIE_NOTIFY1" | "GENIE_NOTIFY2" | "PHONE_VIBRATION";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "audio/wav": string;
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    listTags: {
        parameters: {
            query?: {
                /** @description Part of the name, in capital letters or not. */
                search?: string | null;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Tag"][];
                        error_data: string | null;
                        message: string | null;
                        /** @constant */
                        success: true;
                    };
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    createTag: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateTag"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Tag"];
                        error_data: string | null;
                        message: string | null;
                        /** @constant */
                        success: true;
                    };
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    getTag: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Tag"];
                        error_data: string | null;
                        message: string | null;
                        /** @constant */
                        success: true;
                    };
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    updateTag: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TagChange"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Tag"];
                        error_data: string | null;
                        message: string | null;
                        /** @constant */
                        success: true;
                    };
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    deleteTag: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: string | null;
                        error_data: string | null;
                        message: string | null;
                        /** @constant */
                        success: true;
                    };
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    listTaskAttempts: {
        parameters: {
            query?: {
                /**
                 * @description Goes on where the page with this `X-Next-Cursor` ended. What was added meanwhile neither hides anything nor
                 *     brings it twice.
                 */
                cursor?: string | null;
                /**
                 * @description Only so many of the list, at most 1000. The header `X-Next-Cursor` tells how to go on; without it this was the
                 *     last page.
                 */
                limit?: number | null;
                /** @description Of one task only. */
                task_id?: string | null;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    /** @description The request for the next page, as `rel="next"`. */
                    Link?: string;
                    /** @description Where the next page begins, to be given back as `cursor`; none after the last. */
                    "X-Next-Cursor"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["TaskAttempt"][];
                        error_data: string | null;
                        message: string | null;
                        /** @constant */
                        success: true;
                    };
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    createTaskAttempt: {
        parameters: {
            query?: never;
            header?: {
                /** @description Repeating a call with the same key and body gives the same answer. */
                "idempotency-key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["StartBody"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["StartedAttempt"];
                        error_data: string | null;
                        message: string | null;
                        /** @constant */
                        success: true;
                    };
                };
            };
            /** @description It stands in the queue */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["StartedAttempt"];
                        error_data: string | null;
                        message: string | null;
                        /** @constant */
                        success: true;
                    };
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    getTaskAttempt: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["TaskAttempt"];
                        error_data: string | null;
                        message: string | null;
                        /** @constant */
                        success: true;
                    };
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    deleteTaskAttempt: {
        parameters: {
            query?: {
                /** @description Whether branch and snapshots go as well. */
                discard?: boolean;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: string | null;
                        error_data: string | null;
                        message: string | null;
                        /** @constant */
                        success: true;
                    };
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    getTaskAttemptBranchStatus: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["BranchStatus"];
                        error_data: string | null;
                        message: string | null;
                        /** @constant */
                        success: true;
                    };
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    changeTaskAttemptTargetBranch: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TargetChange"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["ChangedTarget"];
                        error_data: string | null;
                        message: string | null;
                        /** @constant */
                        success: true;
                    };
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    getTaskAttemptChildren: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["TaskRelationships"];
                        error_data: string | null;
                        message: string | null;
                        /** @constant */
                        success: true;
                    };
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    compareCommitToHead: {
        parameters: {
            query: {
                /** @description The commit's name, or the first digits of it. */
                sha: string;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["CommitCompare"];
                        error_data: string | null;
                        message: string | null;
                        /** @constant */
                        success: true;
                    };
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    getCommitInfo: {
        parameters: {
            query: {
                /** @description The commit's name, or the first digits of it. */
                sha: string;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["CommitInfo"];
                        error_data: string | null;
                        message: string | null;
                        /** @constant */
                        success: true;
                    };
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    abortTaskAttemptConflicts: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: string | null;
                        error_data: string | null;
                        message: string | null;
                        /** @constant */
                        success: true;
                    };
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    deleteTaskAttemptFile: {
        parameters: {
            query: {
                /** @description As the diff has it: relative to the worktree's top. */
                file_path: string;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: string | null;
                        error_data: string | null;
                        message: string | null;
                        /** @constant */
                        success: true;
                    };
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    getTaskDiff: {
        parameters: {
            query?: {
                /** @description Whether what is in the files is left out. */
                stats_only?: boolean;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["DiffCopy"];
                        error_data: string | null;
                        message: string | null;
                        /** @constant */
                        success: true;
                    };
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    streamTaskDiff: {
        parameters: {
            query?: {
                /** @description The `position` of the last frame, for who comes back: the first frame empties its copy then. */
                after?: number | null;
                /** @description Whether what is in the files is left out. */
                stats_only?: boolean;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A WebSocket of text frames, each one JSON value */
            101: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PatchFrame"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    getTaskAttemptDisk: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Disk"];
                        error_data: string | null;
                        message: string | null;
                        /** @constant */
                        success: true;
                    };
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    getDraft: {
        parameters: {
            query?: {
                /** @description `follow_up`, which is meant when it is left out, or `retry`. */
                type?: "follow_up" | "retry" | null;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Draft"];
                        error_data: string | null;
                        message: string | null;
                        /** @constant */
                        success: true;
                    };
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    updateDraft: {
        parameters: {
            query?: {
                /** @description `follow_up`, which is meant when it is left out, or `retry`. */
                type?: "follow_up" | "retry" | null;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DraftBody"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Draft"];
                        error_data: string | null;
                        message: string | null;
                        /** @constant */
                        success: true;
                    };
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    saveDraft: {
        parameters: {
            query?: {
                /** @description `follow_up`, which is meant when it is left out, or `retry`. */
                type?: "follow_up" | "retry" | null;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DraftBody"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Draft"];
                        error_data: string | null;
                        message: string | null;
                        /** @constant */
                        success: true;
                    };
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    deleteDraft: {
        parameters: {
            query?: {
                /** @description `follow_up`, which is meant when it is left out, or `retry`. */
                type?: "follow_up" | "retry" | null;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: string | null;
                        error_data: string | null;
                        message: string | null;
                        /** @constant */
                        success: true;
                    };
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    queueDraftExecution: {
        parameters: {
            query?: {
                /** @description `follow_up`, which is meant when it is left out, or `retry`. */
                type?: "follow_up" | "retry" | null;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["QueueBody"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["QueuedDraft"];
                        error_data: string | null;
                        message: string | null;
                        /** @constant */
                        success: true;
                    };
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    followUpTaskAttempt: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["FollowUpBody"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["FollowedUp"];
                        error_data: string | null;
                        message: string | null;
                        /** @constant */
                        success: true;
                    };
                };
            };
            /** @description It stands in the queue */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["FollowedUp"];
                        error_data: string | null;
                        message: string | null;
                        /** @constant */
                        success: true;
                    };
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    listFollowUps: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["FollowUp"][];
                        error_data: string | null;
                        message: string | null;
                        /** @constant */
                        success: true;
                    };
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    updateFollowUp: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                follow_up_id: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["FollowUpChange"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["FollowUp"];
                        error_data: string | null;
                        message: string | null;
                        /** @constant */
                        success: true;
                    };
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    deleteFollowUp: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                follow_up_id: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: string | null;
                        error_data: string | null;
                        message: string | null;
                        /** @constant */
                        success: true;
                    };
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    interruptTaskAttempt: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["TaskAttempt"];
                        error_data: string | null;
                        message: string | null;
                        /** @constant */
                        success: true;
                    };
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    streamTaskAttemptLogs: {
        parameters: {
            query?: {
                /** @description Goes on after this position. */
                after?: number;
            };
            header?: {
                /** @description The `id` of the last event that was heard: goes on after it. Browsers send it by themselves. */
                "last-event-id"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": string;
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    mergeTaskAttempt: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Merged"];
                        error_data: string | null;
                        message: string | null;
                        /** @constant */
                        success: true;
                    };
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    getTaskAttemptOffers: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Offers"];
                        error_data: string | null;
                        message: string | null;
                        /** @constant */
                        success: true;
                    };
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    openTaskAttemptInEditor: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["OpenBody"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Opened"];
                        error_data: string | null;
                        message: string | null;
                        /** @constant */
                        success: true;
                    };
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    createTaskAttemptPullRequest: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PullRequestBody"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["NewPullRequest"];
                        error_data: string | null;
                        message: string | null;
                        /** @constant */
                        success: true;
                    };
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    attachExistingPullRequest: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["AttachBody"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["AttachedPullRequest"];
                        error_data: string | null;
                        message: string | null;
                        /** @constant */
                        success: true;
                    };
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    pushTaskAttemptBranch: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: string | null;
                        error_data: string | null;
                        message: string | null;
                        /** @constant */
                        success: true;
                    };
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    rebaseTaskAttempt: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["RebaseBody"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Rebased"];
                        error_data: string | null;
                        message: string | null;
                        /** @constant */
                        success: true;
                    };
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    replaceTaskAttemptProcess: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ReplaceBody"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Replaced"];
                        error_data: string | null;
                        message: string | null;
                        /** @constant */
                        success: true;
                    };
                };
            };
            /** @description The attempt stands in the queue; the turn is replaced when it comes */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Replaced"];
                        error_data: string | null;
                        message: string | null;
                        /** @constant */
                        success: true;
                    };
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    restoreSnapshot: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Restore"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["TaskAttempt"];
                        error_data: string | null;
                        message: string | null;
                        /** @constant */
                        success: true;
                    };
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    runAgentSetup: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SetupBody"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: string | null;
                        error_data: string | null;
                        message: string | null;
                        /** @constant */
                        success: true;
                    };
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    listSnapshots: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Snapshot"][];
                        error_data: string | null;
                        message: string | null;
                        /** @constant */
                        success: true;
                    };
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    startDevServer: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["DevServer"];
                        error_data: string | null;
                        message: string | null;
                        /** @constant */
                        success: true;
                    };
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    stopTaskAttemptExecution: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["StoppedTaskAttempt"];
                        error_data: string | null;
                        message: string | null;
                        /** @constant */
                        success: true;
                    };
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    getTaskAttemptUsage: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Usage"];
                        error_data: string | null;
                        message: string | null;
                        /** @constant */
                        success: true;
                    };
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    listTasks: {
        parameters: {
            query: {
                /**
                 * @description Goes on where the page with this `X-Next-Cursor` ended. What was added meanwhile neither hides anything nor
                 *     brings it twice.
                 */
                cursor?: string | null;
                /**
                 * @description Only so many of the list, at most 1000. The header `X-Next-Cursor` tells how to go on; without it this was the
                 *     last page.
                 */
                limit?: number | null;
                project_id: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    /** @description The request for the next page, as `rel="next"`. */
                    Link?: string;
                    /** @description Where the next page begins, to be given back as `cursor`; none after the last. */
                    "X-Next-Cursor"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["TaskWithAttemptStatus"][];
                        error_data: string | null;
                        message: string | null;
                        /** @constant */
                        success: true;
                    };
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    createTask: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateTask"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["TaskWithAttemptStatus"];
                        error_data: string | null;
                        message: string | null;
                        /** @constant */
                        success: true;
                    };
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    getTask: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["TaskWithAttemptStatus"];
                        error_data: string | null;
                        message: string | null;
                        /** @constant */
                        success: true;
                    };
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    updateTask: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TaskChange"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["TaskWithAttemptStatus"];
                        error_data: string | null;
                        message: string | null;
                        /** @constant */
                        success: true;
                    };
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    deleteTask: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Taken on; it is not done yet */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: string | null;
                        error_data: string | null;
                        message: string | null;
                        /** @constant */
                        success: true;
                    };
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    startTaskAttempt: {
        parameters: {
            query?: never;
            header?: {
                /** @description Repeating a call with the same key and body gives the same answer. */
                "idempotency-key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["StartBody"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["StartedAttempt"];
                        error_data: string | null;
                        message: string | null;
                        /** @constant */
                        success: true;
                    };
                };
            };
            /** @description It stands in the queue */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["StartedAttempt"];
                        error_data: string | null;
                        message: string | null;
                        /** @constant */
                        success: true;
                    };
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    getTaskUsage: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Usage"];
                        error_data: string | null;
                        message: string | null;
                        /** @constant */
                        success: true;
                    };
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    createAndStartTask: {
        parameters: {
            query?: never;
            header?: {
                /** @description Repeating a call with the same key and body gives the same answer. */
                "idempotency-key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateAndStart"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["StartedTask"];
                        error_data: string | null;
                        message: string | null;
                        /** @constant */
                        success: true;
                    };
                };
            };
            /** @description The attempt stands in the queue */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["StartedTask"];
                        error_data: string | null;
                        message: string | null;
                        /** @constant */
                        success: true;
                    };
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    streamTasks: {
        parameters: {
            query: {
                /**
                 * @description Goes on after the `position` of a frame. Without it, or when the log does not reach back so far, the first
                 *     frame holds everything.
                 */
                after?: number | null;
                project_id: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A WebSocket of text frames, each one JSON value */
            101: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PatchFrame"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    listTaskTemplates: {
        parameters: {
            query?: {
                /** @description Part of the name, in capital letters or not. */
                search?: string | null;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Template"][];
                        error_data: string | null;
                        message: string | null;
                        /** @constant */
                        success: true;
                    };
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    createTaskTemplate: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateTemplate"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Template"];
                        error_data: string | null;
                        message: string | null;
                        /** @constant */
                        success: true;
                    };
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    getTaskTemplate: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Template"];
                        error_data: string | null;
                        message: string | null;
                        /** @constant */
                        success: true;
                    };
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    updateTaskTemplate: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TemplateChange"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Template"];
                        error_data: string | null;
                        message: string | null;
                        /** @constant */
                        success: true;
                    };
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    deleteTaskTemplate: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: string | null;
                        error_data: string | null;
                        message: string | null;
                        /** @constant */
                        success: true;
                    };
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    docs: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    healthCheck: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Health"];
                };
            };
            /** @description The database does not answer */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Health"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    mcp: {
        parameters: {
            query?: never;
            header?: {
                /** @description The version that `initialize` answered with. */
                "mcp-protocol-version"?: string;
                /** @description The session that the answer to `initialize` named: `notifications/cancelled` reaches its calls. */
                "mcp-session-id"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RpcMessages"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RpcAnswers"];
                };
            };
            /** @description There is nothing to answer */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description It cannot be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RpcAnswers"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    metrics: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    webManifest: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/manifest+json": string;
                };
            };
            default: components["responses"]["Problem"];
        };
    };
}
