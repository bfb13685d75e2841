import { existsSync } from 'node:fs';
import path from 'node:path';
import type { Graph } from '../../graph/graph.js';
import { promptFileOf } from '../../graph/prompt-file.js';
import type { PipelineFiles } from '../../lint/named-files.js';
import { pipelineFiles } from '../../run/pipeline-files.js';
import { locateFile } from '../../setup/locate-file.js';
import { UsageError } from '../../setup/usage-error.js';
import { GitFailure, gitIn } from '../../workspaces/git/git.js';
import type { Io } from '../io.js';
import { readSource } from '../read-source.js';

/** Text of one version of a pipeline. */
export interface PipelineVersion {
  readonly name: string;
  readonly text: string;
  /** File that it is, or was in that revision: it says which configuration applies. */
  readonly file: string;
  /** True if it comes from a revision, whose other files are not in the working directory. */
  readonly isRevision: boolean;
  /** Files that it names. @param graph before the files are read */
  files(graph: Graph): Promise<PipelineFiles>;
}

/**
 * Reads a version: a file, standard input for `-`, or `REVISION:FILE` of git, as `git show` has it.
 * @throws UsageError if there is no such version
 */
export async function readVersion(argument: string, io: Io): Promise<PipelineVersion> {
  const [, revision, file] = /^([^:]+):(.+)$/.exec(argument) ?? [];
  const isFile = argument === '-' || existsSync(locateFile(argument, io.cwd()));
  if (revision === undefined || file === undefined || isFile) {
    const { name, text } = await readSource(argument, io);
    const own = argument === '-' ? undefined : argument;
    const files = pipelineFiles(own, { directory: io.cwd() });
    return { name, text, file: argument, isRevision: false, files: async () => files };
  }
  const text = await show(revision, file, argument, io);
  return {
    name: argument,
    text,
    file,
    isRevision: true,
    files: (graph) => filesOfRevision(graph, { revision, file, argument, io }),
  };
}

async function show(revision: string, file: string, argument: string, io: Io): Promise<string> {
  const place = path.isAbsolute(file) ? file : `./${file}`;
  try {
    const { output } = await gitIn(io.cwd()).run(['show', '--end-of-options', `${revision}:${place}`]);
    return output;
  } catch (error) {
    if (!(error instanceof GitFailure)) throw error;
    throw new UsageError(`cannot read ${argument}: ${error.said || error.message}`);
  }
}

interface Place {
  readonly revision: string;
  readonly file: string;
  readonly argument: string;
  readonly io: Io;
}

/** Prompts of a revision; the pipelines that its stages run are not looked at. */
async function filesOfRevision(
  graph: Graph,
  { revision, file, argument, io }: Place,
): Promise<PipelineFiles> {
  const texts = new Map<string, string>();
  for (const node of graph.nodes.values()) {
    const named = promptFileOf(node);
    if (named === undefined) continue;
    const name = String(named.value).trim();
    const place = path.posix.join(path.posix.dirname(file), name);
    const text = await show(revision, place, argument, io).catch(() => undefined);
    if (text !== undefined) texts.set(name, text);
  }
  const files: PipelineFiles = {
    self: argument,
    read: (name) => {
      const text = texts.get(name);
      return text === undefined ? { kind: 'missing' } : { kind: 'text', id: name, name, text, files };
    },
  };
  return files;
}
