// What git knows about an attempt, and what can be done with its branch.

import { type CallOptions, part } from '../transport.js';
import type { ReplyOf, RequestOf } from '../types.js';
import { AttemptCalls } from './attempts.js';

export abstract class GitCalls extends AttemptCalls {
  /** How far the branch and its target are apart, and what is not committed. */
  getTaskAttemptBranchStatus(id: string, options?: CallOptions): Promise<ReplyOf<'getTaskAttemptBranchStatus'>> {
    return this.get(`/api/task-attempts/${part(id)}/branch-status`, undefined, options);
  }

  /** The files that the attempt changes, as they are now. */
  getTaskDiff(id: string, statsOnly?: boolean, options?: CallOptions): Promise<ReplyOf<'getTaskDiff'>> {
    return this.get(`/api/task-attempts/${part(id)}/diff`, { stats_only: statsOnly }, options);
  }

  /** @param base the branch to go onto, or everything that can be said; nothing is the attempt's target */
  rebaseTaskAttempt(
    id: string,
    base: string | RequestOf<'rebaseTaskAttempt'> = {},
    options?: CallOptions,
  ): Promise<ReplyOf<'rebaseTaskAttempt'>> {
    const body = typeof base === 'string' ? { new_base_branch: base } : base;
    return this.post(`/api/task-attempts/${part(id)}/rebase`, body, options);
  }

  mergeTaskAttempt(id: string, options?: CallOptions): Promise<ReplyOf<'mergeTaskAttempt'>> {
    return this.post(`/api/task-attempts/${part(id)}/merge`, undefined, options);
  }

  async pushTaskAttemptBranch(id: string, options?: CallOptions): Promise<void> {
    await this.post(`/api/task-attempts/${part(id)}/push`, undefined, options);
  }

  /** Ends a rebase or merge that met conflicts, and goes back to before it. */
  async abortTaskAttemptConflicts(id: string, options?: CallOptions): Promise<void> {
    await this.post(`/api/task-attempts/${part(id)}/conflicts/abort`, undefined, options);
  }

  createTaskAttemptPullRequest(
    id: string,
    request: RequestOf<'createTaskAttemptPullRequest'>,
    options?: CallOptions,
  ): Promise<ReplyOf<'createTaskAttemptPullRequest'>> {
    return this.post(`/api/task-attempts/${part(id)}/pr`, request, options);
  }

  attachExistingPullRequest(
    id: string,
    prNumber?: number,
    options?: CallOptions,
  ): Promise<ReplyOf<'attachExistingPullRequest'>> {
    return this.post(`/api/task-attempts/${part(id)}/pr/attach`, { pr_number: prNumber }, options);
  }

  getCommitInfo(id: string, sha: string, options?: CallOptions): Promise<ReplyOf<'getCommitInfo'>> {
    return this.get(`/api/task-attempts/${part(id)}/commit-info`, { sha }, options);
  }

  compareCommitToHead(id: string, sha: string, options?: CallOptions): Promise<ReplyOf<'compareCommitToHead'>> {
    return this.get(`/api/task-attempts/${part(id)}/commit-compare`, { sha }, options);
  }

  changeTaskAttemptTargetBranch(
    id: string,
    targetBranch: string,
    options?: CallOptions,
  ): Promise<ReplyOf<'changeTaskAttemptTargetBranch'>> {
    return this.post(
      `/api/task-attempts/${part(id)}/change-target-branch`,
      { new_target_branch: targetBranch },
      options,
    );
  }

  /** Deletes a file in the worktree, as a commit. */
  async deleteTaskAttemptFile(id: string, filePath: string, options?: CallOptions): Promise<void> {
    await this.post(`/api/task-attempts/${part(id)}/delete-file`, undefined, options, { file_path: filePath });
  }
}
