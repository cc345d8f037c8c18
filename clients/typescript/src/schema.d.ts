// Made from docs/openapi.json by `npm run types`: do not edit.

export interface paths {
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
        /** Whether it serves */
        get: operations["apiHealth"];
        put?: never;
        post?: never;
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
        /** Changes a project; what is missing stays */
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
    "/api/task-attempts/{id}/stop": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Stops what runs; answers when nothing of it runs any more */
        post: operations["stopTaskAttemptExecution"];
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
        /** Changes a task; what is missing stays */
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
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        ActionType: {
            executor_profile_id: components["schemas"]["ProfileId"] | null;
            prompt: string;
            /** @constant */
            type: "CodingAgentInitialRequest";
        } | {
            executor_profile_id: components["schemas"]["ProfileId"] | null;
            prompt: string;
            session_id: string;
            /** @constant */
            type: "CodingAgentFollowUpRequest";
        } | {
            context: string;
            language: string;
            script: string;
            /** @constant */
            type: "ScriptRequest";
        };
        /** @description Who works: `"CLAUDE_CODE"`, `"CLAUDE_CODE:PLAN"`, or both apart. */
        AnyProfile: string | {
            executor?: string;
            variant?: string | null;
        };
        /** @description A branch of a repository. */
        Branch: {
            is_current: boolean;
            is_remote: boolean;
            /** Format: date-time */
            last_commit_date: string;
            name: string;
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
            unregistered: string[];
        };
        /** @description A task to make and start: the task nested under `task`, or its fields beside the others. */
        CreateAndStart: {
            base_branch?: string | null;
            description?: string | null;
            executor_profile_id?: components["schemas"]["AnyProfile"] | null;
            /** Format: uuid */
            parent_task_attempt?: string | null;
            /** Format: uuid */
            project_id?: string | null;
            task?: components["schemas"]["NewTask"] | null;
            title?: string | null;
            use_worktree?: boolean | null;
        };
        /** @description Bytes. */
        Disk: {
            /** Format: uint64 */
            cache: number;
            /** Format: uint64 */
            logs: number;
            /** Format: uint64 */
            pool: number;
            /** Format: uint64 */
            tmp: number;
            /** Format: uint64 */
            total: number;
            /** Format: uint64 */
            worktrees: number;
        };
        /** @description One program run in an attempt. */
        ExecutionProcess: {
            after_head_commit: string | null;
            before_head_commit: string | null;
            /** Format: date-time */
            completed_at: string | null;
            /** Format: date-time */
            created_at: string;
            dropped: boolean;
            execution_run_id: null;
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
            /** Format: uuid */
            task_attempt_id: string;
            /** Format: date-time */
            updated_at: string;
        };
        /** @description What was run. `next_action` is always null: what comes next is the attempt's affair, not its process's. */
        ExecutorAction: {
            next_action: null;
            typ: components["schemas"]["ActionType"];
        };
        /** @description What a follow-up came to: the process that runs, or its place in the queue. */
        FollowedUp: components["schemas"]["ExecutionProcess"] | components["schemas"]["Queued"];
        /** @description A prompt that waits for its turn. */
        FollowUp: {
            /** Format: date-time */
            created_at: string;
            /** Format: uuid */
            id: string;
            prompt: string;
            /** Format: uuid */
            task_attempt_id: string;
            variant: string | null;
        };
        /** @description What the agent is told next. */
        FollowUpBody: {
            follow_up_prompt?: string | null;
            prompt?: string | null;
            retry_process_id?: unknown;
            variant?: string | null;
        };
        /** @description That the server serves. */
        Health: {
            message: string;
            service: string;
            status: string;
            version: string;
        };
        Left: {
            /** Format: uuid */
            task_attempt_id: string;
            why: string;
            worktree_path: string;
        };
        /** @description A project to make. */
        NewProject: {
            cleanup_script?: string | null;
            commit_prompt?: string | null;
            copy_files?: string | null;
            dev_script?: string | null;
            git_repo_path?: string | null;
            name: string;
            /** @description An older client's name for it. */
            repo_path?: string | null;
            setup_script?: string | null;
            /** @description Some clients leave it out: then the repository is there. */
            use_existing_repo?: boolean | null;
        };
        /** @description A task to make. The project may stand in the path instead. */
        NewTask: {
            description?: string | null;
            /** Format: uuid */
            parent_task_attempt?: string | null;
            /** Format: uuid */
            project_id?: string | null;
            title: string;
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
        /** @description Why something was not done. */
        Problem: {
            data: null;
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
        /** @description A git repository that Forge works on. */
        Project: {
            cleanup_script: string | null;
            commit_prompt: string | null;
            copy_files: string | null;
            /** Format: date-time */
            created_at: string;
            dev_script: string | null;
            git_repo_path: string;
            /** Format: uuid */
            id: string;
            name: string;
            setup_script: string | null;
            /** Format: date-time */
            updated_at: string;
        };
        /** @description What shall be different in a project. */
        ProjectChange: components["schemas"]["UpdateProject"];
        /** @description The answer to a follow-up that has to wait. */
        Queued: {
            /** Format: uint */
            ahead: number;
            follow_up: components["schemas"]["FollowUp"];
            queued: boolean;
        };
        /** @description Why something failed, and what to do. */
        Reason: {
            code: string;
            hint: string;
            message: string;
        };
        /** @description What to put back. */
        Restore: {
            /** @description A snapshot's name. */
            snapshot: string;
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
        /** @description An attempt to start for a task that is there. The task may stand in the path instead. */
        StartBody: {
            base_branch?: string | null;
            /** @description An older client's name for it. */
            executor?: components["schemas"]["AnyProfile"] | null;
            executor_profile_id?: components["schemas"]["AnyProfile"] | null;
            /** Format: uuid */
            task_id?: string | null;
            use_worktree?: boolean | null;
        };
        /** @description `id` is the attempt's. */
        StartedAttempt: {
            /** Format: uuid */
            attempt_id: string;
            attempts: components["schemas"]["TaskAttempt"][];
            base_branch: string;
            branch: string;
            branch_name: string;
            /** Format: int64 */
            cache_creation_tokens: number | null;
            /** Format: int64 */
            cache_read_tokens: number | null;
            container_ref: string;
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
            /** Format: int64 */
            input_tokens: number | null;
            outcome: string | null;
            /** Format: int64 */
            output_tokens: number | null;
            /** Format: uuid */
            project_id: string;
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
            /** Format: date-time */
            updated_at: string;
            worktree_deleted: boolean;
            worktree_path: string;
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
            dev_server_id: null;
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
            queued: boolean;
            status: components["schemas"]["TaskStatus"];
            task: components["schemas"]["Task"];
            task_attempt: components["schemas"]["TaskAttempt"];
            title: string;
            /** Format: date-time */
            updated_at: string;
        };
        Taken: {
            /** Format: uint64 */
            bytes: number;
            /** Format: uuid */
            task_attempt_id: string;
            worktree_path: string;
        };
        /** @description What is wanted. */
        Task: {
            /** Format: date-time */
            created_at: string;
            description: string | null;
            dev_server_id: null;
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
            /** Format: int64 */
            cache_creation_tokens: number | null;
            /** Format: int64 */
            cache_read_tokens: number | null;
            container_ref: string;
            /** Format: date-time */
            created_at: string;
            executor: string;
            executor_profile_id: components["schemas"]["ProfileId"];
            /** Format: uuid */
            id: string;
            /** Format: int64 */
            input_tokens: number | null;
            outcome: string | null;
            /** Format: int64 */
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
            /** Format: date-time */
            updated_at: string;
            worktree_deleted: boolean;
            worktree_path: string;
        };
        /** @description What shall be different in a task. */
        TaskChange: components["schemas"]["UpdateTask"];
        /** @description How far a task is. */
        TaskStatus: "todo" | "inprogress" | "inreview" | "done" | "cancelled" | "agent" | "archived";
        /** @description What is wanted, with what its attempts make of it. */
        TaskWithAttemptStatus: {
            /** Format: int64 */
            attempt_count: number;
            /** Format: date-time */
            created_at: string;
            description: string | null;
            dev_server_id: null;
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
            title: string;
            /** Format: date-time */
            updated_at: string;
        };
        /** @description Changes a project; what is not named stays. */
        UpdateProject: {
            /** @description See [`Project::cleanup_script`]. */
            cleanup_script?: string | null;
            /** @description See [`Project::commit_prompt`]. */
            commit_prompt?: string | null;
            /** @description See [`Project::copy_files`]. */
            copy_files?: string | null;
            /** @description See [`Project::dev_script`]. */
            dev_script?: string | null;
            /** @description A new place of the repository. */
            git_repo_path?: string | null;
            /** @description A new name. */
            name?: string | null;
            /** @description See [`Project::setup_script`]. */
            setup_script?: string | null;
        };
        /** @description Changes a task; what is not named stays. */
        UpdateTask: {
            /** @description A new description; blank clears it. */
            description?: string | null;
            /**
             * Format: uuid
             * @description Another parent.
             */
            parent_task_attempt?: string | null;
            /** @description A new status. */
            status?: components["schemas"]["TaskStatus"] | null;
            /** @description A new title. */
            title?: string | null;
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
    subscribeToEvents: {
        parameters: {
            query?: {
                /** @description Goes on after this place; 0 is everything that is kept. */
                after?: number | null;
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
                    "text/event-stream": unknown;
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    listExecutionProcesses: {
        parameters: {
            query: {
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["ExecutionProcess"][];
                        error_data: null;
                        message: null;
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
                        error_data: null;
                        message: null;
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
                        error_data: null;
                        message: null;
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
                content?: never;
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
                        error_data: null;
                        message: null;
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
                        error_data: null;
                        message: null;
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
                        error_data: null;
                        message: null;
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
    listProjects: {
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
                        data: components["schemas"]["Project"][];
                        error_data: null;
                        message: null;
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
                "application/json": components["schemas"]["NewProject"];
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
                        error_data: null;
                        message: null;
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
                        error_data: null;
                        message: null;
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
                        error_data: null;
                        message: null;
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
                        data: null;
                        error_data: null;
                        message: null;
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
                        error_data: null;
                        message: null;
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
                        error_data: null;
                        message: null;
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
                        data: components["schemas"]["TaskWithAttemptStatus"][];
                        error_data: null;
                        message: null;
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
                "application/json": components["schemas"]["NewTask"];
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
                        error_data: null;
                        message: null;
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
                        error_data: null;
                        message: null;
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
                        error_data: null;
                        message: null;
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
                        data: null;
                        error_data: null;
                        message: null;
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
                        error_data: null;
                        message: null;
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
                        error_data: null;
                        message: null;
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["TaskAttempt"][];
                        error_data: null;
                        message: null;
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
                        error_data: null;
                        message: null;
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
                        error_data: null;
                        message: null;
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
                        error_data: null;
                        message: null;
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
                        data: null;
                        error_data: null;
                        message: null;
                        /** @constant */
                        success: true;
                    };
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
                        error_data: null;
                        message: null;
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
                        error_data: null;
                        message: null;
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
                        error_data: null;
                        message: null;
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
                        error_data: null;
                        message: null;
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
                        error_data: null;
                        message: null;
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
                        error_data: null;
                        message: null;
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
                        data: components["schemas"]["TaskAttempt"];
                        error_data: null;
                        message: null;
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
                        data: components["schemas"]["TaskWithAttemptStatus"][];
                        error_data: null;
                        message: null;
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
                "application/json": components["schemas"]["NewTask"];
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
                        error_data: null;
                        message: null;
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
                        error_data: null;
                        message: null;
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
                        error_data: null;
                        message: null;
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
                        data: null;
                        error_data: null;
                        message: null;
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
                        error_data: null;
                        message: null;
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
                        error_data: null;
                        message: null;
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
                        error_data: null;
                        message: null;
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
                        error_data: null;
                        message: null;
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
                    "text/html": unknown;
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
                    "text/plain": unknown;
                };
            };
            default: components["responses"]["Problem"];
        };
    };
}
