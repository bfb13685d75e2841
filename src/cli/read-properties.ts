import { existsSync } from 'node:fs';
import type { NamedProperty } from '../graph/properties/monitor.js';
import { readPropertyLines } from '../graph/properties/property-list.js';
import { locateFile } from '../setup/locate-file.js';
import { UsageError } from '../setup/usage-error.js';
import type { Io } from './io.js';
import { readSource } from './read-source.js';

/**
 * Properties of the file that a call names, or of the one next to a pipeline: `release.check` of `release.dot`.
 * @throws UsageError for a file that cannot be read, with the place of each mistake in it
 */
export async function propertiesBeside(
  pipeline: string,
  named: string | undefined,
  io: Io,
): Promise<readonly NamedProperty[]> {
  const file = named ?? besideOf(pipeline, io);
  if (file === undefined) return [];
  const { name, text } = await readSource(file, io);
  const { properties, problems } = readPropertyLines(text);
  if (problems.length === 0) return properties;
  const lines = problems.map(({ line, column, message }) => `${name}:${line}:${column}: ${message}`);
  throw new UsageError(lines.join('\nattractor: '));
}

function besideOf(pipeline: string, io: Io): string | undefined {
  if (pipeline === '-') return undefined;
  const file = `${pipeline.replace(/\.(?:dot|gv)$/, '')}.check`;
  return existsSync(locateFile(file, io.cwd())) ? file : undefined;
}
