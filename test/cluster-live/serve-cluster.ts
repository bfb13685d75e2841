import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { AcceptedRun, RunDetail, RunStatusName } from '../../src/server/api/run.js';
import type { Running } from '../integration/process/attractor.js';
import { eventually } from '../server/asked-server.js';
import type { LiveCluster } from './live-cluster.js';

/** Whoever sends requests to a server, with a token. */
export interface Caller {
  ask(path: string, body?: unknown): Promise<Response>;
  get<Body>(path: string): Promise<Body>;
  submit(dot: string, given?: object): Promise<string>;
  until(id: string, isSo: (run: RunDetail) => boolean): Promise<RunDetail>;
}

/** A server of a cluster, and whoever has its own token. */
export interface ServedCluster extends Caller {
  readonly process: Running;
  as(token: string): Caller;
}

/** Starts a server of a cluster as somebody, in a directory. */
export async function serveCluster(
  { start, directory }: LiveCluster,
  {
    user,
    place = directory,
    args = [],
  }: { readonly user?: string; readonly place?: string; readonly args?: readonly string[] } = {},
): Promise<ServedCluster> {
  const process = start(['serve', '--port', '0', '--token-file', 'token', ...args], user, place);
  await process.until('it listened', () => process.output().includes('?token='));
  const [url = ''] = /http:\/\/127\.0\.0\.1:\d+(?=\/\?token)/.exec(process.output()) ?? [];
  const as = (token: string): Caller => caller(url, token);
  return { process, as, ...as(readFileSync(path.join(place, 'token'), 'utf8').trim()) };
}

function caller(url: string, token: string): Caller {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const ask: Caller['ask'] = (address, body) =>
    fetch(`${url}${address}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers,
      body: body === undefined ? undefined : JSON.stringify(body),
    });
  const get = async <Body>(address: string): Promise<Body> => {
    const response = await ask(address);
    if (!response.ok) throw new Error(await response.text());
    return (await response.json()) as Body;
  };
  return {
    ask,
    get,
    async submit(dot, given = {}) {
      const response = await ask('/pipelines', { dot, ...given });
      if (!response.ok) throw new Error(await response.text());
      return ((await response.json()) as AcceptedRun).id;
    },
    until: (id, isSo) =>
      eventually(async () => {
        const run = await get<RunDetail>(`/pipelines/${id}`);
        return isSo(run) ? run : undefined;
      }),
  };
}

/** True for a run that asks at a stage. */
export const asks =
  (stage: string) =>
  ({ status, questions }: RunDetail): boolean =>
    status === 'running' && questions.some((question) => question.stage === stage);

/** True for a run with a status. */
export const is =
  (wanted: RunStatusName) =>
  ({ status }: RunDetail): boolean =>
    status === wanted;
