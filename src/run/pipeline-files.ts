import { readdirSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { nearestName } from '../diagnostic/did-you-mean.js';
import type { NamedFile, PipelineFiles } from '../lint/named-files.js';
import { redactedSource } from '../secrets/redact-source.js';
import type { Redactor } from '../secrets/redactor.js';
import { childHome, displayed, readChildText } from './children/child-file.js';

export interface PipelineFilesOptions {
  /** Directory to which paths are relative if the pipeline has no file, and below which messages shorten them. */
  readonly directory?: string;
  /** Removes secrets from the texts. */
  readonly secrets?: Redactor;
  /** Returns the reason why a file may not be read, by its absolute path; then the file system is not asked. */
  readonly refuse?: (file: string) => string | undefined;
}

/**
 * Files of this machine that a pipeline may name, relative to its own (SEMANTICS 112, 113).
 * @param file of the pipeline; undefined for standard input and texts
 */
export function pipelineFiles(file: string | undefined, options: PipelineFilesOptions = {}): PipelineFiles {
  const { directory = '.' } = options;
  const own = file === undefined ? undefined : path.resolve(directory, file);
  const home = path.resolve(childHome(own, directory));
  return {
    self: own && realPath(own),
    read: (name) => readNamed(path.resolve(home, name), options),
  };
}

/** Files for a text that may name none, such as one from elsewhere: all of them are missing. */
export const noPipelineFiles: PipelineFiles = { read: () => ({ kind: 'missing' }) };

function readNamed(file: string, options: PipelineFilesOptions): NamedFile {
  const { directory = '.', secrets, refuse } = options;
  const refused = refuse?.(file);
  if (refused !== undefined) return { kind: 'unusable', problem: refused };
  const text = readChildText(file);
  if (text === undefined) return { kind: 'missing', near: refuse === undefined ? near(file) : undefined };
  if (text instanceof Error) return { kind: 'unusable', problem: text.message };
  return {
    kind: 'text',
    id: realPath(file),
    name: displayed(file, directory),
    text: secrets === undefined ? text : redactedSource(text, secrets).text,
    files: pipelineFiles(file, options),
  };
}

/** Path without links; the path itself if they cannot be resolved. */
function realPath(file: string): string {
  try {
    return realpathSync(file);
  } catch {
    return file;
  }
}

/** Maximum of names that are compared with one that does not exist. */
const mostNames = 1000;

/** Name of a file in the same directory that may be meant. */
function near(file: string): string | undefined {
  try {
    const names = readdirSync(path.dirname(file)).slice(0, mostNames);
    return nearestName(path.basename(file), names);
  } catch {
    return undefined;
  }
}
