// The server itself: health, settings, profiles, files of the machine, what it takes away.

import { type CallOptions, part } from '../transport.js';
import type { ReplyOf, RequestOf } from '../types.js';
import { Calls } from './base.js';

export abstract class SystemCalls extends Calls {
  /** Whether it serves. */
  healthCheck(options?: CallOptions): Promise<ReplyOf<'healthCheck'>> {
    return this.get('/health', undefined, options);
  }

  /** Whether the API serves. */
  apiHealth(options?: CallOptions): Promise<ReplyOf<'apiHealth'>> {
    return this.get('/api/health', undefined, options);
  }

  /** The API's description, as OpenAPI 3.1. */
  getOpenApi(options?: CallOptions): Promise<Record<string, unknown>> {
    return this.get('/api/openapi.json', undefined, options);
  }

  /** Every operation of the API in a line. */
  listRoutes(options?: CallOptions): Promise<ReplyOf<'listRoutes'>> {
    return this.get('/api/routes', undefined, options);
  }

  /** Numbers about the server, as Prometheus reads them. */
  async getMetrics(options?: CallOptions): Promise<string> {
    return (await this.transport.blob({ method: 'GET', path: '/metrics' }, options)).text();
  }

  authGithubDeviceStart(options?: CallOptions): Promise<ReplyOf<'authGithubDeviceStart'>> {
    return this.post('/api/auth/github/device/start', undefined, options);
  }

  authGithubDevicePoll(deviceCode?: string, options?: CallOptions): Promise<ReplyOf<'authGithubDevicePoll'>> {
    return this.post('/api/auth/github/device/poll', { device_code: deviceCode }, options);
  }

  authGithubCheck(options?: CallOptions): Promise<ReplyOf<'authGithubCheck'>> {
    return this.get('/api/auth/github/check', undefined, options);
  }

  /** Settings, machine, executors and what they can do. */
  getSystemInfo(options?: CallOptions): Promise<ReplyOf<'getSystemInfo'>> {
    return this.get('/api/info', undefined, options);
  }

  getConfig(options?: CallOptions): Promise<ReplyOf<'getConfig'>> {
    return this.get('/api/config', undefined, options);
  }

  /** Changes settings; what is left out stays as it is. */
  updateConfig(config: RequestOf<'updateConfig'>, options?: CallOptions): Promise<ReplyOf<'updateConfig'>> {
    return this.put('/api/config', config, options);
  }

  /** Every agent: whether it is installed and logged in there, and what to do where not. */
  listExecutors(options?: CallOptions): Promise<ReplyOf<'listExecutors'>> {
    return this.get('/api/agents', undefined, options);
  }

  /** What a variant of an agent may set, as a JSON schema. */
  getExecutorSchema(name: string, options?: CallOptions): Promise<ReplyOf<'getExecutorSchema'>> {
    return this.get(`/api/agents/${part(name)}/schema`, undefined, options);
  }

  getExecutorProfiles(options?: CallOptions): Promise<ReplyOf<'getExecutorProfiles'>> {
    return this.get('/api/profiles', undefined, options);
  }

  /** @param profiles `{executors: …}`, or the same as JSON text */
  updateExecutorProfiles(profiles: string | object, options?: CallOptions): Promise<ReplyOf<'updateExecutorProfiles'>> {
    const raw = typeof profiles === 'string' ? profiles : JSON.stringify(profiles);
    const headers = { ...options?.headers, 'content-type': 'application/json' };
    return this.transport.json({ method: 'PUT', path: '/api/profiles', raw }, { ...options, headers });
  }

  getMcpConfig(executor: string, options?: CallOptions): Promise<ReplyOf<'getMcpConfig'>> {
    return this.get('/api/mcp-config', { executor }, options);
  }

  /** Replaces the MCP servers in an agent's own settings. */
  updateMcpConfig(
    executor: string,
    config: RequestOf<'updateMcpConfig'>,
    options?: CallOptions,
  ): Promise<ReplyOf<'updateMcpConfig'>> {
    return this.post('/api/mcp-config', config, options, { executor });
  }

  /** A sound, as WAV. */
  getNotificationSound(sound: string, options?: CallOptions): Promise<Blob> {
    return this.transport.blob({ method: 'GET', path: `/api/sounds/${part(sound)}` }, options);
  }

  /** Which attempt a worktree, or a folder in one, belongs to. */
  getContainerInfo(ref: string, options?: CallOptions): Promise<ReplyOf<'getContainerInfo'>> {
    return this.get('/api/containers/info', { ref }, options);
  }

  listDirectory(path?: string, options?: CallOptions): Promise<ReplyOf<'listDirectory'>> {
    return this.get('/api/filesystem/directory', { path }, options);
  }

  listGitRepositories(path?: string, options?: CallOptions): Promise<ReplyOf<'listGitRepositories'>> {
    return this.get('/api/filesystem/git-repos', { path }, options);
  }

  /** Takes away worktrees that nobody uses; with `dry_run` it only tells which. */
  collect(request: RequestOf<'collect'> = {}, options?: CallOptions): Promise<ReplyOf<'collect'>> {
    return this.post('/api/gc', request, options);
  }

  /** The installations that use the database. */
  listNodes(options?: CallOptions): Promise<ReplyOf<'listNodes'>> {
    return this.get('/api/forge/nodes', undefined, options);
  }

  /** Declares a node gone for good: its attempts become this node's, and what runs in them is lost. */
  forgetNode(id: string, options?: CallOptions): Promise<ReplyOf<'forgetNode'>> {
    return this.post(`/api/forge/nodes/${part(id)}/forget`, undefined, options);
  }

  /** Whether calls need a token. */
  getAuthRequired(options?: CallOptions): Promise<ReplyOf<'getAuthRequired'>> {
    return this.get('/api/forge/auth-required', undefined, options);
  }

  getForgeConfig(options?: CallOptions): Promise<ReplyOf<'getForgeConfig'>> {
    return this.get('/api/forge/config', undefined, options);
  }

  updateForgeConfig(
    config: RequestOf<'updateForgeConfig'>,
    options?: CallOptions,
  ): Promise<ReplyOf<'updateForgeConfig'>> {
    return this.put('/api/forge/config', config, options);
  }

  listReleases(options?: CallOptions): Promise<ReplyOf<'listReleases'>> {
    return this.get('/api/forge/releases', undefined, options);
  }

  getOmniStatus(options?: CallOptions): Promise<ReplyOf<'getOmniStatus'>> {
    return this.get('/api/forge/omni/status', undefined, options);
  }

  listOmniInstances(options?: CallOptions): Promise<ReplyOf<'listOmniInstances'>> {
    return this.get('/api/forge/omni/instances', undefined, options);
  }

  listOmniNotifications(options?: CallOptions): Promise<ReplyOf<'listOmniNotifications'>> {
    return this.get('/api/forge/omni/notifications', undefined, options);
  }

  validateOmni(config: RequestOf<'validateOmni'>, options?: CallOptions): Promise<ReplyOf<'validateOmni'>> {
    return this.post('/api/forge/omni/validate', config, options);
  }
}
