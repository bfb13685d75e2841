import { existsSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { insideDirectory } from '../../backends/acp/inside-directory.js';
import { makeTemporaryDirectory } from '../../handlers/make-directories.js';
import { pipelineFiles } from '../../run/pipeline-files.js';
import { readRegularFile } from '../../run-directory/named-file.js';
import { describeSystemError } from '../../run-directory/run-error.js';
import type { CallResult } from '../../setup/call-result.js';
import { checkShell } from '../../setup/check-shell.js';
import {
  type CallEnvironment,
  compileOptionsOf,
  type ExtensionArguments,
  extensionsForEach,
} from '../../setup/extensions.js';
import { replaceFile } from '../../setup/replace-file.js';
import { UsageError } from '../../setup/usage-error.js';
import type { ServedRuns } from '../tools/served-runs.js';
import type { PipelineArgument, PipelineText, Workbench } from '../tools/workbench.js';

export interface LocalWorkbenchOptions {
  readonly environment: CallEnvironment;
  readonly extensions: ExtensionArguments;
  /** Calls the command line. */
  readonly attractor: (args: readonly string[], signal: AbortSignal, input?: string) => Promise<CallResult>;
  readonly runs: ServedRuns;
}

/** Milliseconds after which a command is stopped: clients give up after a minute. */
const longestCommand = 50_000;

const textName = 'pipeline.dot';

/** Workbench of this machine, in one working directory that no file argument leaves. */
export function localWorkbench({
  environment,
  extensions,
  attractor,
  runs,
}: LocalWorkbenchOptions): Workbench {
  const cwd = environment.cwd();
  return {
    runs,
    locate: (file) => insideOf(cwd, file),
    read: (argument) => readPipeline(argument, extensions, environment),
    write(file, content) {
      const place = insideOf(cwd, file);
      if (typeof content === 'string' && existsSync(path.resolve(cwd, place)))
        return replaceFile(place, cwd, `${byteOrderMarkOf(place, cwd)}${content}`);
      try {
        writeFileSync(path.resolve(cwd, place), content);
      } catch (error) {
        throw new UsageError(`cannot write ${file}: ${describeSystemError(error)}`);
      }
    },
    async withFiles(files, use) {
      const directory = makeTemporaryDirectory('attractor-mcp-');
      try {
        for (const [name, text] of Object.entries(files)) writeFileSync(path.join(directory, name), text);
        return await use(directory);
      } finally {
        rmSync(directory, { recursive: true, force: true });
      }
    },
    attractor: (args, { signal, input }) =>
      attractor(args, AbortSignal.any([signal, AbortSignal.timeout(longestCommand)]), input),
  };
}

/**
 * A path of a call, relative to the working directory.
 * @throws UsageError for one that leads out, wherever links lead
 */
function insideOf(cwd: string, file: string): string {
  if (file === '' || file.includes('\0')) throw new UsageError(`${JSON.stringify(file)} is not a path`);
  if (insideDirectory(file, cwd) !== undefined) return path.relative(cwd, path.resolve(cwd, file)) || '.';
  throw new UsageError(
    `${file} is outside the working directory, which tools do not leave; give a path below ${cwd}, or the text itself`,
  );
}

async function readPipeline(
  { file, text }: PipelineArgument,
  args: ExtensionArguments,
  environment: CallEnvironment,
): Promise<PipelineText> {
  const cwd = environment.cwd();
  if ((file === undefined) === (text === undefined))
    throw new UsageError('give the pipeline either as `file` or as `text`');
  const place = file === undefined ? undefined : insideOf(cwd, file);
  const extensions = await extensionsForEach(args, environment)(place ?? '-');
  return {
    name: place ?? textName,
    text: text ?? readText(place ?? '', cwd),
    file: place,
    hasPropertyFile:
      place !== undefined && existsSync(path.resolve(cwd, `${place.replace(/\.(?:dot|gv)$/, '')}.check`)),
    options: {
      ...compileOptionsOf(extensions),
      checkShell,
      files: pipelineFiles(place, { directory: cwd }),
    },
  };
}

/** A file that begins with a byte order mark keeps it. */
function byteOrderMarkOf(place: string, cwd: string): string {
  const bytes = readRegularFile(path.resolve(cwd, place));
  return bytes.subarray(0, 3).equals(Buffer.of(0xef, 0xbb, 0xbf)) ? '\uFEFF' : '';
}

function readText(place: string, cwd: string): string {
  let bytes: Buffer;
  try {
    bytes = readRegularFile(path.resolve(cwd, place));
  } catch (error) {
    throw new UsageError(`cannot read ${place}: ${describeSystemError(error)}`);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new UsageError(`cannot read ${place}: it is not UTF-8 text`);
  }
}
