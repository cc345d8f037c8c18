// Projects: the repositories that Forge may work in.

import { type Page, type PageOptions, each, onePage } from '../pages.js';
import { type CallOptions, part } from '../transport.js';
import type { Project, ReplyOf, RequestOf } from '../types.js';
import { SystemCalls } from './system.js';

/** What to open in an editor; nothing opens the folder. */
export interface Editor {
  editor_type?: string;
  file_path?: string;
  file?: string;
  line?: number;
}

export abstract class ProjectCalls extends SystemCalls {
  listProjects(options?: CallOptions): Promise<Project[]> {
    return this.get('/api/projects', undefined, options);
  }

  /** Every project, page by page. */
  eachProject(options?: PageOptions): AsyncGenerator<Project, void, undefined> {
    return each(this.transport, '/api/projects', {}, options);
  }

  pageOfProjects(options?: PageOptions): Promise<Page<Project>> {
    return onePage(this.transport, '/api/projects', {}, options);
  }

  createProject(project: RequestOf<'createProject'>, options?: CallOptions): Promise<Project> {
    return this.post('/api/projects', project, options);
  }

  getProject(id: string, options?: CallOptions): Promise<Project> {
    return this.get(`/api/projects/${part(id)}`, undefined, options);
  }

  /** Changes a project. A field that is left out keeps its value; `null` and `''` clear it, but `null` keeps name and path. */
  updateProject(id: string, updates: RequestOf<'updateProject'>, options?: CallOptions): Promise<Project> {
    return this.put(`/api/projects/${part(id)}`, updates, options);
  }

  deleteProject(id: string, options?: CallOptions): Promise<void> {
    return this.drop(`/api/projects/${part(id)}`, undefined, options);
  }

  /** The repository's branches, the current one first. */
  listProjectBranches(id: string, options?: CallOptions): Promise<ReplyOf<'listProjectBranches'>> {
    return this.get(`/api/projects/${part(id)}/branches`, undefined, options);
  }

  /** Files and folders whose name or path matches, best first. */
  searchProjectFiles(
    id: string,
    query: string,
    mode?: string,
    options?: CallOptions,
  ): Promise<ReplyOf<'searchProjectFiles'>> {
    return this.get(`/api/projects/${part(id)}/search`, { q: query, mode }, options);
  }

  openProjectInEditor(
    id: string,
    editor: Editor | null = null,
    options?: CallOptions,
  ): Promise<ReplyOf<'openProjectInEditor'>> {
    return this.post(`/api/projects/${part(id)}/open-editor`, editor, options);
  }

  /** What the project takes on the disk. */
  getProjectDisk(id: string, options?: CallOptions): Promise<ReplyOf<'getProjectDisk'>> {
    return this.get(`/api/projects/${part(id)}/disk`, undefined, options);
  }

  /** Tokens and money that all turns in the project used up. */
  getProjectUsage(id: string, options?: CallOptions): Promise<ReplyOf<'getProjectUsage'>> {
    return this.get(`/api/projects/${part(id)}/usage`, undefined, options);
  }

  getProjectSettings(id: string, options?: CallOptions): Promise<ReplyOf<'getProjectSettings'>> {
    return this.get(`/api/forge/projects/${part(id)}/settings`, undefined, options);
  }

  updateProjectSettings(
    id: string,
    settings: RequestOf<'updateProjectSettings'>,
    options?: CallOptions,
  ): Promise<ReplyOf<'updateProjectSettings'>> {
    return this.put(`/api/forge/projects/${part(id)}/settings`, settings, options);
  }

  /** The checkout compared with what is known of `origin`. */
  getProjectBranchStatus(id: string, base?: string, options?: CallOptions): Promise<ReplyOf<'getProjectBranchStatus'>> {
    return this.get(`/api/forge/projects/${part(id)}/branch-status`, { base }, options);
  }

  pullProject(id: string, options?: CallOptions): Promise<ReplyOf<'pullProject'>> {
    return this.post(`/api/forge/projects/${part(id)}/pull`, undefined, options);
  }

  /** The profiles that attempts of this project can name. */
  getProjectProfiles(id: string, options?: CallOptions): Promise<ReplyOf<'getProjectProfiles'>> {
    return this.get(`/api/forge/projects/${part(id)}/profiles`, undefined, options);
  }

  /**
   * Confirms a variant that the project's repository adds; until then nothing starts with it. With the digest that it was
   * listed with, only that content is confirmed (409 `variant_changed`).
   */
  trustProjectVariant(
    id: string,
    profile: { executor: string; variant: string; digest?: string },
    options?: CallOptions,
  ): Promise<ReplyOf<'trustProjectVariant'>> {
    return this.post(`/api/forge/projects/${part(id)}/profiles/trust`, profile, options);
  }

  /** The standing agents of a project. */
  getForgeAgents(projectId: string, agentType?: string, options?: CallOptions): Promise<ReplyOf<'getForgeAgents'>> {
    return this.get('/api/forge/agents', { project_id: projectId, agent_type: agentType }, options);
  }

  createForgeAgent(projectId: string, agentType: string, options?: CallOptions): Promise<ReplyOf<'createForgeAgent'>> {
    return this.post('/api/forge/agents', { project_id: projectId, agent_type: agentType }, options);
  }
}
