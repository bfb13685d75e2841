import { spawn } from 'node:child_process';
import { devNull } from 'node:os';
import path from 'node:path';

/** Runs git in one directory. */
export interface Git {
  /** @throws GitFailure where git ends with a status that is neither 0 nor expected */
  run(args: readonly string[], options?: GitOptions): Promise<GitAnswer>;
  /**
   * Output without the line break at the end.
   * @throws GitFailure
   */
  text(...args: readonly string[]): Promise<string>;
  /**
   * True for status 0, false for status 1.
   * @throws GitFailure
   */
  asks(...args: readonly string[]): Promise<boolean>;
}

export interface GitOptions {
  readonly input?: string;
  /** Statuses that are not failures, besides 0. */
  readonly expected?: readonly number[];
  readonly environment?: Readonly<Record<string, string>>;
}

export interface GitAnswer {
  readonly status: number;
  readonly output: string;
}

/** Failure of a git command. */
export class GitFailure extends Error {
  /** Error output; empty if git could not be started, or was ended by a signal. */
  readonly said: string;
  readonly isMissing: boolean;

  constructor(args: readonly string[], said: string, cause?: unknown) {
    const isMissing = (cause as NodeJS.ErrnoException | undefined)?.code === 'ENOENT';
    const why = isMissing
      ? 'git is not installed, or not on the PATH'
      : said.trim() || String(cause ?? 'it gave no reason');
    super(`git ${args[0] ?? ''} failed: ${why}`, { cause });
    this.name = 'GitFailure';
    this.said = said.trim();
    this.isMissing = isMissing;
  }
}

/**
 * Settings that override those of the user: neither hooks nor signatures nor housekeeping belong to the
 * commits of a run. Settings about storage (line endings, filters, ignored files) stay as they are for the
 * user's own commits.
 */
const settings: readonly string[] = [
  `core.hooksPath=${devNull}`,
  'core.fsmonitor=false',
  'core.quotePath=false',
  'core.safecrlf=false',
  'commit.gpgSign=false',
  'i18n.commitEncoding=UTF-8',
  'gc.auto=0',
  'maintenance.auto=false',
  'submodule.recurse=false',
  'advice.addEmbeddedRepo=false',
].flatMap((setting) => ['-c', setting]);

/** Git in a directory of a repository. */
export function gitIn(directory: string): Git {
  return gitWith(directory, {});
}

/**
 * Git in a work tree only: if a stage has removed the file that makes the directory one, git must not use
 * the enclosing repository, which is the user's.
 */
export function gitOfWorkTree(directory: string): Git {
  return gitWith(directory, { GIT_DIR: path.join(directory, '.git'), GIT_WORK_TREE: directory });
}

function gitWith(directory: string, place: Readonly<Record<string, string>>): Git {
  const run: Git['run'] = (args, options = {}) =>
    start(directory, args, { ...options, environment: { ...options.environment, ...place } });
  return {
    run,
    text: async (...args) => (await run(args)).output.replace(/\n$/, ''),
    asks: async (...args) => (await run(args, { expected: [1] })).status === 0,
  };
}

function start(
  directory: string,
  args: readonly string[],
  { input = '', expected = [], environment = {} }: GitOptions,
): Promise<GitAnswer> {
  return new Promise((resolve, reject) => {
    const child = spawn('git', ['-C', directory, ...settings, ...args], {
      env: { ...outerEnvironment(), ...environment },
      // Terminal signals are for the run, which lets git finish.
      detached: process.platform !== 'win32',
      windowsHide: true,
    });
    const output: Buffer[] = [];
    const errors: Buffer[] = [];
    child.stdout.on('data', (piece: Buffer) => output.push(piece));
    child.stderr.on('data', (piece: Buffer) => errors.push(piece));
    child.on('error', (error) => reject(new GitFailure(args, '', error)));
    child.on('close', (code, signal) => {
      const status = code ?? -1;
      const said = Buffer.concat(errors).toString('utf8');
      if (status === 0 || expected.includes(status))
        resolve({ status, output: Buffer.concat(output).toString('utf8') });
      else if (signal !== null) reject(new GitFailure(args, '', `it was ended by ${signal}`));
      else reject(new GitFailure(args, said));
    });
    // Git may end before it has read everything; its status says why.
    child.stdin.on('error', () => undefined);
    child.stdin.end(input);
  });
}

/** Environment without the variables that name another repository: a git hook that starts a run sets them. */
function outerEnvironment(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !name.startsWith('GIT_') || isOfPerson(name));
  return {
    ...Object.fromEntries(kept),
    LC_ALL: 'C',
    GIT_TERMINAL_PROMPT: '0',
    GIT_OPTIONAL_LOCKS: '0',
  };
}

/** True for variables about the author, the settings and the traces of git. */
function isOfPerson(name: string): boolean {
  return /^GIT_(?:AUTHOR|COMMITTER|CONFIG|SSH|TRACE)(?:_|$)/.test(name);
}
