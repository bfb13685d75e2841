import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { branchOfRun, refOfConversation } from './branch-names.js';
import { commitNamed } from './commits.js';
import { type Git, GitFailure } from './git.js';

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
  push(commit: string, ref: string): Promise<void> {
    return this.#insist('push', '--quiet', '--no-verify', '--force', '--', this.#url, `${commit}:${ref}`);
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
    const branch = branchOfRun(runId);
    const here = `refs/${branch}/fetched`;
    const conversations = refOfConversation(runId, '');
    return this.#insist(
      'fetch',
      '--quiet',
      '--no-tags',
      '--no-write-fetch-head',
      '--force',
      '--',
      this.#url,
      `refs/heads/${branch}:${here}/main`,
      `refs/heads/${branch}.branches/*:${here}/branches/*`,
      `${conversations}*:${conversations}*`,
    );
  }

  /** Fetches a commit that no ref there names any more, if the server allows it. */
  async fetchCommit(commit: string): Promise<void> {
    if ((await commitNamed(this.#repository, commit)) !== undefined) return;
    const command = ['fetch', '--quiet', '--no-tags', '--no-write-fetch-head', '--', this.#url, commit];
    await this.#repository.run(command).catch(ignoreFailure);
  }

  async #insist(...args: readonly string[]): Promise<void> {
    for (const pause of this.#pausesMs) {
      try {
        await this.#repository.run(args);
        return;
      } catch (error) {
        if (!(error instanceof GitFailure) || error.isMissing) throw error;
      }
      await sleep(pause);
    }
    await this.#repository.run(args);
  }
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
