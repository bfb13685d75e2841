import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { branchOfRun, refOfConversation, refSafe } from './branch-names.js';
import { commitNamed } from './commits.js';
import { type Git, type GitAnswer, GitFailure } from './git.js';

/** Repository to which the commits of a run are pushed, so that another machine can continue it (SEMANTICS 143). */
export class Remote {
  readonly #repository: Git;
  readonly #url: string;
  readonly #pausesMs: readonly number[];

  /** @param pausesMs pauses before another try, if a command fails for a moment, as networks do */
  constructor(repository: Git, url: string, pausesMs: readonly number[] = [500, 2000, 5000]) {
    this.#repository = repository;
    this.#url = url;
    this.#pausesMs = pausesMs;
  }

  /**
   * Sets a ref there, whatever it was before: it belongs to the run alone.
   * @param ref whole name
   * @throws GitFailure
   */
  async push(commit: string, ref: string): Promise<void> {
    await this.#insist('push', '--quiet', '--no-verify', '--force', '--', this.#url, `${commit}:${ref}`);
  }

  /** Removes a ref there. Nothing depends on it. */
  async forget(ref: string): Promise<void> {
    await this.#repository
      .run(['push', '--quiet', '--no-verify', '--', this.#url, `:${ref}`])
      .catch(ignoreFailure);
  }

  /**
   * Fetches the commits of a run, without touching the branches here.
   * @throws GitFailure
   */
  fetch(runId: string): Promise<void> {
    return this.#fetchRefs([`${headOf(runId)}:${refsFetched(runId)}/main`, ...ownRefs(runId)]);
  }

  /**
   * Fetches the commits of a fork, which has no branch before its first commit, and those of the runs that have the commits before.
   * @throws GitFailure
   */
  async fetchFork(runId: string, historyOf: readonly string[]): Promise<void> {
    const runs = [runId, ...historyOf];
    const answer = await this.#insist('ls-remote', '--quiet', '--', this.#url, ...runs.map(headOf));
    const heads = new Set(answer.output.split('\n').map((line) => line.split('\t')[1]));
    const mains = runs.filter((run) => heads.has(headOf(run)));
    const here = refsFetched(runId);
    await this.#fetchRefs([
      ...mains.map((run) => `${headOf(run)}:${run === runId ? here : refsShared(runId, run)}/main`),
      ...ownRefs(runId),
      ...historyOf.flatMap((run) => sharedRefs(runId, run)),
    ]);
  }

  /** Fetches a commit that no ref there names any more, if the server allows it. */
  async fetchCommit(commit: string): Promise<void> {
    if ((await commitNamed(this.#repository, commit)) !== undefined) return;
    const command = ['fetch', '--quiet', '--no-tags', '--no-write-fetch-head', '--', this.#url, commit];
    await this.#repository.run(command).catch(ignoreFailure);
  }

  async #fetchRefs(refs: readonly string[]): Promise<void> {
    const options = ['--quiet', '--no-tags', '--no-write-fetch-head', '--force'];
    await this.#insist('fetch', ...options, '--', this.#url, ...refs);
  }

  async #insist(...args: readonly string[]): Promise<GitAnswer> {
    for (const pause of this.#pausesMs) {
      try {
        return await this.#repository.run(args);
      } catch (error) {
        if (!(error instanceof GitFailure) || error.isMissing) throw error;
      }
      await sleep(pause);
    }
    return this.#repository.run(args);
  }
}

/** Branch of the main line of a run, as a whole name. */
function headOf(runId: string): string {
  return `refs/heads/${branchOfRun(runId)}`;
}

/** Directory of refs that keep what was fetched for a run. */
function refsFetched(runId: string): string {
  return `refs/${branchOfRun(runId)}/fetched`;
}

/** Directory of refs for what a fork shares with another run, whose own refs may be in use in the same clone. */
function refsShared(runId: string, source: string): string {
  return `${refsFetched(runId)}/shared/${refSafe(source)}`;
}

/** Refs of the branches and conversations of a run, which may have none. */
function ownRefs(runId: string): readonly string[] {
  const conversations = refOfConversation(runId, '');
  return [
    `${headOf(runId)}.branches/*:${refsFetched(runId)}/branches/*`,
    `${conversations}*:${conversations}*`,
  ];
}

/** Refs of the branches and conversations of a run from which a fork comes. */
function sharedRefs(runId: string, source: string): readonly string[] {
  const here = refsShared(runId, source);
  return [
    `${headOf(source)}.branches/*:${here}/branches/*`,
    `${refOfConversation(source, '')}*:${here}/conversation/*`,
  ];
}

function ignoreFailure(error: unknown): void {
  if (!(error instanceof GitFailure)) throw error;
}

/**
 * URL of a remote, which means the same on every machine.
 * @param named URL, path, or name of a remote of the repository
 * @throws RemoteProblem
 */
export async function remoteUrl(repository: Git, directory: string, named: string): Promise<string> {
  if (named.startsWith('-')) throw new RemoteProblem('its name begins with a hyphen');
  const answer = await repository.run(['remote', 'get-url', '--push', named], { expected: [2, 128, 129] });
  const url = answer.status === 0 ? answer.output.trim() : named;
  if (/^https?:\/\/[^/]*@/i.test(url))
    throw new RemoteProblem(
      'its URL contains credentials, which would be in the files of the run. Leave them to git: a credential helper, or SSH',
    );
  const isLocal = !/^[\w+.-]+:\/\//.test(url) && !/^[^/]+:/.test(url);
  return isLocal ? path.resolve(directory, url) : url;
}

/** Checks that a remote answers. @throws GitFailure */
export async function checkRemote(repository: Git, url: string): Promise<void> {
  await repository.run(['ls-remote', '--quiet', '--', url, 'HEAD']);
}

/** Reason why a remote cannot be used, as a sentence without its subject. */
export class RemoteProblem extends Error {}
